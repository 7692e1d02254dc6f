package run

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// UpsertPullRequest stores the host's current data of a pull request with [store.Store.UpsertPullRequest].
func (r *Runs) UpsertPullRequest(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error) {
	return r.storePullRequest(ctx, t, p, r.Store.UpsertPullRequest)
}

// RecordPullRequestEvent stores an event's data of a pull request with [store.Store.RecordPullRequestEvent].
func (r *Runs) RecordPullRequestEvent(ctx context.Context, t domain.Tenant, p store.PullRequest) (row store.PullRequest,
	contradicted bool, err error) {
	write := func(ctx context.Context, t domain.Tenant, p store.PullRequest) (row store.PullRequest, err error) {
		row, contradicted, err = r.Store.RecordPullRequestEvent(ctx, t, p)
		return row, err
	}
	row, err = r.storePullRequest(ctx, t, p, write)
	return row, contradicted, err
}

// storePullRequest stores data of a pull request. If its head, state or target changed, it refreshes the checks of
// the affected heads, because other pull requests may have the same head. Any change schedules a reading of its
// feedback. Call it in the transaction that acts on the row.
func (r *Runs) storePullRequest(ctx context.Context, t domain.Tenant, p store.PullRequest,
	write func(context.Context, domain.Tenant, store.PullRequest) (store.PullRequest, error)) (store.PullRequest, error) {
	before, err := r.Store.PullRequestNumbered(ctx, t, p.Repository, p.Number)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return before, err
	}
	row, err := write(ctx, t, p)
	if err == nil && before.ID != "" && (before.HostUpdatedUS != row.HostUpdatedUS || before.State != row.State) {
		err = r.ScheduleFeedback(ctx, t, row)
	}
	if err != nil || before.ID == "" || before.HeadSHA == row.HeadSHA && before.State == row.State && before.BaseRef == row.BaseRef {
		return row, err
	}
	if before.HeadSHA != row.HeadSHA { // the pull request may have had this head before
		if err := r.ShowHead(ctx, t, row.Repository, row.HeadSHA); err != nil {
			return row, err
		}
	}
	return row, r.ShowHead(ctx, t, row.Repository, before.HeadSHA)
}

// ShowHead enqueues a new publication of a head's newest check at each place where the host has one,
// because the open pull requests with that head may have changed. It does nothing if no pull request is
// open with the head.
func (r *Runs) ShowHead(ctx context.Context, t domain.Tenant, repository, head string) error {
	verdicts, err := r.Store.HeadVerdicts(ctx, t, repository, head, "", "", domain.Unreviewed{}) // their number counts
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

// showAtOnce shows a queued run on the host before a worker takes it, if its head already has a check, because the
// existing check is about another pull request, another target branch or an earlier review.
func (r *Runs) showAtOnce(ctx context.Context, t domain.Tenant, run store.Run) error {
	checks, err := r.Store.HeadChecks(ctx, t, run.Repository, run.HeadSHA)
	if err != nil || len(checks) == 0 {
		return err
	}
	return r.Show(ctx, run, domain.RunQueued)
}

// mendEvery is the minimum time between repairs of a head's check.
const mendEvery = time.Hour

// MendHead enqueues a repair of a head's check if the check is missing after a run's end, or differs from
// the result for the open pull requests with that head, because its job was given up. It reads only the
// database. u gives the conclusions of heads without a complete review.
func (r *Runs) MendHead(ctx context.Context, t domain.Tenant, repository, head string, u domain.Unreviewed) error {
	checks, err := r.Store.HeadChecks(ctx, t, repository, head)
	if err != nil {
		return err
	}
	if len(checks) == 0 {
		return r.mendMissing(ctx, t, repository, head, u)
	}
	for _, c := range checks {
		verdicts, err := r.Store.HeadVerdicts(ctx, t, repository, head, c.Place, c.Run, u)
		if err != nil {
			return err
		}
		if len(verdicts) == 0 || verdicts[0].Verdict == "" || c.ShowsVerdict(verdicts[0].Verdict) {
			continue
		}
		if err := r.mend(ctx, t, domain.KindCheck, c.Run); err != nil {
			return err
		}
	}
	return nil
}

// mendMissing shows the end of a head's newest run again if the run has no check. It waits some time after
// the end, because the run's own job shows it first.
func (r *Runs) mendMissing(ctx context.Context, t domain.Tenant, repository, head string, u domain.Unreviewed) error {
	verdicts, err := r.Store.HeadVerdicts(ctx, t, repository, head, "", "", u)
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
