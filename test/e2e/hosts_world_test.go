package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	azureapi "github.com/assay-dev/assay/sim/azuredevops/simapi"
	bitbucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// hostPlace is a host that tenants connect with the token of an account, and the storage of the
// service.
type hostPlace struct {
	kind domain.ConnectionKind
	on   storage
}

// places are the places of the host scenarios: each host on one storage, or on both ([nightly]).
func places() (out []hostPlace) {
	for _, s := range oneOf(production) {
		out = append(out, hostPlace{domain.Gitea, s})
	}
	for _, s := range oneOf(embedded) {
		out = append(out, hostPlace{domain.Forgejo, s})
	}
	return out
}

// allHosts reports whether every scenario that involves a code host runs with every host
// (ASSAY_HOSTS=all, make hosts).
func allHosts() bool { return os.Getenv("ASSAY_HOSTS") == "all" }

// onHosts runs a scenario with the sample host, or on every place if [allHosts]. The service runs, and
// a connection of the tenant to the owner acme has registered its webhooks.
func onHosts(t *testing.T, sample domain.ConnectionKind, scenario func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	for _, p := range places() {
		if p.kind != sample && !allHosts() {
			continue
		}
		t.Run(string(p.kind)+"/"+p.on.name, func(t *testing.T) {
			t.Parallel()
			scenario(t, hostWorld(t, p.on, p.kind))
		})
	}
}

// account is the login of the service on the host. It distinguishes the service's writes from others.
const account = "assay-bot"

// hostWorld is a world with one repository of an organisation, and a running
// service that is connected to it.
func hostWorld(t *testing.T, s storage, kind domain.ConnectionKind) *world {
	t.Helper()
	return hostWorldOf(t, s, site.Options{Owner: "acme", Kind: kind})
}

// hostWorldOf is [hostWorld] with more of a site.
func hostWorldOf(t *testing.T, s storage, o site.Options) *world {
	t.Helper()
	w := unconnected(t, s, o)
	w.connect(o.Kind)
	return w
}

// unconnected is a world with one repository of an organisation, and no connection to the host.
func unconnected(t *testing.T, s storage, o site.Options) *world {
	t.Helper()
	w := worldOf(t, scenarioTime, s, o)
	maps.Copy(w.env, site.Quick())
	w.arrange(o.Kind)
	return w
}

// arrange creates the service's account, people and the repository acme/shop on the host.
func (w *world) arrange(kind domain.ConnectionKind) {
	w.Helper()
	w.repo = "acme/shop"
	elsewhere := shared.UserSpec{Login: "elsewhere"}
	if kind == domain.BitbucketCloud { // where repositories move to must be a workspace
		elsewhere.Type = "Organization"
	}
	for _, u := range []shared.UserSpec{{Login: account}, {Login: "dev"}, elsewhere, {Login: "acme", Type: "Organization", Members: map[string]string{account: "admin"}}} {
		_, err := w.host.CreateUser(w.ctx, u)
		must(w.T, err)
	}
	_, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: "shop", Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}})
	must(w.T, err)
}

// scopes are the scopes that a token needs (docs/hosts/gitea.md).
func scopes() []string {
	return []string{"read:user", "read:organization", "write:repository", "write:issue"}
}

// at is the path of the connection, or of the list of connections before it exists.
func (w *world) at() string {
	w.Helper()
	return strings.TrimRight("/api/tenants/"+w.boss.tenant()+"/provider-connections/"+w.connection, "/")
}

// newToken makes a token of the service's account at the host. It returns the e-mail address of the account, "" unless the host is a
// Bitbucket, and the token's text.
func (w *world) newToken(name string) (email, text string) {
	w.Helper()
	switch {
	case w.gitlab != nil:
		t, err := w.gitlab.NewToken(w.ctx, account, gitlabapi.TokenSpec{Name: name, Scopes: []string{"api"}})
		must(w.T, err)
		w.tokenID, text = t.ID, t.Text
	case w.bitbucket != nil:
		t, err := w.bitbucket.NewToken(w.ctx, account, bitbucketapi.TokenSpec{Name: name})
		must(w.T, err)
		w.tokenID, email, text = t.ID, t.Email, t.Text
	case w.azure != nil:
		t, err := w.azure.NewToken(w.ctx, account)
		must(w.T, err)
		w.tokenID, text = t.ID, t.Text
	default:
		t, err := w.gitea.NewToken(w.ctx, account, simapi.TokenSpec{Name: name, Scopes: scopes()})
		must(w.T, err)
		w.tokenID, text = t.ID, t.Text
	}
	return email, text
}

// connect starts the service if it does not run yet, creates a connection like an admin, with a new token, and waits until the service
// has listed its repositories.
func (w *world) connect(kind domain.ConnectionKind) {
	w.Helper()
	w.worked()
	username, token := w.newToken("assay")
	if kind != domain.BitbucketCloud {
		username = ""
	}
	base := w.host.BaseURL()
	w.boss = w.admin()
	var made site.Connection
	w.boss.as.Send(http.MethodPost, w.at(), map[string]any{"kind": kind, "name": "Acme on " + kind, "baseUrl": base, "owner": "acme", "username": username, "token": token,
		"repositories": "all", "registerWebhooks": true}, http.StatusCreated, &made)
	w.connection = made.ID
	w.hooks = "/webhooks/" + kind.PathWord() + "/" + made.ID
	got := w.synced()
	if got.State != "active" || got.LastSync.Counts["repositories"] != 1 || got.LastSync.Counts["webhooks"] != 1 || len(got.LastSync.Notes) > 0 {
		w.Fatalf("the connection is %+v, its sync %+v", got, got.LastSync)
	}
}

// synced waits until no sync of the connection is under way, and returns the
// connection.
func (w *world) synced() site.Connection {
	w.Helper()
	return w.boss.as.Synced(w.boss.tenant(), w.connection)
}

// repoChange changes a repository on the host. Empty fields stay. The values of Collaborators are known
// to all hosts: "read" and "write".
type repoChange struct {
	Name, Owner   string
	Private       *bool
	Delete        bool
	Collaborators map[string]string
}

// change changes the repository of the world. On Azure DevOps, repositories keep their project and have its visibility.
func (w *world) change(c repoChange) {
	w.Helper()
	if w.azure != nil {
		must(w.T, w.azure.ChangeRepo(w.ctx, w.repo, azureapi.RepoChange{Name: c.Name, Delete: c.Delete, Collaborators: c.Collaborators}))
		return
	}
	if w.bitbucket != nil {
		must(w.T, w.bitbucket.ChangeRepo(w.ctx, w.repo, bitbucketapi.RepoChange{Name: c.Name, Owner: c.Owner, Private: c.Private, Delete: c.Delete, Collaborators: c.Collaborators}))
		return
	}
	if w.gitlab != nil {
		must(w.T, w.gitlab.ChangeRepo(w.ctx, w.repo, gitlabapi.RepoChange{Name: c.Name, Owner: c.Owner, Private: c.Private, Delete: c.Delete, Collaborators: c.Collaborators}))
		return
	}
	must(w.T, w.gitea.ChangeRepo(w.ctx, w.repo, simapi.RepoChange{Name: c.Name, Owner: c.Owner, Private: c.Private, Delete: c.Delete, Collaborators: c.Collaborators}))
}

// told waits until a pull request has n visible publications of the service.
func (w *world) told(number, n int) {
	w.Helper()
	testkit.Eventually(w.T, 2*patience, func() (bool, string) { // a lost answer takes a while
		got := w.marks(number)
		return len(got) >= n, fmt.Sprintf("number %d has the publications %v, want %d", number, got, n)
	})
}

// checked checks the visible reviews of a pull request when no work is under way.
func (w *world) checked(number int) {
	w.Helper()
	if w.azure != nil {
		w.singly(number)
		return
	}
	if w.gitlab != nil || w.bitbucket != nil {
		w.whole(number)
		return
	}
	w.verify()
}

// status waits until a head has a commit status that is no longer pending, and
// returns its state and description.
func (w *world) status(head string) (state, says string) {
	w.Helper()
	return w.statusThat(head, func(state string) bool { return state != "" && state != "pending" })
}

// pending waits until a head has a commit status that says that its review is under way.
func (w *world) pending(head string) {
	w.Helper()
	w.statusThat(head, func(state string) bool { return state == "pending" })
}

func (w *world) statusThat(head string, is func(state string) bool) (state, says string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		all, err := w.gitea.Statuses(w.ctx, w.repo)
		for _, s := range all {
			if s.SHA == head {
				state, says = s.State, s.Description
			}
		}
		return err == nil && is(state), fmt.Sprintf("the status of %s is %q (%v)", head, state, err)
	})
	return state, says
}

// verifyPages checks that each of our reviews is on the page of its pull request once, and was mailed
// once.
func (w *world) verifyPages() {
	w.Helper()
	for _, p := range w.pulls() {
		reviews, err := w.host.VisibleReviews(w.ctx, p.repo, p.number)
		must(w.T, err)
		ours := map[int64]bool{}
		for _, r := range reviews {
			if r.User == account {
				ours[r.ID] = true
			}
		}
		shown, err := w.gitea.Shown(w.ctx, p.repo, p.number, account)
		must(w.T, err)
		mails, err := w.gitea.Mails(w.ctx, p.repo, p.number)
		must(w.T, err)
		mailed := 0
		for _, m := range mails {
			if ours[m.ReviewID] {
				mailed++
			}
		}
		if len(shown) != len(ours) || mailed != len(ours) {
			w.Errorf("#%d has %d reviews of ours; %d entries stand on its page and %d mails were sent", p.number, len(ours), len(shown), mailed)
		}
	}
}

// oursOn returns the visible reviews of the service on a pull request.
func (w *world) oursOn(number int) (out []shared.Review) {
	w.Helper()
	all, err := w.host.VisibleReviews(w.ctx, w.repo, number)
	must(w.T, err)
	for _, r := range all {
		if strings.HasPrefix(r.User, account) {
			out = append(out, r)
		}
	}
	return out
}
