package review_test

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
	"github.com/assay-dev/assay/internal/review/reviewtest"
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

// fixture is the orchestrator on a real store, with a worker that runs its jobs.
type fixture struct {
	t         *testing.T
	store     *store.Store
	world     storetest.World
	host      *reviewtest.Host
	models    *fakeModels
	snapshots *fakeSnapshots
	services  reviewtest.Services
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
	f := &fixture{t: t, store: s, host: reviewtest.NewHost(), models: &fakeModels{}, snapshots: &fakeSnapshots{lines: map[string]string{}},
		clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w := storetest.World{Tenant: storetest.Tenant(t, s), App: storetest.App(t, s)}
	w.Installation = storetest.Installation(t, s, w.App, w.Tenant)
	f.world = w
	f.services = reviewtest.New(t, s, f.host, f.models, f.snapshots)
	f.service = f.services.Review
	f.services.Intake.Place = func(context.Context, string, codehost.Installation) (string, error) { return f.place, nil }
	f.lanes = map[domain.Lane]int{domain.LaneDelivery: 4, domain.LaneReview: 4, domain.LanePublish: 4, domain.LaneBackground: 1}
	f.settings = jobs.Settings{Lease: 10 * time.Second, Heartbeat: 50 * time.Millisecond, Sweep: 20 * time.Millisecond, Relay: 10 * time.Millisecond,
		BackoffFirst: time.Hour, BackoffMax: time.Hour}
	f.start()
	return f
}

// start starts the worker.
func (f *fixture) start() {
	f.t.Helper()
	f.stop = reviewtest.Work(f.t, f.services, f.settings, f.lanes)
}

// until polls for a state of the database, which sends no signals.
func (f *fixture) until(what string, holds func() bool) {
	f.t.Helper()
	testkit.Eventually(f.t, patience, func() (bool, string) { return holds(), what })
}

// settle waits until no job runs or is due.
func (f *fixture) settle() {
	f.t.Helper()
	storetest.Calm(f.t, f.store, patience)
}

// send stores a delivery without waiting for it.
func (f *fixture) send(ev codehost.Event) (guid string) {
	f.t.Helper()
	f.sent++
	guid = fmt.Sprintf("guid-%d", f.sent)
	if ev.Installation == nil {
		ev.Installation = &codehost.Installation{ID: f.world.Installation.ExternalID, AccountLogin: "octo", AccountID: 1, AccountType: "Organization"}
	}
	reviewtest.Deliver(f.t, f.store, f.world.App.ID, guid, ev)
	return guid
}

func (f *fixture) delivery(guid string) store.Delivery {
	f.t.Helper()
	return reviewtest.Delivery(f.t, f.store, guid)
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
	f.host.Set(pr)
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
