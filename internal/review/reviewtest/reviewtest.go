// Package reviewtest runs the orchestrator of reviews in tests: with a code host in memory, on a real
// store, with a worker that runs its jobs.
//
// It is for tests only.
package reviewtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/cilog"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/ci"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/triage"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/suppress"
)

// patience bounds a wait for an expected event.
const patience = 30 * time.Second

// Quiet observes nothing.
type Quiet struct{}

// DeliveryProcessed implements review.Observer.
func (Quiet) DeliveryProcessed(string, string) {}

// RunEntered implements review.Observer.
func (Quiet) RunEntered(string) {}

// ReviewStarted implements review.Observer.
func (Quiet) ReviewStarted(time.Duration) {}

// Published implements review.Observer.
func (Quiet) Published(string, string) {}

// JobEnded implements jobs.Observer.
func (Quiet) JobEnded(string, string, string, time.Duration) {}

// Dispatched implements jobs.Observer.
func (Quiet) Dispatched(string, int) {}

// LaneState implements jobs.Observer.
func (Quiet) LaneState(string, int64, int64, int64, time.Duration) {}

// Services are the features that turn a delivery into a review.
type Services struct {
	Intake    *intake.Service
	Review    *review.Service
	Triage    *triage.Service
	CI        *ci.Service
	Runs      *run.Runs
	Approvals *approval.Service
	Suppress  *suppress.Service
	Sync      func(context.Context, *jobs.Claim) error // the job that asks the host of a connection; may be nil
	More      map[domain.JobKind]jobs.Kind             // handlers of other features
	Analysers *Programs                                // analysers of reviews; none are set up at first
}

// Kinds returns the handlers of their jobs.
func (s Services) Kinds() map[domain.JobKind]jobs.Kind {
	all := s.Review.Kinds()
	maps.Copy(all, s.Intake.Kinds())
	all[domain.KindIndex] = jobs.Kind{Run: func(context.Context, *jobs.Claim) error { return nil }} // there is no code to index
	maps.Copy(all, s.More)
	maps.Copy(all, s.Triage.Kinds())
	maps.Copy(all, s.CI.Kinds())
	if s.Sync != nil {
		all[domain.KindSync] = jobs.Kind{Run: s.Sync}
	}
	return all
}

// New makes the services. Payloads of deliveries are JSON of [codehost.Event], and installations are not
// placed automatically.
func New(t *testing.T, s *store.Store, host *Host, models review.Models, snapshots review.Snapshots) Services {
	t.Helper()
	mark, err := marker.New(secret.KeyMAC{Sum: []byte("a key of tests, 16 bytes or more")})
	must(t, err)
	checker, err := check.New()
	must(t, err)
	log := slog.New(slog.DiscardHandler)
	runs := &run.Runs{Store: s, Observer: Quiet{}}
	programs := &Programs{}
	kept, err := memcache.New(memcache.Options{})
	must(t, err)
	authors := &policy.Authors{Cache: kept}
	change := func(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int) ([]byte, error) {
		if c, ok := snapshots.(*Snapshots); ok {
			return c.Change(ctx, host, repo, number)
		}
		return host.Diff(ctx, repo, number)
	}
	open := func(ctx context.Context, c review.Caller) (*ask.Models, ask.Recorder, error) {
		return models.Open(ctx, store.Run{ID: c.Run, Tenant: c.Tenant.ID, Repository: c.Repository}, c.Tools)
	}
	keys := storetest.Keyring(t, s)
	rev := review.New(review.Config{Store: s, Runs: runs, Hosts: host, Models: models, Authors: authors, Snapshots: snapshots,
		Marker: mark, Logger: log, Observer: Quiet{},
		Engine:    func(d engine.Deps) *engine.Engine { d.Checks, d.Analysers = checker, programs; return engine.New(d) },
		Publisher: &publish.Publisher{Store: s, Runs: runs, Marker: mark, Logger: log, LookAgain: []time.Duration{0}},
		Scan:      func(s string) string { return s },
		Documents: sastdocs.Documents{Store: s, Keyring: keys},
	})
	acts := audit.New(s, keys, log)
	proposals := suppress.New(suppress.Config{Store: s, Audit: acts})
	approvals := approval.New(approval.Config{Store: s, Runs: runs, Audit: acts, Proposals: proposals,
		Render: func(kept string, c domain.ApprovalChanges) (domain.Rendered, error) { return rev.Rerender(kept, c) }})
	rev.Decisions = approvals
	return Services{
		Triage: triage.New(triage.Config{Store: s, Hosts: host, Change: change, Models: open, Logger: log,
			Scan:   func(s string) string { return s },
			Engine: func(d engine.Deps) *engine.Engine { d.Checks = checker; return engine.New(d) }}),
		CI: ci.New(ci.Config{Store: s, Hosts: host, Change: change, Models: open, Logger: log, Marker: mark, Base: "https://assay.example.com",
			Scan:     secretless(checker.Scanner),
			Redactor: func() cilog.Redactor { return check.NewRedactor(checker.Scanner) },
			Engine:   func(d engine.Deps) *engine.Engine { d.Checks = checker; return engine.New(d) }, LostEdit: time.Millisecond}),
		Runs:      runs,
		Analysers: programs,
		Approvals: approvals,
		Suppress:  proposals,
		Intake: intake.New(intake.Config{Store: s, Runs: runs, Hosts: host, Authors: authors, Marker: mark, Approvals: approvals,
			Logger: log, Observer: Quiet{},
			Parse: map[string]func(store.Delivery) (codehost.Event, error){store.KindGitHub: parse, string(domain.Gitea): parse},
			Place: func(context.Context, string, codehost.Installation) (string, error) { return "", nil },
		}),
		Review: rev,
	}
}

// Work starts a worker, which ends with the test or with stop.
func Work(t *testing.T, services Services, settings jobs.Settings, lanes map[domain.Lane]int) (stop func()) {
	t.Helper()
	w, err := jobs.New(jobs.Config{Store: services.Review.Store, Queue: memqueue.New(), Kinds: services.Kinds(), Settings: settings,
		Logger: slog.New(slog.DiscardHandler), Observer: Quiet{}, Lanes: lanes})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, context.Background()) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-over:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the worker does not end")
		}
	}
	t.Cleanup(stop)
	return stop
}

// Deliver stores the delivery of an event of an app.
func Deliver(t *testing.T, s *store.Store, app, guid string, ev codehost.Event) {
	t.Helper()
	deliver(t, s, store.NewDelivery{Source: app, GUID: guid}, ev)
}

func deliver(t *testing.T, s *store.Store, d store.NewDelivery, ev codehost.Event) {
	t.Helper()
	body, err := json.Marshal(ev)
	must(t, err)
	sum := sha256.Sum256(body)
	d.Event, d.Action, d.Payload, d.SHA256 = ev.Name, ev.Action, body, hex.EncodeToString(sum[:])
	_, err = s.Ingest(context.Background(), d)
	must(t, err)
}

// Delivery reads a delivery back.
func Delivery(t *testing.T, s *store.Store, guid string) store.Delivery {
	t.Helper()
	got, err := s.DeliveriesByGUID(context.Background(), guid)
	must(t, err)
	if len(got) != 1 {
		t.Fatalf("%d deliveries %s, want 1", len(got), guid)
	}
	return got[0]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// parse reads a test's delivery.
func parse(d store.Delivery) (ev codehost.Event, err error) {
	err = json.Unmarshal(d.Payload, &ev)
	return ev, err
}
