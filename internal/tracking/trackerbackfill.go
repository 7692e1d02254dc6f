package tracking

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Linker finds the issues of a pull request.
type Linker interface {
	// LinkPullRequest finds and stores the issues of a pull request, and returns how many of them belong to
	// the connection. Repeating it changes nothing. A failure of the connection's tracker is an error;
	// failures of other trackers are ignored.
	LinkPullRequest(ctx context.Context, t domain.Tenant, connection string, repository store.Repository,
		pull store.PullRequest) (found int, err error)
}

const (
	stagePulls = "pullRequests"

	// pullPage is how many pull requests are listed at once.
	pullPage = 50

	// pullTime is how long one pull request may take (design choice).
	pullTime = 2 * time.Minute
)

// BackfillTracker links the open pull requests of the tenant to their issues with a job that people can
// wait for. It returns a running job if there is one. Errors: NotFound, and Conflict for a connection that
// is switched off or of a kind that is not built.
func (s *Service) BackfillTracker(ctx context.Context, t domain.Tenant, id string) (job store.Job, err error) {
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.usableTracker(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		if s.Links == nil {
			return audit.Act{}, errs.New(errs.Unbuilt, "not_implemented", "Pull requests are not linked to issues yet.")
		}
		if err := s.Store.HoldTracker(ctx, t, id); err != nil {
			return audit.Act{}, err
		}
		job, err = s.Store.EnqueueAwaited(ctx, t, domain.KindBackfill, id)
		return audit.Act{Tenant: t, Action: "tracker-connection.backfill", Target: s.trackerOfRow(row).target()}, err
	})
	return job, err
}

// Backfill is the job that links open pull requests to issues. It stores its progress after each of them,
// so that another worker can continue.
func (s *Service) Backfill(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	_, err := s.usableTracker(ctx, t, c.Job.Subject)
	if errs.Is(err, errs.NotFound) || errs.Is(err, errs.Conflict) {
		return c.Outcome(ctx, domain.JobOutcome{}, "The connection was deleted, or is switched off.")
	}
	if err != nil {
		return err
	}
	b := &backfill{Service: s, claim: c, tenant: t, connection: c.Job.Subject}
	if b.at, err = s.Store.BeginBackfill(ctx, t, b.connection, c.Job.ID); err != nil {
		return err
	}
	err = b.do(ctx)
	if err == nil {
		return c.Outcome(ctx, b.outcome(), "")
	}
	return b.storeFailure(ctx, err)
}

// backfill is one attempt.
type backfill struct {
	*Service
	claim      *jobs.Claim
	tenant     domain.Tenant
	connection string
	at         store.TrackerBackfill
	total      int
}

func (b *backfill) do(ctx context.Context) error {
	b.claim.Stage(stagePulls, pullTime)
	rest, err := b.Store.CountOpenPulls(ctx, b.tenant, b.at.After)
	if err != nil {
		return err
	}
	b.total = b.at.Looked + rest
	for {
		page, err := b.Store.OpenPulls(ctx, b.tenant, b.at.After, pullPage)
		if err != nil {
			return err
		}
		if err := b.claim.Progress(ctx, domain.JobProgress{Stage: stagePulls, Done: b.at.Looked,
			Total: max(b.total, b.at.Looked)}); err != nil || len(page) == 0 {
			return err
		}
		for _, p := range page {
			b.claim.Touch()
			if err := b.linkOne(ctx, p); err != nil {
				return err
			}
		}
	}
}

// linkOne links one pull request. An error of only this pull request is counted, and the backfill continues.
func (b *backfill) linkOne(ctx context.Context, p store.OpenPull) error {
	found, err := b.link(ctx, p)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !concernsOnePull(err):
		return err
	case err != nil:
		b.Logger.WarnContext(ctx, "a pull request could not be linked to issues", "pullRequest", p.ID, "connection", b.connection, "error", err)
		b.at.Skipped++
	case found > 0:
		b.at.Linked++
		b.at.Issues += found
	}
	b.at.Looked++
	b.at.After = p.ID
	return b.Store.SaveBackfill(ctx, b.tenant, b.connection, b.at)
}

func (b *backfill) link(ctx context.Context, p store.OpenPull) (int, error) {
	repo, err := b.Store.Repository(ctx, b.tenant, p.Repository)
	if err != nil {
		return 0, err
	}
	pull, err := b.Store.PullRequest(ctx, b.tenant, p.ID)
	if err != nil {
		return 0, err
	}
	return b.Links.LinkPullRequest(ctx, b.tenant, b.connection, repo, pull)
}

// concernsOnePull reports whether an error concerns only one pull request: the pull request or an object that it
// names is missing or can never be read.
func concernsOnePull(err error) bool {
	switch tracker.ClassOf(err) {
	case tracker.ClassNotFound, tracker.ClassInvalid, tracker.ClassTooLarge:
		return true
	}
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden, codehost.ClassInvalid, codehost.ClassTooLarge:
		return true
	}
	return errs.Is(err, errs.NotFound)
}

func (b *backfill) outcome() domain.JobOutcome {
	return domain.JobOutcome{Counts: map[string]int{"pullRequests": b.at.Looked, "linked": b.at.Linked, "issues": b.at.Issues,
		"skipped": b.at.Skipped}}
}

// storeFailure stores the failure of an attempt, and has the job tried again. The next attempt continues at the
// same place.
func (b *backfill) storeFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if wait := trackerWaiting(err); wait != nil {
		return wait
	}
	if codehost.ClassOf(err) == codehost.ClassLimited {
		return jobs.Waiting(err)
	}
	problem := "A pull request could not be read. It is tried again by itself."
	if tracker.ClassOf(err) != "" {
		a := trackerAnswer{failed: err, words: trackerWords(err, secret.Secret{})}
		_, problem = a.state()
	}
	if told := b.claim.Outcome(ctx, b.outcome(), problem); told != nil {
		return told
	}
	if b.claim.Job.Attempts+1 < maxTries {
		return err
	}
	return nil
}
