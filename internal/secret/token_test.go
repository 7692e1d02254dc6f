package secret

import (
	"regexp"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range []Kind{Session, Setup, Link, MCP, InstanceKey} {
		for range 200 {
			tok := NewToken(kind).Reveal()
			if seen[tok] {
				t.Fatal("a token came twice")
			}
			seen[tok] = true
			if !CheckToken(kind, tok) {
				t.Fatalf("a fresh token of kind %s does not check", kind)
			}
			if !regexp.MustCompile(`^assay_[a-z]+_[0-9A-Za-z]{33,49}$`).MatchString(tok) {
				t.Fatalf("form of kind %s", kind)
			}
			if Scrub("x "+tok) != "x "+Redacted {
				t.Fatalf("kind %s is not scrubbed", kind)
			}
		}
	}
}

func TestCheckTokenRefuses(t *testing.T) {
	t.Parallel()
	tok := NewToken(Session).Reveal()
	flip := func(i int) string {
		b := []byte(tok)
		if b[i] == 'a' {
			b[i] = 'b'
		} else {
			b[i] = 'a'
		}
		return string(b)
	}
	cases := map[string]string{
		"empty":           "",
		"other kind":      "assay_setup_" + strings.TrimPrefix(tok, "assay_sess_"),
		"cut":             tok[:len(tok)-1],
		"longer":          tok + "a",
		"changed body":    flip(len("assay_sess_") + 3),
		"changed sum":     flip(len(tok) - 1),
		"other alphabet":  tok[:20] + "-" + tok[21:],
		"space in front":  " " + tok,
		"not ours at all": "hello",
	}
	for name, text := range cases {
		if CheckToken(Session, text) {
			t.Errorf("%s: accepted", name)
		}
	}
	if Prefix(tok) != tok[:len("assay_sess_")+4] || Prefix("hello") != "" || Prefix("assay_x_ab") != "" {
		t.Error("Prefix shows kind and four characters, and nothing of other text")
	}
	if len(Hash(tok)) != 64 || Hash(tok) == Hash(tok+"x") {
		t.Error("Hash is a SHA-256")
	}
}

func FuzzCheckToken(f *testing.F) {
	f.Add(NewToken(Link).Reveal())
	f.Add("assay_link_")
	f.Fuzz(func(t *testing.T, text string) {
		if CheckToken(Link, text) && (CheckToken(Setup, text) || Prefix(text) == "") {
			t.Fatal("one text, two kinds")
		}
	})
}
