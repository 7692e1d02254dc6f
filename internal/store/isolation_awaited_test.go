package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var awaitedIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		job := must2(s.EnqueueAwaited(bg, v.Tenant, domain.KindSync, "pcn_other"))(t)
		testkit.Equal(t, "the job's tenant", job.Tenant, v.Tenant.ID)
		v.awaited = job.ID
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{"TenantJob": {v.awaited}, "LastJobs": {domain.KindSync, []string{"pcn_other"}},
			"EnqueueSyncOfAccess": {v.access.ID, -time.Second, -time.Second}}
	},
	instance: map[string]string{
		"EnqueueSyncs":         "the service asks the hosts of every tenant; each job carries its own",
		"EnqueueTrackerChecks": "the service asks the trackers of every tenant; each job carries its own",
		"RecordProgress":       "the claim says whose the job is",
		"RecordOutcome":        "the claim says whose the job is",
		"DeliveryKeys":         "the ingest looks for the connection that a delivery names; the answer carries the tenant",
	},
	ownRows: map[string]string{"EnqueueAwaited": "the job is the caller's; its subject is a name that is never followed"},
}
