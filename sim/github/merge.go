package github

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// merged is a branch before and after a merge; the zero value is none.
type merged struct{ before, after string }

// merge makes the merge commit of an open pull request and moves its base there. The pull request keeps the base that it
// had before (GitHub REST description, "Get a pull request": merge_commit_sha is the merge commit). gitMu is held, mu is not.
func (s *Server) merge(ctx context.Context, r *repository, p *pull, actor string) (merged, error) {
	s.mu.Lock()
	open, head, branch, base := p.State == "open", p.HeadSHA, p.Head, p.BaseRef
	from, title := host.OrElse(p.Fork, r.Owner), p.Title
	s.mu.Unlock()
	if !open {
		return merged{}, nil
	}
	before, err := r.git.Resolve(ctx, "heads/"+base)
	if err != nil {
		return merged{}, errors.New("state: the base branch is gone")
	}
	message := fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", p.Number, from, branch, title)
	after, err := r.git.Merge(ctx, before, head, message, gitrepo.Identity{Name: actor, Email: actor + "@" + emailDomain, At: s.now()})
	if err != nil {
		return merged{}, fmt.Errorf("state: %w", err)
	}
	return merged{before, after}, r.git.SetRef(ctx, "refs/heads/"+base, after)
}
