package realgitea

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
	"github.com/assay-dev/assay/test/site"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// base is a repository before any change.
func base() map[string]string {
	return map[string]string{
		"README.md":    "# Shop\n",
		"price/sum.go": "package price\n\n// Sum adds prices.\nfunc Sum(prices []int) int {\n\ttotal := 0\n\tfor _, p := range prices {\n\t\ttotal += p\n\t}\n\treturn total\n}\n",
	}
}

// buggy has two defects that the scripted model reports, in two files.
func buggy() map[string]string {
	return map[string]string{
		"price/mean.go":  "package price\n\n// Mean is the average price.\nfunc Mean(prices []int) int {\n\treturn Sum(prices) / len(prices)\n}\n",
		"price/first.go": "package price\n\n// First is the first price.\nfunc First(prices []int) int {\n\treturn prices[0]\n}\n",
	}
}

// fixed fixes one of the two.
func fixed() map[string]string {
	return map[string]string{"price/mean.go": "package price\n\n// Mean is the average price, 0 for none.\nfunc Mean(prices []int) int {\n\tn := max(len(prices), 1)\n\treturn Sum(prices) / n\n}\n"}
}

// clean is a change without defects.
func clean(name string) map[string]string {
	return map[string]string{"price/" + name + ".go": "package price\n\n// Largest" + name + " is the largest price, 0 for none.\nfunc Largest" + name + "(prices []int) (n int) {\n\tfor _, p := range prices {\n\t\tn = max(n, p)\n\t}\n\treturn n\n}\n"}
}

// leaky has a secret, assembled here so that it is not in the source.
func leaky() map[string]string {
	return map[string]string{"config/keys.go": "package config\n\nconst accessKey = \"" + "AKIA" + "Z7QK" + "4MX2" + "WTPL" + "N6RB" + "\"\n"}
}

// planted are the defects of [buggy], also in the folders of [moved].
func planted() []script.Planted {
	return slices.Concat(plantedIn("price/"), plantedIn("price/thumbs/"), plantedIn("price/replies/"))
}

func plantedIn(folder string) []script.Planted {
	return []script.Planted{
		{Path: folder + "mean.go", LineContains: "return Sum(prices) / len(prices)", Title: "Mean divides by zero for an empty list",
			Category: "bug", RuleKey: "division-by-zero", Severity: "high", Trigger: "Mean(nil) panics.",
			Explanation: "With no prices the length is 0, and an integer division by zero panics.",
			Fix:         script.Fix{New: "\treturn Sum(prices) / max(len(prices), 1)"}},
		{Path: folder + "first.go", LineContains: "return prices[0]", Title: "First panics for an empty list",
			Category: "bug", RuleKey: "index-out-of-range", Severity: "high", Trigger: "First(nil) panics.",
			Explanation: "An empty list has no element 0, and the index panics."},
	}
}

// world is an assay beside a real Gitea.
type world struct {
	*host
	ctx        context.Context
	site       *site.Site
	admin      *site.Person
	connection string // its id
	processes  []*testkit.Process
}

// scopes are the scopes of the account's token.
var scopes = []string{"write:repository", "write:issue", "read:user", "write:organization"}

// newWorld starts assay beside a host, without a connection.
func newWorld(h *host, embedded bool) *world {
	h.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	h.Cleanup(cancel)
	s := site.New(ctx, h.T, site.Options{Embedded: embedded, Owner: "acme", Kind: domain.Gitea, HostURL: h.server.URL})
	maps.Copy(s.Env, site.Quick())
	testkit.OK(h, s.Model.SetRules(ctx, slices.Concat(script.ForReplies(), []model.Rule{criteriaRule()}, script.ForPlanted(planted()))))
	return &world{host: h, ctx: ctx, site: s}
}

// seats are the teams of the account for assay.
type seats int

const (
	inOwners   seats = iota // the team Owners
	inEachTeam              // each team, one of them administers all repositories
	inOwnTeam               // a separate team that administers all repositories
)

// people have an account, and watch each repository of their teams.
var people = []string{"dana", "eve", "gus", "rob"} // the owner, two writers and a reader by team

// connected is a team with a repository, and an assay that is connected to it, with further settings
// (name, value).
func connected(t *testing.T, embedded bool, s seats, settings ...string) *world {
	t.Helper()
	h := newHost(t, people...)
	h.organisation(s)
	h.repository("shop", false)
	w := newWorld(h, embedded)
	for i := 0; i+1 < len(settings); i += 2 {
		w.site.Env[settings[i]] = settings[i+1]
	}
	w.up()
	w.admin = w.site.Admin()
	w.connect(h.token(bot, "assay", scopes...))
	return w
}

// roles are the commands of the processes of assay.
func (w *world) roles() []string {
	if w.site.Embedded {
		return []string{"serve"}
	}
	return []string{"api", "worker"}
}

// up starts the processes of assay.
func (w *world) up() {
	w.Helper()
	for _, role := range w.roles() {
		w.processes = append(w.processes, w.start(role))
	}
}

// start starts one process of assay and waits until it is ready.
func (w *world) start(what string) *testkit.Process {
	w.Helper()
	if what == "serve" {
		return w.site.Serve()
	}
	p := w.site.Start(what, nil, what)
	if what == "api" {
		p.WaitReady(site.Patience, w.site.URL("/readyz"))
	} else {
		p.WaitLine(site.Patience, "works on")
	}
	return p
}

// rows reads the database of assay. It returns nil if the database cannot be read.
func (w *world) rows(text string) [][]string {
	w.Helper()
	rows, err := w.site.Query(w.ctx, text)
	if err != nil {
		w.Logf("query: %v", err)
	}
	return rows
}

// tenant is the address of the tenant.
func (w *world) tenant() string {
	w.Helper()
	return w.rows(`SELECT id FROM tenants`)[0][0]
}

func (w *world) connections() string {
	w.Helper()
	return "/api/tenants/" + w.tenant() + "/provider-connections"
}

// connect connects acme for all repositories, and waits for the first sync.
func (w *world) connect(token string) {
	w.Helper()
	var made site.Connection
	w.admin.Send(http.MethodPost, w.connections(), map[string]any{"kind": "gitea", "name": "Acme", "baseUrl": w.server.URL,
		"owner": "acme", "token": token, "repositories": "all", "registerWebhooks": true}, http.StatusCreated, &made)
	w.connection = made.ID
	if got := w.synced(); got.State != "active" || got.LastSync.State != "completed" {
		w.Fatalf("the connection is %+v, its synchronisation %+v", got, got.LastSync)
	}
}

// sync starts a sync and returns the connection after it.
func (w *world) sync() site.Connection {
	w.Helper()
	w.admin.Send(http.MethodPost, w.connections()+"/"+w.connection+"/sync", nil, http.StatusAccepted, nil)
	return w.synced()
}

// synced waits until no sync is under way.
func (w *world) synced() site.Connection {
	w.Helper()
	return w.admin.Synced(w.tenant(), w.connection)
}

func (w *world) eventually(is func() (bool, string)) {
	w.Helper()
	testkit.Eventually(w, 2*site.Patience, is)
}

// quiet waits until the host and assay have done all work.
func (w *world) quiet() {
	w.Helper()
	for range 2 { // writes of assay make the host send more
		w.server.Flush()
		w.eventually(func() (bool, string) {
			open, err := w.site.Open(w.ctx)
			return err == nil && len(open) == 0, fmt.Sprintf("still open: %v (%v)", open, err)
		})
	}
}

// reviewed waits until a pull request has n reviews and all work is done, and returns what people see.
func (w *world) reviewed(p pull, n int) (got shown) {
	w.Helper()
	w.eventually(func() (bool, string) {
		got = w.shown(p)
		return got.Reviews >= n, fmt.Sprintf("%s: %v; runs %v; deliveries %v", p.name(), got, w.runs(p),
			w.rows(`SELECT event, action, disposition, reason FROM webhook_deliveries`))
	})
	w.quiet()
	return w.shown(p)
}

// runs returns the states, reasons and heads of the runs of a pull request, oldest first.
func (w *world) runs(p pull) [][]string {
	w.Helper()
	owner, name, _ := strings.Cut(p.Repo, "/")
	return w.rows(fmt.Sprintf(`SELECT r.state, r.reason, r.head_sha FROM review_runs r JOIN repositories p ON p.id = r.repository_id
		WHERE p.owner = '%s' AND p.name = '%s' AND r.number = %d ORDER BY r.created_us, r.id`, owner, name, p.Number))
}

// concluded waits until the commit status of a head is that of an ended run.
func (w *world) concluded(p pull, head string) (state, says string) {
	w.Helper()
	w.quiet()
	w.eventually(func() (bool, string) {
		state, says = w.status(p, head)
		return state != "" && state != "pending", fmt.Sprintf("the status of %s is %q", head, state)
	})
	return state, says
}

// once checks that each of n reviews of a pull request is shown once, with the number of comments, and
// that each watcher, and an author from outside, got n mails.
func (w *world) once(what string, p pull, n, comments int, authors ...string) shown {
	w.Helper()
	got := w.reviewed(p, n)
	w.Logf("%s: %v", what, got)
	want := map[string]int{}
	for _, login := range append(authors, people...) {
		want[login] = n
	}
	if got.Reviews != n || got.Entries != n || got.Drafts != 0 || got.Comments != comments || !maps.Equal(got.Mails, want) {
		w.Errorf("%s: want %d reviews and timeline entries, %d comments, no draft and mails %v, got %v; runs %v",
			what, n, comments, want, got, w.runs(p))
	}
	return got
}
