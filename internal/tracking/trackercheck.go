package tracking

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// checkSoon enqueues a check of the connection's tracker, in the transaction that creates or changes the
// connection.
func (s *Service) checkSoon(ctx context.Context, t domain.Tenant, row store.TrackerConnection) error {
	if !row.Enabled || !s.trackerBuilt(row.Kind) {
		return nil
	}
	_, err := s.Store.EnqueueAwaited(ctx, t, domain.KindTrackerCheck, row.ID)
	return err
}

// CheckTrackersDue enqueues checks of at most limit connections whose last one is about an hour old. It
// may run in many processes at once.
func (s *Service) CheckTrackersDue(ctx context.Context, limit int) error {
	var built []string
	for _, kind := range []domain.ConnectionKind{domain.Jira, domain.Linear, domain.AzureBoards} {
		if s.trackerBuilt(string(kind)) {
			built = append(built, string(kind))
		}
	}
	_, err := s.Store.EnqueueTrackerChecks(ctx, built, syncEvery, syncSpread, limit)
	return err
}

// CheckTracker is the job that asks a connection's tracker whether the connection works, and informs the
// administrators when it stops. It is tried again if the tracker does not answer, and ends if a person must
// fix something.
func (s *Service) CheckTracker(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	row, err := s.Store.TrackerConnection(ctx, t, c.Job.Subject)
	if errs.Is(err, errs.NotFound) || err == nil && (!row.Enabled || !s.trackerBuilt(row.Kind)) {
		return nil
	}
	if err != nil {
		return err
	}
	if row.AuthKind == authOAuth {
		_, err := s.Store.TrackerGrant(ctx, t, row.ID)
		if errs.Is(err, errs.NotFound) { // no sign-in yet: the connection stays pending
			return nil
		}
		if err != nil {
			return err
		}
	}
	c.Stage(stageHost, 2*longestAsk)
	row, answer, err := s.tryTracker(ctx, t, row.ID)
	if err != nil {
		return err
	}
	if wait := trackerWaiting(answer.failed); wait != nil {
		return wait
	}
	reason := answer.reason()
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		if reason == "" || reason == fault.Unreachable && c.Job.Attempts+1 < patientTries {
			return s.storeTrackerAnswer(ctx, t, row, answer)
		}
		state, message := answer.state()
		current, err := s.Store.SetTrackerState(ctx, t, row.ID, row.Version, state, message)
		if err != nil || !current { // changed since: its own job asks again
			return err
		}
		return fault.Broke(ctx, s.Store, t, reason, domain.ConnectionError{ConnectionKind: domain.ConnectionTracker, ConnectionID: row.ID,
			Name: row.Name, Message: message})
	})
	if err == nil && reason == fault.Unreachable && c.Job.Attempts+1 < maxTries {
		return answer.failed
	}
	return err
}

// trackerWaiting returns a [*jobs.Snooze] if the tracker asks for a pause, and nil otherwise.
func trackerWaiting(err error) error {
	wait, limited := tracker.Pause(err)
	if !limited {
		return nil
	}
	return &jobs.Snooze{For: wait, Why: err.Error()}
}
