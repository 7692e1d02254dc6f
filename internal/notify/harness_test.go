package notify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// patience bounds a wait for something that must happen.
const patience = 30 * time.Second

// fixture is the feature on a real store, with a worker that runs its jobs and a
// receiver on a real listener.
type fixture struct {
	t        *testing.T
	store    *store.Store
	raw      storetest.Raw
	world    storetest.World
	service  *notify.Service
	receiver *receiver
	logs     *lines
}

// each runs a body on both engines in parallel.
func each(t *testing.T, body func(t *testing.T, f *fixture)) {
	t.Helper()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		t.Parallel()
		body(t, newFixture(t, s, raw))
	})
}

func newFixture(t *testing.T, s *store.Store, raw storetest.Raw) *fixture {
	t.Helper()
	f := &fixture{t: t, store: s, raw: raw, world: storetest.Seed(t, s), receiver: newReceiver(t), logs: &lines{}}
	out := outbound.New(outbound.Policy{LoopbackPorts: []int{f.receiver.port()}})
	t.Cleanup(out.Close)
	log := slog.New(slog.NewJSONHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	keys := storetest.Keyring(t, s)
	f.service = notify.New(notify.Config{Store: s, Keyring: keys, Audit: audit.New(s, keys, log), Outbound: out, Base: func() string { return "https://assay.example.com" },
		Scan: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }})
	return f
}

// serve starts a worker.
func (f *fixture) serve() {
	f.t.Helper()
	w, err := jobs.New(jobs.Config{Store: f.store, Queue: memqueue.New(), Kinds: f.service.Kinds(), Lanes: map[domain.Lane]int{domain.LaneBackground: 4}, Logger: slog.New(slog.NewJSONHandler(f.logs, nil)),
		Settings: jobs.Settings{Lease: 10 * time.Second, Heartbeat: time.Second, Sweep: time.Second, Relay: 100 * time.Millisecond, BackoffFirst: time.Hour, BackoffMax: time.Hour}})
	testkit.OK(f.t, err)
	ctx, cancel := context.WithCancel(bg)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, bg) }()
	f.t.Cleanup(func() {
		cancel()
		select {
		case <-over:
		case <-time.After(patience):
			f.t.Error("the worker does not end")
		}
		if f.t.Failed() {
			f.t.Log(f.logs.String())
		}
	})
}

// until polls for a state of the database, which sends no signals.
func (f *fixture) until(what string, holds func() bool) {
	f.t.Helper()
	testkit.Eventually(f.t, patience, func() (bool, string) { return holds(), what })
}

// settle waits until no job runs or is due.
func (f *fixture) settle() {
	f.t.Helper()
	storetest.Calm(f.t, f.store, patience, domain.LaneBackground)
}

// hurry makes every waiting job due.
func (f *fixture) hurry() {
	f.t.Helper()
	f.raw(`UPDATE jobs SET run_us = 1, dispatched_us = NULL WHERE state = 'queued'`)
	f.settle()
}

// webhook creates a signed channel to the receiver.
func (f *fixture) webhook(name string, in notify.NotificationChannelCreate) (notify.NotificationChannel, notify.ChannelSecret) {
	f.t.Helper()
	in.Name, in.Kind, in.Target = name, "webhook", f.receiver.URL+"/"+name
	made, err := f.service.CreateChannel(bg, f.world.Tenant, in)
	testkit.OK(f.t, err)
	secret, err := f.service.RotateSecret(bg, f.world.Tenant, made.ID)
	testkit.OK(f.t, err)
	return made, secret
}

// event stores an event.
func (f *fixture) event(kind string, body any) {
	f.t.Helper()
	b, err := json.Marshal(body)
	testkit.OK(f.t, err)
	testkit.OK(f.t, f.store.AddEvent(bg, f.world.Tenant, kind, "subject", string(b)))
}

// happened stores an event and waits for the jobs that follow now.
func (f *fixture) happened(kind string, body any) {
	f.t.Helper()
	f.event(kind, body)
	f.settle()
}

func (f *fixture) failed() domain.ReviewFailed {
	return domain.ReviewFailed{RunID: f.world.Run.ID, RepositoryID: f.world.Repository.ID, PullRequest: 1, HeadSHA: f.world.Run.HeadSHA, State: domain.RunFailed, Reason: "it broke"}
}

// deliveries lists the deliveries of a channel, newest first.
func (f *fixture) deliveries(c notify.NotificationChannel) []notify.ChannelDelivery {
	f.t.Helper()
	all, err := f.service.Deliveries(bg, f.world.Tenant, c.ID, store.Cursor{}, 100)
	testkit.OK(f.t, err)
	return all
}

// delivery returns the only delivery of a channel.
func (f *fixture) delivery(c notify.NotificationChannel) notify.ChannelDelivery {
	f.t.Helper()
	all := f.deliveries(c)
	if len(all) != 1 {
		f.t.Fatalf("%d deliveries: %+v", len(all), all)
	}
	return all[0]
}

func (f *fixture) channel(c notify.NotificationChannel) notify.NotificationChannel {
	f.t.Helper()
	all, err := f.service.Channels(bg, f.world.Tenant, store.Cursor{}, 100)
	testkit.OK(f.t, err)
	for _, v := range all {
		if v.ID == c.ID {
			return v
		}
	}
	f.t.Fatal("the channel was deleted")
	panic("unreachable")
}

// got is a request that a receiver accepted.
type got struct {
	path   string
	header http.Header
	body   string
}

// receiver accepts messages on a real listener.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	all    []got
	answer http.HandlerFunc // nil answers 204
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		b, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.all = append(r.all, got{q.URL.Path, q.Header.Clone(), string(b)})
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, q)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) port() int { return r.Listener.Addr().(*net.TCPAddr).Port }

func (r *receiver) taken() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got(nil), r.all...)
}

func (r *receiver) answers(f http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// lines is a log that several goroutines can write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// sqlite returns one database engine, for tests that are not about SQL.
func sqlite(t *testing.T) (*store.Store, storetest.Raw) {
	t.Helper()
	return storetest.SQLiteRaw(t)
}

// must returns the result of a call, and ends the test if there was an error.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		testkit.OK(t, err)
		return v
	}
}
