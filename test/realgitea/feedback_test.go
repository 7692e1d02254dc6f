package realgitea

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/model"
)

// The issue that the pull request of [criteriaOfAnIssue] closes has this criterion, which the model calls met.
const criterion = "No prices have the largest price 0"

// criteriaRule judges the criterion.
func criteriaRule() model.Rule {
	return model.Rule{Name: "judge the issue", Match: model.Match{Stage: "criteria"}, Reply: model.Reply{Criteria: &model.Criteria{List: []model.Criterion{
		{Text: criterion, Verdict: "met", Reason: "The result starts at 0.", Quotes: []model.CodeQuote{{Path: "price/closes.go", Code: "func Largestcloses(prices []int) (n int) {"}}}}}}}
}

// lineComments returns the ids of the bot's comments on lines, oldest first.
func (h *host) lineComments(p pull) (ids []int64) {
	h.Helper()
	var reviews []struct {
		ID   int64
		User struct{ Login string }
	}
	at := fmt.Sprintf("/repos/%s/pulls/%d/reviews", p.Repo, p.Number)
	h.do("", "GET", at, nil, &reviews)
	for _, r := range reviews {
		var comments []struct{ ID int64 }
		h.do("", "GET", fmt.Sprintf("%s/%d/comments", at, r.ID), nil, &comments)
		for _, c := range comments {
			if r.User.Login == bot {
				ids = append(ids, c.ID)
			}
		}
	}
	return ids
}

// outcomes returns kind and person of the stored outcomes of a pull request.
func (w *world) outcomes(p pull) string {
	w.Helper()
	return fmt.Sprint(w.rows(fmt.Sprintf(`SELECT o.kind, o.person_name FROM finding_outcomes o JOIN pull_requests p ON p.id = o.pull_request_id
		JOIN repositories r ON r.id = p.repository_id WHERE r.name = 'shop' AND p.number = %d ORDER BY o.kind, o.person_name`, p.Number)))
}

// Thumbs of people who may write count at the merge. Those of a reader, of a stranger and of a person who gave both do not, and neither
// do other reactions.
func thumbsOfATeam(t *testing.T, w *world) {
	w.account("nora")
	p := w.open("eve", "acme/shop", "thumbs", moved("thumbs", buggy()))
	w.reviewed(p, 1)
	ids := w.lineComments(p)
	if len(ids) != 2 {
		t.Fatalf("comments on lines: %v", ids)
	}
	for _, r := range []struct {
		who, content string
		comment      int64
	}{{"eve", "+1", ids[0]}, {"gus", "-1", ids[0]}, {"rob", "-1", ids[0]}, {"nora", "-1", ids[0]}, {bot, "+1", ids[0]}, {"dana", "rocket", ids[0]},
		{"gus", "+1", ids[1]}, {"gus", "-1", ids[1]}, {"eve", "-1", ids[1]}} {
		w.do(r.who, "POST", fmt.Sprintf("/repos/acme/shop/issues/comments/%d/reactions", r.comment), map[string]any{"content": r.content}, nil)
	}
	w.do("eve", "DELETE", fmt.Sprintf("/repos/acme/shop/issues/comments/%d/reactions", ids[1]), map[string]any{"content": "-1"}, nil)
	if status := w.merge("dana", p); status != http.StatusOK {
		t.Fatalf("the merge was answered %d", status)
	}
	const want = "[[ignored ] [ignored ] [thumbs_down gus] [thumbs_up eve]]"
	w.eventually(func() (bool, string) {
		got := w.outcomes(p)
		return got == want, fmt.Sprintf("outcomes %s, want %s", got, want)
	})
}

// A reply of a writer in the thread of a finding is answered once, in the conversation, and decides. Those of a reader and of a
// stranger do nothing.
func repliesOfATeam(t *testing.T, w *world) {
	p := w.open("eve", "acme/shop", "replies", moved("replies", buggy()))
	w.reviewed(p, 1)
	dismissed := func() [][]string {
		return w.rows(fmt.Sprintf(`SELECT f.path FROM findings f JOIN pull_requests p ON p.id = f.pull_request_id
			WHERE p.number = %d AND f.state = 'dismissed'`, p.Number))
	}
	for _, login := range []string{"rob", "nora"} {
		w.replyOnLine(login, p, "We do this on purpose.")
	}
	w.quiet()
	if answers, found := w.answers(p), dismissed(); len(answers) != 0 || len(found) != 0 {
		t.Errorf("replies of a reader and of a stranger: answers %q, dismissed %v", answers, found)
	}
	w.replyOnLine("gus", p, "We do this on purpose, for now.")
	w.eventually(func() (bool, string) {
		return len(w.answers(p)) > 0, fmt.Sprintf("no answer to a reply; deliveries %v",
			w.rows(`SELECT event, action, disposition, reason FROM webhook_deliveries ORDER BY received_us DESC LIMIT 5`))
	})
	w.quiet()
	if answers := w.answers(p); len(answers) != 1 || !strings.Contains(answers[0], "The finding is dismissed") {
		t.Errorf("answers: %q", answers)
	}
	if found := dismissed(); len(found) != 1 {
		t.Errorf("dismissed: %v", found)
	}
}

// moved has files in a folder of price, so that another test can propose them, too.
func moved(folder string, files map[string]string) map[string]string {
	out := map[string]string{}
	for path, text := range files {
		out[strings.Replace(path, "price/", "price/"+folder+"/", 1)] = text
	}
	return out
}

// The criteria of an issue that a pull request closes are judged, and stand in its review.
func criteriaOfAnIssue(t *testing.T, w *world) {
	var repository string
	for _, r := range w.rows(`SELECT id FROM repositories WHERE name = 'shop'`) {
		repository = r[0]
	}
	w.admin.Send(http.MethodPut, "/api/tenants/"+w.tenant()+"/repositories/"+repository+"/policy", map[string]any{"hostIssues": true}, http.StatusOK, nil)
	var issue struct{ Number int }
	w.do("rob", "POST", "/repos/acme/shop/issues", map[string]any{"title": "Largest price", "body": "## Acceptance criteria\n\n- [ ] " + criterion + "\n"}, &issue)
	w.commit("eve", "acme/shop", "main", "closes", clean("closes"))
	p := pull{Repo: "acme/shop"}
	w.do("eve", "POST", "/repos/acme/shop/pulls", map[string]any{"title": "Add the largest price", "head": "closes", "base": "main",
		"body": fmt.Sprintf("Closes #%d", issue.Number)}, &p)
	got := w.reviewed(p, 1)
	if body := got.Bodies[0]; !strings.Contains(body, criterion) || !strings.Contains(body, fmt.Sprint("#", issue.Number)) {
		t.Errorf("the review does not have the criterion: %s", body)
	}
	if rows := w.rows(`SELECT verdict, reason, evidence FROM ac_checks`); len(rows) != 1 || rows[0][0] != "met" {
		t.Errorf("verdicts %s", rows)
	}
}
