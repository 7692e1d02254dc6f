package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// A model that says again what it was told is known has not said less of what is new.
func TestRepeatsTakeNoRoomInAnAnswer(t *testing.T) {
	t.Parallel()
	text := func(n int) string {
		var b strings.Builder
		b.WriteString("package x\n\nfunc first() {\n")
		for i := range n {
			fmt.Fprintf(&b, "\tcall%d(now, here)\n", i)
		}
		return b.String() + "}\n"
	}
	keys := []string{"nil-deref", "off-by-one", "error-ignored", "data-race", "resource-leak", "sql-injection", "division-by-zero", "quadratic-work"}
	words := []string{"Nobody looks for nothing", "The end is left out", "A failure is dropped", "Two workers write at once", "Handles pile up", "Strangers choose the statement", "An empty list panics", "Every element is searched again"}
	upTo := func(n int) (out []report) {
		for i := range n {
			out = append(out, report{"x.go", 4 + i, fmt.Sprintf("call%d(now, here)", i), keys[i], words[i]})
		}
		return out
	}
	in := change(t)
	in.ReviewedHunks, in.Models = map[string]bool{}, models(telling("", upTo(maxPerChunk)...))
	in.shows(tree{}, tree{"x.go": text(maxPerChunk)}, nil)
	res := review(t, in, Deps{})
	if len(res.Findings) != maxPerChunk {
		t.Fatalf("first: %+v", res.Findings)
	}
	in.publish(res)
	in.Models = models(telling("", upTo(maxPerChunk+1)...))
	in.shows(tree{}, tree{"x.go": text(maxPerChunk + 1)}, nil)
	res = review(t, in, Deps{})
	if i := slices.IndexFunc(res.Findings, func(f domain.Finding) bool { return f.Title == words[maxPerChunk] }); i < 0 {
		t.Fatalf("what is new was not said: %+v, dropped %v", res.Findings, res.Stats.Dropped)
	}
}
