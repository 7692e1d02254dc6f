package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/review/finding"
)

// conversationBound limits the conversations with models of a review. The policy's bounds of tokens and money come
// first.
type conversationBound struct {
	all int
	// finding is how many of them may look for findings and read the description. The others are left for verification.
	finding int
}

// conversationBoundOf returns the bound of a depth.
func conversationBoundOf(tier string) conversationBound {
	switch tier {
	case tierT2:
		return conversationBound{8, 5}
	case tierT3:
		return conversationBound{40, 26}
	case tierT4:
		return conversationBound{90, 60}
	}
	return conversationBound{4, 3} // T1, and questions about earlier findings if nothing is due
}

// findingConversations returns the number of conversations that may still look for findings.
func (w *work) findingConversations() int {
	b := w.conversationBound()
	return max(b.finding-(b.all-w.ConversationsLeft()), 0)
}

// fitBatches returns batches of claims as they are, or, if there are more batches than conversations, with claims of
// different symbols together.
func fitBatches(batches [][]*finding.Item, max int) [][]*finding.Item {
	if len(batches) <= max {
		return batches
	}
	return slices.Collect(slices.Chunk(slices.Concat(batches...), batchSize))
}
