package intake

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// The reasons for ignoring a push.
const (
	pushElsewhere = "the push did not move the default branch"
	pushUnindexed = "reviews are switched off, so that the code is not indexed"
)

// pushed handles a push: one to the default branch has the code index look at the branch. Pushes to pull requests have their own events.
// A push connects no repository, and nothing in it is believed: the job asks the host for the branch.
func (s *Service) pushed(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	if ev.Repository == nil || ev.Repository.ExternalID == "" {
		return s.dispose(ctx, c, d, ignored("no repository"), nil)
	}
	repo, err := from.knownRepository(ctx, ev.Repository.ExternalID)
	if errs.Is(err, errs.NotFound) || err == nil && repo.State != "active" {
		return s.dispose(ctx, c, d, ignored(notReached), nil)
	}
	if err != nil {
		return err
	}
	if len(ev.Branches) > 0 && repo.DefaultBranch != "" && !slices.Contains(ev.Branches, repo.DefaultBranch) {
		return s.dispose(ctx, c, d, ignored(pushElsewhere), nil)
	}
	t := from.tenant()
	p, _, err := policy.Effective(ctx, s.Store, t, repo.ID)
	if err != nil {
		return err
	}
	if !p.Enabled {
		return s.dispose(ctx, c, d, ignored(pushUnindexed), nil)
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		_, err := s.Store.EnqueueIndex(ctx, t, repo.ID)
		return decision{disposition: domain.DispositionApplied, tenant: t.ID}, errs.IgnoreAbsent(err)
	})
}
