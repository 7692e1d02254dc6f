package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A defect whose line is edited and then restored is shown to the model again, although the hunk was
// reviewed, because its place is not known otherwise.
func TestAnEditThatIsTakenBack(t *testing.T) {
	t.Parallel()
	base := "package x\n\n" + strings.Repeat("var _ = 1\n", 20)
	text := func(line string) string { return base + "func A() {\n\t" + line + "\n}\n" }
	for name, heads := range map[string][]string{
		"open":     {"BUGa(1)", "BUGa(1, 2)", "BUGa(1)"},
		"resolved": {"BUGa(1)", "BUGa(1, 2)", "fine()", "BUGa(1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models, in.ReviewedHunks = models(byLine()), map[string]bool{}
			var first domain.Finding
			for i, line := range heads {
				in.Diff, in.Source = []byte(enginetest.Unified("x.go", base, text(line))), enginetest.Files{"LEFT:x.go": base, "RIGHT:x.go": text(line)}
				res := review(t, in, Deps{})
				for _, h := range res.Hunks {
					in.ReviewedHunks[h] = true
				}
				if line == "fine()" {
					in.Known = closed(in.Known, res.Resolved)
					continue
				}
				open := res.Open()
				if len(open) != 1 || !strings.HasSuffix(open[0].Anchor.Quote, line) {
					t.Fatalf("head %d: %+v, resolved %v", i, open, res.Resolved)
				}
				if i == 0 {
					first = open[0]
				}
				if open[0].ID != first.ID {
					t.Errorf("head %d: id %q, want %q", i, open[0].ID, first.ID)
				}
				in.Known = slices.Clone(open)
				in.Known[0].Known = true // its review was published
			}
		})
	}
}
