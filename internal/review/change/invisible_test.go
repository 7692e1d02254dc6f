package change

import (
	"testing"
	"unicode"
)

// Every format character of Unicode is removed from prose and escaped in code, including characters of
// newer versions of Unicode.
func TestFormatCharactersAreNeverHidden(t *testing.T) {
	t.Parallel()
	n := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		listed := r == 0x034F || r == 0x115F || r == 0x1160 || r == 0x17B4 || r == 0x17B5 || r >= 0x180B && r <= 0x180F ||
			r == 0x2065 || r == 0x3164 || r == 0xFFA0 || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0000 && r <= 0xE0FFF
		if !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Co, r) && !listed {
			continue
		}
		n++
		s := "a" + string(r) + "b"
		if got := StripInvisible(s); got != "ab" {
			t.Errorf("%U stays: %q", r, got)
		}
		if got := ShowInvisible(s); got == s || UnescapeInvisible(got) != s {
			t.Errorf("%U is shown as %q", r, got)
		}
	}
	if n < 4000 {
		t.Errorf("%d characters were looked at", n)
	}
	for _, s := range []string{"é", "ß", "漢字", "עברית", "\u00a0", "👩", "a\tb"} {
		if StripInvisible(s) != s || ShowInvisible(s) != s {
			t.Errorf("%q is changed", s)
		}
	}
}
