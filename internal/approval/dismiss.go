package approval

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// MostReason bounds the reason of a dismissal, in characters.
const MostReason = 500

// Dismissal is what somebody decides about a finding. The role on the repository was
// asked before.
type Dismissal struct {
	Finding string
	Reason  string // one line of at most [MostReason] characters; needed to dismiss
	UserID  string
	Name    string
}

// Dismiss says of an open finding that nobody has to act on it: later reviews of the
// pull request do not raise it again. What a published review has said stays. Errors:
// [errs.NotFound], [errs.Invalid], [errs.Conflict] where it is not open.
func (s *Service) Dismiss(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal) (store.FindingRow, error) {
	var c field.Check
	c.Name("/reason", d.Reason)
	c.That(len([]rune(d.Reason)) <= MostReason, "/reason", fmt.Sprintf("must have at most %d characters", MostReason))
	if err := c.Err(); err != nil {
		return store.FindingRow{}, err
	}
	return s.decideFinding(ctx, t, repository, d, "finding.dismiss", domain.FindingOpen, domain.FindingDismissed)
}

// Reopen takes a dismissal back. Errors: [errs.NotFound], [errs.Conflict] where it is
// not dismissed.
func (s *Service) Reopen(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal) (store.FindingRow, error) {
	return s.decideFinding(ctx, t, repository, d, "finding.reopen", domain.FindingDismissed, domain.FindingOpen)
}

// shownFinding is what the audit log gets of a finding.
type shownFinding struct {
	State string `json:"state" audit:"track"`
}

func (s *Service) decideFinding(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal, action string, from, to domain.FindingState) (store.FindingRow, error) {
	var after store.FindingRow
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Finding(ctx, t, repository.ID, d.Finding)
		if err != nil {
			return audit.Act{}, err
		}
		err = s.Store.DecideFinding(ctx, t, repository.ID, from, store.FindingDecision{Finding: row.ID, State: to, Reason: d.Reason, User: d.UserID})
		if errs.Is(err, errs.NotFound) {
			now, err := s.Store.Finding(ctx, t, repository.ID, d.Finding)
			if err != nil {
				return audit.Act{}, err
			}
			return audit.Act{}, errs.New(errs.Conflict, "finding_"+string(now.State), "The finding is %s. Only one that is %s can become %s.", now.State, from, to)
		}
		if err != nil {
			return audit.Act{}, err
		}
		if after, err = s.Store.Finding(ctx, t, repository.ID, d.Finding); err != nil {
			return audit.Act{}, err
		}
		event := domain.FindingDecided{FindingID: row.ID, RunID: row.LastRun, RepositoryID: repository.ID, PullRequest: row.Number, State: to, UserID: d.UserID, Name: d.Name, Reason: d.Reason}
		if err := s.Store.AddEvent(ctx, t, domain.EventFindingDecided, row.ID, store.JSON(event)); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: action, Target: audit.Target{Kind: "finding", ID: row.ID}, Before: shownFinding{string(row.State)}, After: shownFinding{string(after.State)}, Note: d.Reason}, nil
	})
	return after, err
}
