package ask

// AllowConversations sets how many conversations the review may still have. A conversation is a question
// with everything that belongs to its answer, such as a repair or calls of tools.
func (s *Session) AllowConversations(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = n
}

// TakeConversations takes n conversations. If fewer are left, it takes none and returns false.
func (s *Session) TakeConversations(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.left {
		return false
	}
	s.left -= n
	return true
}

// SpendConversations takes up to n conversations.
func (s *Session) SpendConversations(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = max(s.left-n, 0)
}

// ConversationsLeft returns how many conversations are left.
func (s *Session) ConversationsLeft() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}
