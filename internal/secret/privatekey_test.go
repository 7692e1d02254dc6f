package secret

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
)

// A key is read in every common encoding. The error for another text names its kind.
func TestParseRSAKey(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	marshal := func(key any) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	wrap := func(s string, width int) string {
		var b strings.Builder
		for len(s) > width {
			b.WriteString(s[:width] + "\n")
			s = s[width:]
		}
		return b.String() + s + "\n"
	}
	one, eight := encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), encode("PRIVATE KEY", marshal(key))
	for name, text := range map[string]string{"PKCS #1": one, "PKCS #8": eight} {
		line := strings.ReplaceAll(text, "\n", `\n`)
		packed := base64.StdEncoding.EncodeToString([]byte(text))
		for wrapping, wrapped := range map[string]string{
			"as it is": text, "without the last line break": strings.TrimSpace(text), "white space around it": "\n\t " + text + " \n\n",
			"one line": line, "one line twice escaped": strings.ReplaceAll(text, "\n", `\\n`), "one line with carriage returns": strings.ReplaceAll(text, "\n", `\r\n`),
			"one line in quotes": `"` + line + `"`, "in quotes": `"` + text + `"`, "in single quotes": "'" + text + "'", "in two kinds of quotes": `'"` + line + `"'`,
			"Windows": strings.ReplaceAll(text, "\n", "\r\n"), "old Mac": strings.ReplaceAll(text, "\n", "\r"), "a mark": "\ufeff" + text, "a mark in quotes": "\"\ufeff" + text + "\"",
			"spaces": strings.ReplaceAll(text, "\n", " "), "no line breaks": strings.ReplaceAll(text, "\n", ""), "indented": strings.ReplaceAll(text, "\n", "\n    "),
			"text before it": "Bag Attributes\n    friendlyName: app\n" + text, "a certificate before it": encode("CERTIFICATE", []byte("x")) + text,
			"backslashes at the ends": strings.ReplaceAll(text, "\n", "\\\n"),
			"base64":                  packed, "base64 without padding": strings.TrimRight(packed, "="), "base64 in lines": wrap(packed, 76), "base64 in quotes": `"` + packed + `"`,
			"base64 for addresses": base64.URLEncoding.EncodeToString([]byte(text)), "base64 twice": base64.StdEncoding.EncodeToString([]byte(packed)),
			"base64 of Windows": base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(text, "\n", "\r\n"))), "base64 of a line": base64.StdEncoding.EncodeToString([]byte(line)),
			"base64 of the bytes": base64.StdEncoding.EncodeToString(x509.MarshalPKCS1PrivateKey(key)), "bytes": string(x509.MarshalPKCS1PrivateKey(key)),
		} {
			if got, err := ParseRSAKey(New(wrapped)); err != nil || !got.Equal(key) {
				t.Errorf("%s, %s: %v", name, wrapping, err)
			}
		}
	}
	small, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"nothing": {"", errNoKey}, "a word": {"nonsense", errNoKey}, "long": {strings.Repeat("a", maxPrivateKey+1), errKeyTooLong},
		"a path": {"/run/secrets/key.pem", errKeyPath}, "a relative path": {"./key.pem", errKeyPath},
		"cut off": {one[:len(one)/2], errKeyCut}, "cut in the middle": {one[:200] + one[300:], errKeyDamaged}, "other signs": {strings.Replace(one, "M", "!", 1), errKeyDamaged},
		"a curve": {encode("PRIVATE KEY", marshal(curve)), errKeyKind}, "of OpenSSH": {encode("OPENSSH PRIVATE KEY", []byte("x")), errKeyKind},
		"encrypted":        {encode("ENCRYPTED PRIVATE KEY", []byte("x")), errKeyEncrypted},
		"encrypted of old": {strings.Replace(one, "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AA\n\n", 1), errKeyEncrypted},
		"a public key":     {encode("PUBLIC KEY", x509.MarshalPKCS1PublicKey(&small.PublicKey)), errKeyPublic}, "a certificate": {encode("CERTIFICATE", []byte("x")), errKeyPublic},
		"base64 of a word":    {base64.StdEncoding.EncodeToString([]byte(strings.Repeat("no key at all ", 20))), errNoKey},
		"only its first line": {"-----BEGIN RSA PRIVATE KEY", errKeyCut},
	} {
		_, err := ParseRSAKey(New(tt.text))
		if err == nil || err.Error() != tt.want.Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParseRSAKey checks that no text causes a panic and that no error repeats it.
func FuzzParseRSAKey(f *testing.F) {
	for _, s := range []string{"-----BEGIN RSA PRIVATE KEY-----\nTUlJ\n-----END RSA PRIVATE KEY-----", `"\n\r"`, "LS0tLS1CRUdJTiBSU0E=", "-----BEGIN -----", "'\"`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := ParseRSAKey(New(s)); err != nil && len(s) > 12 && strings.Contains(err.Error(), s) && !strings.Contains("is an RSA private key in PEM form", s) {
			t.Errorf("the error repeats the text: %v", err)
		}
	})
}
