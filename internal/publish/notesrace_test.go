package publish_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// takenOver reports whether an error says that another worker has taken over.
func takenOver(err error) bool {
	return errors.Is(err, publish.ErrTakenOver) || errors.Is(err, jobs.ErrLost)
}

// pair is two workers of one publication. The first one stops at its point i until the second one, which took
// over, has reached its point j.
type pair struct {
	f       *fixture
	n       int           // number of points that the active worker has reached
	stopped chan struct{} // the second worker has reached its point or its end
	goOn    chan struct{} // lets the second worker continue
	err     error         // error of the second worker
	died    bool
	before  string // the stored state when the second worker stopped
	rows    []store.PublicationNote
}

// record returns the stored state of a publication and of everything that depends on it, except the outcomes
// of requests.
func (f *fixture) record() string {
	f.t.Helper()
	out := []string{fmt.Sprintf("%+v", f.publication())}
	for _, row := range f.rows() {
		out = append(out, fmt.Sprintf("%+v", row))
	}
	writes, err := f.store.Writes(bg, f.world.Tenant, "publication", f.publication().ID)
	testkit.OK(f.t, err)
	for _, w := range writes {
		out = append(out, fmt.Sprint(w.ID, " ", w.Verb, " ", w.Target, " ", w.Gen))
	}
	run, err := f.store.RunForWork(bg, f.run.ID)
	testkit.OK(f.t, err)
	run.NowUS = 0
	all, err := f.store.JobsOf(bg, f.run.ID)
	testkit.OK(f.t, err)
	for i := range all {
		all[i].NowUS = 0
	}
	pull, err := f.store.PullRequest(bg, f.world.Tenant, f.run.PullRequest)
	testkit.OK(f.t, err)
	return strings.Join(append(out, fmt.Sprintf("%+v", run), fmt.Sprintf("%+v", all), fmt.Sprintf("%+v", pull)), "\n")
}

// run starts both workers. first and second report whether each reached its point.
func (p *pair) run(i, j int) (first, second bool) {
	f := p.f
	f.t.Helper()
	p.stopped, p.goOn = make(chan struct{}), make(chan struct{})
	f.host.point = func(at string) {
		switch at {
		case "finish": // the transaction that ends it is open, and would block others
			return
		case "pull: before", "list: before", "comments: before", "left": // equivalent to the point after it
			return
		}
		if p.n++; p.n < i {
			return
		}
		first = true
		second = p.other(j)
		f.host.point = nil
		p.before, p.rows = f.record(), f.rows()
	}
	err, _ := f.attempt(payload("the body"))
	f.host.point = nil
	if !first {
		testkit.OK(f.t, err)
		return false, false
	}
	if !takenOver(err) {
		f.t.Fatalf("points %d and %d: the error of the first is %v", i, j, err)
	}
	testkit.Equal(f.t, "the stored state after the first one continued", f.record(), p.before)
	if second {
		close(p.goOn)
		<-p.stopped
	}
	testkit.OK(f.t, p.err)
	testkit.Equal(f.t, "died", p.died, false)
	return first, second
}

// other starts the second worker. It reports whether the worker reached its point without ending.
func (p *pair) other(j int) bool {
	f, n := p.f, 0
	came := make(chan struct{})
	f.host.point = func(at string) {
		if at == "finish" || at == "left" {
			return
		}
		if n++; n == j {
			close(came)
			<-p.goOn
		}
	}
	go func() {
		defer close(p.stopped)
		p.err, p.died = f.attempt(payload("the body"))
	}()
	select {
	case <-came:
		return true
	case <-p.stopped:
		return false
	}
}

// kept checks that the progress of a row when the first worker continued was not undone.
func (p *pair) kept() {
	p.f.t.Helper()
	order := []domain.NotePhase{domain.NotePlanned, domain.NoteDrafting, domain.NoteChosen, domain.NotePublishing, domain.NoteVisible}
	now := p.f.rows()
	for k, was := range p.rows {
		now := now[k]
		if slices.Index(order, now.Phase) < slices.Index(order, was.Phase) || was.Draft != "" && was.Draft != now.Draft {
			p.f.t.Errorf("the row %+v became %+v", was, now)
		}
	}
}

// pairs tests every step-th pair of points, and requires at least least of them.
func pairs(t *testing.T, s *store.Store, script map[string][]outcome, step, least int) {
	t.Helper()
	cases := 0
	for i, first := 1, true; first; i++ {
		for j, second := 1, true; first && second; j++ {
			if (4*i+3*j)%step != 0 {
				continue
			}
			cases++
			p := pair{f: newNotes(t, s)}
			p.f.host.script, p.f.held = scripted(script), true
			if first, second = p.run(i, j); first {
				p.kept()
			}
			p.f.wholly("a.go:3 the comment, the body")
			p.f.allVisible()
			if t.Failed() {
				t.Fatalf("at points %d and %d", i, j)
			}
		}
	}
	if cases < least {
		t.Fatalf("only %d cases", cases)
	}
}

// A worker stops at any point, and another one takes over and stops at any point too. When the first one
// continues, it changes nothing, and the other one completes the review. It has one comment and its summary,
// like the model.
func TestTwoWorkersAtAnyPointsNoteByNote(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		step, least := 1, 150
		if s.Engine() == "postgres" {
			step, least = 17, 10
		}
		pairs(t, s, nil, step, least)
	})
}

// The same if the first worker does not learn the outcome of a request.
func TestTwoWorkersAndLostAnswersNoteByNote(t *testing.T) {
	pairs(t, storetest.SQLite(t), map[string][]outcome{"create": {lostDropped}, "submit": {lostDropped}}, 5, 100)
}

// onTime publishes until the publication is over. Whenever the publication waits, it lets an hour pass, and
// it returns how often.
func (f *fixture) onTime(raw storetest.Raw) (waited int) {
	f.t.Helper()
	for range 20 {
		before := f.host.sent["submit"]
		err, died := f.attempt(two())
		testkit.Require(f.t, "died", died, false)
		if err == nil {
			return waited
		}
		if left := codehost.RetryAfter(err); codehost.ClassOf(err) != codehost.ClassLimited || left <= 0 {
			f.t.Fatalf("the error is %v", err)
		}
		testkit.Equal(f.t, "requests before the wait", f.host.sent["submit"]-before, 0)
		raw(anHour)
		waited++
	}
	f.t.Fatal("it does not end")
	return 0
}

// A worker that follows a crash waits only if a request to publish a draft may have been sent and its comment
// is missing.
func TestNotesAndACrashAtAnyPointOnTime(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		waited := 0
		for n, died := 1, true; died; n++ {
			f := newNotes(t, s)
			f.quiet = time.Hour
			f.host.crashAt(n)
			_, died = f.attempt(two())
			f.host.point = nil
			if died {
				waited += f.onTime(raw)
			}
			f.whole()
			f.allVisible()
		}
		testkit.Equal(t, "waited", waited, 3) // each of the three requests was about to be sent
	})
}

// The same with a second crash, of the worker that comes too early, or at the end of the wait.
func TestNotesAndTwoCrashesOnTime(t *testing.T) {
	s, raw := storetest.SQLiteRaw(t)
	for k := 1; k <= 3; k++ {
		for _, early := range []bool{true, false} {
			for n, died := 1, true; died; n++ {
				f := newNotes(t, s)
				f.quiet = time.Hour
				f.nth("submit: before", k, runtime.Goexit)
				_, died = f.attempt(two())
				testkit.Require(t, "killed", died, true)
				if !early {
					raw(anHour)
				}
				sent := f.host.sent["submit"]
				f.host.crashAt(n)
				_, died = f.attempt(two())
				f.host.point = nil
				if early {
					testkit.Equal(t, "requests too early", f.host.sent["submit"], sent)
				}
				if died || early {
					f.onTime(raw)
				}
				f.whole()
				f.allVisible()
			}
		}
	}
}
