package review

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
)

// HideIssues deletes the stored content of issues whose key alone may still be known, and has published
// summaries updated. Reasons are a repository that became public, a withdrawn permission, or a removed
// connection. It looks at up to limit links. Several workers may call it at once.
func (s *Service) HideIssues(ctx context.Context, limit int) error {
	if s.Tickets == nil {
		return nil
	}
	links, err := s.Store.OverexposedLinks(ctx, tickets.AllowsOnPublic, limit)
	if err != nil {
		return err
	}
	for first := 0; first < len(links); {
		next := first
		for next < len(links) && links[next].PullRequest == links[first].PullRequest {
			next++
		}
		if err := s.hideLinks(ctx, links[first:next]); err != nil {
			return err
		}
		first = next
	}
	return nil
}

// hideLinks empties links of one pull request, and has its summary edited once.
func (s *Service) hideLinks(ctx context.Context, links []store.TrackerLink) error {
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
			return nil // another worker did it
		}
		last, err := s.Store.LatestReview(ctx, t, links[0].PullRequest)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s.Logger.InfoContext(ctx, "only the keys of some issues are still allowed to be shown; the summary of their pull "+
			"request is edited", "run", last.ID, "number", last.Number, "issues", hidden)
		return s.Runs.ShowEnd(ctx, last, "hide."+domain.NewID("hid"))
	})
}
