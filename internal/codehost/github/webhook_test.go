package github

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the old signature, to see it refused
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

func sign(body []byte, key string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// verify checks the signature of a body that arrives in two pieces.
func verify(body []byte, signature string, secrets ...interface{ Reveal() string }) (int, error) {
	c, err := NewCheck(signature, secrets...)
	if err != nil {
		return 0, err
	}
	half := len(body) / 2
	_, _ = c.Write(body[:half]) // never fails
	_, _ = c.Write(body[half:])
	return c.Fits()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	// example is the signature in GitHub's documentation, "Validating webhook deliveries".
	const example = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	documented := secret.New("It's a " + "Secret to Everybody")
	if _, err := verify([]byte("Hello, World!"), example, documented); err != nil {
		t.Fatal("the documented example does not verify")
	}
	body, current, next, empty := []byte(`{"a":1}`), secret.New("current-key"), secret.New("next-key"), secret.Secret{}
	old := hmac.New(sha1.New, []byte("current-key"))
	old.Write(body)
	emptySigned := sign(body, "")
	for name, tc := range map[string]struct {
		body      []byte
		signature string
		secrets   []interface{ Reveal() string }
		index     int
		ok        bool
	}{
		"current":                    {body, sign(body, "current-key"), []interface{ Reveal() string }{current, next}, 0, true},
		"next, during rotation":      {body, sign(body, "next-key"), []interface{ Reveal() string }{current, next}, 1, true},
		"nil before the right one":   {body, sign(body, "next-key"), []interface{ Reveal() string }{nil, empty, next}, 2, true},
		"retired":                    {body, sign(body, "old-key"), []interface{ Reveal() string }{current, next}, 0, false},
		"changed body":               {[]byte(`{"a":2}`), sign(body, "current-key"), []interface{ Reveal() string }{current}, 0, false},
		"no secrets":                 {body, sign(body, "current-key"), nil, 0, false},
		"empty secret never fits":    {body, emptySigned, []interface{ Reveal() string }{empty, secret.New("")}, 0, false},
		"no signature":               {body, "", []interface{ Reveal() string }{current}, 0, false},
		"prefix only":                {body, "sha256=", []interface{ Reveal() string }{current}, 0, false},
		"SHA-1":                      {body, "sha1=" + hex.EncodeToString(old.Sum(nil)), []interface{ Reveal() string }{current}, 0, false},
		"SHA-1 in the other's name":  {body, "sha256=" + hex.EncodeToString(old.Sum(nil)), []interface{ Reveal() string }{current}, 0, false},
		"without prefix":             {body, strings.TrimPrefix(sign(body, "current-key"), "sha256="), []interface{ Reveal() string }{current}, 0, false},
		"cut":                        {body, sign(body, "current-key")[:60], []interface{ Reveal() string }{current}, 0, false},
		"longer":                     {body, sign(body, "current-key") + "00", []interface{ Reveal() string }{current}, 0, false},
		"not hex":                    {body, "sha256=" + strings.Repeat("zz", 32), []interface{ Reveal() string }{current}, 0, false},
		"upper-case digits are fine": {body, "sha256=" + strings.ToUpper(strings.TrimPrefix(sign(body, "current-key"), "sha256=")), []interface{ Reveal() string }{current}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, err := verify(tc.body, tc.signature, tc.secrets...)
			if tc.ok != (err == nil) || i != tc.index || (err != nil && !errors.Is(err, errSignature)) {
				t.Fatalf("verify = %d, %v; want %d, ok %v", i, err, tc.index, tc.ok)
			}
		})
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte("{}"), "sha256=00", "k")
	f.Add([]byte("{}"), sign([]byte("{}"), "k"), "k")
	f.Fuzz(func(t *testing.T, body []byte, signature, key string) {
		_, err := verify(body, signature, secret.New(key))
		if (err == nil) != (key != "" && strings.HasPrefix(signature, "sha256=") && strings.EqualFold(signature, sign(body, key))) {
			t.Fatalf("verify = %v", err)
		}
	})
}

func TestReadHeader(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958", "X-GitHub-Hook-ID": "292430182",
		"X-GitHub-Hook-Installation-Target-ID": "4711", "X-GitHub-Hook-Installation-Target-Type": "integration", "X-Hub-Signature-256": "sha256=00",
	}
	for name, tc := range map[string]struct {
		key, value string
		ok         bool
		app        domain.HostID
	}{
		"as GitHub sends it":   {"X-Hub-Signature-256", "sha256=00", true, "4711"},
		"repository hook":      {"X-GitHub-Hook-Installation-Target-Type", "repository", true, ""},
		"no target":            {"X-GitHub-Hook-Installation-Target-ID", "", true, ""},
		"no event":             {"X-GitHub-Event", "", false, ""},
		"event with a newline": {"X-GitHub-Event", "push\nx", false, ""},
		"event in upper case":  {"X-GitHub-Event", "Push", false, ""},
		"no delivery":          {"X-GitHub-Delivery", "", false, ""},
		"delivery too long":    {"X-GitHub-Delivery", strings.Repeat("a", 65), false, ""},
		"delivery with spaces": {"X-GitHub-Delivery", "a b", false, ""},
		"target not a number":  {"X-GitHub-Hook-Installation-Target-ID", "x", false, ""},
		"target too large":     {"X-GitHub-Hook-Installation-Target-ID", "99999999999999999999", false, ""},
		"target negative":      {"X-GitHub-Hook-Installation-Target-ID", "-1", false, ""},
		"hook id not a number": {"X-GitHub-Hook-ID", "1e3", false, ""},
		"target type of a foe": {"X-GitHub-Hook-Installation-Target-Type", "<b>", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			for k, v := range good {
				h.Set(k, v)
			}
			h.Set(tc.key, tc.value)
			got, err := ReadHeader(h)
			if (err == nil) != tc.ok || got.AppID() != tc.app {
				t.Fatalf("ReadHeader = %+v, %v", got, err)
			}
			if err != nil && tc.value != "" && len(tc.value) > 1 && strings.Contains(err.Error(), tc.value) {
				t.Fatal("the value is repeated")
			}
		})
	}
}
