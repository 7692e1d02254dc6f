package run

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// LookAtJobs enqueues a look at the jobs of a pull request's head, unless one is open; that one then runs once more.
func (r *Runs) LookAtJobs(ctx context.Context, t domain.Tenant, row store.PullRequest) error {
	return r.Store.Atomically(ctx, func(ctx context.Context) error {
		if _, err := r.Store.PullRequestForUpdate(ctx, t, row.ID); err != nil {
			return err
		}
		_, err := r.Store.EnqueueAwaited(ctx, t, domain.KindCIHead, row.ID)
		return err
	})
}
