package gitea

import (
	"context"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// ApplySuggestion implements [host.CodeHost]. The host has no suggestions.
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in simapi.SuggestionSpec) (simapi.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	if err != nil {
		s.Mu.Unlock()
		return simapi.Commit{}, err
	}
	at := s.shownPull(r, p)
	s.Mu.Unlock()
	return at.Apply(ctx, r.git, s, fullName, in)
}
