package github

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// merge makes the merge commit of an open pull request and moves its base there. The pull request keeps its
// former base (GitHub REST description, "Get a pull request": merge_commit_sha is the merge commit). GitMu is
// held, Mu is not.
func (s *Server) merge(ctx context.Context, r *repository, p *pull, actor string) (host.Merged, error) {
	s.Mu.Lock()
	open, head, branch, base := p.State == "open", p.HeadSHA, p.Head, p.BaseRef
	from, title := host.OrElse(p.Fork, r.Owner), p.Title
	unmet := r.unmet(head)
	s.Mu.Unlock()
	if !open || unmet != nil {
		return host.Merged{}, unmet
	}
	message := fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", p.Number, from, branch, title)
	return s.Merge(ctx, r.git, base, head, message, gitrepo.Identity{Name: actor, Email: actor + "@" + emailDomain})
}
