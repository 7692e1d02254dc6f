package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
)

// These are the issue's texts before and after an edit of one criterion.
const (
	asked   = ticketText
	reasked = "h3. Acceptance criteria\n\n* The mean of no prices is 0.\n* There is a function Mean that takes a list of prices.\n"
)

// ticketed is a private repository with a pull request that names an issue. The tracker sends events of
// edits, and the review is published.
func ticketed(t *testing.T, s storage) *world {
	t.Helper()
	w := trackedShop(t, s, trackerapi.JiraServer)
	issues := w.site.Issues
	account, err := issues.NewAccount(w.ctx, trackerapi.AccountSpec{Name: "assay", Email: "assay@example.com"})
	must(t, err)
	must(t, issues.NewProject(w.ctx, trackerapi.ProjectSpec{Key: "PAY", Name: "Payments"}))
	_, err = issues.NewIssue(w.ctx, trackerapi.IssueSpec{Project: "PAY", Number: 1, Type: "Story", State: "In Progress", Title: ticketTitle, Text: asked})
	must(t, err)
	must(t, w.model.SetRules(w.ctx, append(plantedRules(), model.Rule{Name: "criteria", Match: model.Match{Stage: "criteria"}, Reply: model.Reply{JSON: verdicts()}})))
	w.worked()
	p := w.admin()
	at := "/api/tenants/" + p.tenant() + "/tracker-connections"
	var made struct{ ID string }
	p.as.Send("POST", at, map[string]any{"kind": "jira", "name": "Jira", "baseUrl": w.site.TrackerURL, "auth": map[string]any{"kind": "token", "token": account.Token}, "projects": []string{"PAY"},
		"mapping": map[string]any{"acceptanceCriteria": map[string]any{"heading": "Acceptance criteria"}, "doneStates": []string{"Done"}, "linkBack": "none"}}, 201, &made)
	var secret struct{ Secret string }
	p.as.Send("POST", at+"/"+made.ID+"/webhook-secret", nil, 200, &secret)
	must(t, issues.NewHook(w.ctx, trackerapi.HookSpec{URL: w.url("/webhooks/tracker-a/" + made.ID), Secret: secret.Secret}))
	pr := w.open("pay-1-mean", buggy())
	w.reviewed(pr.Number, 1)
	w.quiet()
	return w
}

// edits changes the issue, and waits until the service has processed the change.
func (w *world) edits(change trackerapi.IssueChange) {
	w.Helper()
	before := w.heard()
	_, err := w.site.Issues.EditIssue(w.ctx, "PAY-1", change)
	must(w.T, err)
	testkit.Eventually(w.T, patience, func() (bool, string) { return w.heard() > before, "the tracker's delivery has not come" })
	w.quiet()
}

// heard returns the number of processed deliveries of the tracker.
func (w *world) heard() int {
	w.Helper()
	return len(w.query(`SELECT id FROM webhook_deliveries WHERE source_id LIKE 'tcn_%' AND disposition IS NOT NULL`))
}

var summaryPath = regexp.MustCompile(`/pulls/\d+/reviews/\d+$`)

// summaryEdits returns how often the body of a review was sent to the host again.
func (w *world) summaryEdits() (n int) {
	w.Helper()
	all, err := w.host.Requests(w.ctx, allRequests)
	must(w.T, err)
	for _, r := range all {
		if r.Method == "PUT" && summaryPath.MatchString(r.Path) {
			n++
		}
	}
	return n
}

// criteriaCalls returns the number of paid model calls about criteria.
func (w *world) criteriaCalls() int {
	w.Helper()
	return len(w.query(`SELECT id FROM llm_calls WHERE stage = 'criteria' AND outcome = 'ok'`))
}

func (w *world) verdictsSay() string {
	w.Helper()
	return fmt.Sprint(w.query(`SELECT criterion, verdict FROM ac_checks ORDER BY ordinal`))
}

// wantRechecked checks the effects of an edit of one criterion: one call, one edit of the one visible
// summary with the new words, and rows with them.
func (w *world) wantRechecked() {
	w.Helper()
	body := w.reviewed(1, 1)[0].Body
	if !strings.Contains(body, "The mean of no prices is 0") || strings.Contains(body, "The mean of an empty list is 0") {
		w.Errorf("the summary says:\n%s", body)
	}
	if got, want := w.verdictsSay(), "[[The mean of no prices is 0. not_met] [There is a function Mean that takes a list of prices. met]]"; got != want {
		w.Errorf("verdicts %s, want %s", got, want)
	}
	if got := w.summaryEdits(); got != 1 {
		w.Errorf("the summary was sent %d times, want 1", got)
	}
	if got := w.criteriaCalls(); got != 2 {
		w.Errorf("%d calls about criteria, want 2: one of the review, one of the edit", got)
	}
	if got := w.query(`SELECT id FROM review_runs`); len(got) != 1 {
		w.Errorf("%d runs, want 1", len(got))
	}
	w.verify()
}

// After a criterion is edited at the tracker, it is judged again without a run, and the summary is
// edited once. A repeated delivery, and an edit of the title, have no effect.
func TestEditedCriterion(t *testing.T) {
	in(t, journeys, ticketed, func(_ *testing.T, w *world) {
		text, title := reasked, "Prices have a mean"
		w.edits(trackerapi.IssueChange{Text: &text})
		w.wantRechecked()
		w.edits(trackerapi.IssueChange{Text: &text})
		w.edits(trackerapi.IssueChange{Title: &title})
		w.wantRechecked()
	})
}

// The worker is killed while the model is asked about an edited criterion.
func TestKilledDuringRecheck(t *testing.T) {
	in(t, featureKills, ticketed, func(t *testing.T, w *world) {
		held := w.modelFault(hang("criteria"))
		text := reasked
		_, err := w.site.Issues.EditIssue(w.ctx, "PAY-1", trackerapi.IssueChange{Text: &text})
		must(t, err)
		_, err = w.model.AwaitFault(w.ctx, held, 1, 1)
		must(t, err)
		w.kill(w.running)
		w.quiet()
		w.wantRechecked()
	})
}

// The worker is killed after the host has accepted the new summary and before that was recorded: the
// summary is not sent again, and no model is asked again.
func TestKilledWhileTheSummaryIsEdited(t *testing.T) {
	in(t, featureKills, ticketed, func(t *testing.T, w *world) {
		id := w.fault(simapi.Fault{Method: "PUT", Path: summaryPath.String(), Action: simapi.Hold, Times: 1})
		text := reasked
		_, err := w.site.Issues.EditIssue(w.ctx, "PAY-1", trackerapi.IssueChange{Text: &text})
		must(t, err)
		_, err = w.host.AwaitFault(w.ctx, id, 1, 1, patience)
		must(t, err)
		w.running.Signal(syscall.SIGKILL)
		must(t, w.host.Release(w.ctx, id, simapi.Apply))
		w.again()
		w.quiet()
		w.wantRechecked()
	})
}
