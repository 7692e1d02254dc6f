package e2e

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
	"github.com/assay-dev/assay/test/site"
)

// toldIn is a dialect with a way to report a pull request to an issue, and the request that does so.
type toldIn struct {
	dialect        trackerapi.Dialect
	kind, linkBack string
	path, body     string
}

// If a worker dies when the tracker has accepted a write and not answered yet, the issue has one
// comment, or one link, and the successor finds it. By default each tracker tries one of both, and in
// [nightly] both.
func TestKilledWhileAnIssueIsNotified(t *testing.T) {
	for name, told := range map[string]toldIn{
		"a comment of Jira":   {trackerapi.JiraServer, "jira", "comment", `/comment$`, ""},
		"a link of Jira":      {trackerapi.JiraServer, "jira", "link", `/remotelink$`, ""},
		"a comment of Linear": {trackerapi.Linear, "linear", "comment", `/graphql$`, `commentCreate\(`},
		"a link of Linear":    {trackerapi.Linear, "linear", "link", `/graphql$`, `attachmentCreate\(`},
	} {
		if !nightly() && name != "a comment of Jira" && name != "a link of Linear" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			in(t, featureKills, func(t *testing.T, s storage) *world { return trackedShop(t, s, told.dialect) }, func(t *testing.T, w *world) { w.killedWhileTold(told) })
		})
	}
}

// trackedShop is a world with a private repository and an issue tracker.
func trackedShop(t *testing.T, s storage, dialect trackerapi.Dialect) *world {
	t.Helper()
	return withShop(t, worldOf(t, most(0), s, site.Options{Owner: "acme", Tracker: string(dialect)}), shop())
}

// trackedIssue creates the issue that pull requests of the branch pay-1-mean name, and lets the model
// judge its criteria.
func (w *world) trackedIssue() {
	w.Helper()
	must(w.T, w.site.Issues.NewProject(w.ctx, trackerapi.ProjectSpec{Key: "PAY", Name: "Payments"}))
	_, err := w.site.Issues.NewIssue(w.ctx, trackerapi.IssueSpec{Project: "PAY", Number: 1, Type: "Story", State: "In Progress", Title: ticketTitle, Text: ticketText})
	must(w.T, err)
	must(w.T, w.model.SetRules(w.ctx, append(plantedRules(), model.Rule{Name: "criteria", Match: model.Match{Stage: "criteria"}, Reply: model.Reply{JSON: verdicts()}})))
}

// trackedBy connects the tracker with an account of its own, and returns the id of the connection.
// Linear's only address is replaced by that of the simulator. It is signed in to by OAuth, because a
// token would be tried at the real one.
func (w *world) trackedBy(p *person, kind, linkBack string) (id, account string) {
	w.Helper()
	at := "/api/tenants/" + p.tenant() + "/tracker-connections"
	body := map[string]any{"kind": kind, "name": "Issues", "projects": []string{"PAY"},
		"mapping": map[string]any{"acceptanceCriteria": map[string]any{"heading": "Acceptance criteria"}, "doneStates": []string{"Done"}, "linkBack": linkBack}}
	var made struct{ ID string }
	if kind != "linear" {
		account, err := w.site.Issues.NewAccount(w.ctx, trackerapi.AccountSpec{Name: "assay", Email: "assay@example.com"})
		must(w.T, err)
		body["baseUrl"], body["auth"] = w.site.TrackerURL, map[string]any{"kind": "token", "token": account.Token}
		p.as.Send("POST", at, body, 201, &made)
		return made.ID, account.ID
	}
	app, err := w.site.Issues.NewApp(w.ctx, trackerapi.AppSpec{Name: "assay", Redirect: w.url("/auth/trackers/tracker-b/callback")})
	must(w.T, err)
	body["auth"] = map[string]any{"kind": "oauth", "clientId": app.ClientID, "clientSecret": app.ClientSecret}
	p.as.Send("POST", at, body, 201, &made)
	must(w.T, w.site.Change(w.ctx, "UPDATE tracker_connections SET base_url = '"+w.site.TrackerURL+"' WHERE id = '"+made.ID+"'"))
	w.consents(p, at+"/"+made.ID)
	w.connectionIs("active")
	return made.ID, app.Account
}

func (w *world) killedWhileTold(told toldIn) {
	w.trackedIssue()
	worker := w.worked()
	w.trackedBy(w.admin(), told.kind, told.linkBack)
	held, err := w.site.Issues.SetFault(w.ctx, simapi.Fault{Method: "POST", Path: told.path, Body: told.body, Action: simapi.ApplyThenHang, Times: 1})
	must(w.T, err)
	pr := w.open("pay-1-mean", buggy())
	_, err = w.site.Issues.AwaitFault(w.ctx, held.ID, 1, 1, patience)
	must(w.T, err)
	worker.Signal(syscall.SIGKILL)
	must(w.T, w.site.Issues.Release(w.ctx, held.ID, simapi.Apply))
	w.again()
	w.reviewed(pr.Number, 1)
	w.toldOnce(told)

	more := buggy()
	more["price/note.go"] = "package price\n\n// Note says what prices are.\nconst Note = \"in cents, before tax\"\n"
	w.push("pay-1-mean", more)
	w.quiet()
	w.toldOnce(told)
	w.verify()
}

// toldOnce waits until all work is done, and fails unless the issue has one comment or link.
func (w *world) toldOnce(told toldIn) {
	w.Helper()
	w.quiet()
	if dead := w.query(`SELECT kind, state, last_error FROM jobs WHERE kind = 'ticket.write' AND state <> 'done'`); len(dead) > 0 {
		w.Errorf("jobs that did not end well: %v", dead)
	}
	testkit.Eventually(w.T, patience, func() (bool, string) {
		issue, err := w.site.Issues.Issue(w.ctx, "PAY-1")
		must(w.T, err)
		there, none := len(issue.Comments), len(issue.Links)
		if told.linkBack == "link" {
			there, none = none, there
		}
		return there == 1 && none == 0, fmt.Sprintf("comments %v, links %v; jobs %v", issue.Comments, issue.Links, w.query(`SELECT kind, state, last_error FROM jobs WHERE kind = 'ticket.write'`))
	})
}
