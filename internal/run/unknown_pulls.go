package run

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// MaxListed is how many open pull requests of a repository without a review are listed, the newest first, so that people can see
// them and request reviews (design choice).
const MaxListed = 100

// NewestFirst orders pull requests by the time at which they were opened, the newest first.
func NewestFirst(pulls []codehost.PullRequest) {
	slices.SortStableFunc(pulls, func(a, b codehost.PullRequest) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Number, a.Number))
	})
}

// StoreUnknown stores those pull requests of a repository that are not stored yet, without a review. Callers bound their number.
func (r *Runs) StoreUnknown(ctx context.Context, t domain.Tenant, repository string, pulls []codehost.PullRequest) error {
	if len(pulls) == 0 {
		return nil
	}
	numbers := make([]int, 0, len(pulls))
	for _, pr := range pulls {
		numbers = append(numbers, pr.Number)
	}
	known, err := r.Store.KnownPulls(ctx, t, repository, numbers)
	if err != nil {
		return err
	}
	for _, pr := range pulls {
		if known[pr.Number] {
			continue
		}
		err := r.Store.InTx(ctx, func(ctx context.Context) error {
			_, err := r.UpsertPullRequest(ctx, t, PullRow(repository, pr))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
