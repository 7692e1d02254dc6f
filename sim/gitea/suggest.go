package gitea

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// ApplySuggestion implements [host.CodeHost]: it makes the commit that a person makes by hand, because the host has no suggestions.
// The comment shows its change as the only block of code with the info word "diff".
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in simapi.SuggestionSpec) (simapi.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	var c inline
	var branch, head, state string
	if err == nil {
		branch, head, state = p.Head, p.HeadSHA, p.State
		if i := slices.IndexFunc(p.Comments, func(x *inline) bool { return x.ID == in.Comment && !p.pending(x) }); i >= 0 {
			c = *p.Comments[i]
		}
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return simapi.Commit{}, err
	case state != "open":
		return simapi.Commit{}, host.ErrNotOpen
	}
	if c.Line <= 0 {
		return simapi.Commit{}, host.ErrNoSuggestion
	}
	text, err := browse.Repo{Git: r.git}.Apply(ctx, head, c.Path, c.Line, c.Body)
	if err != nil {
		return simapi.Commit{}, err
	}
	return s.Commit(ctx, fullName, simapi.CommitSpec{Branch: branch, Files: map[string]string{c.Path: text}, Message: "Update " + c.Path,
		Author: in.Author})
}
