package github

import "errors"

// ResolveThread presses "Resolve conversation" under the first comment of a thread as a person.
func (s *Server) ResolveThread(fullName string, number int, comment int64, by string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, p, err := s.st.find(fullName, number)
	if err != nil {
		return err
	}
	root := p.comment(comment)
	if root == nil || root.InReplyTo != 0 || p.pending(root) {
		return errors.New("comment: no thread begins with it")
	}
	if p.ResolvedThreads == nil {
		p.ResolvedThreads = map[int64]string{}
	}
	p.ResolvedThreads[root.ID] = by
	s.emitThread(r, p, root, "resolved", by)
	s.Touch()
	return nil
}
