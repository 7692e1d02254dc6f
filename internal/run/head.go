package run

import (
	"context"
	"fmt"
	"time"

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
	if before.HeadSHA != row.HeadSHA { // it may be one that the pull request had before
		if err := r.ShowHead(ctx, t, row.Repository, row.HeadSHA); err != nil {
			return row, err
		}
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

// mendEvery is how often the check of a head is mended that cannot be.
const mendEvery = time.Hour

// MendHead has the check of a head said again where it is missing although a run has ended,
// or says what does not hold for the pull requests that are open with the head: the job
// that was to say it was given up. It asks the database alone.
func (r *Runs) MendHead(ctx context.Context, t domain.Tenant, repository, head string) error {
	checks, err := r.Store.HeadChecks(ctx, t, repository, head)
	if err != nil {
		return err
	}
	if len(checks) == 0 {
		return r.mendMissing(ctx, t, repository, head)
	}
	for _, c := range checks {
		verdicts, err := r.Store.HeadVerdicts(ctx, t, repository, head, c.Place, c.Run)
		if err != nil {
			return err
		}
		if len(verdicts) == 0 || verdicts[0].Verdict == "" || c.Says(verdicts[0].Verdict) {
			continue
		}
		if err := r.mend(ctx, t, domain.KindCheck, c.Run); err != nil {
			return err
		}
	}
	return nil
}

// mendMissing has the end of the newest run of a head shown again that has no check, some
// time after it ended: until then its own job shows it.
func (r *Runs) mendMissing(ctx context.Context, t domain.Tenant, repository, head string) error {
	verdicts, err := r.Store.HeadVerdicts(ctx, t, repository, head, "", "")
	if err != nil || len(verdicts) == 0 {
		return err
	}
	run, err := r.Store.Run(ctx, t, verdicts[0].Run)
	if err != nil || !run.State.Terminal() || run.CheckID != "" || verdicts[0].Verdict == "" ||
		run.NowUS-run.FinishedUS < mendEvery.Microseconds() {
		return err
	}
	return r.mend(ctx, t, domain.KindReflect, run.ID)
}

func (r *Runs) mend(ctx context.Context, t domain.Tenant, kind domain.JobKind, run string) error {
	row, err := r.Store.Run(ctx, t, run)
	if err != nil {
		return err
	}
	_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: kind, FairKey: t.ID, Subject: run, Tenant: t.ID,
		Dedup: fmt.Sprintf("%s:mend:%s:%d", kind, run, row.NowUS/mendEvery.Microseconds())})
	return err
}
