package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// If a change is too large, its riskiest files are reviewed. Among equal files these include the one
// whose function has ten callers and now takes another parameter.
func TestUsedFunctionsAreReviewedFirst(t *testing.T) {
	t.Parallel()
	base, head := enginetest.Tree{}, enginetest.Tree{}
	for i := range 9 {
		path := fmt.Sprintf("p%d/code.go", i)
		lines := func(n int) string {
			return fmt.Sprintf("package p%d\n\nfunc Handle%d(n int) int {\n", i, i) + strings.Repeat(fmt.Sprintf("\tn += %d\n", n), 400) + "\treturn n\n}\n"
		}
		base[path], head[path] = lines(1), lines(2)
		if i%4 == 0 {
			head[path] = strings.Replace(head[path], "(n int)", "(n int64)", 1)
		}
	}
	for i := range 10 {
		path := fmt.Sprintf("use/u%d.go", i)
		base[path] = "package use\n\nimport \"example.com/p8\"\n\nvar x = p8.Handle8(1)\n"
		head[path] = base[path]
	}
	for name, searched := range map[string]bool{"searched": true, "not searched": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(), verify: confirmAll})
			in.shows(base, head, nil)
			if searched {
				in.Source = grepped{in.Source.(enginetest.Files), &[]snapshot.Query{}}
			}
			res := review(t, in, Deps{})
			testkit.Equal(t, "depth", res.Tier, tierT4)
			var seen, named []string
			for _, n := range res.Coverage.Reviewed {
				seen = append(seen, n.Path)
			}
			for _, n := range res.Coverage.Skimmed {
				named = append(named, n.Path)
				testkit.Equal(t, n.Path, n.Why, whyNotSelected)
			}
			testkit.Equal(t, "files", len(seen)+len(named), 9)
			testkit.Equal(t, "the one that others use is among "+strings.Join(seen, " "), slices.Contains(seen, "p8/code.go"), searched)
		})
	}
}
