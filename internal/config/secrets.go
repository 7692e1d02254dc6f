package config

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// inLines are the secrets that may have several lines. Other code checks them.
var inLines = map[string]bool{"instanceKey": true, "bootstrap.github.privateKey": true}

// placeholder matches a template's placeholder that was never filled in.
var placeholder = regexp.MustCompile(`^(?:\$\{[^}]*\}|\$\([^)]*\)|\{\{.*\}\}|<[^<>]*>|\$[A-Z][A-Z0-9_]*)$`)

// secrets checks the form of every secret at start, so that a bad one does not fail later. For example, a
// line break in a token breaks the first request that sends it.
func (v *validator) secrets() {
	if key := v.config.Bootstrap.GitHub.PrivateKey; key.IsSet() {
		_, err := secret.ParseRSAKey(key)
		v.check(err == nil, "bootstrap.github.privateKey", "%v", err)
	}
	for _, l := range leaves() {
		s, _ := reflect.ValueOf(v.config).Elem().FieldByIndex(l.index).Interface().(secret.Secret)
		if s.IsSet() && l.secret == "value" && !inLines[l.name] {
			why := wrongForm(s.Reveal())
			v.check(why == "", l.name, "%s", why)
		}
	}
}

// wrongForm returns why a one-line secret cannot be valid, or "".
func wrongForm(value string) string {
	strange := func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
	}
	last := len(value) - 1
	switch {
	case strings.TrimSpace(value) == "":
		return "has nothing in it but white space"
	case strings.ContainsAny(value, "\r\n"):
		return "has a line break in it: it must be on one line"
	case strings.TrimSpace(value) != value:
		return "has white space at its beginning or end"
	case strings.IndexFunc(value, strange) >= 0:
		return "has a character in it that cannot be seen"
	case last > 0 && value[0] == value[last] && strings.IndexByte("\"'`", value[0]) >= 0:
		return "stands in quotation marks: leave them out, because nothing takes them off here"
	case placeholder.MatchString(value):
		return "is a placeholder that nothing has filled in"
	}
	return ""
}

// RootCAs returns the system's certificate authorities together with those of CAFile, or nil (the system's)
// if CAFile is not set. It returns an error if the file has an unreadable certificate.
func (o Outbound) RootCAs() (*x509.CertPool, error) {
	if o.CAFile == "" {
		return nil, nil //nolint:nilnil // nil is the documented meaning
	}
	raw, err := readCAFile(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be read: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	found := 0
	for rest := bytes.TrimPrefix(raw, []byte("\ufeff")); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("names a file whose certificate %d is damaged", found+1)
		}
		pool.AddCert(cert)
		found++
	}
	switch began := bytes.Count(raw, []byte("-----BEGIN CERTIFICATE-----")); {
	case found == 0:
		return nil, errors.New("names a file without a PEM certificate")
	case found < began:
		return nil, fmt.Errorf("names a file with %d certificates, and only %d can be read", began, found)
	}
	return pool, nil
}

// maxCAFile is the maximum size of the file with certificate authorities, in bytes. The system's file has
// 250 KiB.
const maxCAFile = 4 << 20

func readCAFile(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxCAFile+1))
	if err == nil && len(raw) > maxCAFile {
		err = errors.New("it is larger than 4 MiB")
	}
	return raw, err
}
