package httpapi_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/setup"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/tracking"
)

// features are the services of a world, as package app makes them.
func features(t *testing.T, s *store.Store) httpapi.Features {
	t.Helper()
	keys := storetest.Keyring(t, s)
	log := audit.New(s, keys, telemetry.Discard())
	out := outbound.New(outbound.Policy{})
	people := auth.New(auth.Config{Store: s, Keyring: keys, Audit: log, Outbound: out, BaseURL: "https://assay.example.com"})
	t.Cleanup(func() { _ = people.Close() })
	kept, err := memcache.New(memcache.Options{})
	must(t, err)
	first := setup.New(setup.Config{Store: s, Keyring: keys, Audit: log, URL: out.CheckForm, Process: setup.Process{BaseURL: "https://assay.example.com", Edition: "self-hosted"}})
	return httpapi.Features{
		Audit: log,
		Auth:  people,
		Setup: first,
		Tenant: tenant.New(tenant.Config{Store: s, Keyring: keys, Audit: log, Outbound: out, Cache: kept,
			Opener: &connect.Models{Store: s, Keyring: keys, Factory: out, Attempt: time.Minute, MaxResponse: 1 << 20, Logger: telemetry.Discard()}}),
		Notify: notify.New(notify.Config{Store: s, Keyring: keys, Audit: log, Outbound: out,
			MorePushHosts: func(ctx context.Context) ([]string, error) {
				v, err := first.Settings(ctx)
				return v.PushServiceHosts, err
			}}),
		Tracking: tracking.New(tracking.Config{Store: s, Keyring: keys, Audit: log, Outbound: out, BaseURL: "https://assay.example.com"}),
		Assign: assign.New(assign.Config{Store: s, Keyring: keys, Audit: log, SignOff: func(ctx context.Context) (assign.SignOff, error) {
			v, err := first.LegalSignOff(ctx)
			return assign.SignOff{SignedOff: v.SignedOff, DataUses: v.DataUses}, err
		}}),
		Analytics: analytics.New(analytics.Config{Store: s, Keyring: keys, Audit: log}),
	}
}
