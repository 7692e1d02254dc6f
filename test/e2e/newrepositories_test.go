package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// newest is the path of the list of new repositories.
const newest = "/repos/search"

// appears creates a repository and immediately a pull request, before the service knows either, and
// returns the pull request.
func (w *world) appears(name string) shared.Pull {
	w.Helper()
	w.repo = "acme/" + name
	_, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: name, Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}})
	must(w.T, err)
	return w.open("bug", buggy())
}

// looks returns the number of requests for the newest repositories.
func (w *world) looks() int {
	w.Helper()
	all, err := w.host.Requests(w.ctx, simclient.RequestFilter{Method: http.MethodGet, Route: newest})
	must(w.T, err)
	return len(all)
}

// once checks that a pull request has one review, by one run, and how that run was started. The first
// sweep of a new repository may find it before its event is processed.
func (w *world) once(number int, how ...string) {
	w.Helper()
	w.reviewed(number, 1)
	w.quiet()
	if n := len(w.oursOn(number)); n != 1 {
		w.Errorf("#%d of %s has %d reviews", number, w.repo, n)
	}
	owner, name, _ := strings.Cut(w.repo, "/")
	got := w.query(fmt.Sprintf(`SELECT r.state, r.asked_how FROM review_runs r JOIN repositories p ON p.id = r.repository_id WHERE p.owner = '%s' AND p.name = '%s' AND r.number = %d`, owner, name, number))
	if len(got) != 1 || got[0][0] != "completed" || !slices.Contains(how, got[0][1]) {
		w.Errorf("the runs of #%d of %s are %v, want one by %s", number, w.repo, got, how)
	}
}

// An account that owns the organisation has one webhook there, instead of those of repositories. The
// service is notified of the first pull request of a new repository, and of the deletion of a
// repository.
func TestNewRepositoryByHook(t *testing.T) {
	t.Parallel()
	for _, s := range oneOf(embedded) {
		w := hostWorld(t, s, domain.Gitea)
		token, err := w.gitea.NewToken(w.ctx, account, simapi.TokenSpec{Name: "owner", Scopes: append(scopes(), "write:organization")})
		must(t, err)
		w.boss.as.Send(http.MethodPatch, w.at(), map[string]string{"token": token.Text}, http.StatusOK, nil)
		hooked := func(want string) {
			t.Helper()
			testkit.Eventually(t, patience, func() (bool, string) {
				all, err := w.gitea.Hooks(w.ctx)
				at := ""
				for _, h := range all {
					at += h.Organization + h.Repository
				}
				return err == nil && at == want, fmt.Sprintf("the webhooks are %+v (%v)", all, err)
			})
		}
		hooked("acme") // and no longer that of acme/shop
		w.quiet()
		before := w.looks()
		pr := w.appears("fresh")
		w.once(pr.Number, "event", "sweep")
		w.delivery("repository", "created")
		if n := w.count(`SELECT count(*) FROM webhook_deliveries WHERE event = 'pull_request' AND action = 'opened' AND disposition IN ('run', 'coalesced')`); n != 1 {
			t.Errorf("%d events of the pull request were used", n)
		}
		if n := w.looks() - before; n != 0 {
			t.Errorf("%d looks beside the webhook", n)
		}
		opened := w.delivery("pull_request", "opened")
		must(t, w.gitea.Replay(w.ctx, opened.ID)) // the same body with another id, as a second webhook sends it
		w.once(pr.Number, "event", "sweep")
		must(t, w.gitea.ChangeRepo(w.ctx, "acme/fresh", simapi.RepoChange{Delete: true}))
		testkit.Eventually(t, patience, func() (bool, string) {
			got := w.query(`SELECT state FROM repositories WHERE name = 'fresh'`)
			return fmt.Sprint(got) == "[[disconnected]]", fmt.Sprint("the repository is ", got)
		})
		w.boss.as.Send(http.MethodDelete, w.at(), nil, http.StatusNoContent, nil)
		hooked("")
	}
}

// If the account may not have such a webhook, the service polls the host for its newest repositories.
// Pull requests that were opened before a repository is connected are reviewed, too.
func TestNewRepositoryByLook(t *testing.T) {
	t.Parallel()
	for _, s := range oneOf(embedded) {
		w := hostWorld(t, s, domain.Forgejo)
		pr := w.appears("fresh")
		w.exec(`UPDATE accesses SET looked_us = 0`) // a minute passes
		w.once(pr.Number, "sweep")
		if w.looks() == 0 {
			t.Error("the host was not asked for its newest repositories")
		}
		next := w.open("leak", leaky()) // its webhook exists by now
		w.once(next.Number, "event")
	}
}
