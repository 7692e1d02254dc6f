package gitea

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// merge makes the merge commit of an open pull request and moves its base there. The merge base of the pull
// request stays; its base is then the tip of the branch (services/convert/pull.go, ToAPIPullRequest). GitMu is
// held, Mu is not.
func (s *Server) merge(ctx context.Context, r *repository, p *pull, actor string) (host.Merged, error) {
	s.Mu.Lock()
	open, head, base := p.State == "open", p.HeadSHA, p.BaseRef
	message := fmt.Sprintf("Merge pull request '%s' (#%d) from %s into %s", p.Title, p.Number, p.Head, base)
	unmet := s.unmet(r, head)
	s.Mu.Unlock()
	if !open || unmet != nil {
		return host.Merged{}, unmet
	}
	return s.Merge(ctx, r.git, base, head, message, gitrepo.Identity{Name: actor, Email: strings.ToLower(actor) + "@" + emailDomain})
}

// baseMoved sets a branch's new tip as the base of its pull requests, closed ones included, because the host
// reads the base when it shows them. mu is held.
func (r *repository) baseMoved(branch, tip string) {
	for _, p := range r.Pulls {
		if p.BaseRef == branch {
			p.BaseSHA = tip
		}
	}
}
