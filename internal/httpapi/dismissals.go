package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/store"
)

// FindingDismissal is the reason for dismissing a finding.
type FindingDismissal struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why, for the audit log and the page of the finding" example:"The caller checks it"`
}

// InFinding names a finding in a path.
type InFinding struct {
	InRepository
	ID string `path:"findingId"`
}

func (s *server) dismissFinding(ctx context.Context, in *struct {
	InFinding
	Body FindingDismissal
}) (*Read[ListedFinding], error) {
	row, err := s.Approvals.Dismiss(ctx, callerFrom(ctx).tenant, callerFrom(ctx).repository, dismissalOf(ctx, in.ID, in.Body.Reason))
	return decided(row, err)
}

func (s *server) reopenFinding(ctx context.Context, in *InFinding) (*Read[ListedFinding], error) {
	row, err := s.Approvals.Reopen(ctx, callerFrom(ctx).tenant, callerFrom(ctx).repository, dismissalOf(ctx, in.ID, ""))
	return decided(row, err)
}

// dismissalOf returns the caller's decision on a finding.
func dismissalOf(ctx context.Context, finding, reason string) approval.Dismissal {
	u := callerFrom(ctx).user
	return approval.Dismissal{Finding: finding, Reason: reason, UserID: u.ID, Name: u.Name}
}

func decided(row store.FindingRow, err error) (*Read[ListedFinding], error) {
	if err != nil {
		return nil, err
	}
	return read(listedFinding(row), nil)
}
