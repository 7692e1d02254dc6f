package engine

import "slices"

// bound is how many conversations with models a review may have: a conversation is a
// question with all that belongs to its answer (a repair, calls of tools).
type bound struct {
	all int
	// finding is how many of them may look for findings and read the description; the
	// others verify what was found, whatever it takes to find it.
	finding int
}

// boundOf is that of a depth (design choices; the policy's bounds of tokens and money
// come before it).
func boundOf(tier string) bound {
	switch tier {
	case tierT2:
		return bound{8, 5}
	case tierT3:
		return bound{40, 26}
	case tierT4:
		return bound{90, 60}
	}
	return bound{4, 3} // T1, and what is asked of earlier findings where nothing is due
}

// allow gives a review its conversations.
func (s *session) allow(b bound) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = b.all
}

// take counts conversations; false, and none is counted, where fewer are left.
func (s *session) take(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.left {
		return false
	}
	s.left -= n
	return true
}

// spend counts conversations that were had.
func (s *session) spend(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = max(s.left-n, 0)
}

// conversations is how many are left.
func (s *session) conversations() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// finding is how many of them may still look for findings.
func (w *work) finding() int {
	b := boundOf(w.plan.tier)
	return max(b.finding-(b.all-w.conversations()), 0)
}

// fewer are batches of claims as they are, or, where they are more than there are
// conversations, with claims of different symbols together.
func fewer(batches [][]*item, most int) [][]*item {
	if len(batches) <= most {
		return batches
	}
	return slices.Collect(slices.Chunk(slices.Concat(batches...), batchSize))
}
