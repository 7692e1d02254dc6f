package publish_test

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var (
	each = storetest.Each
	bg   = context.Background()
)

const keyOfTests = "a key of tests, 16 bytes or more"

// fixture is a run in the state publishing, with its host.
type fixture struct {
	t       *testing.T
	store   *store.Store
	world   storetest.World
	run     store.Run
	host    *host
	notes   *noteHost // set for hosts that make comments visible one by one
	marked  bool      // the host can prepare nothing unseen
	output  store.Output
	job     store.Job
	kind    string
	mark    marker.Marker
	gen     int64 // generation of the claim that holds the job, 0 for none
	quiet   time.Duration
	held    bool   // a worker may also die between the check of the lease and the intent
	renamed string // the new name of the repository, or ""
	fit     func(context.Context, domain.Tenant, string, publish.Payload) (publish.Payload, error)
}

func newFixture(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	w := storetest.Seed(t, s)
	f := &fixture{t: t, store: s, world: w, kind: publish.KindReview, host: newHost(w.Run.HeadSHA)}
	var err error
	f.mark, err = marker.New(secret.KeyMAC{Sum: []byte(keyOfTests)})
	testkit.OK(t, err)
	f.prepare(w.Run)
	return f
}

// prepare moves a run to the state publishing, and creates its output and job.
func (f *fixture) prepare(run store.Run) {
	f.t.Helper()
	f.run, f.gen = f.publishing(run), 0
	var err error
	f.output, err = f.store.CreateOutput(bg, f.world.Tenant, run.ID, "", "{}", "digest")
	testkit.OK(f.t, err)
	_, err = f.store.Enqueue(bg, store.NewJob{Kind: domain.KindPublish, Subject: run.ID, Tenant: f.world.Tenant.ID})
	testkit.OK(f.t, err)
	got, err := f.store.JobsOf(bg, run.ID)
	testkit.OK(f.t, err)
	f.job = got[0]
}

func (f *fixture) publishing(run store.Run) store.Run {
	f.t.Helper()
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}} {
		moved, err := f.store.MoveRun(bg, f.world.Tenant, run.ID, m)
		testkit.OK(f.t, err)
		testkit.Equal(f.t, "moved", moved, true)
	}
	run, err := f.store.RunForWork(bg, run.ID)
	testkit.OK(f.t, err)
	return run
}

// newer creates a later run of another head.
func (f *fixture) newer() store.Run {
	f.t.Helper()
	run, made, err := f.store.CreateRun(bg, f.world.Tenant, store.Run{Repository: f.run.Repository, PullRequest: f.run.PullRequest, Number: f.run.Number,
		HeadSHA: storetest.SHA("newer"), TriggerKey: "auto", TriggerEvent: "pull_request.synchronize"})
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "made", made, true)
	return run
}

func payload(body string) publish.Payload {
	p := publish.Payload{Commit: storetest.SHA("head"), Body: markdown.Stored(body)}
	p.Comments = []publish.Comment{{DraftComment: codehost.DraftComment{Path: "a.go", Side: "RIGHT", Line: 3, Body: markdown.Const("the comment")}, FindingID: "f1"}}
	return p
}

// claim is one worker's claim on the job.
type claim struct {
	f   *fixture
	gen int64
}

func (c claim) Left(ctx context.Context) (time.Duration, error) {
	c.f.host.at("left")
	left, held, err := c.f.store.Holds(ctx, c.f.job.ID, c.gen)
	if err == nil && !held {
		err = jobs.ErrLost
	}
	if c.f.held {
		c.f.host.at("held")
	}
	return left, err
}

func (c claim) Renew(ctx context.Context) error {
	held, err := c.f.store.ExtendClaim(ctx, c.f.job.ID, c.gen, time.Minute, "")
	if err == nil && !held {
		err = jobs.ErrLost
	}
	return err
}

func (c claim) Finish(ctx context.Context) error {
	c.f.host.at("finish")
	held, err := c.f.store.FinishJob(ctx, c.f.job.ID, c.gen)
	if err == nil && !held {
		err = jobs.ErrLost
	}
	return err
}

func (claim) Stage(string, time.Duration) {}

// take claims the job, even if another worker holds it.
func (f *fixture) take() claim {
	f.t.Helper()
	if f.gen != 0 {
		_, err := f.store.SnoozeJob(bg, f.job.ID, f.gen, store.Wait{})
		testkit.OK(f.t, err)
	}
	j, err := f.store.Claim(bg, f.job.ID, "worker", time.Minute)
	testkit.OK(f.t, err)
	f.gen = j.Gen
	return claim{f, j.Gen}
}

func (f *fixture) publisher() *publish.Publisher {
	return &publish.Publisher{Store: f.store, Runs: &run.Runs{Store: f.store}, Marker: f.mark, Logger: slog.New(slog.DiscardHandler), LookAgain: []time.Duration{0, 0, 0},
		Quiet: max(f.quiet, time.Nanosecond), Fit: f.fit}
}

// work publishes with a claim.
func (f *fixture) work(c claim, p publish.Payload) error {
	pull, err := f.store.PullRequest(bg, f.world.Tenant, f.run.PullRequest)
	if err != nil {
		return err
	}
	return f.publisher().Run(bg, publish.Task{Run: f.run, Pull: pull, Output: f.output, Kind: f.kind, Payload: p, Job: f.job.ID, Gen: c.gen, Claim: c,
		Host: f.at(), Repo: f.repo()})
}

// repo returns the repository with its present name.
func (f *fixture) repo() codehost.Repo {
	return codehost.Repo{Owner: "octo", Name: cmp.Or(f.renamed, "repo")}
}

// at returns the host of the publication.
func (f *fixture) at() codehost.Host {
	switch {
	case f.marked:
		return markedHost{f.notes}
	case f.notes != nil:
		return f.notes
	}
	return f.host
}

// attempt claims and publishes. died reports that the worker crashed on the way.
func (f *fixture) attempt(p publish.Payload) (err error, died bool) { //nolint:staticcheck // the error is not the outcome
	f.t.Helper()
	c := f.take()
	died = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = f.work(c, p)
		died = false
	}()
	<-done
	return err, died
}

// finish publishes until the publication is over.
func (f *fixture) finish() {
	f.t.Helper()
	err, died := f.attempt(payload("the body"))
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "died", died, false)
}

func (f *fixture) publication() store.Publication {
	f.t.Helper()
	p, err := f.store.PublicationOf(bg, f.world.Tenant, f.run.ID)
	testkit.OK(f.t, err)
	return p
}

// verbs returns the verbs of the recorded intents.
func (f *fixture) verbs() (out []string) {
	f.t.Helper()
	writes, err := f.store.Writes(bg, f.world.Tenant, "publication", f.publication().ID)
	testkit.OK(f.t, err)
	for _, w := range writes {
		out = append(out, w.Verb)
	}
	return out
}

// over checks the end: run, publication, job, follow-up jobs, and that every effect had an intent.
func (f *fixture) over(state domain.RunState, phase domain.Phase, reason string) {
	f.t.Helper()
	run, err := f.store.RunForWork(bg, f.run.ID)
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "run", run.State, state)
	pub := f.publication()
	testkit.Equal(f.t, "phase", pub.Phase, phase)
	testkit.Equal(f.t, "reason", pub.Reason, reason)
	all, err := f.store.JobsOf(bg, f.run.ID)
	testkit.OK(f.t, err)
	testkit.Require(f.t, "jobs", len(all), 2)
	for _, j := range all {
		want := map[domain.JobKind]domain.JobState{domain.KindPublish: domain.JobDone, domain.KindReflect: domain.JobQueued}[j.Kind]
		testkit.Equal(f.t, "job "+string(j.Kind), j.State, want)
	}
	f.intents()
}

// intents checks that there is a recorded intent for every effect (I4).
func (f *fixture) intents() {
	f.t.Helper()
	verbs := f.verbs()
	for op, names := range map[string][]string{"create": {"create"}, "submit": {"submit"}, "edit": {"edit draft"}, "delete": {"delete draft", "delete orphan", "delete twin"}} {
		n := len(slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return !slices.Contains(names, v) }))
		if f.host.effects[op] > n || f.host.sent[op] > n {
			f.t.Fatalf("%s: %d effects and %d requests, but %d intents", op, f.host.effects[op], f.host.sent[op], n)
		}
	}
}

// published checks that exactly one review is visible, and that it is the publication's.
func (f *fixture) published() {
	f.t.Helper()
	visible, _ := f.host.count()
	testkit.Equal(f.t, "visible reviews", visible, 1)
	f.over(domain.RunCompleted, domain.PhasePublished, "")
	shown, pub := f.host.shown(), f.publication()
	testkit.Equal(f.t, "review", shown.ID, pub.ReviewID)
	mark, found := f.mark.FindPublication(publish.Place(f.run), shown.Body)
	testkit.Equal(f.t, "marked", found, true)
	testkit.Equal(f.t, "marked with", mark.ID, pub.ID)
}
