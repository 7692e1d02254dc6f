package run

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// See keeps what the host says of a pull request, by [store.Store.SeePullRequest].
func (r *Runs) See(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error) {
	return r.keep(ctx, t, p, r.Store.SeePullRequest)
}

// Hear keeps what an event tells of a pull request, by [store.Store.HearPullRequest].
func (r *Runs) Hear(ctx context.Context, t domain.Tenant, p store.PullRequest) (row store.PullRequest, contradicted bool, err error) {
	row, err = r.keep(ctx, t, p, func(ctx context.Context, t domain.Tenant, p store.PullRequest) (now store.PullRequest, err error) {
		now, contradicted, err = r.Store.HearPullRequest(ctx, t, p)
		return now, err
	})
	return row, contradicted, err
}

// keep keeps what is known of a pull request, and has the check of the head that it had
// said again where it is open with that head and target no more, or is again: other pull
// requests may have the head. Call it in the transaction that acts on the row.
func (r *Runs) keep(ctx context.Context, t domain.Tenant, p store.PullRequest,
	see func(context.Context, domain.Tenant, store.PullRequest) (store.PullRequest, error)) (store.PullRequest, error) {
	before, err := r.Store.PullRequestNumbered(ctx, t, p.Repository, p.Number)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return before, err
	}
	row, err := see(ctx, t, p)
	if err != nil || before.ID == "" || before.HeadSHA == row.HeadSHA && before.State == row.State && before.BaseRef == row.BaseRef {
		return row, err
	}
	return row, r.ShowHead(ctx, t, row.Repository, before.HeadSHA)
}

// ShowHead has the newest check of a head said again, at each place where the host keeps
// one, as what holds for the pull requests that are open with the head may have changed.
// Where none is open with it, nothing holds.
func (r *Runs) ShowHead(ctx context.Context, t domain.Tenant, repository, head string) error {
	verdicts, err := r.Store.HeadVerdicts(ctx, t, repository, head, "", "")
	if err != nil || len(verdicts) == 0 {
		return err
	}
	checks, err := r.Store.HeadChecks(ctx, t, repository, head)
	for _, c := range checks {
		if _, err := r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindCheck, FairKey: t.ID, Subject: c.Run, Tenant: t.ID}); err != nil {
			return err
		}
	}
	return err
}

// showAtOnce has a run shown before a worker takes it where its head has a check already:
// that one is about another pull request or target branch, or about a review before.
func (r *Runs) showAtOnce(ctx context.Context, t domain.Tenant, run store.Run) error {
	checks, err := r.Store.HeadChecks(ctx, t, run.Repository, run.HeadSHA)
	if err != nil || len(checks) == 0 {
		return err
	}
	return r.Show(ctx, run, domain.RunQueued)
}
