package store_test

import (
	"maps"
	"reflect"
	"testing"

	"github.com/assay-dev/assay/internal/store"
)

// instance lists the methods without a tenant's scope, each with the reason. A method that takes a
// tenant does not belong here.
var instance = map[string]string{
	// The database itself.
	"Close": "the store", "Engine": "the store", "Ping": "the store", "InTx": "the store", "Migrate": "the schema", "Schema": "the schema", "CheckVersion": "the schema",
	"Atomically": "the store", "DB": "for these tests alone",

	// Deliveries belong to the instance until their tenant is known.
	"Ingest": "before the tenant is known", "Delivery": "by the job that processes it", "Dispose": "by the job that processes it", "KnownDeliveries": "the sweeper of an app",
	"DeliveredBefore":  "by the job that processes it",
	"DeliveriesByGUID": "for operators", "Deliveries": "for operators", "DropPayloads": "retention",

	// The ledger is the instance's; jobs only name their subject.
	"Enqueue": "the ledger", "DueJobs": "the relay", "MarkDispatched": "the relay", "ForgetDispatched": "the relay", "NextDue": "the relay", "OnJobs": "the relay",
	"Claim": "workers", "ClaimInTurn": "workers", "ClaimOfIdle": "workers", "ExtendClaim": "workers, fenced by the generation", "Holds": "workers, fenced by the generation", "FinishJob": "workers, fenced by the generation", "FinishUnasked": "workers, fenced by the generation",
	"RetryJob": "workers, fenced by the generation", "SnoozeJob": "workers, fenced by the generation", "KillJob": "workers, fenced by the generation", "SweepJobs": "workers",
	"Job": "workers and operators", "JobsOf": "workers and operators", "DeadJobs": "for operators", "JobsAbout": "for operators", "RedriveJob": "for operators", "DiscardJob": "for operators",
	"LaneStates": "metrics", "DropJobs": "retention", "RecordHeartbeat": "processes", "ForgetProcesses": "processes", "Processes": "processes", "Slots": "the relay", "LiveWorkers": "readiness",
	"RunForWork": "the run of a job, which names nothing else; its tenant is read from it", "RunsForWork": "for operators; each row carries its tenant",

	// Operators' overviews.
	"RecentRuns": "for operators", "OpenCalls": "for operators", "OpenCall": "for operators", "SearchRuns": "for operators", "Facts": "for operators", "Tenants": "for operators", "Users": "for operators",

	// Rate budgets belong to the host's account, and all tenants of the installation share them.
	"AcquireGate": "the rate gate", "ReleaseGate": "the rate gate", "BlockGate": "the rate gate", "EnsureGate": "the rate gate", "SweepGates": "the rate gate", "RenewGate": "the rate gate", "Gates": "for operators", "GateRoom": "the rate gate",

	// Apps and installations exist before they belong to a tenant.
	"App": "apps are the instance's", "Apps": "apps are the instance's", "MarkSwept": "apps are the instance's",
	"UpsertInstallation": "never changes the tenant", "SetInstallationState": "by the host's event, found under its app", "Installation": "to find the tenant",
	"InstallationByExternal": "to find the tenant", "Installations": "for operators",
	"TakeDueListings": "the look for new repositories; each row carries its tenant",
	"EnqueueSweeps":   "the sweeper of lost heads; each job carries its tenant",
	"RefusedWrites":   "of the database itself",
	"TakeLost":        "the sweeper of lost deliveries, by app",
	"KeepLost":        "the sweeper of lost deliveries, by app",
	"SweepOfHost":     "the sweeper of lost deliveries, by app and the host's ids",
	"DelayJob":        "the sweeper of jobs, by job id and generation",
	"RunningBefore":   "the worker, by job",

	// People and sign-in belong to the instance. Memberships have a tenant.
	"CreateTenant": "makes the scope", "CreateUser": "people", "UserByID": "people", "SessionTenants": "one person's own tenants", "UseSession": "sign-in", "LiveSession": "sign-in",
	"DropSessions": "retention", "DropSastDocuments": "retention",
	"CreateSignInLink": "sign-in", "PeekSignInLink": "sign-in", "RedeemSignInLink": "sign-in",
	"LoadKeyset": "the owner is a tenant or the instance; only the keyring calls it", "CreateKeyset": "the owner is a tenant or the instance; only the keyring calls it",
	"Keysets": "the operator's commands about instance keys", "KeysetOf": "the operator's commands about instance keys", "RewrapKeyset": "the operator's commands about instance keys",
	"ReplaceKeyset": "the operator's commands about instance keys", "TrimKeyset": "the operator's commands about instance keys", "InstanceKeys": "instance keys", "RetireKey": "instance keys",
	"CheckInstanceKey": "instance keys", "KeysetKeys": "counts for the operator", "KeyMarks": "counts for the operator's commands about instance keys", "MarkedPulls": "for the operator's commands about instance keys",
	"SealedValues": "the operator's commands about instance keys; each value carries its tenant", "Reseal": "the operator's commands about instance keys; one value, by its key and bytes",

	// The tenant is inside an argument.
	"SaveRunFindings": "the run carries the tenant; see TestForeignRunSavesNoFindings",
	"EndWrite":        "by the id that BeginWrite returned, once",
}

func TestEveryMethodHasAScopeOrAReason(t *testing.T) {
	instance := maps.Clone(instance)
	for _, n := range nounTests {
		maps.Copy(instance, n.instance)
	}
	with := map[string]bool{}
	for _, m := range scoped() {
		with[m.Name] = true
		if instance[m.Name] != "" {
			t.Errorf("%s takes a tenant and is listed as a method of the instance", m.Name)
		}
	}
	all := map[string]bool{}
	for m := range reflect.TypeFor[*store.Store]().Methods() {
		all[m.Name] = true
		if !with[m.Name] && instance[m.Name] == "" {
			t.Errorf("%s takes no tenant: give it one, or a reason here", m.Name)
		}
	}
	for name := range instance {
		if !all[name] {
			t.Errorf("%s is listed and does not exist", name)
		}
	}
}
