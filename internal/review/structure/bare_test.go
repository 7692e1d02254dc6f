package structure

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// Behind a quote without an end, an escaped quote begins no literal.
func TestAnEscapedQuoteBehindAnOddOne(t *testing.T) {
	t.Parallel()
	got := Bare("Python", []string{`x = " \' mine 'text' name`})[0]
	testkit.Equal(t, "bare", got, `x = " \' mine '    ' name`)
}

// Each quote of a hostile text is not followed to the end of its line.
func TestManyQuotesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	inner := `f"{` + strings.Repeat(`\'`, 240) + `}" `
	for name, tc := range map[string]struct {
		line string
		more int // times that the line stands in the text
	}{
		"behind an odd quote": {`x = "` + strings.Repeat(`\'`, size/2) + ` x`, 1},
		"in expressions":      {strings.Repeat(inner, size/len(inner)), 1},
		"in one expression":   {`x = f"{` + strings.Repeat(`\'`, size/2) + `"`, 1},
		"in short lines":      {`x = "` + strings.Repeat(`\'`, 900), size / 1800},
		"in short literals":   {strings.Repeat(inner, 4), size / (4 * len(inner))},
	} {
		lines := make([]string, tc.more)
		for i := range lines {
			lines[i] = tc.line
		}
		for i, l := range Bare("Python", lines) {
			if len(l) != len(lines[i]) || len(l) > MaxBareLine && l != lines[i] {
				t.Fatalf("%s: line %d has %d bytes of %d", name, i, len(l), len(lines[i]))
			}
		}
	}
}
