package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// onAzure runs a scenario with a simulated Azure DevOps. The service runs, and a connection of the tenant to the organisation acme has
// registered its service hooks.
func onAzure(t *testing.T, scenario func(t *testing.T, w *world)) {
	t.Helper()
	in(t, featureKills, func(t *testing.T, s storage) *world { return azureWorld(t, s) }, scenario)
}

func azureWorld(t *testing.T, s storage, doubts ...simapi.Doubt) *world {
	t.Helper()
	w := worldOf(t, scenarioTime, s, site.Options{Owner: "acme", Kind: domain.AzureDevOps})
	on := map[simapi.Doubt]bool{}
	for _, d := range doubts {
		on[d] = true
	}
	must(t, w.azure.Configure(w.ctx, simapi.Settings{Doubts: on}))
	maps.Copy(w.env, site.Quick())
	w.repo = "acme/shop"
	for _, u := range []shared.UserSpec{{Login: account}, {Login: "dev"}, {Login: "acme", Type: "Organization", Members: map[string]string{account: "admin"}}} {
		_, err := w.host.CreateUser(w.ctx, u)
		must(t, err)
	}
	_, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: "shop", Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}})
	must(t, err)
	w.worked()
	token, err := w.azure.NewToken(w.ctx, account)
	must(t, err)
	w.tokenID = token.ID
	w.connectTo(domain.AzureDevOps, w.azure.BaseURL(), token.Text)
	return w
}

// threadsOf returns the threads of the service on a pull request that people see, in the order in which they became visible.
func (w *world) threadsOf(number int) (out []simapi.Thread) {
	w.Helper()
	all, err := w.azure.Threads(w.ctx, w.repo, number)
	must(w.T, err)
	for _, x := range all {
		if len(x.Comments) > 0 && x.Comments[0].User == account {
			out = append(out, x)
		}
	}
	return out
}

// concluded waits until a pull request has n summaries of the service, and returns its threads.
func (w *world) concluded(number, n int) (out []simapi.Thread) {
	w.Helper()
	testkit.Eventually(w.T, 2*patience, func() (bool, string) {
		out = w.threadsOf(number)
		summaries := 0
		for _, x := range out {
			if x.Comments[0].Path == "" && strings.Contains(x.Properties["Assay.Mark"], "assay:pub=") {
				summaries++
			}
		}
		return summaries >= n, fmt.Sprintf("%d summaries on %d, want %d", summaries, number, n)
	})
	return out
}

// once checks that no finding and no publication is visible twice, and that no delivery is lost.
func (w *world) once(number int) {
	w.Helper()
	w.quiet()
	if n := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL OR disposition = 'failed'`); n != 0 {
		w.Errorf("%d deliveries are lost or failed: %v", n, w.query(`SELECT event, action, disposition, reason FROM webhook_deliveries`))
	}
	seen := map[string]bool{}
	for _, x := range w.threadsOf(number) {
		key := x.Properties["Assay.Mark"]
		if key == "" || seen[key] {
			w.Errorf("thread %d has the mark %q, which is empty or visible twice", x.ID, key)
		}
		seen[key] = true
	}
}

// A bug, a clean change and a secret get one review each, with comments on their lines and the summary last, and a status of the pull request.
func TestAzureReviews(t *testing.T) {
	onAzure(t, func(t *testing.T, w *world) {
		bug, ok, leak := w.open("bug", buggy()), w.open("ok", clean()), w.open("leak", leaky())
		got := w.concluded(bug.Number, 1)
		if len(got) != 2 || got[0].Comments[0].Path != "price/mean.go" || got[0].Comments[0].Line != 5 || got[0].Status != "active" ||
			!strings.Contains(got[0].Comments[0].Body, bugTitle) || got[1].Comments[0].Path != "" || got[1].Status != "" {
			t.Errorf("threads of the bug: %+v", got)
		}
		if got := w.concluded(ok.Number, 1); len(got) != 1 || !strings.Contains(got[0].Comments[0].Body, "nothing found") {
			t.Errorf("the clean change got %+v", got)
		}
		if got := w.concluded(leak.Number, 1); len(got) != 2 || got[0].Comments[0].Path != "config/keys.go" {
			t.Errorf("threads of the secret: %+v", got)
		}
		for _, p := range []shared.Pull{bug, ok, leak} {
			w.once(p.Number)
		}
		want := map[int]string{bug.Number: "failed", ok.Number: "succeeded", leak.Number: "failed"}
		testkit.Eventually(t, patience, func() (bool, string) {
			all, err := w.azure.Statuses(w.ctx, w.repo)
			state := map[int]string{}
			for _, s := range all {
				if s.Genre == "assay" {
					state[s.Number] = s.State
				}
			}
			return err == nil && maps.Equal(state, want), fmt.Sprintf("statuses %v, want %v (%v)", state, want, err)
		})
		w.noSecret()
	})
}
