package check

import (
	"errors"
	"strings"
	"testing"
)

// A text with many anchors or aliases is refused before the lexer reads it. The same signs in a long text are not anchors.
func TestAnchorsAreBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text   string
		beyond bool
	}{
		"anchors":         {strings.Repeat("&a ", 20_000), true},
		"anchors in rows": {strings.Repeat("&a\n", 20_000), true},
		"without spaces":  {strings.Repeat("&*", 30_000), true},
		"aliases":         {"a: [" + strings.Repeat("*a,", 20_000) + "]", true},
		"a few":           {"a: &a 1\n" + strings.Repeat("- *a\n", 900), false},
		"in a text":       {"a: " + strings.Repeat("b & c * d&e ", 2_000), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := ParseYAML([]byte(tt.text)); errors.Is(err, ErrYAMLAnchors) != tt.beyond {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A line with tens of thousands of quotes or of characters that begin no value is refused before the lexer reads it. A long line of
// JSON and many short lines are read.
func TestMarksOnALineAreBounded(t *testing.T) {
	t.Parallel()
	for text, beyond := range map[string]bool{
		strings.Repeat("@", 65_000): true, "a: " + strings.Repeat("`", 65_000): true, strings.Repeat("'a' ", 16_000): true,
		strings.Repeat("%!", 30_000): true, strings.Repeat("\"]", 30_000): true,
		"a: {" + strings.Repeat(`"b": "c", `, 2_000) + `"d": "e"}`: false, strings.Repeat("- 'a@b'\n", 8_000): false,
	} {
		if _, err := ParseYAML([]byte(text)); errors.Is(err, ErrYAMLBound) != beyond {
			t.Errorf("%.12q…: %v", text, err)
		}
	}
}
