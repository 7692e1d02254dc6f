package e2e

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/model"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
)

// The tracker of a connection that reads every project is down when a pull request is opened that names
// one of its issues. The review is published without the issue, and says that a tracker did not answer.
// When the tracker is back, the next review has the issue.
func TestTrackerDown(t *testing.T) {
	in(t, journeys, func(t *testing.T, s storage) *world { return trackedShop(t, s, trackerapi.JiraServer) }, trackerDown)
}

func trackerDown(t *testing.T, w *world) {
	issues := w.site.Issues
	account, err := issues.NewAccount(w.ctx, trackerapi.AccountSpec{Name: "assay", Email: "assay@example.com"})
	must(t, err)
	must(t, issues.NewProject(w.ctx, trackerapi.ProjectSpec{Key: "PAY", Name: "Payments"}))
	_, err = issues.NewIssue(w.ctx, trackerapi.IssueSpec{Project: "PAY", Number: 1, Type: "Story", State: "In Progress", Title: ticketTitle, Text: ticketText})
	must(t, err)
	must(t, w.model.SetRules(w.ctx, append(plantedRules(), model.Rule{Name: "criteria", Match: model.Match{Stage: "criteria"}, Reply: model.Reply{JSON: verdicts()}})))
	w.worked()
	p := w.admin()
	p.as.Send("POST", "/api/tenants/"+p.tenant()+"/tracker-connections", map[string]any{"kind": "jira", "name": "Jira", "baseUrl": w.site.TrackerURL, "auth": map[string]any{"kind": "token", "token": account.Token},
		"projects": []string{}, "mapping": map[string]any{"acceptanceCriteria": map[string]any{"heading": "Acceptance criteria"}, "doneStates": []string{}, "linkBack": "none"}}, 201, nil)

	_, err = issues.SetFault(w.ctx, shared.Fault{Action: shared.Respond, Status: 503, Times: -1})
	must(t, err)
	pr := w.open("pay-1-mean", buggy())
	body := w.reviewed(pr.Number, 1)[0].Body
	if !strings.Contains(body, "1 issue tracker did not answer") || strings.Contains(body, "PAY-1") {
		t.Errorf("the summary when a tracker is down:\n%s", body)
	}
	w.quiet()

	must(t, issues.ClearFaults(w.ctx))
	more := buggy()
	more["price/note.go"] = "package price\n\n// Note says what prices are.\nconst Note = \"in cents, before tax\"\n"
	w.push("pay-1-mean", more)
	testkit.Eventually(t, patience, func() (bool, string) {
		body = w.reviewed(pr.Number, 1)[0].Body
		return strings.Contains(body, "The mean of an empty list is 0") && !strings.Contains(body, "did not answer"), "the summary once the tracker is back:\n" + body
	})
	w.quiet()
	if got := w.query(`SELECT issue_key, title FROM tracker_links`); len(got) != 1 || got[0][0] != "PAY-1" || got[0][1] != ticketTitle {
		t.Errorf("links %v", got)
	}
	w.verify()
}
