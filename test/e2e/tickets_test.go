package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/host/simclient"
	"github.com/assay-dev/assay/sim/model"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
	"github.com/assay-dev/assay/test/site"
)

// A pull request names an issue of a tracker. In a public repository nothing of it is read until an
// administrator permits this. Then the review says which of its criteria are met, the issue gets one
// note, and changes at the tracker are noticed.
func TestTickets(t *testing.T) {
	in(t, journeys, func(t *testing.T, s storage) *world {
		public := shop()
		public.Public = true
		return withShop(t, worldOf(t, most(0), s, site.Options{Owner: "acme", Tracker: string(trackerapi.JiraServer)}), public)
	}, tickets)
}

const (
	ticketTitle = "Prices have an average"
	ticketText  = "h3. Acceptance criteria\n\n* The mean of an empty list is 0.\n* There is a function Mean that takes a list of prices.\n"
)

func tickets(t *testing.T, w *world) {
	issues := w.site.Issues
	account, err := issues.NewAccount(w.ctx, trackerapi.AccountSpec{Name: "assay", Email: "assay@example.com"})
	must(t, err)
	must(t, issues.NewProject(w.ctx, trackerapi.ProjectSpec{Key: "PAY", Name: "Payments"}))
	_, err = issues.NewIssue(w.ctx, trackerapi.IssueSpec{Project: "PAY", Number: 1, Type: "Story", State: "In Progress", Title: ticketTitle, Text: ticketText})
	must(t, err)
	must(t, w.model.SetRules(w.ctx, append(plantedRules(), model.Rule{Name: "criteria", Match: model.Match{Stage: "criteria"}, Reply: model.Reply{JSON: verdicts()}})))
	w.worked()
	p := w.admin()
	mapping := map[string]any{"acceptanceCriteria": map[string]any{"heading": "Acceptance criteria"}, "doneStates": []string{"Done"}, "linkBack": "comment"}
	var made struct{ ID, WebhookURL, State string }
	at := "/api/tenants/" + p.tenant() + "/tracker-connections"
	p.as.Send("POST", at, map[string]any{"kind": "jira", "name": "Jira", "baseUrl": w.site.TrackerURL, "auth": map[string]any{"kind": "token", "token": account.Token}, "projects": []string{"PAY"}, "mapping": mapping}, 201, &made)

	pr := w.open("pay-1-mean", buggy())
	w.reviewed(pr.Number, 1)
	w.quiet()
	w.nothingAsked()
	if got := w.query(`SELECT issue_key, title FROM tracker_links`); len(got) != 1 || got[0][0] != "PAY-1" || got[0][1] != "" {
		t.Fatalf("data of an issue of which only the key may be known: %v", got)
	}

	mapping["allowOnPublic"] = true
	p.as.Send("PATCH", at+"/"+made.ID, map[string]any{"mapping": mapping}, 200, nil)
	more := buggy()
	more["price/note.go"] = "package price\n\n// Note says what prices are.\nconst Note = \"in cents, before tax\"\n"
	w.push("pay-1-mean", more)
	var body string
	testkit.Eventually(t, patience, func() (bool, string) {
		body = w.reviewed(pr.Number, 1)[0].Body
		return strings.Contains(body, "PAY-1"), "the summary says nothing of PAY-1:\n" + body
	})
	for _, want := range []string{"The mean of an empty list is 0", "There is a function Mean"} {
		if !strings.Contains(body, want) {
			t.Errorf("the summary lacks %q:\n%s", want, body)
		}
	}
	w.quiet()
	if got := w.query(`SELECT criterion, verdict FROM ac_checks ORDER BY criterion`); len(got) != 2 || got[0][1] != "not_met" || got[1][1] != "met" {
		t.Errorf("verdicts %v", got)
	}
	w.commented("PAY-1", 1)

	var secret struct{ Secret string }
	p.as.Send("POST", at+"/"+made.ID+"/webhook-secret", nil, 200, &secret)
	must(t, issues.NewHook(w.ctx, trackerapi.HookSpec{URL: w.url("/webhooks/tracker-a/" + made.ID), Secret: secret.Secret}))
	title := "Prices have a mean"
	_, err = issues.EditIssue(w.ctx, "PAY-1", trackerapi.IssueChange{Title: &title})
	must(t, err)
	testkit.Eventually(t, patience, func() (bool, string) {
		got := w.query(`SELECT title FROM tracker_links`)
		return len(got) == 1 && got[0][0] == title, fmt.Sprintf("links %v, deliveries %v", got, w.query(`SELECT source_id, event, disposition, reason FROM webhook_deliveries ORDER BY received_us DESC LIMIT 3`))
	})
	w.quiet()
	w.commented("PAY-1", 1)
	w.verify()
}

// verdicts returns the scripted model's verdicts on the two criteria.
func verdicts() json.RawMessage {
	out, err := json.Marshal(map[string]any{"verdicts": []map[string]any{
		{"criterion": "c1", "verdict": "not_met", "reason": "An empty list divides by zero.", "quotes": []any{}, "searched": []map[string]any{{"path": "price/mean.go", "query": "", "note": "a guard for an empty list"}}},
		{"criterion": "c2", "verdict": "met", "reason": "Mean takes the prices.", "searched": []any{}, "quotes": []map[string]any{{"path": "price/mean.go", "line": 4, "quote": "func Mean(prices []int) int {", "note": "the function"}}},
	}})
	if err != nil {
		panic(err)
	}
	return out
}

// nothingAsked fails if the tracker was asked about an issue.
func (w *world) nothingAsked() {
	w.Helper()
	asked, err := w.site.Issues.Requests(w.ctx, simclient.RequestFilter{})
	must(w.T, err)
	for _, r := range asked {
		if strings.Contains(r.Path, "/issue/") || strings.Contains(r.Path, "/search") {
			w.Errorf("the tracker was asked for %s %s", r.Method, r.Path)
		}
	}
}

// commented waits until an issue has n comments, and fails if it has more.
func (w *world) commented(key string, n int) {
	w.Helper()
	deadline := time.Now().Add(patience)
	for {
		issue, err := w.site.Issues.Issue(w.ctx, key)
		must(w.T, err)
		if len(issue.Comments) == n || time.Now().After(deadline) {
			if len(issue.Comments) != n {
				w.Errorf("%s has %d comments, want %d: %v; jobs %v", key, len(issue.Comments), n, issue.Comments, w.query(`SELECT kind, state, last_error FROM jobs WHERE kind = 'ticket.write'`))
			}
			return
		}
		w.quiet()
	}
}
