package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// hostShare is how many jobs that ask hosts run at once for one tenant: half of a worker's default
	// slots, so that a silent host does not delay the hosts of other tenants (a design choice).
	hostShare = 2

	// sweepTurn is when a job gives its slot back; it continues later with the rest.
	sweepTurn = time.Minute

	// sweepTries is how often a silent host is asked with growing pauses. After that it is asked once per
	// sweepRest until it answers (design choices).
	sweepTries = 5
	sweepRest  = time.Hour

	// failuresBeforeNotice is the number of failures before the administrators are informed.
	failuresBeforeNotice = 3

	// sweepPatience is how long a request of a sweep waits for its share, because a request of another
	// sweep may be counted at the same time.
	sweepPatience = time.Second
)

// SweepHeads enqueues searches for lost heads in repositories that are due according to u: one job per
// installation and connection, so that a slow or harmful host delays only its own repositories. Each job
// begins within spread. One call creates at most limit jobs. It may run in many processes at once.
func (s *Service) SweepHeads(ctx context.Context, u store.Unswept, spread time.Duration, limit int) error {
	_, err := s.Store.EnqueueSweeps(ctx, u, spread, limit)
	return err
}

// sweepAccess is the job that searches the due repositories of an access one after another, each for at
// most [Config.SweepTime]. A host that is too slow or unreachable is retried with growing pauses; the
// remaining repositories stay due.
func (s *Service) sweepAccess(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	ctx = codehost.WithSweep(ctx, sweepPatience)
	for began := time.Now(); time.Since(began) < sweepTurn; {
		repo, err := s.Store.TakeUnswept(ctx, t, c.Job.Subject)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		c.Stage("lost heads of "+repo.ID, 2*s.SweepTime)
		bounded, cancel := context.WithTimeout(ctx, s.SweepTime)
		err = s.sweepHeads(bounded, repo)
		timedOut := bounded.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
		case ctx.Err() != nil: // the worker stops
			return errors.Join(err, s.Store.SweepAgain(context.WithoutCancel(ctx), t, repo.ID))
		case codehost.ClassOf(err) == codehost.ClassLimited:
			s.Logger.InfoContext(ctx, "repositories are looked through later for lost heads, because the requests of sweeps are used up "+
				"for the moment", "access", c.Job.Subject)
			if failed := s.Store.SweepAgain(ctx, t, repo.ID); failed != nil {
				return failed
			}
			return jobs.Waiting(err)
		case timedOut, codehost.ClassOf(err) == codehost.ClassUnavailable:
			return s.sweepFailed(ctx, c, repo, timedOut, err)
		default:
			s.Logger.WarnContext(ctx, "lost heads could not be looked for; the repository is tried again later", "repository", repo.ID, "error", err)
		}
	}
	return &jobs.Snooze{Why: "others are looked through first; the rest follows"}
}

// sweepFailed postpones a host that is too slow or unreachable.
func (s *Service) sweepFailed(ctx context.Context, c *jobs.Claim, repo store.Repository, late bool, cause error) error {
	message := fmt.Sprintf("%s/%s could not be looked through for lost webhooks, because the host does not answer. It is asked "+
		"again with growing pauses, at least once an hour.", repo.Owner, repo.Name)
	if late {
		message = fmt.Sprintf("%s/%s could not be looked through for lost webhooks within %v, because the host answers too slowly. It "+
			"is asked again with growing pauses, at least once an hour.", repo.Owner, repo.Name, s.SweepTime)
	}
	if late || c.Job.Attempts+1 >= failuresBeforeNotice {
		if err := s.sweepBroke(ctx, c.Job, fault.Unreachable, message); err != nil {
			return err
		}
	}
	if c.Job.Attempts+1 >= sweepTries { // the ledger would give the job up otherwise
		return &jobs.Snooze{For: sweepRest, Why: cause.Error()}
	}
	return cause
}

// sweepCrashed postpones an access whose sweep ended its worker, first for a minute, then for ten.
func (s *Service) sweepCrashed(ctx context.Context, j store.Job) (time.Duration, error) {
	pause := time.Minute
	if j.CrashAttempts > 1 {
		pause = 10 * time.Minute
	}
	return pause, s.sweepBroke(ctx, j, fault.Crashed, fmt.Sprintf("A worker stopped while it looked for lost webhooks there. The "+
		"host is asked again in %v; if its answers stop workers, they are given up after a few tries.", pause))
}

// sweepDead enqueues the next job of an access whose sweep was given up. It begins after a long pause, and
// prevents other sweeps of the access until it has ended.
func (s *Service) sweepDead(ctx context.Context, j store.Job, d jobs.Death) error {
	if _, err := s.Store.EnqueueSweep(ctx, domain.Tenant{ID: j.Tenant}, j.Subject, sweepRest); err != nil || !d.Crashed {
		return err
	}
	return s.sweepBroke(ctx, j, fault.Crashed, "Workers stopped again and again while they looked for lost webhooks there. The host "+
		"is asked again in an hour; the operator finds the job among the dead letters.")
}

// sweepBroke informs the administrators that an access does not work, once per reason.
func (s *Service) sweepBroke(ctx context.Context, j store.Job, reason, message string) error {
	t := domain.Tenant{ID: j.Tenant}
	access, err := s.Store.Access(ctx, j.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	e := domain.ConnectionError{ConnectionKind: domain.ConnectionInstallation, ConnectionID: access.Installation,
		Name: access.AccountLogin, Message: message}
	if access.Connection != "" {
		row, err := s.Store.ProviderConnection(ctx, t, access.Connection)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		e.ConnectionKind, e.ConnectionID, e.Name = domain.ConnectionProvider, row.ID, row.Name
	}
	return fault.Broke(ctx, s.Store, t, reason, e)
}
