package notify

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// Kinds returns the job handlers for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindEvent:  {Run: s.fanOut},
		domain.KindNotify: {Run: s.deliver, Dead: s.deliverDead},
		domain.KindPush:   {Run: s.push, Dead: s.pushDead},
	}
}

// fanOut creates a message with a job for each channel and browser that wants an event. It uses one
// transaction, so that each message exists exactly once after a crash.
func (s *Service) fanOut(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	e, err := s.Store.Event(ctx, t, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, known := wording(e.Kind); !known {
		return nil
	}
	var p eventPlace
	if err := json.Unmarshal([]byte(e.Body), &p); err != nil {
		return &jobs.Fatal{Err: err}
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		a, err := s.where(ctx, t, p)
		if err != nil {
			return err
		}
		m, err := s.eventMessage(t, e, p, a)
		if err != nil {
			return err
		}
		if err := s.toChannels(ctx, t, e, p, m); err != nil {
			return err
		}
		if err := s.toBrowsers(ctx, t, e, p, m); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
}

func (s *Service) toChannels(ctx context.Context, t domain.Tenant, e store.Event, p eventPlace, m Message) error {
	rows, err := s.Store.Channels(ctx, t, store.Cursor{}, maxChannels)
	if err != nil {
		return err
	}
	filters, err := s.repositories(ctx, t)
	if err != nil {
		return err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !wants(channelOf(row, filters[row.ID]), e.Kind, p.RepositoryID) {
			continue
		}
		m.ID = domain.NewID("msg")
		payload, err := json.Marshal(m)
		if err != nil {
			return err
		}
		_, err = s.Store.AddNotification(ctx, t, store.Notification{ID: m.ID, Channel: row.ID, Event: e.Kind, EventID: e.ID,
			State: domain.NotificationPending, Payload: string(payload), NextAttemptUS: now})
		if errs.Is(err, errs.NotFound) {
			continue // the message exists, or the channel was just deleted
		}
		if err != nil {
			return err
		}
		if err := s.enqueue(ctx, t, domain.KindNotify, m.ID, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether a channel gets an event. The filter for repositories does not apply to events
// without a repository.
func wants(c NotificationChannel, kind, repository string) bool {
	return c.Enabled && c.PausedAt == nil && slices.Contains(c.Events, kind) &&
		(repository == "" || c.EveryRepository || slices.Contains(c.RepositoryIDs, repository))
}

// enqueue creates the job of one attempt. Each attempt has at most one job.
func (s *Service) enqueue(ctx context.Context, t domain.Tenant, kind domain.JobKind, id string, attempts int64, after time.Duration) error {
	_, err := s.Store.Enqueue(ctx, store.NewJob{Kind: kind, FairKey: t.ID, Subject: id, Dedup: attemptKey(kind, id, attempts),
		Tenant: t.ID, Delay: after})
	return err
}

// toBrowsers selects subscriptions by stored data. The code host is asked immediately before a message is
// sent.
func (s *Service) toBrowsers(ctx context.Context, t domain.Tenant, e store.Event, p eventPlace, m Message) error {
	rows, err := s.Store.PushSubscribers(ctx, t)
	if err != nil || len(rows) == 0 {
		return err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	payload, err := pushMessage(e.ID, m)
	if err != nil {
		return err
	}
	for _, row := range rows {
		v := pushOf(row)
		if !slices.Contains(v.Topics, e.Kind) {
			continue
		}
		if seen := audience(e.Kind); seen.admins {
			role, err := s.Store.RoleOf(ctx, t, row.User)
			if err != nil {
				return err
			}
			if role != domain.RoleAdmin {
				continue
			}
		}
		made, err := s.Store.AddPushDelivery(ctx, t, store.PushDelivery{ID: domain.NewID("pdl"), Subscription: row.ID, EventID: e.ID,
			Event: e.Kind, Repository: p.RepositoryID, Payload: payload})
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.enqueue(ctx, t, domain.KindPush, made.ID, 0, v.QuietHours.left(time.UnixMicro(now))); err != nil {
			return err
		}
	}
	return nil
}

// viewers are the people who may see an event.
type viewers struct {
	admins bool          // only admins of the tenant
	least  perm.RepoRole // lowest role on the event's repository
}

// audience returns the people who may see a kind of event, as in the inbox: reviews for people who may see
// them, decisions for people who may decide; spending, connections and sign-in links only for
// administrators.
func audience(kind string) viewers {
	switch kind {
	case domain.EventReviewCompleted, domain.EventReviewFailed, domain.EventSecretFound, domain.EventApprovalDecided,
		domain.EventFindingDecided, domain.EventCIAnalysis, domain.EventFixCompleted:
		return viewers{least: perm.RepoViewer}
	case domain.EventApprovalRequested:
		return viewers{least: perm.RepoReviewer}
	case domain.EventOnboarding, domain.EventSuppression:
		return viewers{least: perm.RepoManager}
	}
	return viewers{admins: true}
}
