package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// renames gives an account of the host another name.
func (w *world) renames(from, to string) {
	w.Helper()
	must(w.T, w.host.UpdateUser(w.ctx, from, shared.UserUpdate{Login: to}))
	w.repo = strings.Replace(w.repo, from+"/", to+"/", 1)
}

// hooked checks that each of the repositories has one webhook, and that no other has one.
func (w *world) hooked(want ...string) {
	w.Helper()
	all, err := w.gitea.Hooks(w.ctx)
	must(w.T, err)
	var got []string
	for _, h := range all {
		got = append(got, h.Organization+h.Repository)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.Errorf("the webhooks are those of %v, want %v", got, want)
	}
}

// syncs starts a sync, and returns the connection afterwards.
func (w *world) syncs() site.Connection {
	w.Helper()
	w.boss.as.Send(http.MethodPost, w.at()+"/sync", nil, http.StatusAccepted, nil)
	return w.synced()
}

// strange opens a pull request in the other account's repository of the same name, and returns a
// function that reads our reviews of it.
func (w *world) strange() func() []shared.Review {
	w.Helper()
	ours := w.repo
	defer func() { w.repo = ours }()
	w.repo = "acme-new/shop"
	_, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme-new", Name: "shop", Files: baseFiles(),
		Collaborators: map[string]string{"dev": "write"}})
	must(w.T, err)
	number := w.open("strange", buggy()).Number
	return func() []shared.Review {
		defer func() { w.repo = ours }()
		w.repo = "acme-new/shop"
		return w.oursOn(number)
	}
}

// A renamed organisation is followed by its id: its repositories keep their data and their webhooks,
// and the next pull request is reviewed once. Another organisation that takes the name is not followed.
// The connection says so and names the present one, which is still reviewed.
func TestARenamedOrganisation(t *testing.T) {
	t.Parallel()
	for _, s := range oneOf(embedded) {
		w := hostWorld(t, s, domain.Gitea)
		first := w.open("before", buggy())
		w.once(first.Number, "event", "sweep") // the sweep soon after the start may find it first
		repository := fmt.Sprint(w.query(`SELECT id FROM repositories`))

		w.renames("acme", "acme-new")
		got := w.syncs()
		if got.State != "active" || got.Owner != "acme-new" || len(got.LastSync.Notes) != 1 || !strings.HasPrefix(got.LastSync.Notes[0], "acme is called acme-new at the host now.") {
			t.Errorf("the connection is %+v, its sync %+v", got, got.LastSync)
		}
		w.hooked("acme-new/shop")
		second := w.open("after", leaky())
		w.once(second.Number, "event")
		if now := fmt.Sprint(w.query(`SELECT id FROM repositories`)); now != repository {
			t.Errorf("the repositories are %s, before %s", now, repository)
		}
		if n := w.count(`SELECT count(*) FROM audit_entries WHERE action = 'provider-connection.update'`); n != 1 {
			t.Errorf("the audit log has %d changes of the connection", n)
		}

		w.renames("acme-new", "acme-third")
		_, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: "acme-new", Type: "Organization", Members: map[string]string{account: "admin"}})
		must(t, err)
		_, err = w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme-new", Name: "theirs", Files: baseFiles()})
		must(t, err)
		got = w.syncs()
		if got.State != "error" || got.Owner != "acme-new" || !strings.Contains(got.Message, "which is called acme-third now") || !strings.Contains(got.Message, "Enter acme-third as the owner") {
			t.Errorf("the connection is %+v, its sync %+v", got, got.LastSync)
		}
		w.hooked("acme-third/shop")
		theirs := w.strange()
		w.exec(`UPDATE repositories SET swept_us = 0`) // the service looks for lost heads under its stored name
		testkit.Eventually(t, patience, func() (bool, string) {
			return w.count(`SELECT count(*) FROM repositories WHERE swept_us = 0`) == 0, "no look for lost heads"
		})
		w.quiet()
		for _, r := range theirs() {
			t.Errorf("a pull request of the other account has the review %+v", r)
		}
		third := w.open("taken", buggy())
		w.once(third.Number, "event")
		if now := fmt.Sprint(w.query(`SELECT id FROM repositories`)); now != repository {
			t.Errorf("the repositories are %s, before %s", now, repository)
		}
		w.verify()
	}
}
