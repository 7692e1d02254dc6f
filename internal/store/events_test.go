package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An event and its job are written in one transaction, or neither is.
func TestAnEventHasItsJob(t *testing.T) {
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := storetest.Tenant(t, s)
		rows := func() (events, jobs int) {
			all := storetest.Dump(t, url)
			return len(all["events"]), len(all["jobs"])
		}
		undone := errors.New("undone")
		err := s.InTx(bg, func(ctx context.Context) error {
			testkit.OK(t, s.AddEvent(ctx, w, "k", "subject", "{}"))
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		wantKind(t, s.AddEvent(bg, domain.Tenant{ID: "ten_none"}, "k", "subject", "{}"), errs.NotFound)
		events, jobs := rows()
		testkit.Equal(t, "events", events, 0)
		testkit.Equal(t, "jobs", jobs, 0)
		testkit.OK(t, s.AddEvent(bg, w, "k", "subject", `{"a":1}`))
		events, jobs = rows()
		testkit.Equal(t, "events", events, 1)
		testkit.Equal(t, "jobs", jobs, 1)
		job := must2(s.Job(bg, must2(s.DueJobs(bg, domain.LaneBackground, 10, 0))(t)[0].ID))(t)
		testkit.Equal(t, "tenant of the job", job.Tenant, w.ID)
		e := must2(s.Event(bg, w, job.Subject))(t)
		testkit.Equal(t, "kind", e.Kind, "k")
		testkit.Equal(t, "body", e.Body, `{"a":1}`)
	})
}

// Old events and messages are deleted. Pending and young ones stay.
func TestDropEvents(t *testing.T) {
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := storetest.Seed(t, s)
		c := must2(s.CreateChannel(bg, w.Tenant, store.Channel{ID: domain.NewID("chn"), Name: "ops", Kind: "webhook", Target: []byte("sealed"), Events: "[]", Enabled: true}))(t)
		user := must2(s.CreateUser(bg, "Mona", false))(t)
		testkit.OK(t, s.SetMember(bg, w.Tenant, user.ID, domain.RoleMember, "hand"))
		sub := must2(s.CreatePushSubscription(bg, w.Tenant, store.PushSubscription{ID: domain.NewID("psh"), User: user.ID, EndpointHash: "h", Endpoint: []byte("e"), Auth: []byte("a"), Enabled: true}))(t)
		for _, event := range []string{"old", "young"} {
			testkit.OK(t, s.AddEvent(bg, w.Tenant, event, "subject", "{}"))
			must2(s.AddPushDelivery(bg, w.Tenant, store.PushDelivery{ID: event, Subscription: sub.ID, EventID: event, Event: event}))(t)
			for _, state := range []string{"pending", "delivered", "failed"} {
				must2(s.AddNotification(bg, w.Tenant, store.Notification{ID: event + state, Channel: c.ID, Event: event, EventID: event + state, State: state}))(t)
			}
		}
		day := (24 * time.Hour).Microseconds()
		raw(t, s, `UPDATE events SET created_us = created_us - $1 WHERE kind = 'old'`, 31*day)
		raw(t, s, `UPDATE push_deliveries SET created_us = created_us - $1 WHERE event = 'old'`, 31*day)
		raw(t, s, `UPDATE notification_deliveries SET created_us = created_us - $1, updated_us = updated_us - $1 WHERE event = 'old'`, 31*day)
		testkit.OK(t, s.DropEvents(bg, 30*24*time.Hour))
		all := storetest.Dump(t, url)
		for table, want := range map[string]int{"events": 1, "push_deliveries": 1, "notification_deliveries": 4} {
			testkit.Require(t, table, len(all[table]), want)
		}
		must2(s.Notification(bg, w.Tenant, "oldpending"))(t)
	})
}
