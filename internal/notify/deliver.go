package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// pauses are the waits after failed attempts: eight attempts within 21 hours. Standard Webhooks, "Retries",
// recommends such a list over days.
func pauses() []time.Duration {
	return []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}
}

// A channel is paused after this many failed attempts in a row and this long without a success (design
// choice).
const (
	pauseFailures = 5
	pauseAfter    = 12 * time.Hour
)

// sendTime is how long one attempt may make no progress; see attemptTime.
const sendTime = 2 * time.Minute

func attemptKey(kind domain.JobKind, id string, attempts int64) string {
	return fmt.Sprintf("%s:%s:%d", kind, id, attempts)
}

// nextWait returns the wait after a failed attempt, and false if it was the last attempt.
func nextWait(attempts int64, list []time.Duration, wanted time.Duration) (time.Duration, bool) {
	if attempts >= int64(len(list)) {
		return 0, false
	}
	return max(list[attempts], wanted), true
}

// stored is a message with its data as raw JSON, so that the data is sent as it was stored.
type stored struct {
	Message
	Data json.RawMessage
}

func read(payload string) (Message, error) {
	var v stored
	err := json.Unmarshal([]byte(payload), &v)
	v.Message.Data = v.Data
	return v.Message, err
}

// deliver makes one attempt to send a message to a channel. If the worker dies before it records the
// attempt, the same message is sent again with the same id.
func (s *Service) deliver(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	n, err := s.Store.Notification(ctx, t, c.Job.Subject)
	if err != nil || n.State != domain.NotificationPending {
		return errs.IgnoreAbsent(err)
	}
	row, err := s.Store.Channel(ctx, t, n.Channel)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	if !row.Enabled || row.PausedUS != 0 { // possible if the message was created at the same time
		return s.Store.EndNotifications(ctx, t, row.ID, "the channel is off or paused")
	}
	m, err := read(n.Payload)
	if err != nil {
		return &jobs.Fatal{Err: err}
	}
	d, err := s.Open(ctx, t, row)
	if err != nil {
		return err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	c.Stage("send", sendTime)
	o := s.Send(ctx, d, m, time.UnixMicro(now))
	if err := ctx.Err(); err != nil && !o.Delivered {
		return err // an interrupted attempt does not count
	}
	return s.Store.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error {
		if err := s.conclude(ctx, t, row, n, o); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
}

// conclude records an attempt, the job of the next attempt if there is one, and the state of the channel.
func (s *Service) conclude(ctx context.Context, t domain.Tenant, row store.Channel, n store.Notification, o Outcome) error {
	n.State, n.ResponseCode, n.Error = domain.NotificationFailed, int64(o.Status), o.Reason
	wait, more := nextWait(n.Attempts, pauses(), o.RetryAfter)
	switch {
	case o.Delivered:
		n.State = domain.NotificationDelivered
	case o.Retry && more:
		n.State = domain.NotificationPending
	}
	// Everywhere the channel's row is locked before the rows of its messages.
	health := s.Store.FailChannel
	if o.Delivered {
		health = s.Store.ResetChannelFailures
	}
	if err := health(ctx, t, row.ID); err != nil {
		return errs.IgnoreAbsent(err)
	}
	noted, err := s.Store.RecordAttempt(ctx, t, n, wait)
	if err != nil {
		return err
	}
	if noted && n.State == domain.NotificationPending {
		if err := s.enqueue(ctx, t, domain.KindNotify, n.ID, n.Attempts+1, wait); err != nil {
			return err
		}
	}
	if o.Delivered {
		return nil
	}
	return s.pause(ctx, t, row, o)
}

// pause pauses a channel that keeps failing, drops its waiting messages and notifies the administrators. A
// receiver that answers 410 is paused immediately (Standard Webhooks, "Delivery").
func (s *Service) pause(ctx context.Context, t domain.Tenant, row store.Channel, o Outcome) error {
	failures, over := int64(pauseFailures), pauseAfter
	why := "Every message failed for hours; the last time " + o.Reason + "."
	if o.Gone {
		failures, over, why = 1, 0, "The receiver says that it is gone."
	}
	row, err := s.Store.PauseChannel(ctx, t, row.ID, why, failures, over.Microseconds())
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	if err := s.Store.EndNotifications(ctx, t, row.ID, "the channel was paused"); err != nil {
		return err
	}
	body, err := json.Marshal(domain.ConnectionError{ConnectionKind: domain.ConnectionChannel, ConnectionID: row.ID, Name: row.Name,
		Message: why})
	if err != nil {
		return err
	}
	if err := s.Store.AddEvent(ctx, t, domain.EventConnectionError, row.ID, string(body)); err != nil {
		return err
	}
	return s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "notification-channel.pause", Target: channelOf(row, nil).target(), Note: why})
}

// deliverDead ends a message whose job was given up.
func (s *Service) deliverDead(ctx context.Context, j store.Job, _ jobs.Death) error {
	t := domain.Tenant{ID: j.Tenant}
	n, err := s.Store.Notification(ctx, t, j.Subject)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	n.State, n.Error = domain.NotificationFailed, "the service could not send it; an operator finds why in the list of dead jobs"
	_, err = s.Store.RecordAttempt(ctx, t, n, 0)
	return err
}
