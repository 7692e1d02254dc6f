package hostile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model/script"
	"github.com/assay-dev/assay/test/site"
)

// Two tenants attack, and one wants to work. Each account has its own rate limit on the host, so that
// the tests wait for the service and not for the host.
var (
	bystanders = []string{"acme", "acme-labs", "acme-tools"}
	attackers  = map[string][]string{"mallory": {"mallory0", "mallory1", "mallory2", "mallory3"}, "eve": {"eve0", "eve1", "eve2", "eve3"}}
)

// arena is a service with three tenants.
type arena struct {
	*target
	ctx       context.Context
	bombs     []*planted
	attackers map[string][]string // accounts by tenant
}

// planted is a bomb in its repository.
type planted struct {
	bomb
	repo   string
	number int
}

// enter starts a service, and creates the tenants and the repositories of the bombs.
func enter(t *testing.T, bombs []bomb) *arena {
	t.Helper()
	var accounts []string
	for _, of := range [][]string{bystanders, attackers["mallory"], attackers["eve"]} {
		accounts = append(accounts, of...)
	}
	a := arrange(t, accounts, func(map[string]string) {})
	a.attackers = attackers
	a.plant(bombs)
	a.tenants(accounts)
	return a
}

// arrange starts a service with settings, and creates accounts on its host and the repositories of the
// bystanders.
func arrange(t *testing.T, accounts []string, change func(env map[string]string)) *arena {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), sized(22*time.Minute, 35*time.Minute))
	t.Cleanup(cancel)
	a := &arena{target: startWith(t, change), ctx: ctx}
	testkit.OK(t, a.site.Model.SetRules(ctx, script.ForPlanted([]script.Planted{{Path: "price/mean.go", LineContains: "return Sum(prices) / len(prices)", Title: defect,
		Explanation: "With no prices the length is 0.", Trigger: "Mean(nil) panics.", Category: "bug", RuleKey: "division-by-zero", Severity: "high"}})))
	for _, account := range accounts {
		_, err := a.site.Host.CreateUser(ctx, simapi.UserSpec{Login: account, Type: "Organization"})
		testkit.OK(t, err)
	}
	for _, account := range bystanders {
		_, err := a.site.Host.CreateRepo(ctx, simapi.RepoSpec{Owner: account, Name: "shop", Files: map[string]string{"price/sum.go": sum}, Collaborators: map[string]string{"dev": "write"}})
		testkit.OK(t, err)
	}
	return a
}

// plant puts each bomb into a repository of one of the attackers, in turn.
func (a *arena) plant(bombs []bomb) {
	a.Helper()
	owners := append(append([]string(nil), attackers["mallory"]...), attackers["eve"]...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(bombs), func(i, j int) { bombs[i], bombs[j] = bombs[j], bombs[i] }) // no account gets a whole family
	for i, b := range bombs {
		p := &planted{bomb: b}
		made, err := a.site.Host.CreateRepo(a.ctx, simapi.RepoSpec{Owner: owners[i%len(owners)], Name: fmt.Sprintf("bomb%d", i), Collaborators: map[string]string{"stranger": "write"}})
		testkit.OK(a, err)
		p.repo = made.FullName
		b.plant(bare{a.T, a.ctx, filepath.Join(a.site.HostData, "git", fmt.Sprintf("%d.git", made.ID))})
		a.bombs = append(a.bombs, p)
	}
}

// tenants installs the app on every account, and assigns the accounts to their tenants, each with a
// model.
func (a *arena) tenants(accounts []string) {
	a.Helper()
	admin := a.site.Admin()
	tenant := map[string]string{}
	for name, of := range a.attackers {
		var made struct{ ID string }
		admin.Send(http.MethodPost, "/api/instance/tenants", map[string]any{"name": name, "admin": true}, http.StatusCreated, &made)
		a.model(admin, made.ID)
		for _, account := range of {
			tenant[account] = made.ID
		}
	}
	var all struct{ Items []struct{ ID, Name string } }
	admin.Get("/api/instance/tenants", &all)
	for _, t := range all.Items {
		if t.Name == "acme" {
			for _, account := range bystanders {
				tenant[account] = t.ID
			}
		}
	}
	for _, account := range accounts {
		_, err := a.site.Host.Install(a.ctx, simapi.InstallSpec{AppID: a.site.App.ID, Account: account})
		testkit.OK(a, err)
	}
	want := len(a.bombs) + len(bystanders)
	testkit.OK(a, a.site.Host.WaitDeliveries(a.ctx, site.Patience))
	placed := 0
	testkit.Eventually(a, site.Patience, func() (bool, string) {
		admin.Place(func(account string) string { return tenant[account] })
		placed = a.count(`SELECT COUNT(*) FROM repositories WHERE intake = 'on' AND state = 'active'`)
		return placed >= want, fmt.Sprintf("%d of %d repositories are reviewed", placed, want)
	})
}

// model gives a tenant the scripted model.
func (a *arena) model(admin *site.Person, tenant string) {
	a.Helper()
	var key struct{ ID string }
	admin.Send(http.MethodPost, "/api/tenants/"+tenant+"/llm-credentials",
		map[string]any{"name": "scripted", "kind": "compatible", "baseUrl": a.site.Env["ASSAY_BOOTSTRAP_MODEL_BASE_URL"]}, http.StatusCreated, &key)
	tier := map[string]string{"credentialId": key.ID, "model": "scripted"}
	admin.Send(http.MethodPut, "/api/tenants/"+tenant+"/llm-policy", map[string]any{"tiers": map[string]any{"fast": tier, "standard": tier, "strong": tier}}, http.StatusOK, nil)
}

// query reads the database from outside.
func (a *arena) query(text string) [][]string {
	a.Helper()
	rows, err := a.site.Query(a.ctx, text)
	testkit.OK(a, err)
	return rows
}

func (a *arena) count(text string) (n int) {
	a.Helper()
	if rows := a.query(text); len(rows) == 1 {
		_, _ = fmt.Sscan(rows[0][0], &n)
	}
	return n
}

// open opens the pull requests of all bombs, as fast as the host accepts them.
func (a *arena) open() {
	a.Helper()
	var opening sync.WaitGroup
	next := make(chan *planted)
	for range 2 {
		opening.Go(func() {
			for p := range next {
				spec := p.pull
				spec.Head, spec.Author = "change", "stranger"
				if spec.Title == "" {
					spec.Title = "Change " + strings.ReplaceAll(p.name, "_", " ")
				}
				ctx, cancel := context.WithTimeout(a.ctx, opens)
				pr, err := a.site.Host.OpenPull(ctx, p.repo, spec)
				cancel()
				if err != nil {
					a.Errorf("%s: the simulated host does not open it: %v", p.name, err)
				}
				p.number = pr.Number
			}
		})
	}
	for _, p := range a.bombs {
		next <- p
	}
	close(next)
	opening.Wait()
	if a.Failed() { // a pull request that was not opened never ends
		a.FailNow()
	}
}

// opens bounds the time in which the simulated host opens a bomb, on a busy machine.
const opens = 5 * time.Minute

// over waits until no run is under way, either of the attackers only or of all.
func (a *arena) over(repositories string) {
	a.Helper()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	again := time.Now()
	for deadline := time.Now().Add(sized(18*time.Minute, 25*time.Minute)); ; <-tick.C {
		if time.Since(again) > 20*time.Second && a.site.Host.WaitDeliveries(a.ctx, time.Second) == nil {
			again = time.Now()
			if late := a.site.DeliverAgain(a.ctx); late > 0 {
				a.Logf("%d deliveries were not taken at first", late)
			}
		}
		if !a.process.Running() {
			a.Fatal("the service has ended")
		}
		// Deliveries are counted first, except those of connections, so that a delivery that becomes a
		// run in between is counted.
		left := a.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL AND event = 'pull_request' AND source_id NOT LIKE 'pcn_%'`)
		left += a.count(`SELECT COUNT(*) FROM review_runs r JOIN repositories p ON p.id = r.repository_id
			WHERE r.state IN ('queued', 'running', 'publishing') AND p.name LIKE '` + repositories + `'`)
		if begun := a.count(`SELECT COUNT(DISTINCT r.repository_id) FROM review_runs r JOIN repositories p ON p.id = r.repository_id WHERE p.name LIKE 'bomb%'`); begun < len(a.bombs) {
			left += len(a.bombs) - begun // the event is on its way
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			a.Errorf("%d runs are still under way", left)
			return
		}
	}
}
