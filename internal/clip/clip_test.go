package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		n    int
		want string
	}{
		"short":                   {"abc", 4, "abc"},
		"exact":                   {"abc", 3, "abc"},
		"cut":                     {"abcd", 3, "abc"},
		"border of a character":   {"aéb", 3, "aé"},
		"within a character":      {"aéb", 2, "a"},
		"within a first one":      {"😀", 3, ""},
		"nothing":                 {"abc", 0, ""},
		"less than nothing":       {"abc", -1, ""},
		"bytes that are not text": {"\x80\x80\x80\x80\x80\x80\x80\x80", 6, "\x80\x80\x80\x80\x80\x80"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clip.Bytes(c.in, c.n); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRunes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		n    int
		mark string
		want string
	}{
		"short":                   {"äöü", 4, "…", "äöü"},
		"exact":                   {"äöü", 3, "…", "äöü"},
		"the mark counts":         {"äöüß", 3, "…", "äö…"},
		"no mark":                 {"äöüß", 3, "", "äöü"},
		"only the mark fits":      {"äöüß", 1, "…", "…"},
		"the mark does not fit":   {"äöüß", 2, "[…]", "äö"},
		"nothing":                 {"äöüß", 0, "…", ""},
		"less than nothing":       {"äöüß", -1, "…", ""},
		"more bytes than letters": {"éé", 3, "…", "éé"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clip.Runes(c.in, c.n, c.mark); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzClip checks the promises of both functions for arbitrary text.
func FuzzClip(f *testing.F) {
	f.Add("abc", 2)
	f.Add("aé😀b", 4)
	f.Add("\x80\xff\xf0\x9f", 3)
	f.Add("", -1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		short := clip.Bytes(s, n)
		if len(short) > max(n, 0) || !strings.HasPrefix(s, short) {
			t.Errorf("Bytes(%q, %d) = %q", s, n, short)
		}
		marked := clip.Runes(s, n, "…")
		if utf8.RuneCountInString(marked) > max(n, 0) || marked != s && !strings.HasPrefix(s, strings.TrimSuffix(marked, "…")) {
			t.Errorf("Runes(%q, %d) = %q", s, n, marked)
		}
		if !utf8.ValidString(s) {
			return
		}
		if !utf8.ValidString(short) || !utf8.ValidString(marked) {
			t.Errorf("cut in a character: %q, %q", short, marked)
		}
		if len(short) < len(s) && max(n, 0)-len(short) >= utf8.UTFMax {
			t.Errorf("Bytes(%q, %d) = %q has room for another character", s, n, short)
		}
		if marked != s && n > 0 && utf8.RuneCountInString(marked) != n {
			t.Errorf("Runes(%q, %d) = %q has room for another character", s, n, marked)
		}
	})
}
