package reviewtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Each runs a body once for each of [storetest.Usual], each time with a new fixture. The test runs in
// parallel with others, because it mostly waits.
func Each(t *testing.T, body func(t *testing.T, f *Fixture)) {
	t.Helper()
	EachOf(t, storetest.Usual(), body)
}

// EachOf is [Each] on engines of the caller's choice.
func EachOf(t *testing.T, on storetest.Engines, body func(t *testing.T, f *Fixture)) {
	t.Helper()
	t.Parallel()
	on.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		body(t, NewFixture(t, s))
	})
}

// Fixture runs deliveries through to reviews, on a real store, with a worker that runs the jobs. Fields may
// be changed only while the worker is stopped, unless they say otherwise. Methods fail the test if they
// cannot do their work, and must be called from the test's goroutine.
type Fixture struct {
	T         *testing.T
	Store     *store.Store
	World     storetest.World // a tenant and an installation of an app, without a repository
	Host      *Host           // safe while the worker runs
	Models    *Models         // safe while the worker runs; no model is routed at first
	Snapshots *Snapshots      // Block is safe while the worker runs
	Services  Services
	Service   *review.Service // the one of Services
	Place     string          // the tenant of installations without one; "" leaves them waiting
	Settings  jobs.Settings   // of the worker that starts next
	// Connection receives the deliveries in place of the app if it is set. Sync runs when the host is asked
	// for its repositories.
	Connection store.ProviderConnection
	HookOf     domain.HostID // the repository in the address of its webhook, "" for the connection's own
	Sync       func(ctx context.Context) error
	Stop       func() // stops the worker

	clock time.Time // of the host: a second later with each event
	sent  int
	lanes map[domain.Lane]int
}

// NewFixture seeds a store and starts a worker, which ends with the test. A failed job is not retried
// within the test, unless Settings are changed.
func NewFixture(t *testing.T, s *store.Store) *Fixture {
	t.Helper()
	f := &Fixture{T: t, Store: s, Host: NewHost(), Models: &Models{}, Snapshots: &Snapshots{Lines: map[string]string{}},
		clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w := storetest.World{Tenant: storetest.Tenant(t, s), App: storetest.App(t, s)}
	w.Installation = storetest.Installation(t, s, w.App, w.Tenant)
	f.World = w
	f.Services = New(t, s, f.Host, f.Models, f.Snapshots)
	f.Service = f.Services.Review
	f.Services.Intake.Place = func(context.Context, string, codehost.Installation) (string, error) { return f.Place, nil }
	f.Services.Sync = func(ctx context.Context, _ *jobs.Claim) error {
		if f.Sync == nil {
			return nil
		}
		return f.Sync(ctx)
	}
	f.lanes = map[domain.Lane]int{domain.LaneDelivery: 4, domain.LaneReview: 4, domain.LanePublish: 4, domain.LaneBackground: 1,
		domain.LaneDryRun: 1, domain.LaneSweep: 4}
	f.Settings = jobs.Settings{Lease: 10 * time.Second, Heartbeat: time.Second, Sweep: time.Second, Relay: time.Second,
		Resend:       100 * time.Millisecond,
		BackoffFirst: time.Hour, BackoffMax: time.Hour}
	f.Start()
	return f
}

// Start starts the worker.
func (f *Fixture) Start() {
	f.T.Helper()
	f.Stop = Work(f.T, f.Services, f.Settings, f.lanes)
}

// Until polls for a state of the database, which sends no signals, for at most 30 s.
func (f *Fixture) Until(what string, holds func() bool) {
	f.T.Helper()
	testkit.Eventually(f.T, patience, func() (bool, string) { return holds(), what })
}

// Settle waits until no job runs or is due.
func (f *Fixture) Settle() {
	f.T.Helper()
	storetest.Calm(f.T, f.Store, patience)
}

// Send stores a delivery without waiting for it. An event without an installation gets the fixture's.
func (f *Fixture) Send(ev codehost.Event) (guid string) {
	f.T.Helper()
	f.sent++
	guid = fmt.Sprintf("guid-%d", f.sent)
	f.Host.tell(ev)
	if f.Connection.ID != "" {
		deliver(f.T, f.Store, store.NewDelivery{Source: f.Connection.ID, Tenant: f.Connection.Tenant, GUID: guid, Repository: f.HookOf}, ev)
		return guid
	}
	if ev.Installation == nil {
		ev.Installation = &codehost.Installation{ID: f.World.Installation.ExternalID, AccountLogin: "octo", AccountID: "1",
			AccountType: "Organization"}
	}
	Deliver(f.T, f.Store, f.World.App.ID, guid, ev)
	return guid
}

// Delivery reads a delivery back.
func (f *Fixture) Delivery(guid string) store.Delivery {
	f.T.Helper()
	return Delivery(f.T, f.Store, guid)
}

// Deliver sends an event and waits until all its consequences are done.
func (f *Fixture) Deliver(ev codehost.Event) store.Delivery {
	f.T.Helper()
	guid := f.Send(ev)
	f.Settle()
	d := f.Delivery(guid)
	if d.Disposition == "" {
		f.T.Fatalf("the delivery %s %s has no disposition", ev.Kind, ev.Action)
	}
	return d
}

// Processed sends an event and waits only for its disposition.
func (f *Fixture) Processed(ev codehost.Event) store.Delivery {
	f.T.Helper()
	guid := f.Send(ev)
	f.Until("the delivery is processed", func() bool { return f.Delivery(guid).Disposition != "" })
	return f.Delivery(guid)
}

// Policy changes the repository defaults of the tenant.
func (f *Fixture) Policy(body string) {
	f.T.Helper()
	testkit.OK(f.T, f.Store.PutSetting(context.Background(), f.World.Tenant, "", store.SettingPolicy, body))
}

// Runs lists all runs, oldest first, at most 100.
func (f *Fixture) Runs() []store.Run {
	f.T.Helper()
	got, err := f.Store.RecentRuns(context.Background(), 100)
	testkit.OK(f.T, err)
	slices.Reverse(got)
	return got
}

// Known lists the known findings of pull request 1.
func (f *Fixture) Known() []store.KnownFinding {
	f.T.Helper()
	runs := f.Runs()
	got, err := f.Store.KnownFindings(context.Background(), f.World.Tenant, runs[0].PullRequest)
	testkit.OK(f.T, err)
	return got
}

// States returns the states of all runs, oldest first.
func (f *Fixture) States() string {
	f.T.Helper()
	var out []string
	for _, r := range f.Runs() {
		out = append(out, string(r.State))
	}
	return strings.Join(out, " ")
}

// Want compares the disposition of a delivery, and the states of all runs.
func (f *Fixture) Want(d store.Delivery, disposition domain.Disposition, states string) {
	f.T.Helper()
	if d.Disposition != disposition {
		f.T.Fatalf("disposition %s (%s), want %s", d.Disposition, d.Reason, disposition)
	}
	testkit.Equal(f.T, "runs", f.States(), states)
}

// Job returns the last job of a kind of a run, or the zero value.
func (f *Fixture) Job(run string, kind domain.JobKind) (found store.Job) {
	f.T.Helper()
	all, err := f.Store.JobsOf(context.Background(), run)
	testkit.OK(f.T, err)
	for _, j := range all {
		if j.Kind == kind {
			found = j
		}
	}
	return found
}

// Hold stops reviews of heads in the middle until release is called or the test ends. began gets a value
// for each review that gets there.
func (f *Fixture) Hold(heads ...string) (began chan struct{}, release func()) {
	began, goOn := make(chan struct{}, 10), make(chan struct{})
	f.Snapshots.Block(func(ctx context.Context, sha string) error {
		if !slices.ContainsFunc(heads, func(h string) bool { return sha == storetest.SHA(h) }) {
			return nil
		}
		began <- struct{}{}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	released := false
	release = func() {
		if !released {
			released = true
			close(goOn)
		}
	}
	f.T.Cleanup(release)
	return began, release
}

// Receive waits for a value, at most 30 s.
func Receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("what should have happened did not")
		panic("unreachable")
	}
}
