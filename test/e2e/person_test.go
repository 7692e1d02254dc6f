package e2e

import (
	"fmt"
	"net/http"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/test/site"
)

// person is the first admin, in a browser or a program.
type person struct {
	*world
	as *site.Person
}

// admin signs the first admin in with a one-time link of the command line.
func (w *world) admin() *person {
	w.Helper()
	return &person{w, w.site.Admin()}
}

// send sends JSON and expects 200.
func (p *person) send(method, path string, body any) {
	p.Helper()
	p.as.Send(method, path, body, http.StatusOK, nil)
}

// tenant returns the id of the only tenant.
func (p *person) tenant() string {
	p.Helper()
	rows := p.query(`SELECT id FROM tenants`)
	if len(rows) != 1 {
		p.Fatalf("%d tenants, want 1", len(rows))
	}
	return rows[0][0]
}

// place assigns the waiting installations to the tenant, by hand.
func (p *person) place() {
	p.Helper()
	tenant := p.tenant()
	p.as.Place(func(string) string { return tenant })
}

// account creates an organisation with repositories on the host.
func (w *world) account(name string, repositories int) {
	w.Helper()
	_, err := w.host.CreateUser(w.ctx, simapi.UserSpec{Login: name, Type: "Organization"})
	must(w.T, err)
	for i := range repositories {
		_, err := w.host.CreateRepo(w.ctx, simapi.RepoSpec{Owner: name, Name: fmt.Sprint("repo", i), Files: baseFiles(), Collaborators: map[string]string{"dev": "write"}})
		must(w.T, err)
	}
}

// installed installs the app on an account, and waits until the service has the installation.
func (w *world) installed(account string) {
	w.Helper()
	_, err := w.gh.Install(w.ctx, simapi.InstallSpec{AppID: w.app.ID, Account: account})
	must(w.T, err)
	w.quiet()
}

// exec changes the database from outside, as an operator or an older version would have.
func (w *world) exec(text string) {
	w.Helper()
	must(w.T, w.site.Change(w.ctx, text))
}

// most bounds the time of a world that opens pull requests for a while.
func most(opening time.Duration) time.Duration { return opening + 8*time.Minute }
