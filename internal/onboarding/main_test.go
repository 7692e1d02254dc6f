package onboarding_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// broken is a line that a deterministic check reports.
const broken = "func broken( {"

// tries are repository defaults with which new repositories are tried out.
const tries = `{"reviewNewRepositories":"onboarding"}`

// world is a fixture of reviews whose tenant tries out new repositories.
type world struct {
	*reviewtest.Fixture
	Tenant   *tenant.Service
	Dry      *dryrun.Service
	Onboards *onboarding.Service
	models   *reviewtest.CallerModels
	boss     context.Context // context of a person's acts
}

// each calls [eachOf] with the usual engines.
func each(t *testing.T, body func(t *testing.T, w *world)) {
	t.Helper()
	eachOf(t, storetest.Usual(), body)
}

// eachOf runs a body on each engine.
func eachOf(t *testing.T, on storetest.Engines, body func(t *testing.T, w *world)) {
	t.Helper()
	reviewtest.EachOf(t, on, func(t *testing.T, f *reviewtest.Fixture) {
		w := &world{Fixture: f, models: &reviewtest.CallerModels{Models: f.Models}}
		f.Stop()
		features := featuretest.New(t, f.Store)
		kept, err := memcache.New(memcache.Options{})
		testkit.OK(t, err)
		w.Tenant = features.Tenant
		w.Dry = dryrun.New(dryrun.Config{Store: f.Store, Audit: features.Audit, Tenant: features.Tenant, Hosts: reviewtest.Readers{Host: f.Host}, Models: w.models, Authors: &policy.Authors{Cache: kept},
			Snapshots: f.Snapshots, Engine: f.Service.Engine, Scan: func(s string) string { return s }, Look: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
		w.Onboards = onboarding.New(onboarding.Config{Store: f.Store, Audit: features.Audit, Tenant: features.Tenant, Dry: w.Dry, Hosts: reviewtest.Readers{Host: f.Host}, Logger: slog.New(slog.DiscardHandler)})
		f.Services.More = w.Dry.Kinds()
		for kind, k := range w.Onboards.Kinds() {
			f.Services.More[kind] = k
		}
		w.boss = w.as("boss")
		f.Policy(tries)
		f.Start()
		body(t, w)
	})
}

// as returns a context in which a person of that name acts.
func (w *world) as(name string) context.Context {
	w.T.Helper()
	user, err := w.Store.CreateUser(bg, name, false)
	testkit.OK(w.T, err)
	return audit.As(bg, audit.Actor{Kind: audit.KindUser, UserID: user.ID, Name: name})
}

// info returns the host's answer about a repository.
func info(id int64) codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: domain.NumberID(id), Owner: "octo", Name: fmt.Sprint("new", id), DefaultBranch: "main", Private: true}
}

// appears adds repositories to the installation, and returns the first.
func (w *world) appears(ids ...int64) store.Repository {
	w.T.Helper()
	ev := codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added"}
	for _, id := range ids {
		ev.Repositories = append(ev.Repositories, info(id))
	}
	w.Deliver(ev)
	return w.repository(ids[0])
}

func (w *world) repository(id int64) store.Repository {
	w.T.Helper()
	r, err := w.Store.RepositoryByExternal(bg, w.World.Tenant, w.World.Installation.ID, domain.NumberID(id))
	testkit.OK(w.T, err)
	return r
}

// leaves removes a repository from the installation.
func (w *world) leaves(id int64) {
	w.T.Helper()
	testkit.OK(w.T, w.Store.DisconnectRepositories(bg, w.World.Tenant, w.World.Installation.ID, domain.NumberID(id)))
}

// returns adds a removed repository again.
func (w *world) returns(id int64) {
	w.T.Helper()
	testkit.OK(w.T, policy.UpsertRepositories(bg, w.Store, w.World.Installation, []codehost.RepoInfo{info(id)}))
}

// sweep does the periodic work of workers, and waits for its results.
func (w *world) sweep() {
	w.T.Helper()
	testkit.OK(w.T, w.Onboards.Sweep(bg))
	w.Settle()
}

func (w *world) read(r store.Repository) store.Onboarding {
	w.T.Helper()
	o, err := w.Store.Onboarding(bg, w.World.Tenant, r.ID)
	testkit.OK(w.T, err)
	return o
}

func (w *world) state(r store.Repository, want domain.OnboardingState) store.Onboarding {
	w.T.Helper()
	o := w.read(r)
	testkit.Require(w.T, "state of the onboarding ("+o.Reason+")", o.State, want)
	return o
}

func (w *world) proposal(r store.Repository) onboarding.OnboardingProposal {
	w.T.Helper()
	return store.FromJSON[onboarding.OnboardingProposal](w.state(r, domain.OnboardingProposed).Proposal)
}

// merged adds a merged pull request to the host.
func (w *world) merged(number int, head string, change ...func(*codehost.PullRequest)) {
	at := time.Now().Add(-time.Duration(number) * time.Hour)
	pr := codehost.PullRequest{Number: number, Title: "Change", Author: "mona", AuthorID: "5", Merged: true, MergedAt: at, UpdatedAt: at, HeadSHA: storetest.SHA(head), BaseSHA: storetest.SHA("base"), BaseRef: "main", HeadRef: "topic"}
	for _, f := range change {
		f(&pr)
	}
	w.Host.Set(pr)
}

// steps returns the states that an onboarding went through.
func (w *world) steps(o store.Onboarding) (out []string) {
	w.T.Helper()
	all, err := w.Store.OnboardingTransitions(bg, w.World.Tenant, o.ID)
	testkit.OK(w.T, err)
	for _, s := range all {
		out = append(out, s.To)
	}
	return out
}

// enabled reports whether the policy enables reviews of a repository.
func (w *world) enabled(r store.Repository) bool {
	w.T.Helper()
	p, _, err := policy.Effective(bg, w.Store, w.World.Tenant, r.ID)
	testkit.OK(w.T, err)
	return p.Enabled
}

// refused compares the code of an error.
func refused(t testing.TB, err error, kind errs.Kind, code string) {
	t.Helper()
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || e.Kind != kind || e.StableCode() != code {
		t.Errorf("got %v, want %v %s", err, kind, code)
	}
}
