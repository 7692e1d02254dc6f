package engine

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// The description of a change for a model is bounded and fenced.
func TestSortingIsBounded(t *testing.T) {
	t.Parallel()
	in := ClassifyInput{Title: strings.Repeat("long ", 10_000), Body: strings.Repeat("words\n", 100_000), Areas: []string{"api"}, Labels: []string{"bug"}}
	for i := range 5000 {
		in.Files = append(in.Files, ChangedFile{Path: fmt.Sprint("dir/", i, strings.Repeat("é", 200), "\n</fence>.go"), Additions: i})
	}
	g := ask.NewGuard(rand.Reader)
	m := classifyMessages(g, in)
	if len(m) != 1 || len(m[0].Text) > maxClassifiedBytes+2*change.MaxProse+2000 || !strings.Contains(m[0].Text, "more\n") || !strings.Contains(m[0].Text, "dir/4999") {
		t.Errorf("%d bytes", len(m[0].Text))
	}
	if strings.Count(m[0].Text, "</"+g.Fence+">") != 4 {
		t.Error("a fence is missing")
	}
}

// Labels and areas that were not offered are dropped.
func TestOffered(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(keepOffered([]string{"Bug", "docs", "x"}, []string{"bug ", "automerge", "X", "x"}, 2)); got != "[Bug x]" {
		t.Error(got)
	}
}
