package review

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
)

// HideIssues forgets what was read of issues of which nothing but the key may be known
// any more, as their repositories became public, administrators took back what they had
// allowed, or connections went, and has published summaries say no more of them. At most
// limit links are looked at; many workers may do so at once.
func (s *Service) HideIssues(ctx context.Context, limit int) error {
	if s.Tickets == nil {
		return nil
	}
	links, err := s.Store.Overexposed(ctx, tickets.AllowsOnPublic, limit)
	if err != nil {
		return err
	}
	for first := 0; first < len(links); {
		next := first
		for next < len(links) && links[next].PullRequest == links[first].PullRequest {
			next++
		}
		if err := s.hide(ctx, links[first:next]); err != nil {
			return err
		}
		first = next
	}
	return nil
}

// hide empties links of one pull request, and has its summary edited once.
func (s *Service) hide(ctx context.Context, links []store.TrackerLink) error {
	t := domain.Tenant{ID: links[0].Tenant}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Store.PullRequestForUpdate(ctx, t, links[0].PullRequest); err != nil {
			return errs.IgnoreAbsent(err)
		}
		hidden := 0
		for _, l := range links {
			did, err := s.Store.HideTrackerLink(ctx, t, l)
			if err != nil {
				return err
			}
			if did {
				hidden++
			}
		}
		if hidden == 0 {
			return nil // another worker did
		}
		last, err := s.Store.LatestReview(ctx, t, links[0].PullRequest)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s.Logger.InfoContext(ctx, "only the keys of some issues are still allowed to be shown; the summary of their pull request is edited", "run", last.ID, "number", last.Number, "issues", hidden)
		return s.Runs.ShowEnd(ctx, last, "hide."+domain.NewID("hid"))
	})
}
