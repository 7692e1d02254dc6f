package anchor

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line string
		want int // characters that are visible
	}{
		"short":                         {"x := 1", 6},
		"as long as may be":             {strings.Repeat("x", MaxLine), MaxLine},
		"as long, in another script":    {strings.Repeat("時", MaxLine), MaxLine},
		"one too long, of words":        {strings.Repeat("ab ", MaxLine/3) + "abc", MaxLine - 2},
		"a word at the end of it":       {"x = " + strings.Repeat("a", MaxLine), 4},
		"nothing but a word":            {strings.Repeat("a", 3*MaxLine), MaxLine},
		"a word behind white space":     {strings.Repeat(" ", 100) + strings.Repeat("a", 3*MaxLine), MaxLine},
		"words of another script":       {strings.Repeat("\"時刻\",", MaxLine), MaxLine},
		"bytes that are not characters": {strings.Repeat("\xff", 2*MaxLine), MaxLine},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visible, hidden := Shown(c.line)
			n := utf8.RuneCountInString(visible)
			if !strings.HasPrefix(c.line, visible) || n+hidden != utf8.RuneCountInString(c.line) || n != c.want {
				t.Errorf("%d characters are visible and %d hidden, of %d; want %d visible", n, hidden, utf8.RuneCountInString(c.line), c.want)
			}
		})
	}
}
