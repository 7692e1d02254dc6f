package field_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/field"
)

// A name has a character that people see.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"Wrap errors": true, "名前": true, "é": true, "⠿": true, "👩‍💻": true, "a\u00a0b": true,
		"": false, " ": false, " a": false, "\u00a0": false, "\u2800": false, "\u3164": false, "\u200b": false, "\u2060\ufe0f": false,
		"\u2800 \u2800": false, "a\nb": false, "a\u202eb": false, "\xff": false,
	} {
		var c field.Check
		if c.Name("/name", name); (c.Err() == nil) != ok {
			t.Errorf("%+q: %v", name, c.Err())
		}
	}
}
