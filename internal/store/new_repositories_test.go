package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A host is asked for its newest repositories once per interval, if its connection works and no webhook
// of the owner reports them.
func TestTakeUnlooked(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		row, access := gitea(t, s, tenant, "5")
		take := func(name string, every time.Duration, want ...string) {
			t.Helper()
			var got []string
			for _, v := range must2(s.TakeDueListings(bg, every, 10))(t) {
				testkit.Equal(t, "place", v.Tenant+v.Access+v.Connection, tenant.ID+access.ID+row.ID)
				got = append(got, "listed "+v.Listed)
			}
			testkit.Equal(t, name, fmt.Sprintf("%q", got), fmt.Sprintf("%q", want))
		}
		put := func(change func(*store.ProviderConnection)) {
			t.Helper()
			now := must2(s.ProviderConnection(bg, tenant, row.ID))(t)
			change(&now)
			must2(s.UpdateProviderConnection(bg, tenant, now))(t)
		}
		take("not working yet", 0)
		put(func(v *store.ProviderConnection) { v.State = domain.ConnectionActive })
		take("never asked", time.Hour, "listed ")
		take("asked within the hour", time.Hour)
		testkit.OK(t, s.SetNewest(bg, tenant, access.ID, "these"))
		take("its time is over", 0, "listed these")
		testkit.OK(t, s.SetHookReportsRepositories(bg, tenant, access.ID, true))
		take("told by a webhook", 0)
		testkit.OK(t, s.SetHookReportsRepositories(bg, tenant, access.ID, false))
		put(func(v *store.ProviderConnection) { v.State = domain.ConnectionBroken })
		take("broken", 0)
		put(func(v *store.ProviderConnection) { v.State, v.Enabled = domain.ConnectionActive, false })
		take("switched off", 0)
		put(func(v *store.ProviderConnection) { v.Enabled = true })
		testkit.OK(t, s.EndAccesses(bg, tenant, row.ID))
		take("ended", 0)
	})
}

// due reports whether an access has a repository that is due for a sweep, and takes it.
func due(t *testing.T, s *store.Store, tenant domain.Tenant, access string) bool {
	t.Helper()
	_, err := s.TakeUnswept(bg, tenant, access)
	if err != nil {
		wantKind(t, err, errs.NotFound)
	}
	return err == nil
}

// The time from which a new repository is reviewed stays the time when it appeared. The repository is
// swept for lost heads immediately.
func TestNewRepositoriesAreLookedThroughSoon(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		_, access := gitea(t, s, tenant, "5")
		for i, v := range []store.Repository{
			{ExternalID: "1", Owner: "acme", Name: "api", ReviewFromUS: 7}, {ExternalID: "1", Owner: "acme", Name: "renamed", ReviewFromUS: 9}} {
			_, _, err := s.SyncAccessRepositories(bg, tenant, access.ID, []store.Repository{v})
			testkit.OK(t, err)
			got := must2(s.AccessRepository(bg, tenant, access.ID, "1"))(t)
			testkit.Equal(t, "reviewed from", fmt.Sprint(got.Name, got.ReviewFromUS), v.Name+"7")
			testkit.Equal(t, "active", must2(s.ActiveOfAccess(bg, tenant, access.ID))(t), 1)
			testkit.Equal(t, "looked through", due(t, s, tenant, access.ID), i == 0)
		}
	})
}
