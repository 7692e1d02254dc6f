package intake

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// maxEarlyReviews is how many pull requests of a repository are reviewed that were opened and left alone
	// before it was connected, the newest first: as many as people may request per hour (design choice).
	maxEarlyReviews = 30

	// maxListedPulls is how many older pull requests are listed, newest first, so that people can see them and
	// request reviews (design choice).
	maxListedPulls = 100
)

// byAge divides the open pull requests of a repository into due ones, in their order, and older ones,
// newest first. A pull request is due if it changed after the repository was connected, or was opened after
// the time from which a new repository is reviewed.
func byAge(repo store.Repository, pulls []codehost.PullRequest) (due, older []codehost.PullRequest) {
	for _, pr := range pulls {
		if pr.UpdatedAt.UnixMicro() < repo.CreatedUS {
			older = append(older, pr)
		}
	}
	slices.SortStableFunc(older, func(a, b codehost.PullRequest) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Number, a.Number))
	})
	early := map[int]bool{}
	older = slices.DeleteFunc(older, func(pr codehost.PullRequest) bool {
		is := repo.ReviewFromUS > 0 && !pr.CreatedAt.IsZero() && pr.CreatedAt.UnixMicro() >= repo.ReviewFromUS &&
			len(early) < maxEarlyReviews
		if is {
			early[pr.Number] = true
		}
		return is
	})
	for _, pr := range pulls {
		if early[pr.Number] || pr.UpdatedAt.UnixMicro() >= repo.CreatedUS {
			due = append(due, pr)
		}
	}
	return due, older[:min(len(older), maxListedPulls)]
}

// storeOlderPulls stores pull requests that get no automatic review, each once.
func (s *Service) storeOlderPulls(ctx context.Context, repo store.Repository, pulls []codehost.PullRequest) error {
	if len(pulls) == 0 {
		return nil
	}
	t := domain.Tenant{ID: repo.Tenant}
	numbers := make([]int, 0, len(pulls))
	for _, pr := range pulls {
		numbers = append(numbers, pr.Number)
	}
	known, err := s.Store.KnownPulls(ctx, t, repo.ID, numbers)
	if err != nil {
		return err
	}
	for _, pr := range pulls {
		if known[pr.Number] {
			continue
		}
		err := s.Store.InTx(ctx, func(ctx context.Context) error {
			_, err := s.Runs.UpsertPullRequest(ctx, t, run.PullRow(repo.ID, pr))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
