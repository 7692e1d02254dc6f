package review

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Decisions records people's decisions about findings on the code host.
type Decisions interface {
	// ByResolution dismisses a finding; false if it stays open.
	ByResolution(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.Resolution) (bool, error)
	// DismissByComment dismisses a finding as a comment decides whose author may write to the repository.
	DismissByComment(ctx context.Context, t domain.Tenant, repository store.Repository,
		c domain.DismissalByComment) (domain.DismissalOutcome, error)
	// ResolveByComment resolves an open finding after a verified reply that its defect is fixed; false if it is not open.
	ResolveByComment(ctx context.Context, t domain.Tenant, repository store.Repository, run string, c domain.DismissalByComment) (bool, error)
	// BarsCommenter reports whether another person than the commenter must decide on a finding.
	BarsCommenter(ctx context.Context, t domain.Tenant, repository store.Repository, f domain.Finding,
		c domain.DismissalByComment) (bool, error)
}

// dismissResolved dismisses the open findings whose thread a person with write access closed on the host. It asks only
// hosts that report who closed a thread, and only if an open finding has a comment.
func (w *work) dismissResolved(ctx context.Context, host codehost.Host, repo codehost.Repo, repository store.Repository) error {
	if w.Decisions == nil || !host.Capabilities().TellsResolver {
		return nil
	}
	known, err := w.Store.KnownFindings(ctx, w.run.Owner(), w.run.PullRequest)
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(known, func(k store.KnownFinding) bool { return k.State != domain.FindingOpen || !k.Known || k.CommentID == "" })
	if len(known) == 0 {
		return nil
	}
	closed, err := w.closedThreads(ctx, host, repo)
	if err != nil {
		return err
	}
	may := map[domain.Resolution]bool{}
	for _, k := range known {
		who, is := closed[k.CommentID]
		if !is || who.Login == "" || who.IsBot {
			continue
		}
		by := domain.Resolution{Login: who.Login, Person: who.ID}
		if _, asked := may[by]; !asked {
			role, err := policy.CommenterRole(ctx, host, repo, codehost.EventComment{Author: by.Login, AuthorID: by.Person})
			if err != nil && !codehost.IsAccessLost(err) && codehost.ClassOf(err) != codehost.ClassInvalid {
				return err
			}
			may[by] = err == nil && policy.MayWrite(role)
		}
		if !may[by] {
			continue
		}
		by.Finding = k.ID
		if _, err := w.Decisions.ByResolution(ctx, w.run.Owner(), repository, by); err != nil {
			return err
		}
	}
	return nil
}

// closedThreads returns, for each of our comments, who closed its thread.
func (w *work) closedThreads(ctx context.Context, host codehost.Host, repo codehost.Repo) (map[domain.HostID]codehost.Sender, error) {
	pubs, err := w.Store.PublicationsOfPull(ctx, w.run.Owner(), w.run.PullRequest, maxThreadReviews)
	if err != nil {
		return nil, err
	}
	var reviews []domain.HostID
	for _, pub := range pubs {
		if pub.ReviewID != "" {
			reviews = append(reviews, pub.ReviewID)
		}
	}
	closed, err := host.ClosedThreads(ctx, repo, w.run.Number, reviews)
	if codehost.IsAccessLost(err) {
		return nil, nil
	}
	return closed, err
}
