package fixrun

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Offer is what a person who manages the repository can ask for at a finding.
type Offer struct {
	Deliveries []domain.FixDelivery // that the policy allows, from the least change on the host to the most
	WhyNot     string               // why a request would be refused now, in a sentence; "" if it would not
}

// Offer returns what can be asked for at a finding now. [Service.Create] decides again.
func (s *Service) Offer(ctx context.Context, t domain.Tenant, repository store.Repository, f store.FindingRow) (Offer, error) {
	p, _, err := policy.Effective(ctx, s.Store, t, repository.ID)
	if err != nil {
		return Offer{}, err
	}
	out := Offer{Deliveries: domain.FixDelivery(p.Fixes).Deliveries()}
	switch {
	case f.State != domain.FindingOpen:
		out.WhyNot = "Only an open finding can be fixed."
	case len(out.Deliveries) == 0:
		out.WhyNot = "The policy of the repository allows no fixes: its setting fixes is off."
	}
	if out.WhyNot != "" {
		return out, nil
	}
	row, err := s.Store.PullRequest(ctx, t, f.PullRequest)
	if err != nil {
		return out, err
	}
	run, err := s.Store.Run(ctx, t, f.LastRun) // reviews can be deleted before their findings
	if errs.IgnoreAbsent(err) != nil {
		return out, err
	}
	if err = s.admits(ctx, repository, p, row, run); err == nil {
		err = s.Store.FixRoom(ctx, t, row.ID, row.HeadSHA)
	}
	if refused, ok := errors.AsType[*errs.Error](err); ok && refused.Kind == errs.Conflict {
		out.WhyNot, err = refused.Message, nil
	}
	return out, err
}
