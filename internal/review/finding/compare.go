package finding

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// Bounds of likeness. Both are priors until the evaluation harness fits them.
const (
	likeness  = 0.60 // least cosine of the words of two texts about one defect
	LineSlack = 3    // lines by which an edit may move a place
)

// LikeTexts reports whether two texts about one place describe the same defect, by their words.
func LikeTexts(a, b anchor.Words) bool { return anchor.Cosine(a, b) >= likeness }

// Overlap reports whether two places of one file are at most slack lines apart. Places without a line overlap if both are
// of the same level.
func Overlap(a, b domain.Anchor, slack int) bool {
	if a.Level != domain.AnchorLine || b.Level != domain.AnchorLine {
		return a.Level == b.Level
	}
	return a.StartLine <= b.EndLine+slack && b.StartLine <= a.EndLine+slack
}

// TrueFirst compares two booleans for sorting: true comes before false.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
