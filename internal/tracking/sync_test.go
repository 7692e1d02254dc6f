package tracking_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// ends receives how jobs end.
type ends chan string

func (e ends) JobEnded(kind, _, outcome string, _ time.Duration) {
	if kind == string(domain.KindSync) || kind == string(domain.KindUnhook) || strings.HasPrefix(kind, "tracker.") {
		e <- outcome
	}
}
func (ends) Dispatched(string, int)                               {}
func (ends) LaneState(string, int64, int64, int64, time.Duration) {}

// work runs a worker until n jobs of connections have ended, and returns how.
func (b *bench) work(t *testing.T, n int) (out []string) {
	t.Helper()
	heard := make(ends, 100)
	w, err := jobs.New(jobs.Config{Store: b.Store, Queue: memqueue.New(), Kinds: b.Features.Tracking.Kinds(), Lanes: map[domain.Lane]int{domain.LaneSweep: 1},
		Settings: jobs.Settings{Lease: time.Minute, Heartbeat: time.Second, Relay: time.Second, Resend: time.Millisecond, BackoffFirst: time.Millisecond, BackoffMax: 2 * time.Millisecond}, // the next worker has another queue
		Logger:   telemetry.Discard(), Observer: heard})
	testkit.OK(t, err)
	ctx, stop := context.WithCancel(bg)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, bg) }()
	patience := time.After(2 * time.Minute)
	for len(out) < n {
		select {
		case how := <-heard:
			out = append(out, how)
		case <-patience:
			t.Fatalf("only %v ended", out)
		}
	}
	stop()
	testkit.OK(t, <-over)
	return out
}

// job returns the last job of a connection.
func (b *bench) job(id string) store.Job {
	b.t.Helper()
	all, err := b.Store.JobsOf(bg, id)
	testkit.OK(b.t, err)
	return all[len(all)-1]
}

// told returns the number of events.
func told(t *testing.T, url string) int { return len(storetest.Dump(t, url)["events"]) }

// A host that does not answer is asked again; when it answers, the connection
// works.
func TestHostIsAskedAgain(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		b.says(codehost.Probed{}, errors.New("no route"))
		made := b.create("one")
		testkit.Equal(t, "state", made.State, domain.ConnectionBroken)
		asked := 0
		b.host.Probe = func(context.Context, store.ProviderConnection, secret.Secret) (codehost.Probed, error) {
			if asked++; asked == 1 {
				return codehost.Probed{}, errors.New("no route")
			}
			return bot, nil
		}
		testkit.Equal(t, "ends", strings.Join(b.work(t, 2), " "), "failed done")
		row, err := s.ProviderConnection(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		if row.State != domain.ConnectionActive || row.Message != "" || row.Version != made.Version {
			t.Errorf("it is %s: %q, version %d", row.State, row.Message, row.Version)
		}
		if j := b.job(made.ID); j.Report.Problem != "" || j.Report.Outcome == "" {
			t.Errorf("the job tells %+v", j.Report)
		}
		testkit.Equal(t, "events", told(t, url), 0)
	})
}

// A host that never answers is reported once, and the job ends successfully, so that no operator has to
// handle it.
func TestHostThatNeverAnswers(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		b.says(codehost.Probed{}, hostError(codehost.ClassUnavailable, 502, "down, "+newToken()))
		made := b.create("one")
		testkit.Equal(t, "ends", strings.Join(b.work(t, 6), " "), "failed failed failed failed failed done")
		if j := b.job(made.ID); !strings.Contains(j.Report.Problem, "status 502") || strings.Contains(j.Report.Problem, newToken()) {
			t.Errorf("the job tells %+v", j.Report)
		}
		testkit.Equal(t, "events", told(t, url), 1)
	})
}

// A revoked token ends the job immediately. The administrators are notified once, and again if the
// token has worked in between.
func TestTokenIsTakenBack(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		made := b.create("one")
		testkit.Equal(t, "ends", strings.Join(b.work(t, 1), " "), "done")
		for i, step := range []struct {
			err    error
			state  string
			events int
		}{
			{hostError(codehost.ClassForbidden, 401, ""), domain.ConnectionBroken, 1},
			{hostError(codehost.ClassForbidden, 401, ""), domain.ConnectionBroken, 1},
			{nil, domain.ConnectionActive, 1},
			{hostError(codehost.ClassNotFound, 404, ""), domain.ConnectionBroken, 2},
			{nil, domain.ConnectionActive, 2},
			{hostError(codehost.ClassMoved, 307, "the owner is called octo-new now"), domain.ConnectionBroken, 3},
		} {
			b.says(bot, step.err)
			_, err := s.EnqueueAwaited(bg, b.Tenant, domain.KindSync, made.ID)
			testkit.OK(t, err)
			testkit.Equal(t, "ends", strings.Join(b.work(t, 1), " "), "done")
			row, err := s.ProviderConnection(bg, b.Tenant, made.ID)
			testkit.OK(t, err)
			if row.State != step.state || told(t, url) != step.events || (b.job(made.ID).Report.Problem == "") != (step.err == nil) {
				t.Errorf("step %d: %s, %d events, job %+v", i, row.State, told(t, url), b.job(made.ID).Report)
			}
		}
	})
}

// A person who asks for a sync while a running one has already listed the repositories gets another
// list by the same job. However many people ask, it lists them once more.
func TestSyncIsAskedForWhileItRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		made := b.create("one")
		var first store.Job
		asks, lists := 0, 0
		b.host.Probe = func(context.Context, store.ProviderConnection, secret.Secret) (codehost.Probed, error) {
			asks++
			return bot, nil
		}
		b.host.Repositories = func(store.ProviderConnection) ([]codehost.RepoInfo, error) {
			lists++
			if lists > 1 {
				return nil, nil
			}
			for range 3 { // the list is under way: later repositories are not in it
				job, err := b.Features.Tracking.SyncProvider(bg, b.Tenant, made.ID)
				testkit.OK(t, err)
				first = job
			}
			return nil, nil
		}
		testkit.Equal(t, "ends", strings.Join(b.work(t, 2), " "), "snoozed done")
		testkit.Equal(t, "lists", lists, 2)
		testkit.Equal(t, "questions", asks, 2)
		if last := b.job(made.ID); last.ID != first.ID || last.State != domain.JobDone {
			t.Errorf("the request returned job %s, and the last is %s, %s", first.ID, last.ID, last.State)
		}
	})
}

// No host is asked for a connection that is disabled or deleted.
func TestNoHostIsAskedForDisabledConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	off, gone := b.create("off"), b.create("gone")
	_, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, off.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"enabled":false}`))
	testkit.OK(t, err)
	testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, gone.ID))
	b.host.Probe = func(context.Context, store.ProviderConnection, secret.Secret) (codehost.Probed, error) {
		t.Error("the host was asked")
		return codehost.Probed{}, nil
	}
	testkit.Equal(t, "ends", strings.Join(b.work(t, 2), " "), "done done")
	for _, id := range []string{off.ID, gone.ID} {
		if b.job(id).Report.Problem == "" {
			t.Errorf("the job does not give the reason for doing nothing")
		}
	}
}

// bot is the answer of a host to a valid token.
var bot = codehost.Probed{Login: "bot", Owner: codehost.RepoOwner{ID: "3", Login: "acme", Organization: true}}
