package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/review/finding"
)

// bound is how many conversations with models a review may have. The policy's bounds of tokens and money come first.
type bound struct {
	all int
	// finding is how many of them may look for findings and read the description. The others are left for verification.
	finding int
}

// boundOf returns the bound of a depth.
func boundOf(tier string) bound {
	switch tier {
	case tierT2:
		return bound{8, 5}
	case tierT3:
		return bound{40, 26}
	case tierT4:
		return bound{90, 60}
	}
	return bound{4, 3} // T1, and questions about earlier findings if nothing is due
}

// finding returns how many conversations may still look for findings.
func (w *work) finding() int {
	b := boundOf(w.plan.tier)
	return max(b.finding-(b.all-w.ConversationsLeft()), 0)
}

// fewer returns batches of claims as they are, or, if there are more batches than conversations, with claims of
// different symbols together.
func fewer(batches [][]*finding.Item, max int) [][]*finding.Item {
	if len(batches) <= max {
		return batches
	}
	return slices.Collect(slices.Chunk(slices.Concat(batches...), batchSize))
}
