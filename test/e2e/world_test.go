package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	azureclient "github.com/assay-dev/assay/sim/azuredevops/simclient"
	bitbucketclient "github.com/assay-dev/assay/sim/bitbucket/simclient"
	giteaclient "github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
	gitlabclient "github.com/assay-dev/assay/sim/gitlab/simclient"
	hostclient "github.com/assay-dev/assay/sim/host/simclient"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/modelclient"
	"github.com/assay-dev/assay/test/site"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // scenarios wait more than they compute
		panic(err)
	}
	testkit.Main(m)
}

// patience bounds every wait. It is generous, because the machine may be busy.
const patience = site.Patience

// scenarioTime bounds a whole scenario.
const scenarioTime = 6 * time.Minute

// storage is one of the two ways to store data.
type storage struct {
	name     string
	embedded bool
}

var (
	embedded   = storage{name: "sqlite", embedded: true}
	production = storage{name: "postgres+redis"}
)

// nightly reports whether every scenario runs on both storages and in full size
// (ASSAY_STORAGES=all, make nightly).
func nightly() bool { return os.Getenv("ASSAY_STORAGES") == "all" }

// These are the storages of the scenarios. The tests of internal/store, internal/queue and
// internal/publish cover the service's use of both storages: each statement, each queue, and every
// order of crashes in a publication. A scenario covers the combination of processes, and one storage is
// enough for that.
var (
	// kills are the storages of processes that die while a review is published: there the database and
	// the queue outlive the process, and the API continues.
	kills = oneOf(production)
	// featureKills are the storages of crashes while a feature writes: an answer to a command, a label,
	// an issue, an approval, a dry run. All of them use the protocol of kills.
	featureKills = oneOf(embedded)
	// journeys are the storages of scenarios without a crash, and of answers that come late or never:
	// one process has all parts of the service.
	journeys = oneOf(embedded)
	// crowds are the storages of many concurrent pull requests: several processes and connections
	// compete there, while SQLite has one writer.
	crowds = oneOf(production)
	// servers are the storages of scenarios that SQLite cannot have: a server of the storage stops, or
	// two processes of one kind run.
	servers = []storage{production}
	// both are the storages of scenarios that differ by storage: the first start, and a
	// crash that the storage itself has to recover from.
	both = []storage{embedded, production}
)

// sized returns the size of make test or the full one.
func sized[T any](small, full T) T {
	if nightly() {
		return full
	}
	return small
}

// oneOf returns a storage, or both in [nightly].
func oneOf(s storage) []storage {
	if nightly() {
		return both
	}
	return []storage{s}
}

// on runs a scenario on the given storages, in a [newWorld].
func on(t *testing.T, storages []storage, scenario func(t *testing.T, w *world)) {
	t.Helper()
	in(t, storages, newWorld, scenario)
}

// in runs a scenario on the given storages, in worlds of another kind.
func in(t *testing.T, storages []storage, world func(t *testing.T, s storage) *world, scenario func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	for _, s := range storages {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // most of a scenario is waiting
			scenario(t, world(t, s))
		})
	}
}

// world is one installation with a simulated host and a scripted model.
type world struct {
	*testing.T
	ctx       context.Context
	storage   storage
	host      *hostclient.Client  // interface that all simulated hosts share
	gh        *simclient.Client   // GitHub; nil if another host is simulated
	gitea     *giteaclient.Client // Gitea or Forgejo; otherwise nil
	gitlab    *gitlabclient.Client
	azure     *azureclient.Client
	bitbucket *bitbucketclient.Client
	model     *modelclient.Client
	env       map[string]string
	data      string
	database  string // URL or path, for the checker
	pg        *testkit.Server
	kv        *testkit.KVServer
	port      int
	app       simapi.App
	secret    string
	hooks     string // path of the service to which the host delivers

	// These are set in worlds with another host than GitHub.
	running    *testkit.Process // the process that works on jobs
	boss       *person          // the admin who made the connection
	connection string           // its id
	tokenID    int64            // of the connection's token at the host
	repo       string
	site       *site.Site
}

// newWorld is a world with one repository, and a service that waits and retries
// faster than by default.
func newWorld(t *testing.T, s storage) *world {
	t.Helper()
	return withShop(t, bareWorld(t, s, "acme", scenarioTime), shop())
}

// shop is the repository of most worlds.
func shop() simapi.RepoSpec {
	return simapi.RepoSpec{Owner: "acme", Name: "shop", Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}}
}

// withShop creates the world's repository, and gives its service short waits.
func withShop(t *testing.T, w *world, repository simapi.RepoSpec) *world {
	t.Helper()
	w.repo = "acme/shop"
	maps.Copy(w.env, site.Quick())
	_, err := w.host.CreateRepo(w.ctx, repository)
	must(t, err)
	_, err = w.gh.Install(w.ctx, simapi.InstallSpec{AppID: w.app.ID, Account: "acme"})
	must(t, err)
	return w
}

// bareWorld is a world with default settings: an app of owner that is installed
// nowhere, and the bootstrap of a tenant for the owner's installation.
func bareWorld(t *testing.T, s storage, owner string, most time.Duration) *world {
	t.Helper()
	return worldOf(t, most, s, site.Options{Owner: owner})
}

// worldOf is the world of an installation that is set up. It lives at most as long as most.
func worldOf(t *testing.T, most time.Duration, s storage, o site.Options) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	t.Cleanup(cancel)
	o.Embedded = s.embedded
	if o.Kind == "" {
		o.Secret = "e2e-" + strings.Repeat("s", 24)
	}
	made := site.New(ctx, t, o)
	w := &world{T: t, ctx: ctx, storage: s, site: made, hooks: "/webhooks/codehost", model: made.Model, env: made.Env, data: made.Data, database: made.Database,
		pg: made.Postgres, kv: made.KV, port: made.Port, app: made.App, secret: made.Secret}
	w.views(made.Simulated)
	must(t, w.model.SetRules(ctx, plantedRules()))
	return w
}

// views makes a simulated host the one whose pull requests the world opens and reads.
func (w *world) views(h site.Simulated) {
	w.host, w.gh, w.gitea, w.gitlab, w.azure, w.bitbucket = h.Shared(), h.Host, h.Gitea, h.GitLab, h.Azure, h.Bitbucket
}

func (w *world) url(path string) string { return w.site.URL(path) }

// start starts one process of the service.
func (w *world) start(name string, env map[string]string, args ...string) *testkit.Process {
	w.Helper()
	return w.site.Start(name, env, args...)
}

// worked starts the service if it does not run yet, and returns the process that works on jobs.
func (w *world) worked() *testkit.Process {
	w.Helper()
	if w.running == nil {
		w.running = w.up()
	}
	return w.running
}

// up starts the service in the form of the storage: one process, or an API and a worker. It returns the
// process that works on jobs.
func (w *world) up() (worker *testkit.Process) {
	w.Helper()
	if w.storage.embedded {
		p := w.start("serve", nil, "serve")
		p.WaitReady(patience, w.url("/readyz"))
		return p
	}
	w.api(w.port)
	return w.worker()
}

func (w *world) api(port int) *testkit.Process {
	w.Helper()
	p := w.start("api", map[string]string{"ASSAY_LISTEN": fmt.Sprintf("127.0.0.1:%d", port)}, "api")
	p.WaitReady(patience, fmt.Sprintf("http://127.0.0.1:%d/readyz", port))
	return p
}

func (w *world) worker() *testkit.Process {
	w.Helper()
	p := w.start("worker", nil, "worker")
	p.WaitLine(patience, "works on")
	return p
}

// again starts the working process again after it was killed.
func (w *world) again() *testkit.Process {
	w.Helper()
	if w.storage.embedded {
		p := w.start("serve", nil, "serve")
		p.WaitReady(patience, w.url("/readyz"))
		return p
	}
	return w.worker()
}

// open opens a pull request with files on a new branch.
func (w *world) open(branch string, files map[string]string) simapi.Pull {
	w.Helper()
	_, err := w.host.Commit(w.ctx, w.repo, simapi.CommitSpec{Branch: branch, From: "main", Files: files, Message: "change " + branch})
	must(w.T, err)
	pr, err := w.host.OpenPull(w.ctx, w.repo, simapi.PullSpec{Title: "Change " + branch, Head: branch, Author: "dev"})
	must(w.T, err)
	return pr
}

// push commits to the branch of a pull request.
func (w *world) push(branch string, files map[string]string) string {
	w.Helper()
	c, err := w.host.Commit(w.ctx, w.repo, simapi.CommitSpec{Branch: branch, Files: files, Message: "more of " + branch})
	must(w.T, err)
	return c.SHA
}

// reviewed waits until a pull request has n visible reviews.
func (w *world) reviewed(number, n int) []simapi.Review {
	w.Helper()
	var got []simapi.Review
	testkit.Eventually(w.T, patience, func() (bool, string) {
		var err error
		got, err = w.host.VisibleReviews(w.ctx, w.repo, number)
		return err == nil && len(got) >= n, fmt.Sprintf("%d visible reviews of #%d, want %d (%v)", len(got), number, n, err)
	})
	return got
}

// post sends a recorded delivery again, as a host would, and returns the status.
func (w *world) post(port int, d simapi.Delivery) int {
	w.Helper()
	to := fmt.Sprintf("http://127.0.0.1:%d%s", port, w.hooks)
	if _, repository, has := strings.Cut(d.URL, "?"); has {
		to += "?" + repository
	}
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, to, strings.NewReader(d.Payload))
	must(w.T, err)
	for k, v := range d.Headers {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_, err = io.Copy(io.Discard, resp.Body) // so that the connection stays open, like that of a proxy
	must(w.T, errors.Join(err, resp.Body.Close()))
	return resp.StatusCode
}

// delivery finds the newest recorded delivery of an event.
func (w *world) delivery(event, action string) simapi.Delivery {
	w.Helper()
	list, err := w.host.Deliveries(w.ctx, true)
	must(w.T, err)
	var found simapi.Delivery
	for _, d := range list {
		if d.Event == event && d.Action == action && d.ID > found.ID {
			found = d
		}
	}
	if found.ID == 0 {
		w.Fatalf("no delivery %s.%s was recorded", event, action)
	}
	return found
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fault sets a fault of the host and returns its id.
func (w *world) fault(f simapi.Fault) string {
	w.Helper()
	got, err := w.host.SetFault(w.ctx, f)
	must(w.T, err)
	return got.ID
}

// modelFault sets a fault of the model and returns its id.
func (w *world) modelFault(f model.Fault) string {
	w.Helper()
	got, err := w.model.SetFault(w.ctx, f)
	must(w.T, err)
	return got.ID
}
