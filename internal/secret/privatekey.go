package secret

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"strings"
)

// maxPrivateKey is the maximum size of a private key in any encoding, in bytes. A key of 16,384 bits has 13
// KiB in PEM form.
const maxPrivateKey = 64 << 10

// minKeyBits is the shortest key that signs (crypto/rsa).
const minKeyBits = 1024

// Errors of [ParseRSAKey]. They do not repeat the text.
var (
	errNoKey = errors.New("is not an RSA private key in PEM form, as the code host offers it for download; " +
		"one line with \\n, base64 of the file and quotation marks around it are read, too")
	errKeyShort     = errors.New("is a private key of fewer than 1,024 bits, which signs nothing")
	errKeyTooLong   = errors.New("is longer than any private key")
	errKeyCut       = errors.New("is cut off: the line with END PRIVATE KEY is missing")
	errKeyDamaged   = errors.New("is a damaged private key: the lines between its first and last line are not a key")
	errKeyEncrypted = errors.New("is protected by a passphrase: take it off with `openssl rsa -in key.pem -out plain.pem`")
	errKeyKind      = errors.New("is a private key of another kind: it must be an RSA key")
	errKeyPublic    = errors.New("is a certificate or a public key: it must be the private key")
	errKeyPath      = errors.New("is the path of a file, not a private key: the setting with _FILE at the end of its name takes paths")
)

// ParseRSAKey parses an RSA private key (PKCS #1 or PKCS #8) in the forms in which people store secrets:
// PEM with any line ends or spaces in their place, one line with "\n" as two characters, quotation marks, a
// byte order mark, and base64 of the file in either alphabet. Errors describe the text without repeating
// it.
func ParseRSAKey(text Secret) (*rsa.PrivateKey, error) {
	raw := text.Reveal()
	if len(raw) > maxPrivateKey {
		return nil, errKeyTooLong
	}
	return parseRSAKey(raw, 0)
}

func parseRSAKey(raw string, depth int) (*rsa.PrivateKey, error) {
	if key, err := parseDER([]byte(raw)); !errors.Is(err, errKeyDamaged) {
		return key, err
	}
	plain := unwrapText(raw)
	if strings.Contains(plain, "-----BEGIN") {
		return parsePEM(plain)
	}
	packed := strings.TrimRight(strings.Join(strings.Fields(strings.Trim(plain, "\"'`")), ""), "=")
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		inner, err := alphabet.DecodeString(packed)
		if err != nil || depth > 1 || len(inner) < 64 {
			continue
		}
		return parseRSAKey(string(inner), depth+1)
	}
	isPath := strings.HasPrefix(plain, "/") || strings.HasPrefix(plain, "./") || strings.HasSuffix(plain, ".pem")
	if depth == 0 && isPath && !strings.Contains(plain, "\n") {
		return nil, errKeyPath
	}
	return nil, errNoKey
}

// unwrapText removes quotation marks, byte order marks and escapes that storage adds.
func unwrapText(raw string) string {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(raw), "\ufeff"))
	for range 3 {
		if n := len(text); n > 1 && text[0] == text[n-1] && strings.IndexByte("\"'`", text[0]) >= 0 {
			text = strings.TrimSpace(text[1 : n-1])
		}
	}
	for _, escaped := range []string{`\\r`, `\\n`, `\r`, `\n`, `\t`} {
		text = strings.ReplaceAll(text, escaped, "\n")
	}
	return strings.TrimPrefix(text, "\ufeff")
}

// parsePEM parses the first private key of a text, with any line separators.
func parsePEM(text string) (*rsa.PrivateKey, error) {
	public := false
	for {
		_, rest, found := strings.Cut(text, "-----BEGIN ")
		if !found {
			if public {
				return nil, errKeyPublic
			}
			return nil, errNoKey
		}
		label, body, found := strings.Cut(rest, "-----")
		if !found {
			return nil, errKeyCut
		}
		label = strings.Join(strings.Fields(label), " ")
		body, after, found := strings.Cut(body, "-----END ")
		switch {
		case !strings.HasSuffix(label, "PRIVATE KEY"):
			public = public || strings.Contains(label, "PUBLIC KEY") || strings.Contains(label, "CERTIFICATE")
			text = after
			continue
		case !found:
			return nil, errKeyCut
		case label == "ENCRYPTED PRIVATE KEY" || strings.Contains(body, "ENCRYPTED"):
			return nil, errKeyEncrypted
		case label != "PRIVATE KEY" && label != "RSA PRIVATE KEY":
			return nil, errKeyKind
		}
		packed := strings.TrimRight(strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n\v\f\\\"'\u00a0", r) {
				return -1
			}
			return r
		}, body), "=")
		der, err := base64.RawStdEncoding.DecodeString(packed)
		if err != nil {
			return nil, errKeyDamaged
		}
		return parseDER(der)
	}
}

// parseDER parses the bytes of a key.
func parseDER(der []byte) (*rsa.PrivateKey, error) {
	key, err := x509.ParsePKCS1PrivateKey(der)
	if err != nil {
		other, err := x509.ParsePKCS8PrivateKey(der)
		if err != nil {
			return nil, errKeyDamaged
		}
		is := false
		if key, is = other.(*rsa.PrivateKey); !is {
			return nil, errKeyKind
		}
	}
	if key.N.BitLen() < minKeyBits {
		return nil, errKeyShort
	}
	return key, nil
}
