package tracking

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// Kinds are the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindSync: {Run: s.Sync}}
}

const (
	// patientTries is how often a host that does not answer is asked before the
	// administrators are told: with the pauses of jobs about three minutes.
	patientTries = 3

	// mostTries is how often it is asked before the job ends: with those about an
	// hour. The connection is looked at again by itself.
	mostTries = 6
)

// syncSoon has the host of a connection asked by a job, in the transaction that
// makes or changes the connection.
func (s *Service) syncSoon(ctx context.Context, t domain.Tenant, row store.ProviderConnection) error {
	if !row.Enabled || !providerOf(row.Kind).built {
		return nil
	}
	_, err := s.Store.EnqueueAwaited(ctx, t, domain.KindSync, row.ID)
	return err
}

// Sync is the job that asks the host of a connection. A host that does not
// answer has it tried again; what a person has to mend ends it.
func (s *Service) Sync(ctx context.Context, c *jobs.Claim) error {
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
	c.Stage("host", 2*longestAsk)
	if err := c.Progress(ctx, domain.JobProgress{Stage: "host"}); err != nil {
		return err
	}
	token, err := s.token(ctx, t, row)
	if err != nil {
		return err
	}
	asked, err := s.ask(ctx, row, token)
	if err != nil {
		return err
	}
	if codehost.ClassOf(asked.failed) == codehost.ClassLimited {
		return jobs.Waiting(asked.failed)
	}
	if goOn, err := s.judged(ctx, c, t, row, asked); err != nil || !goOn {
		return err
	}
	return c.Outcome(ctx, domain.JobOutcome{}, "")
}

// judged records what the host said to the first question of a job. False: the
// job ends here, well or with the error that has it tried again.
func (s *Service) judged(ctx context.Context, c *jobs.Claim, t domain.Tenant, row store.ProviderConnection, a answer) (goOn bool, err error) {
	state, message := a.state()
	reason := a.reason()
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		current, err := s.Store.SetProviderState(ctx, t, row.ID, row.Version, state, message)
		if err != nil || !current { // changed since: its own job asks again
			return err
		}
		if reason == "" {
			return fault.Works(ctx, s.Store, t, domain.ConnectionProvider, row.ID)
		}
		if reason == fault.Unreachable && c.Job.Attempts+1 < patientTries {
			return nil
		}
		return fault.Broke(ctx, s.Store, t, reason, domain.ConnectionError{ConnectionKind: domain.ConnectionProvider, ConnectionID: row.ID, Name: row.Name, Message: message})
	})
	if err != nil || reason == "" {
		return err == nil, err
	}
	if err := c.Outcome(ctx, domain.JobOutcome{}, message); err != nil {
		return false, err
	}
	if reason == fault.Unreachable && c.Job.Attempts+1 < mostTries {
		return false, a.failed
	}
	return false, nil
}

// reason names why a connection does not work, "" where it does.
func (a answer) reason() string {
	switch class := codehost.ClassOf(a.failed); {
	case class == codehost.ClassForbidden, a.failed == nil && len(a.Lacking) > 0:
		return fault.KeyRefused
	case class == codehost.ClassNotFound:
		return fault.Gone
	case a.failed != nil:
		return fault.Unreachable
	}
	return ""
}
