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

// The data for removing the webhooks of a deleted connection exists until the work is done or its time
// is over.
func TestHookRemovals(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		_, access := gitea(t, s, tenant, "5")
		late := store.HookRemoval{ID: "hkr_1", Tenant: tenant.ID, Access: access.ID, Kind: "gitea", BaseURL: "https://git.example", Owner: "octo", Token: []byte("sealed"), HookURL: "https://assay.example/x"}
		soon := late
		soon.ID = "hkr_2"
		testkit.OK(t, s.AddHookRemoval(bg, tenant, late, -time.Second))
		testkit.OK(t, s.AddHookRemoval(bg, tenant, soon, time.Hour))
		if _, err := s.HookRemoval(bg, tenant, late.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("its time is over, and yet it is read: %v", err)
		}
		testkit.OK(t, s.DropHookRemovals(bg))
		got := must2(s.HookRemoval(bg, tenant, soon.ID))(t)
		soon.UntilUS = got.UntilUS
		testkit.Equal(t, "the kept removal", fmt.Sprint(got), fmt.Sprint(soon))
		testkit.OK(t, s.DropHookRemoval(bg, tenant, soon.ID))
		if _, err := s.HookRemoval(bg, tenant, soon.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("after its work: %v", err)
		}
	})
}

// A repository of an access is found by the host's id, in any format. An event renames it only while it
// is connected.
func TestAccessRepository(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		connection, access := gitea(t, s, tenant, "5")
		_, _, err := s.SyncAccessRepositories(bg, tenant, access.ID, named("1", "{8f0c}"))
		testkit.OK(t, err)
		for _, id := range []domain.HostID{"1", "{8f0c}"} {
			before := must2(s.AccessRepository(bg, tenant, access.ID, id))(t)
			after := must2(s.RefreshAccessRepository(bg, tenant, access.ID, store.Repository{ExternalID: id, Owner: "octo", Name: "new" + string(id), Private: true}))(t)
			testkit.Equal(t, "the changed row", after, func() store.Repository {
				before.Name, before.Private, before.UpdatedUS = "new"+string(id), true, after.UpdatedUS
				return before
			}())
			testkit.Equal(t, "taken by", must2(s.AccessWithRepository(bg, tenant, "https://GIT.example/", id))(t).ID, access.ID)
		}
		testkit.OK(t, s.EndAccesses(bg, tenant, connection.ID))
		if _, err := s.RefreshAccessRepository(bg, tenant, access.ID, store.Repository{ExternalID: "1", Name: "evil"}); !errs.Is(err, errs.NotFound) {
			t.Errorf("a disconnected one was renamed: %v", err)
		}
		if _, err := s.AccessWithRepository(bg, tenant, "https://git.example", "1"); !errs.Is(err, errs.NotFound) {
			t.Errorf("a disconnected one is taken: %v", err)
		}
		testkit.Equal(t, "state", must2(s.AccessRepository(bg, tenant, access.ID, "1"))(t).State, "disconnected")
	})
}

// A connection is synced again after its interval, once, and not while it is switched off or a sync is
// pending.
func TestEnqueueSyncs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		on, _ := gitea(t, s, tenant, "5")
		off, _ := gitea(t, s, tenant, "6")
		off.Enabled = false
		must2(s.UpdateProviderConnection(bg, tenant, off))(t)
		kinds := []string{"gitea", "forgejo"}
		testkit.Equal(t, "of another kind", must2(s.EnqueueSyncs(bg, []string{"gitlab"}, 0, 0, 10))(t), 0)
		testkit.Equal(t, "never asked", must2(s.EnqueueSyncs(bg, kinds, time.Hour, time.Minute, 10))(t), 1)
		testkit.Equal(t, "asked already", must2(s.EnqueueSyncs(bg, kinds, 0, 0, 10))(t), 0)
		job := must2(s.LastJobs(bg, tenant, domain.KindSync, []string{on.ID, off.ID}))(t)
		testkit.Equal(t, "jobs", len(job), 1)
		claim := must2(s.Claim(bg, job[on.ID].ID, "wrk_1", time.Minute))(t)
		must2(s.FinishJob(bg, claim.ID, claim.Gen))(t)
		testkit.Equal(t, "asked within the hour", must2(s.EnqueueSyncs(bg, kinds, time.Hour, time.Minute, 10))(t), 0)
		testkit.Equal(t, "its time is over", must2(s.EnqueueSyncs(bg, kinds, -time.Second, 0, 10))(t), 1)
	})
}

// A connection whose webhook is in doubt is synced once, not again within the interval for its number
// of repositories, and not while it is switched off.
func TestEnqueueSyncOfAccess(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		on, access := gitea(t, s, tenant, "5")
		ask := func(name string, least, each time.Duration, want bool) {
			t.Helper()
			testkit.Equal(t, name, must2(s.EnqueueSyncOfAccess(bg, tenant, access.ID, least, each))(t), want)
		}
		ask("never asked", time.Hour, 0, true)
		ask("asked already", 0, 0, false)
		job := must2(s.LastJobs(bg, tenant, domain.KindSync, []string{on.ID}))(t)[on.ID]
		claim := must2(s.Claim(bg, job.ID, "wrk_1", time.Minute))(t)
		must2(s.FinishJob(bg, claim.ID, claim.Gen))(t)
		ask("asked lately", time.Hour, 0, false)
		_, _, err := s.SyncAccessRepositories(bg, tenant, access.ID, []store.Repository{{ExternalID: "1", Owner: "acme", Name: "api"}})
		testkit.OK(t, err)
		ask("asked lately for its size", -time.Second, time.Hour, false)
		ask("its time is over", -time.Second, -time.Second, true)
		off, access := gitea(t, s, tenant, "6")
		off.Enabled = false
		must2(s.UpdateProviderConnection(bg, tenant, off))(t)
		testkit.Equal(t, "switched off", must2(s.EnqueueSyncOfAccess(bg, tenant, access.ID, 0, 0))(t), false)
		testkit.Equal(t, "of another tenant", must2(s.EnqueueSyncOfAccess(bg, storetest.Tenant(t, s), access.ID, 0, 0))(t), false)
	})
}

// Lost heads are searched for sooner in repositories of connections than in those of installations, and
// not if a connection is switched off.
func TestUnsweptByAccess(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		connection, access := gitea(t, s, w.Tenant, "5")
		_, _, err := s.SyncAccessRepositories(bg, w.Tenant, access.ID, named("1"))
		testkit.OK(t, err)
		looks := func(name string, u store.Unswept, want ...string) {
			t.Helper()
			must2(s.EnqueueSweeps(bg, u, 0, 10))(t)
			var got []string
			for _, id := range []string{w.Installation.ID, access.ID} {
				if due(t, s, w.Tenant, id) {
					got = append(got, id)
				}
			}
			testkit.Equal(t, name, fmt.Sprint(got), fmt.Sprint(want))
		}
		looks("of a new one", store.Unswept{Installation: time.Hour, Connection: time.Hour}, access.ID)
		looks("of the connection", store.Unswept{Installation: time.Hour, Connection: -time.Second}, access.ID)
		looks("of the installation", store.Unswept{Installation: -time.Second, Connection: time.Hour}, w.Installation.ID)
		connection.Enabled = false
		must2(s.UpdateProviderConnection(bg, w.Tenant, connection))(t)
		looks("switched off", store.Unswept{Installation: time.Hour, Connection: -time.Second})
	})
}

// A sweep of an access is in the ledger once, takes turns with its tenant's jobs, and begins within the
// time over which sweeps are spread.
func TestEnqueueSweeps(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		_, access := gitea(t, s, w.Tenant, "5")
		_, _, err := s.SyncAccessRepositories(bg, w.Tenant, access.ID, named("1", "2"))
		testkit.OK(t, err)
		made := make([]int, 4)
		atOnce(4, func(i int) {
			made[i], err = s.EnqueueSweeps(bg, store.Unswept{Installation: time.Hour, Connection: time.Hour}, time.Hour, 10)
			testkit.OK(t, err)
		})
		testkit.Equal(t, "made by all", made[0]+made[1]+made[2]+made[3], 1)
		all := must2(s.JobsOf(bg, access.ID))(t)
		testkit.Require(t, "jobs", len(all), 1)
		testkit.Equal(t, "job", fmt.Sprint(all[0].Kind, all[0].Lane, all[0].FairKey), fmt.Sprint(domain.KindHeads, domain.LaneSweep, w.Tenant.ID))
		if wait := all[0].RunUS - all[0].CreatedUS; wait < 0 || wait > time.Hour.Microseconds() {
			t.Errorf("it begins after %d µs", wait)
		}
		testkit.Equal(t, "another", must2(s.EnqueueSweep(bg, w.Tenant, access.ID, 0))(t), false)
		testkit.Equal(t, "of another tenant", must2(s.EnqueueSweep(bg, storetest.Tenant(t, s), access.ID, 0))(t), false)
	})
}
