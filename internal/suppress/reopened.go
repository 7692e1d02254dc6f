package suppress

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Reopened withdraws the undecided proposals that no dismissal supports any more, after the dismissal of a
// finding was taken back. It joins the caller's transaction. Errors: [errs.NotFound] if the repository has no
// such finding.
func (s *Service) Reopened(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.SuppressionRequest) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.Store.LockSuppressions(ctx, t, repository.ID); err != nil {
			return err
		}
		row, err := s.Store.Finding(ctx, t, repository.ID, r.Finding)
		if err != nil {
			return err
		}
		prints, err := s.prints(ctx, t, row)
		if err != nil {
			return err
		}
		rows, err := s.Store.Suppressions(ctx, t, repository.ID, store.SuppressionsFilter{State: domain.SuppressionProposed,
			Limit: maxProposed + 1}) // one act may propose two
		if err != nil {
			return err
		}
		for _, v := range rows {
			stays, err := s.isSupported(ctx, t, row, prints, v)
			if err != nil {
				return err
			}
			if stays {
				continue
			}
			if err := s.Store.WithdrawSuppression(ctx, t, repository.ID, v.ID, domain.SuppressionProposed, r.UserID,
				clip.Runes(r.Name, maxName, "…"), "The dismissal of the finding was taken back."); err != nil {
				return err
			}
		}
		return nil
	})
}

// isSupported reports whether a proposal does not depend on a finding that is open again, or whether the
// findings that are dismissed now still support it.
func (s *Service) isSupported(ctx context.Context, t domain.Tenant, row store.FindingRow, prints []string, v store.Suppression) (
	bool, error) {
	switch {
	case v.Source == domain.SuppressedByUsefulness: // the next count of the outcomes decides
		return true, nil
	case v.Source == domain.SuppressedByRepetition:
		if v.Matches != row.RuleID || v.Paths != store.JSON(folderOf(row.Anchor.Path)) {
			return true, nil
		}
		n, err := s.countRefusals(ctx, t, v.Repository, row.RuleID, row.Folder())
		return n.isEnough(), err
	case v.Finding == row.ID || slices.Contains(prints, v.Matches):
		left, err := s.Store.DismissedPrints(ctx, t, v.Repository, []string{v.Matches, v.Matches + ":" + v.Finding})
		return len(left) > 0, err
	}
	return true, nil
}
