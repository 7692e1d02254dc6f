package approval

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// maxLogin bounds the login name in the reason of a dismissal, in characters.
const maxLogin = 100

// ByResolution dismisses an open finding whose thread a person closed on the code host. The caller has checked the
// person's role. It returns false if the finding stays open: it is a secret, it breaks a mandatory rule, or a
// person has already decided on it.
func (s *Service) ByResolution(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.Resolution) (bool, error) {
	row, err := s.Store.Finding(ctx, t, repository.ID, r.Finding)
	if err != nil {
		return false, err
	}
	must, err := s.mandatory(ctx, t, repository.ID, row.Finding)
	if err != nil || must {
		return false, err
	}
	before, err := s.Store.FindingDecisions(ctx, t, row.ID)
	if err != nil || len(before) > 0 {
		return false, err
	}
	by, err := s.personOf(ctx, t, repository, domain.ApprovalByComment{AuthorLogin: r.Login, AuthorID: r.Person})
	if err != nil {
		return false, err
	}
	ctx = audit.As(ctx, audit.Actor{Kind: audit.KindHost, UserID: by.By, Name: r.Login, Method: "resolution"})
	d := Dismissal{Finding: row.ID, Reason: clip.Runes(r.Login, maxLogin, "…") + " closed the thread on the code host.",
		UserID: by.By, Name: r.Login, Person: domain.HostPerson(repository.Access, r.Person)}
	_, err = s.decideFinding(ctx, t, repository, d, "finding.dismiss", domain.FindingOpen, domain.FindingDismissed)
	if errs.Is(err, errs.Conflict) { // another person decided at this moment
		return false, nil
	}
	return err == nil, err
}
