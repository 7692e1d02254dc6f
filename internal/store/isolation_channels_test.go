package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var channelsIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.channel = must2(s.CreateChannel(bg, v.Tenant, store.Channel{ID: domain.NewID("chn"), Name: "ops", Kind: "webhook", Target: []byte("sealed"), Events: "[]"}))(t)
		testkit.OK(t, s.SetChannelRepositories(bg, v.Tenant, v.channel.ID, []string{v.Repository.ID}))
		must2(s.AddNotification(bg, v.Tenant, store.Notification{ID: domain.NewID("msg"), Channel: v.channel.ID, Event: "channel.test", State: "delivered"}))(t)
	},
	foreign: func(v victim) map[string][]any {
		evil := v.channel
		evil.Name = "evil"
		return map[string][]any{
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
	ownRows: map[string]string{"CreateChannel": "the channel is the caller's; it names no row of another tenant"},
}
