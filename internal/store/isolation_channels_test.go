package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// told is the victim's event with the messages about it.
type told struct {
	event   string
	message store.Notification
	browser store.PushSubscription
	push    store.PushDelivery
}

var channelsIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.channel = must2(s.CreateChannel(bg, v.Tenant, store.Channel{ID: domain.NewID("chn"), Name: "ops", Kind: "webhook", Target: []byte("sealed"), Events: "[]", Enabled: true}))(t)
		testkit.OK(t, s.SetChannelRepositories(bg, v.Tenant, v.channel.ID, []string{v.Repository.ID}))
		must2(s.AddNotification(bg, v.Tenant, store.Notification{ID: domain.NewID("msg"), Channel: v.channel.ID, Event: "channel.test", State: "delivered"}))(t)
		v.told.message = must2(s.AddNotification(bg, v.Tenant, store.Notification{ID: domain.NewID("msg"), Channel: v.channel.ID, Event: "k", EventID: "evt_1", State: "pending"}))(t)
		testkit.OK(t, s.FailChannel(bg, v.Tenant, v.channel.ID))
		due := must2(s.DueJobs(bg, domain.LaneBackground, 10000, 0))(t)
		for _, d := range due {
			if j := must2(s.Job(bg, d.ID))(t); j.Kind == domain.KindEvent && j.Tenant == v.Tenant.ID {
				v.told.event = j.Subject
			}
		}
		v.told.browser = must2(s.CreatePushSubscription(bg, v.Tenant, store.PushSubscription{ID: domain.NewID("psh"), User: v.user, EndpointHash: "told", Endpoint: []byte("e"), Auth: []byte("a"), Enabled: true}))(t)
		v.told.push = must2(s.AddPushDelivery(bg, v.Tenant, store.PushDelivery{ID: domain.NewID("pdl"), Subscription: v.told.browser.ID, EventID: v.told.event}))(t)
	},
	foreign: func(v victim) map[string][]any {
		evil := v.channel
		evil.Name = "evil"
		message, push := v.told.message, v.told.push
		message.State, push.State = "failed", "failed"
		return map[string][]any{
			"Event":                  {v.told.event},
			"Notification":           {message.ID},
			"RecordAttempt":          {message, time.Second},
			"EndNotifications":       {v.channel.ID, "evil"},
			"FailChannel":            {v.channel.ID},
			"ResetChannelFailures":   {v.channel.ID},
			"PauseChannel":           {v.channel.ID, "evil", int64(1), int64(0)},
			"PushSubscribers":        {},
			"PushSubscriber":         {v.told.browser.ID},
			"AddPushDelivery":        {store.PushDelivery{ID: domain.NewID("pdl"), Subscription: v.told.browser.ID, EventID: "evil"}},
			"PushDelivery":           {push.ID},
			"RecordPushAttempt":      {push},
			"Channel":                {v.channel.ID},
			"Channels":               {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"UpdateChannel":          {evil, true, true},
			"RotateChannelSecret":    {v.channel.ID, []byte("evil"), int64(1)},
			"DeleteChannel":          {v.channel.ID},
			"SetChannelRepositories": {v.channel.ID, []string{}},
			"ChannelRepositories":    {},
			"AddNotification":        {store.Notification{ID: domain.NewID("msg"), Channel: v.channel.ID, Event: "evil", State: "failed"}},
			"DropNotifications":      {v.channel.ID, "channel.test"},
			"Notifications":          {v.channel.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10},
		}
	},
	instance: map[string]string{"DropEvents": "retention, by the service"},
	ownRows:  map[string]string{"CreateChannel": "the channel is the caller's; it names no row of another tenant"},
}
