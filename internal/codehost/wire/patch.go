package wire

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// PatchText returns the hunks of a file in the form of a host's list, starting with the first "@@". It
// returns "" without hunks.
func PatchText(f *diff.File) string {
	if f == nil || f.Binary || f.Omitted != "" {
		return ""
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		if h.Section != "" {
			b.WriteString(" " + h.Section)
		}
		b.WriteByte('\n')
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Op))
			b.WriteString(l.Text + "\n")
			if l.NoEOL {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
