package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// printing returns a file of the shop with a body for its only function.
func printing(name, body string) map[string]string {
	return map[string]string{"price/" + name + ".go": "package price\n\n// " + name + " shows a price.\nfunc " + name + "(price int) {\n" + body + "}\n"}
}

// A rule with a pattern is made, broken, kept and dismissed, without a model that reads it.
func TestRuleWithAPattern(t *testing.T) { on(t, journeys, ruleWithAPattern) }

func ruleWithAPattern(t *testing.T, w *world) {
	w.worked()
	boss := w.admin()
	repository := w.repository()
	path := "/api/tenants/" + boss.tenant() + "/repositories/" + repository
	rule := map[string]any{"title": "No prints in the shop", "instruction": "Use the logger.", "severity": "medium",
		"matcher": map[string]any{"kind": "ast", "language": "go", "pattern": "fmt.Println($$$)"}}
	boss.as.Send(http.MethodPost, path+"/rules", map[string]any{"title": "x", "instruction": "x", "severity": "low",
		"matcher": map[string]any{"kind": "regex", "pattern": "a("}}, http.StatusUnprocessableEntity, nil)
	boss.as.Send(http.MethodPost, path+"/rules", rule, http.StatusCreated, nil)

	// Two equal places in one function have one comment with the title. A push without them resolves it.
	pr := w.open("shown", printing("shown", "\tfmt.Println(price)\n\tfmt.Println(price)\n"))
	first := w.reviewed(pr.Number, 1)[0]
	testkit.Equal(t, "comments", len(first.Comments), 1)
	for _, c := range first.Comments {
		if !strings.Contains(c.Body, "No prints in the shop") {
			t.Errorf("a comment without the title of the rule: %q", c.Body)
		}
	}
	w.push("shown", printing("shown", "\tlog(price)\n"))
	second := w.reviewed(pr.Number, 2)[1]
	testkit.Equal(t, "says how many are resolved", strings.Contains(second.Body, "1 of 1"), true)

	// A dismissed finding is not raised again when its code stays.
	kept := w.open("kept", printing("kept", "\tfmt.Println(price)\n"))
	w.reviewed(kept.Number, 1)
	w.quiet()
	found := w.query(fmt.Sprintf(`SELECT f.id FROM findings f JOIN pull_requests p ON p.id = f.pull_request_id WHERE f.state = 'open' AND p.number = %d`, kept.Number))
	testkit.Require(t, "open findings", len(found), 1)
	boss.send(http.MethodPut, path+"/findings/"+found[0][0]+"/dismissal", map[string]any{"reason": "It is a tool of the command line."})
	w.push("kept", printing("kept", "\tfmt.Println(price)\n\tlog(price)\n"))
	testkit.Equal(t, "comments after the dismissal", len(w.reviewed(kept.Number, 2)[1].Comments), 0)

	// The preview and a dry run try another pattern on the same code.
	rule["matcher"] = map[string]any{"kind": "regex", "pattern": `\blog\(`}
	var preview struct {
		Matcher struct {
			Files, Hits, Reported int
			Note                  string
		}
	}
	boss.as.Send(http.MethodPost, path+"/rules/preview", rule, http.StatusOK, &preview)
	testkit.Equal(t, "preview", fmt.Sprint(preview.Matcher), "{1 1 1 }")
	var made, got tried
	boss.as.Send(http.MethodPost, path+"/dry-runs", map[string]any{"pullRequests": []int{kept.Number}, "overrides": map[string]any{"rules": []any{rule}}}, http.StatusAccepted, &made)
	testkit.Eventually(t, patience, func() (bool, string) {
		boss.as.Get(path+"/dry-runs/"+made.ID, &got)
		return got.State != "queued" && got.State != "running", "the dry run is " + got.State
	})
	testkit.Equal(t, "dry run", fmt.Sprint(got.State, got.Result.Totals.New), "completed1")
	w.verify()
}
