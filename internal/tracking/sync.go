package tracking

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// Kinds returns the job handlers for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindSync:         {Run: s.Sync, Crashed: s.pauseAfterCrash, Share: hostShare},
		domain.KindUnhook:       {Run: s.Unhook, Dead: s.unhookDead, Crashed: s.pauseAfterCrash, Share: hostShare},
		domain.KindTrackerCheck: {Run: s.CheckTracker, Crashed: s.pauseAfterCrash, Share: hostShare},
		domain.KindBackfill:     {Run: s.Backfill, Crashed: s.pauseAfterCrash, Share: hostShare},
	}
}

// hostShare is how many jobs that ask hosts run at once for one tenant: half of a worker's default slots (a
// design choice).
const hostShare = 2

// pauseAfterCrash pauses a connection whose job ended its worker, first for a minute, then for ten, and informs its
// administrators.
func (s *Service) pauseAfterCrash(ctx context.Context, j store.Job) (time.Duration, error) {
	pause := time.Minute
	if j.CrashAttempts > 1 {
		pause = 10 * time.Minute
	}
	t := domain.Tenant{ID: j.Tenant}
	e := domain.ConnectionError{ConnectionKind: domain.ConnectionTracker, ConnectionID: j.Subject,
		Message: fmt.Sprintf("A worker stopped while it asked the host. The host is asked again in %v; if its answers stop workers, "+
			"the job is given up after a few tries.", pause)}
	switch j.Kind {
	case domain.KindSync:
		row, err := s.Store.ProviderConnection(ctx, t, j.Subject)
		if err != nil {
			return pause, errs.IgnoreAbsent(err)
		}
		e.ConnectionKind, e.Name = domain.ConnectionProvider, row.Name
	case domain.KindUnhook: // remains of a deleted connection
		return pause, nil
	default:
		row, err := s.Store.TrackerConnection(ctx, t, j.Subject)
		if err != nil {
			return pause, errs.IgnoreAbsent(err)
		}
		e.Name = row.Name
	}
	return pause, fault.Broke(ctx, s.Store, t, fault.Crashed, e)
}

const (
	// patientTries is how often a silent host is asked before the administrators are informed: about three
	// minutes with the pauses of jobs.
	patientTries = 3

	// maxTries is how often a silent host is asked before the job ends: about an hour with those pauses.
	// The connection is checked again later.
	maxTries = 6
)

// syncSoon enqueues a synchronisation of the connection, in the transaction that creates or changes the
// connection.
func (s *Service) syncSoon(ctx context.Context, t domain.Tenant, row store.ProviderConnection) error {
	if !row.Enabled {
		return nil
	}
	_, err := s.Store.EnqueueAwaited(ctx, t, domain.KindSync, row.ID)
	return err
}

// Sync is the job that synchronises a connection with its host. It is tried again if the host does not
// answer, and ends if a person must fix something. If a synchronisation is requested while it runs, it asks
// the host once more.
func (s *Service) Sync(ctx context.Context, c *jobs.Claim) error {
	if err := s.sync(ctx, c); err != nil {
		return err
	}
	return c.FinishUnasked(ctx)
}

func (s *Service) sync(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	row, err := s.Store.ProviderConnection(ctx, t, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return c.Outcome(ctx, domain.JobOutcome{}, "The connection was deleted.")
	}
	if err != nil {
		return err
	}
	if !row.Enabled {
		return c.Outcome(ctx, domain.JobOutcome{}, "The connection is disabled.")
	}
	c.Stage(stageHost, 2*longestAsk)
	if err := c.Progress(ctx, domain.JobProgress{Stage: stageHost}); err != nil {
		return err
	}
	token, err := s.token(ctx, t, row)
	if err != nil {
		return err
	}
	answer, err := s.ask(ctx, row, token)
	if err != nil {
		return err
	}
	former := row.Owner
	row, answer, err = s.resolveOwner(ctx, row, token, answer)
	if err != nil {
		return err
	}
	if codehost.ClassOf(answer.failed) == codehost.ClassLimited {
		return jobs.Waiting(answer.failed)
	}
	if row.Owner != former {
		row, err = s.storeOwnerName(ctx, t, row)
		if errs.Is(err, errs.NotFound) {
			return c.Outcome(ctx, domain.JobOutcome{}, "The connection was changed meanwhile. Its own synchronisation follows.")
		}
		if err != nil {
			return err
		}
	}
	if goOn, err := s.storeSyncAnswer(ctx, c, t, row, answer); err != nil || !goOn {
		return err
	}
	host, err := s.Hosts.Connection(ctx, row, token)
	if err != nil {
		return err
	}
	reading := &synchronisation{Service: s, claim: c, tenant: t, row: row, host: host, token: token, counts: map[string]int{}}
	if row.Owner != former {
		reading.note("%s", renamedMessage(former, row.Owner))
	}
	return reading.do(ctx, answer.Owner)
}

// SyncProvider starts a synchronisation of a connection as a job that people can wait for. A waiting job is
// due at once, and a running one asks the host once more. Errors: NotFound, and Conflict if the connection
// is switched off.
func (s *Service) SyncProvider(ctx context.Context, t domain.Tenant, id string) (job store.Job, err error) {
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.ProviderConnection(ctx, t, id)
		switch {
		case err != nil:
			return audit.Act{}, err
		case !row.Enabled:
			return audit.Act{}, errs.New(errs.Conflict, "disabled", "The connection is switched off. Switch it on first.")
		}
		job, err = s.Store.EnqueueAwaited(ctx, t, domain.KindSync, id)
		return audit.Act{Tenant: t, Action: "provider-connection.sync", Target: s.providerOfRow(row).target()}, err
	})
	return job, err
}

const (
	// syncEvery and syncSpread are the times of automatic synchronisations: every connection has its own
	// interval between 50 and 70 minutes.
	syncEvery  = 50 * time.Minute
	syncSpread = 20 * time.Minute
)

// SyncDue enqueues synchronisations of at most limit connections whose last one is about an hour old. It
// may run in many processes at once.
func (s *Service) SyncDue(ctx context.Context, limit int) error {
	var kinds []string
	for _, p := range providers() {
		kinds = append(kinds, string(p.kind))
	}
	_, err := s.Store.EnqueueSyncs(ctx, kinds, syncEvery, syncSpread, limit)
	return err
}

// storeSyncAnswer stores the host's answer to the job's first request. goOn is false if the job ends here: well, or
// with the error that has it tried again.
func (s *Service) storeSyncAnswer(ctx context.Context, c *jobs.Claim, t domain.Tenant, row store.ProviderConnection,
	a hostAnswer) (goOn bool, err error) {
	state, message := a.state()
	reason := a.reason()
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		current, err := s.Store.SetProviderState(ctx, t, row.ID, row.Version, state, message)
		if err != nil || !current { // changed since: its own job asks again
			return err
		}
		if reason == "" {
			if err := fault.Works(ctx, s.Store, t, domain.ConnectionProvider, row.ID); err != nil {
				return err
			}
			return s.tellTokenEnd(ctx, t, row, a)
		}
		if reason == fault.Unreachable && c.Job.Attempts+1 < patientTries {
			return nil
		}
		return fault.Broke(ctx, s.Store, t, reason, domain.ConnectionError{ConnectionKind: domain.ConnectionProvider,
			ConnectionID: row.ID, Name: row.Name, Message: message})
	})
	if err != nil || reason == "" {
		return err == nil, err
	}
	if err := c.Outcome(ctx, domain.JobOutcome{}, message); err != nil {
		return false, err
	}
	if reason == fault.Unreachable && c.Job.Attempts+1 < maxTries {
		return false, a.failed
	}
	return false, nil
}

// tellTokenEnd stores when a connection's token ends, and informs the administrators a week before, once
// per end.
func (s *Service) tellTokenEnd(ctx context.Context, t domain.Tenant, row store.ProviderConnection, a hostAnswer) error {
	if err := s.Store.SetTokenEnd(ctx, t, row.ID, row.Version, a.endsUS()); err != nil || a.ExpiresAt == nil {
		return err
	}
	tell, err := s.Store.ClaimTokenEndNotice(ctx, t, row.ID, row.Version, domain.TokenNotice)
	if err != nil || !tell {
		return err
	}
	body, err := json.Marshal(domain.ConnectionError{ConnectionKind: domain.ConnectionProvider, ConnectionID: row.ID, Name: row.Name,
		Message: domain.TokenEnds(*a.ExpiresAt), TokenEndsAt: a.ExpiresAt})
	if err != nil {
		return err
	}
	return s.Store.AddEvent(ctx, t, domain.EventConnectionError, row.ID, string(body))
}

// reason returns the fault of a connection; "" if it works.
func (a hostAnswer) reason() string {
	switch class := codehost.ClassOf(a.failed); {
	case class == codehost.ClassForbidden, a.failed == nil && len(a.Lacking) > 0:
		return fault.KeyRefused
	case class == codehost.ClassNotFound, class == codehost.ClassMoved, a.other != nil:
		return fault.Gone
	case a.failed != nil:
		return fault.Unreachable
	}
	return ""
}
