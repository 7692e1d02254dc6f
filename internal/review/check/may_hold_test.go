package check

import (
	"strings"
	"testing"
)

// wordsBeforeSecrets are beginnings of texts whose rest is a value.
var wordsBeforeSecrets = []string{"", "key: ", "api_key = \"", "The token ", "Authorization: Bearer ", "password=", "https://user:", "adafruit => '", "x/"}

// A text in which a scan finds a secret is never taken for one that cannot have any.
func TestTextsThatMayHoldSecrets(t *testing.T) {
	t.Parallel()
	s, err := NewScanner()
	if err != nil {
		t.Fatal(err)
	}
	values := []string{awsKey(), ghToken(), random(300, 32), random(5, 24), random(7, 40), strings.ToLower(random(9, 32)), "P4ssw0rd-9921",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + random(11, 43), "hvs." + random(13, 30), "SK" + strings.Repeat("0123abcd", 4),
		"-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(random(17, 64)+"\n", 12) + "-----END RSA PRIVATE KEY-----",
		"curl -u admin:" + random(19, 12) + " https://example.org"}
	found := 0
	for _, value := range values {
		for _, before := range wordsBeforeSecrets {
			for _, behind := range []string{"", "\"", "@db.example.org/x", " is old.", "\u200b"} {
				text := before + value + behind
				hits, err := s.ScanText(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				if found += len(hits); len(hits) > 0 && !s.MayHold(text) {
					t.Errorf("%q with %v", text, hits)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("the scans found %d secrets only", found)
	}
	if !s.MayHold(ghToken()[:8] + "\u200b" + ghToken()[8:16] + "\u200b" + ghToken()[16:]) {
		t.Error("invisible characters hide a value")
	}
	for _, text := range []string{"This query depends on a user-provided value. Use placeholders, because it is unsafe.", "go/sql-injection",
		"services/api/internal/handlers/handler_5.go", "%SRCROOT%", "warning", "https://example.com/rules/r1"} {
		if s.MayHold(text) {
			t.Errorf("%q is scanned", text)
		}
	}
}

func FuzzMayHold(f *testing.F) {
	for _, before := range wordsBeforeSecrets {
		f.Add(before + "q7w7x2v2m4m9zkpb")
	}
	s, err := NewScanner()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if hits, err := s.ScanText(t.Context(), text); err == nil && len(hits) > 0 && !s.MayHold(text) {
			t.Errorf("%q with %v", text, hits)
		}
	})
}
