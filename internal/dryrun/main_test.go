package dryrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// children starts the child processes of analysers.
var children *sandbox.Launcher

func TestMain(m *testing.M) {
	children = sandbox.Enter(map[string]sandbox.Work{analysers.ReadWork: analysers.Serve})
	testkit.Main(m)
}

var bg = context.Background()

// broken is a line that a deterministic check reports.
const broken = "func broken( {"

// world is a fixture of reviews together with dry runs.
type world struct {
	*reviewtest.Fixture
	Dry        *dryrun.Service
	Repository store.Repository
	models     *reviewtest.CallerModels

	mu    sync.Mutex
	ended []store.DryRun
}

// each calls [eachOf] with the usual engines.
func each(t *testing.T, body func(t *testing.T, w *world)) {
	t.Helper()
	eachOf(t, storetest.Usual(), body)
}

// eachOf runs the body on each engine. Pull request 1 has one review.
func eachOf(t *testing.T, on storetest.Engines, body func(t *testing.T, w *world)) {
	t.Helper()
	reviewtest.EachOf(t, on, func(t *testing.T, f *reviewtest.Fixture) {
		w := &world{Fixture: f, models: &reviewtest.CallerModels{Models: f.Models}}
		f.Stop()
		features := featuretest.New(t, f.Store)
		kept, err := memcache.New(memcache.Options{})
		testkit.OK(t, err)
		w.Dry = dryrun.New(dryrun.Config{Store: f.Store, Audit: features.Audit, Tenant: features.Tenant, Hosts: reviewtest.Readers{Host: f.Host}, Models: w.models, Authors: &policy.Authors{Cache: kept},
			Snapshots: f.Snapshots, Engine: f.Service.Engine, Scan: func(s string) string { return s }, Look: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
			Ended: []func(context.Context, store.DryRun) error{w.note}})
		f.Services.More = w.Dry.Kinds()
		f.Snapshots.Lines[storetest.SHA("head")] = broken
		f.Start()
		f.Deliver(f.Event("opened", "head"))
		w.Repository, err = f.Store.Repository(bg, f.World.Tenant, f.Runs()[0].Repository)
		testkit.OK(t, err)
		body(t, w)
	})
}

func (w *world) note(_ context.Context, run store.DryRun) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = append(w.ended, run)
	return nil
}

// ends returns the states that the events about ended dry runs report.
func (w *world) ends() (out []domain.DryRunState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.ended {
		out = append(out, r.State)
	}
	return out
}

// create requests a dry run.
func (w *world) create(body string) (dryrun.Started, error) {
	w.T.Helper()
	return w.Dry.Create(bg, w.World.Tenant, w.Repository, request(w.T, body))
}

func request(t testing.TB, body string) (in dryrun.DryRunCreate) {
	t.Helper()
	testkit.OK(t, json.Unmarshal([]byte(body), &in))
	return in
}

// start requests a dry run that must be accepted.
func (w *world) start(body string) store.DryRun {
	w.T.Helper()
	made, err := w.create(body)
	testkit.OK(w.T, err)
	return made.Run
}

// do requests a dry run and waits for its result.
func (w *world) do(body string) (store.DryRun, dryrun.Report) {
	w.T.Helper()
	run := w.start(body)
	w.Settle()
	return w.read(run.ID)
}

func (w *world) read(id string) (store.DryRun, dryrun.Report) {
	w.T.Helper()
	run, err := w.Store.DryRunForWork(bg, id)
	testkit.OK(w.T, err)
	report, err := w.Dry.Result(bg, w.World.Tenant, run)
	testkit.OK(w.T, err)
	return run, report
}

// pull creates a pull request on the host.
func (w *world) pull(number int, head string, change ...func(*codehost.PullRequest)) {
	pr := codehost.PullRequest{Number: number, Title: "Change", Author: "mona", AuthorID: "5", Open: true, HeadSHA: storetest.SHA(head), BaseSHA: storetest.SHA("base"), BaseRef: "main", HeadRef: "topic"}
	for _, f := range change {
		f(&pr)
	}
	w.Host.Set(pr)
}

func merged(pr *codehost.PullRequest) {
	pr.Open, pr.Merged, pr.MergedAt = false, true, time.Date(2026, 1, 2, 0, 0, pr.Number, 0, time.UTC)
	pr.UpdatedAt = pr.MergedAt
}

// pointers returns the fields that an error names.
func pointers(err error) (out []string) {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return nil
	}
	for _, f := range e.Fields {
		out = append(out, f.Pointer)
	}
	slices.Sort(out)
	return out
}
