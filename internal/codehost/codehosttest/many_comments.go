package codehosttest

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// testManyComments publishes a review with the most allowed comments, and checks that all of them come back
// once each, perhaps in several pages.
func testManyComments(t *testing.T, f *Fixture) {
	ctx, many := t.Context(), f.Host.Capabilities().MaxComments
	draft := codehost.Draft{Commit: f.Head, Body: markdown.Const("a large review")}
	for i := range many {
		draft.Comments = append(draft.Comments, codehost.DraftComment{Path: f.Path, Side: "RIGHT", Line: f.Line,
			Body: markdown.Stored(fmt.Sprintf("finding %d", i))})
	}
	review := f.publish(t, draft)
	seen := map[string]int{}
	for _, c := range must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review)) {
		seen[c.Body]++
	}
	for i := range many {
		if n := seen[fmt.Sprintf("finding %d", i)]; n != 1 {
			t.Errorf("comment %d is there %d times", i, n)
		}
	}
	if len(seen) != many {
		t.Errorf("%d comments, want %d", len(seen), many)
	}
}
