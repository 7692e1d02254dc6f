package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// patience bounds a wait for something that must happen.
const patience = 30 * time.Second

// each runs a body on both engines, beside each other.
func each(t *testing.T, body func(t *testing.T, f *fixture)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		body(t, newFixture(t, s))
	})
}

type quiet struct{}

func (quiet) DeliveryProcessed(string, string)                     {}
func (quiet) RunEntered(string)                                    {}
func (quiet) ReviewStarted(time.Duration)                          {}
func (quiet) Published(string, string)                             {}
func (quiet) JobEnded(string, string, string, time.Duration)       {}
func (quiet) Dispatched(string, int)                               {}
func (quiet) LaneState(string, int64, int64, int64, time.Duration) {}

// fixture is the orchestrator on a real store, with a worker that runs its jobs.
type fixture struct {
	t         *testing.T
	store     *store.Store
	world     storetest.World
	host      *fakeHost
	models    *fakeModels
	snapshots *fakeSnapshots
	service   *review.Service
	place     string // the tenant of installations that nobody has placed
	clock     time.Time
	sent      int
	stop      func()
	settings  jobs.Settings
	lanes     map[domain.Lane]int
}

func newFixture(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	f := &fixture{t: t, store: s, host: newFakeHost(), models: &fakeModels{}, snapshots: &fakeSnapshots{lines: map[string]string{}},
		clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w := storetest.World{Tenant: storetest.Tenant(t, s), App: storetest.App(t, s)}
	w.Installation = storetest.Installation(t, s, w.App, w.Tenant)
	f.world = w
	f.service = newService(t, s, f.host, f.models, f.snapshots)
	f.service.Place = func(context.Context, string, codehost.Installation) (string, error) { return f.place, nil }
	f.lanes = map[domain.Lane]int{domain.LaneDelivery: 4, domain.LaneReview: 4, domain.LanePublish: 4, domain.LaneBackground: 1}
	f.settings = jobs.Settings{Lease: 10 * time.Second, Heartbeat: 50 * time.Millisecond, Sweep: 20 * time.Millisecond, Relay: 10 * time.Millisecond,
		BackoffFirst: time.Hour, BackoffMax: time.Hour}
	f.start()
	return f
}

// newService makes the orchestrator; no installation is placed by itself.
func newService(t *testing.T, s *store.Store, host *fakeHost, models review.Models, snapshots review.Snapshots) *review.Service {
	t.Helper()
	mark, err := marker.New([]byte("a key of tests, 16 bytes or more"))
	testkit.OK(t, err)
	checker, err := check.New()
	testkit.OK(t, err)
	log := slog.New(slog.DiscardHandler)
	return review.New(review.Config{Store: s, Hosts: host, Models: models, Snapshots: snapshots, Marker: mark, Logger: log, Observer: quiet{},
		Engine:    func(d engine.Deps) *engine.Engine { d.Checks = checker; return engine.New(d) },
		Publisher: &publish.Publisher{Store: s, Marker: mark, Logger: log, LookAgain: []time.Duration{0}},
		Parse: func(d store.Delivery) (ev codehost.Event, err error) {
			err = json.Unmarshal(d.Payload, &ev)
			return ev, err
		},
		Place: func(context.Context, string, codehost.Installation) (string, error) { return "", nil },
		Scan:  func(s string) string { return s },
	})
}

// start starts the worker.
func (f *fixture) start() {
	f.t.Helper()
	w, err := jobs.New(jobs.Config{Store: f.store, Queue: memqueue.New(), Kinds: f.service.Kinds(), Settings: f.settings, Logger: slog.New(slog.DiscardHandler), Observer: quiet{}, Lanes: f.lanes})
	testkit.OK(f.t, err)
	ctx, cancel := context.WithCancel(bg)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, bg) }()
	stopped := false
	f.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-over:
			if err != nil {
				f.t.Error(err)
			}
		case <-time.After(patience):
			f.t.Error("the worker does not end")
		}
	}
	f.t.Cleanup(f.stop)
}

// until polls for a state of the database, which sends no signals.
func (f *fixture) until(what string, holds func() bool) {
	f.t.Helper()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if holds() {
			return
		}
	}
	f.t.Fatalf("what should have happened did not: %s", what)
}

// settle waits until no job runs or is due.
func (f *fixture) settle() {
	f.t.Helper()
	calm := 0
	f.until("all jobs end", func() bool {
		states, err := f.store.LaneStates(bg)
		testkit.OK(f.t, err)
		calm++
		for _, l := range states {
			if l.Running > 0 || l.OldestDueUS > 0 {
				calm = 0
			}
		}
		return calm > 2
	})
}

// send stores a delivery without waiting for it.
func (f *fixture) send(ev codehost.Event) (guid string) {
	f.t.Helper()
	f.sent++
	guid = fmt.Sprintf("guid-%d", f.sent)
	if ev.Installation == nil {
		ev.Installation = &codehost.Installation{ID: f.world.Installation.ExternalID, AccountLogin: "octo", AccountID: 1, AccountType: "Organization"}
	}
	body, err := json.Marshal(ev)
	testkit.OK(f.t, err)
	_, err = f.store.Ingest(bg, store.NewDelivery{Source: f.world.App.ID, GUID: guid, Event: ev.Name, Action: ev.Action, Payload: body})
	testkit.OK(f.t, err)
	return guid
}

func (f *fixture) delivery(guid string) store.Delivery {
	f.t.Helper()
	got, err := f.store.DeliveriesByGUID(bg, guid)
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "deliveries", len(got), 1)
	return got[0]
}

// deliver sends an event and waits until everything that follows is done.
func (f *fixture) deliver(ev codehost.Event) store.Delivery {
	f.t.Helper()
	guid := f.send(ev)
	f.settle()
	d := f.delivery(guid)
	if d.Disposition == "" {
		f.t.Fatalf("the delivery %s %s has no disposition", ev.Kind, ev.Action)
	}
	return d
}

// processed sends an event and waits for its disposition only.
func (f *fixture) processed(ev codehost.Event) store.Delivery {
	f.t.Helper()
	guid := f.send(ev)
	f.until("the delivery is processed", func() bool { return f.delivery(guid).Disposition != "" })
	return f.delivery(guid)
}

var repository = codehost.RepoInfo{ExternalID: 77, Owner: "octo", Name: "repo", DefaultBranch: "main"}

// event is an event of the pull request as the host has it now.
func (f *fixture) event(action, head string, change ...func(*codehost.PullRequest)) codehost.Event {
	f.clock = f.clock.Add(time.Second)
	pr := codehost.PullRequest{Number: 1, Title: "Change", Author: "mona", AuthorID: 5, Open: action != "closed", HeadSHA: storetest.SHA(head), BaseSHA: storetest.SHA("base"),
		BaseRef: "main", HeadRef: "topic", UpdatedAt: f.clock}
	for _, c := range change {
		c(&pr)
	}
	f.host.set(pr)
	repo := repository
	return codehost.Event{Kind: codehost.KindPullRequest, Name: "pull_request", Action: action, Repository: &repo, PullRequest: &pr}
}

func drafted(pr *codehost.PullRequest) { pr.Draft = true }

func labels(l ...string) func(*codehost.PullRequest) {
	return func(pr *codehost.PullRequest) { pr.Labels = l }
}

// policy changes the repository defaults of the tenant.
func (f *fixture) policy(body string) {
	f.t.Helper()
	testkit.OK(f.t, f.store.PutSetting(bg, f.world.Tenant, "", store.SettingPolicy, body))
}

// runs lists all runs, oldest first.
func (f *fixture) runs() []store.Run {
	f.t.Helper()
	got, err := f.store.RecentRuns(bg, 100)
	testkit.OK(f.t, err)
	for i, j := 0, len(got)-1; i < j; i, j = i+1, j-1 {
		got[i], got[j] = got[j], got[i]
	}
	return got
}

// states says the states of all runs, oldest first.
func (f *fixture) states() string {
	f.t.Helper()
	var out []string
	for _, r := range f.runs() {
		out = append(out, string(r.State))
	}
	return strings.Join(out, " ")
}

func (f *fixture) want(d store.Delivery, disposition domain.Disposition, states string) {
	f.t.Helper()
	if d.Disposition != disposition {
		f.t.Fatalf("disposition %s (%s), want %s", d.Disposition, d.Reason, disposition)
	}
	testkit.Equal(f.t, "runs", f.states(), states)
}

// hold keeps reviews of heads in the middle until the returned function is called.
func (f *fixture) hold(heads ...string) (began chan struct{}, release func()) {
	began, goOn := make(chan struct{}, 10), make(chan struct{})
	f.snapshots.block(func(ctx context.Context, sha string) error {
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
	f.t.Cleanup(release)
	return began, release
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("what should have happened did not")
		panic("unreachable")
	}
}

// secretLine has what a scanner takes for a key; it is put together here so
// that scanners of this repository stay quiet.
func secretLine() string { return `var key = "` + "AKIA" + "Q3EGRX7N5B2VKJ4M" + `"` }
