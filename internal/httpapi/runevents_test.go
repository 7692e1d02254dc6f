package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// lively makes streams look for changes often, and end with the test.
func lively(o *httpapi.Options) {
	o.Streams = httpapi.Streams{Run: 10 * time.Millisecond, Tenant: 10 * time.Millisecond, Longest: patience, Person: 200}
}

func (w *world) events() string { return w.repo() + "/review-runs/" + w.Run.ID + "/events" }

// sent is one event of a stream.
type sent struct {
	event, id string
	data      []byte
	run       httpapi.RunEvent // the data of an event of a run
}

// follower reads a stream of events.
type follower struct {
	t       *testing.T
	header  http.Header
	lines   *bufio.Scanner
	leave   context.CancelFunc
	retries int // retry intervals so far
}

// follow opens the event stream of the world's run.
func (w *world) follow(who string, with ...func(*http.Request)) *follower {
	w.t.Helper()
	f, status := w.openStream(who, w.events(), with...)
	testkit.Require(w.t, "status of the stream", status, http.StatusOK)
	return f
}

// openStream opens the event stream at path, and returns the status.
func (w *world) openStream(who, path string, with ...func(*http.Request)) (*follower, int) {
	w.t.Helper()
	ctx, leave := context.WithTimeout(bg, patience)
	w.t.Cleanup(leave)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+path, nil)
	must(w.t, err)
	r.AddCookie(&http.Cookie{Name: "assay_session", Value: w.people[who].token})
	for _, f := range with {
		f(r)
	}
	res, err := http.DefaultClient.Do(r)
	must(w.t, err)
	w.t.Cleanup(func() { leave(); _ = res.Body.Close() })
	return &follower{t: w.t, header: res.Header, lines: bufio.NewScanner(res.Body), leave: leave}, res.StatusCode
}

// next returns the next event. over reports that the stream has ended.
func (f *follower) next() (e sent, over bool) {
	f.t.Helper()
	for f.lines.Scan() {
		name, value, _ := strings.Cut(f.lines.Text(), ": ")
		switch name {
		case "event":
			e.event = value
		case "id":
			e.id = value
		case "data":
			e.data = []byte(value)
			must(f.t, json.Unmarshal(e.data, &e.run))
		case "retry":
			f.retries++
		case "":
			if e.event != "" {
				return e, false
			}
		default:
			f.t.Errorf("a line of the stream is %q", f.lines.Text())
		}
	}
	return e, true
}

// wants reads the next event and checks its name and state.
func (f *follower) wants(event string, state domain.RunState) sent {
	f.t.Helper()
	e, over := f.next()
	testkit.Require(f.t, "event", fmt.Sprint(e.event, " ", e.run.State, over), fmt.Sprint(event, " ", state, false))
	return e
}

// ends reads to the end of the stream, and returns the number of remaining events.
func (f *follower) ends() (events int) {
	f.t.Helper()
	for {
		if _, over := f.next(); over {
			if err := f.lines.Err(); err != nil && strings.Contains(err.Error(), "deadline") {
				f.t.Fatal("the stream did not end")
			}
			return events
		}
		events++
	}
}

func (w *world) move(from, to domain.RunState) {
	w.t.Helper()
	moved, err := w.store.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: from, To: to, Reason: map[bool]string{true: "because"}[to == domain.RunFailed]})
	must(w.t, err)
	testkit.Require(w.t, "moved", moved, true)
}

func (w *world) progress(body string) {
	w.t.Helper()
	_, err := w.store.SetRunProgress(bg, w.Tenant, w.Run.ID, body)
	must(w.t, err)
}

// A reader sees the state of the run, each change, the cost so far, and the run's end, which also ends the
// stream.
func TestFollowingARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, lively)
		f := w.follow(member)
		testkit.Equal(t, "kind", f.header.Get("Content-Type")+", "+f.header.Get("Cache-Control")+", "+f.header.Get("X-Accel-Buffering"), "text/event-stream, no-store, no")
		if e := f.wants("progress", domain.RunQueued); e.run.Progress != nil || e.run.RunID != w.Run.ID || e.run.Usage.Calls != 0 {
			t.Errorf("at first: %+v", e)
		}
		w.move(domain.RunQueued, domain.RunRunning)
		f.wants("progress", domain.RunRunning)
		w.progress(`{"Stage":"generate","Done":1,"Total":7,"Files":12,"Calls":3,"Tokens":4567}`)
		if e := f.wants("progress", domain.RunRunning); e.run.Progress == nil || *e.run.Progress != (httpapi.RunProgress{Stage: "generate", Done: 1, Total: 7, Files: 12, Calls: 3, Tokens: 4567}) {
			t.Errorf("progress: %+v", e.run.Progress)
		}
		cost := int64(1234)
		call := store.ModelCall{Repository: w.Run.Repository, Run: w.Run.ID, Stage: "generate", Tier: "standard", Credential: "crd_1", Model: "m1", Input: 1000, Output: 50, CostMicros: &cost, Outcome: "ok"}
		id, err := s.BeginCall(bg, w.Tenant, call)
		must(t, err)
		testkit.Equal(t, "open calls", f.wants("progress", domain.RunRunning).run.Usage.OpenCalls, 1)
		_, err = s.EndCall(bg, w.Tenant, id, call)
		must(t, err)
		if used := f.wants("progress", domain.RunRunning).run.Usage; used.CostMicros == nil || *used.CostMicros != cost || used.InputTokens != 1000 || used.OutputTokens != 50 || used.OpenCalls != 0 {
			t.Errorf("usage: %+v", used)
		}
		w.move(domain.RunRunning, domain.RunFailed)
		testkit.Equal(t, "reason", f.wants("end", domain.RunFailed).run.Reason, "because")
		testkit.Equal(t, "events after the end", f.ends(), 0)
		testkit.Equal(t, "retry intervals", f.retries, 1)

		again := w.follow(member) // the run has ended
		again.wants("end", domain.RunFailed)
		testkit.Equal(t, "events after the end", again.ends(), 0)
	})
}

// A reader that reconnects gets only new events, also from another process.
func TestFollowingGoesOnAfterABreak(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, lively, func(o *httpapi.Options) { o.Streams.Longest = 50 * time.Millisecond })
		f := w.follow(member)
		first := f.wants("progress", domain.RunQueued)
		testkit.Equal(t, "events without news", f.ends(), 0) // the stream's time is over
		f = w.follow(member, header("Last-Event-ID", first.id))
		testkit.Equal(t, "events without news, again", f.ends(), 0)
		w.move(domain.RunQueued, domain.RunRunning)
		w.follow(member, header("Last-Event-ID", first.id)).wants("progress", domain.RunRunning)
		w.follow(member, header("Last-Event-ID", strings.Repeat("x", 5000))).wants("progress", domain.RunRunning)
		w.move(domain.RunRunning, domain.RunCancelled)
		f = w.follow(member, header("Last-Event-ID", first.id)) // another reader may have looked just before
		e, _ := f.next()
		for e.event == "progress" {
			e, _ = f.next()
		}
		testkit.Equal(t, "the last event", e.event+" "+e.run.State, "end cancelled")
	})
}

func TestAHundredFollowARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, lively)
		all := make([]*follower, 100)
		for i := range all {
			all[i] = w.follow(member)
		}
		w.move(domain.RunQueued, domain.RunRunning)
		w.move(domain.RunRunning, domain.RunCancelled)
		var group sync.WaitGroup
		for _, f := range all {
			group.Go(func() {
				for {
					e, over := f.next()
					if over || e.event == "end" {
						testkit.Equal(t, "the last event", e.event+" "+e.run.State, "end cancelled")
						return
					}
				}
			})
		}
		group.Wait()
	})
}

// A reader who loses the permission to see the run is disconnected, and others are not.
func TestFollowingEndsWithTheRight(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w *world){
		"the session":    func(w *world) { _, err := w.store.EndSessionsOf(bg, w.people[member].id, time.Hour); must(w.t, err) },
		"the role":       func(w *world) { w.role(member, w.Repository, "none") },
		"the membership": func(w *world) { must(w.t, w.store.DismissMember(bg, w.Tenant, w.people[member].id)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := newWorld(t, s, lively, func(o *httpapi.Options) { o.Streams.Check = 10 * time.Millisecond })
				cut, stays := w.follow(member), w.follow(admin)
				cut.wants("progress", domain.RunQueued)
				stays.wants("progress", domain.RunQueued)
				lose(w)
				testkit.Equal(t, "events without the right", cut.ends(), 0)
				if _, status := w.openStream(member, w.events()); status != http.StatusUnauthorized && status != http.StatusNotFound {
					t.Errorf("reconnecting without the permission: %d", status)
				}
				w.move(domain.RunQueued, domain.RunCancelled)
				stays.wants("end", domain.RunCancelled)
			})
		})
	}
}

// If a run cannot be followed, the request is refused before a stream begins.
func TestWhatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), lively)
	second := storetest.Repository(t, w.store, w.Tenant, w.Installation)
	for name, tc := range map[string]struct {
		who, path string
		status    int
	}{
		"anonymous":                 {anonymous, w.events(), http.StatusUnauthorized},
		"another tenant":            {stranger, w.events(), http.StatusNotFound},
		"no such run":               {admin, strings.Replace(w.events(), w.Run.ID, "run_never", 1), http.StatusNotFound},
		"run of another repository": {admin, strings.Replace(w.events(), w.Repository.ID, second.ID, 1), http.StatusNotFound},
		"unknown parameter":         {admin, w.events() + "?since=1", http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(tc.who, http.MethodGet, tc.path, "")
			testkit.Equal(t, "status", got.status, tc.status)
			problemOf(t, got)
		})
	}
	head := w.call(admin, http.MethodHead, w.events(), "")
	testkit.Equal(t, "HEAD", fmt.Sprint(head.status, head.header.Get("Content-Type"), head.body), "200text/event-stream")
	must(t, w.store.Close())
	testkit.Equal(t, "without a database", w.call(admin, http.MethodGet, w.events(), "").status >= 500, true)
}

// The number of streams is bounded for each person and in total. Streams do not count against the bound of
// requests per address.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, lively, func(o *httpapi.Options) { o.Streams.Person, o.Streams.All, o.Limits.UnderWay = 2, 3, 2 })
		refused := func(what, who string) {
			t.Helper()
			f, status := w.openStream(who, w.events())
			testkit.Equal(t, what, fmt.Sprint(status, f.header.Get("Retry-After")), "4293")
		}
		mine := []*follower{w.follow(member), w.follow(member)}
		refused("a third one of one person", member)
		w.follow(admin).wants("progress", domain.RunQueued)
		refused("a fourth one in all", admin)
		for range 3 {
			testkit.Equal(t, "a request while streams are open", w.call(member, http.MethodGet, w.repo()+"/review-runs", "").status, http.StatusOK)
		}
		mine[0].leave()
		testkit.Eventually(t, patience, func() (bool, string) {
			_, status := w.openStream(member, w.events())
			return status == http.StatusOK, fmt.Sprintf("status after a reader left: %d", status)
		})
	})
}

// A stream without news repeats its last event, and ends when the process stops.
func TestAQuietStreamRepeatsItsLastEvent(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	w := newWorld(t, storetest.SQLite(t), lively, func(o *httpapi.Options) { o.Streams.Beat, o.Stopping = time.Millisecond, stopping })
	f := w.follow(member)
	first := f.wants("progress", domain.RunQueued)
	for range 5 {
		testkit.Equal(t, "id of a repeated event", f.wants("progress", domain.RunQueued).id, first.id)
	}
	close(stopping)
	f.ends()
}
