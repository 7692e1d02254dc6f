package gitea

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// merged is a branch before and after a merge; the zero value is none.
type merged struct{ before, after string }

// merge makes the merge commit of an open pull request and moves its base there. The merge base of the pull request stays,
// its base is the tip of the branch from then on (services/convert/pull.go, ToAPIPullRequest). gitMu is held, mu is not.
func (s *Server) merge(ctx context.Context, r *repository, p *pull, actor string) (merged, error) {
	s.mu.Lock()
	open, head, base := p.State == "open", p.HeadSHA, p.BaseRef
	message := fmt.Sprintf("Merge pull request '%s' (#%d) from %s into %s", p.Title, p.Number, p.Head, base)
	s.mu.Unlock()
	if !open {
		return merged{}, nil
	}
	before, err := r.git.Resolve(ctx, "heads/"+base)
	if err != nil {
		return merged{}, errors.New("state: the base branch is gone")
	}
	after, err := r.git.Merge(ctx, before, head, message, gitrepo.Identity{Name: actor, Email: strings.ToLower(actor) + "@" + emailDomain, At: s.now()})
	if err != nil {
		return merged{}, fmt.Errorf("state: %w", err)
	}
	return merged{before, after}, r.git.SetRef(ctx, "refs/heads/"+base, after)
}

// baseMoved gives the pull requests onto a branch its new tip as their base, also those that are closed: that is read when
// they are shown. mu is held.
func (r *repository) baseMoved(branch, tip string) {
	for _, p := range r.Pulls {
		if p.BaseRef == branch {
			p.BaseSHA = tip
		}
	}
}
