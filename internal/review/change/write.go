package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// WriteTarget writes the hunks of a file in the format that the system texts describe. Hunk texts must be
// redacted. symbol names the function or type around a hunk. continued returns the first lines of the
// function or type that a hunk continues, and the number of the first, or nil.
func WriteTarget(b *strings.Builder, t *Target, symbol func(*diff.Hunk) string, continued func(*diff.Hunk) (head []string, number int)) {
	fmt.Fprintf(b, "=== %s\n", CleanPath(t.File.Path))
	status := string(t.File.Status)
	if t.File.OldPath != "" {
		status += " from " + CleanPath(t.File.OldPath)
	}
	fmt.Fprintf(b, "status: %s\n", status)
	for _, h := range t.Hunks {
		name := symbol(h)
		if name == "" {
			name = h.Section
		}
		title := strings.TrimRight("@@ "+OneLine(ShowInvisible(name)), " ")
		head, number := continued(h)
		if len(head) > 0 {
			title += " continues"
		}
		b.WriteString(title + "\n")
		for i, l := range head {
			fmt.Fprintf(b, "%5d   %s\n", number+i, ShowLine(l))
		}
		if len(head) > 0 {
			b.WriteString("      …\n")
		}
		WriteHunk(b, h)
	}
}

// WriteHunk writes a hunk: the lines of the head with their numbers, then the removed lines.
func WriteHunk(b *strings.Builder, h *diff.Hunk) {
	removed := slices.ContainsFunc(h.Lines, func(l diff.Line) bool { return l.Op == diff.Delete })
	if h.NewLines > 0 {
		b.WriteString("new:\n")
		for _, l := range h.Lines {
			if l.Op != diff.Delete {
				fmt.Fprintf(b, "%5d %s %s\n", l.New, mark(l.Op), ShowLine(l.Text))
			}
		}
	}
	if removed {
		b.WriteString("old:\n")
		for _, l := range h.Lines {
			if l.Op == diff.Delete {
				fmt.Fprintf(b, "%5d - %s\n", l.Old, ShowLine(l.Text))
			}
		}
	}
}

func mark(op diff.Op) string {
	if op == diff.Add {
		return "+"
	}
	return " "
}
