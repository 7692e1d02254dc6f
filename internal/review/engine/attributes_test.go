package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Marks for generated files in .gitattributes count at the merge base, so the author of a change cannot
// take files out of the review.
func TestAttributesCountAtTheBase(t *testing.T) {
	t.Parallel()
	for side, reviewed := range map[string]int{"LEFT": 0, "RIGHT": 1} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			m := &scripted{generate: findings(division()), verify: confirmAll}
			in := sampleChange(t)
			src := enginetest.Files{side + ":.gitattributes": "shop/*.go linguist-generated\n"}
			for name, text := range in.Source.(enginetest.Files) {
				src[name] = text
			}
			in.Source, in.Models = src, models(m)
			res := review(t, in, Deps{})
			testkit.Equal(t, "files that a model reviewed", len(res.Coverage.Reviewed), reviewed)
			testkit.Equal(t, "findings", len(res.Findings), reviewed)
		})
	}
}
