package ondemand_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

// readers opens one host for reading, or fails.
type readers struct {
	host *reviewtest.Host
	err  error
}

func (r *readers) Reader(context.Context, store.Repository) (codehost.Reader, codehost.Repo, error) {
	return r.host, codehost.Repo{}, r.err
}

type world struct {
	storetest.World
	t       *testing.T
	store   *store.Store
	hosts   *readers
	service *ondemand.Service
}

func each(t *testing.T, body func(w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		w := &world{World: storetest.Seed(t, s), t: t, store: s, hosts: &readers{host: reviewtest.NewHost()}}
		kept, err := memcache.New(memcache.Options{})
		testkit.OK(t, err)
		w.service = ondemand.New(ondemand.Config{Store: s, Audit: audit.New(s, storetest.Keyring(t, s), telemetry.Discard()), Runs: &run.Runs{Store: s}, Hosts: w.hosts, Cache: kept})
		body(w)
	})
}

// there adds a pull request to the host.
func (w *world) there(number int, head string, open bool) {
	w.hosts.host.Set(codehost.PullRequest{Number: number, Title: "Change", Author: "mona", HeadSHA: head, BaseRef: "main", Open: open, UpdatedAt: time.Now()})
}

func (w *world) review(number int) (store.Run, error) {
	return w.service.Review(audit.As(bg, audit.Actor{Kind: audit.KindUser, UserID: "usr_ada", Name: "Ada"}), w.Tenant, w.Repository, number)
}

func (w *world) want(what string, err error, kind errs.Kind, code string) {
	w.t.Helper()
	if e, ok := errors.AsType[*errs.Error](err); !ok || e.Kind != kind || e.StableCode() != code {
		w.t.Errorf("%s: %v", what, err)
	}
}

// A pull request without an event gets one run, however often it is requested and even if the requests are
// concurrent. Once the review is published, the answer names it.
func TestOneRunOfWhatIsAskedFor(t *testing.T) {
	each(t, func(w *world) {
		head := storetest.SHA("new")
		w.there(7, head, true)
		ids := map[string]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				got, err := w.review(7)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					w.t.Error(err)
				}
				ids[got.ID] = true
			})
		}
		all.Wait()
		testkit.Require(w.t, "runs", len(ids), 1)
		got, err := w.review(7)
		testkit.OK(w.t, err)
		testkit.Equal(w.t, "asked by", got.Asker, domain.Asker{How: domain.AskedByRequest, UserID: "usr_ada", Name: "Ada"})
		if got.HeadSHA != head || got.TriggerEvent != run.EventAsked || got.State != domain.RunQueued || got.Depth != domain.DepthFull {
			w.t.Errorf("%+v", got)
		}
		jobs, err := w.store.JobsOf(bg, got.ID)
		testkit.OK(w.t, err)
		testkit.Equal(w.t, "jobs", len(jobs), 1)
		for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}, {From: domain.RunPublishing, To: domain.RunCompleted}} {
			_, err := w.store.MoveRun(bg, w.Tenant, got.ID, m)
			testkit.OK(w.t, err)
		}
		_, err = w.review(7)
		w.want("a head that was reviewed", err, errs.Conflict, "already_reviewed")
		w.there(7, storetest.SHA("newer"), true)
		again, err := w.review(7)
		testkit.OK(w.t, err)
		if again.ID == got.ID {
			w.t.Error("a newer head does not have its own run")
		}
	})
}

// A run that ended without a publication can be started again, and an event of the head joins the requested
// run.
func TestAnotherRunAfterOneThatFailed(t *testing.T) {
	each(t, func(w *world) {
		w.there(7, storetest.SHA("new"), true)
		first, err := w.review(7)
		testkit.OK(w.t, err)
		_, err = w.store.MoveRun(bg, w.Tenant, first.ID, store.RunMove{From: domain.RunQueued, To: domain.RunFailed, End: domain.EndCrashed})
		testkit.OK(w.t, err)
		second, err := w.review(7)
		testkit.OK(w.t, err)
		if second.ID == first.ID {
			w.t.Fatal("there is no second run")
		}
		row, err := w.store.PullRequest(bg, w.Tenant, second.PullRequest)
		testkit.OK(w.t, err)
		out, err := w.service.Runs.Auto(bg, w.Tenant, row, run.Request{Event: "pull_request.opened"})
		testkit.OK(w.t, err)
		testkit.Equal(w.t, "run of an event", fmt.Sprint(out.Run == second.ID, out.Made), "true false")
	})
}

// No run is created if the host, the repository's state or the limit forbids it.
func TestRefusedReviewRequests(t *testing.T) {
	each(t, func(w *world) {
		w.there(8, storetest.SHA("x"), false)
		_, err := w.review(8)
		w.want("a closed one", err, errs.Conflict, "pull_request_closed")
		for class, want := range map[codehost.Class]struct {
			kind errs.Kind
			code string
		}{codehost.ClassNotFound: {errs.NotFound, "not_found"}, codehost.ClassLimited: {errs.RateLimited, "host_limited"}, codehost.ClassUnavailable: {errs.Unavailable, "host_unavailable"}, codehost.ClassForbidden: {errs.Conflict, "host_forbids"}, codehost.ClassTooLarge: {errs.Conflict, "host_answer_too_large"}} {
			w.hosts.err = &codehost.Error{Class: class, Message: "words of a stranger"}
			_, err := w.review(7)
			w.want(string(class), err, want.kind, want.code)
		}
		w.hosts.err = nil
		gone := w.Repository
		gone.State = "disconnected"
		_, err = w.service.Review(bg, w.Tenant, gone, 7)
		w.want("a repository that is not connected", err, errs.Conflict, "disconnected")
		for n := range 30 {
			w.there(100+n, storetest.SHA(fmt.Sprint(n)), true)
			_, err := w.review(100 + n)
			testkit.OK(w.t, err)
		}
		w.there(200, storetest.SHA("more"), true)
		_, err = w.review(200)
		w.want("beyond the limit", err, errs.RateLimited, "asked_too_often")
		if _, err := w.review(100); err != nil { // joins the existing run
			w.t.Errorf("a pull request with a run under way: %v", err)
		}
		rows, err := w.store.TenantRuns(bg, w.Tenant, store.RunsFilter{MadeBy: store.ByRequest, Limit: 100})
		testkit.OK(w.t, err)
		testkit.Equal(w.t, "runs", len(rows), 30)
		w.service.Hosts = nil
		_, err = w.review(200)
		w.want("a process without hosts", err, errs.Unavailable, "unavailable")
	})
}
