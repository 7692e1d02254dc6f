package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/testkit"
)

// payGo is the code to which diffs are applied.
var payGo = map[string]string{"pay.go": "package shop\n\nvar a = 1\n"}

// If a review has more findings than are listed, the answer has the number and the files of the rest. A diff
// of only those files lists them.
func TestAReviewOfManyFindings(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	base := o.code(payGo)
	c := o.assistant(o.caller(o.mona, "diffs:review"), nil)
	file := func(i int) string {
		text := "R7wZ2kQx9LmN4vB8tY6sD3fG1hJ5pC0aUeXo"
		path := fmt.Sprintf("f%02d.go", i)
		diff := "diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1,8 @@\n+package f\n+\n"
		for n := range 6 {
			at := (i*6 + n) % len(text)
			diff += fmt.Sprintf("+var key%d = \"ghp_%s\"\n", n, text[at:]+text[:at])
		}
		return diff
	}
	type answer struct {
		Files, More int
		MoreIn      []string
		Findings    []struct{ Path string }
	}
	review := func(diff string) (answer, string) {
		got, text := o.tool(c, "review_diff", map[string]any{"repository": o.Repository.ID, "base": base, "diff": diff})
		return structured[answer](t, got), text
	}
	whole, left := "", map[string]int{}
	for i := range 10 {
		whole += file(i)
		left[fmt.Sprintf("f%02d.go", i)] = 6
	}
	out, text := review(whole)
	for _, f := range out.Findings {
		left[f.Path]--
	}
	if len(out.Findings) != 50 || out.More != 10 || !strings.HasPrefix(text, "60 findings in 10 files. 10 of them are not listed: moreIn names their files, and a review of a diff of fewer files lists those of each.") {
		t.Fatalf("%d listed, %d more in %v: %.300s", len(out.Findings), out.More, out.MoreIn, text)
	}
	for path, n := range left {
		testkit.Equal(t, "more findings are in "+path, slices.Contains(out.MoreIn, path), n > 0)
	}
	rest := ""
	for _, path := range out.MoreIn {
		var i int
		_, err := fmt.Sscanf(path, "f%d.go", &i)
		testkit.OK(t, err)
		rest += file(i)
	}
	if again, text := review(rest); again.More != 0 || len(again.MoreIn) != 0 || len(again.Findings) != 6*len(out.MoreIn) || strings.Contains(text, "not listed") {
		t.Errorf("findings of the rest: %d listed, %d more: %.300s", len(again.Findings), again.More, text)
	}
}

func TestAssistantsReviewDiffs(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	base := o.code(payGo)
	key := "ghp_" + "R7wZ2kQx9LmN4vB8tY6sD3fG1hJ5pC0aUeXo"
	diff := "diff --git a/pay.go b/pay.go\n--- a/pay.go\n+++ b/pay.go\n@@ -1,3 +1,4 @@\n package shop\n \n var a = 1\n+var token = \"" + key + "\"\n"
	var told atomic.Int64
	c := o.assistant(o.caller(o.mona, "diffs:review"), &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told.Add(1) }})
	params := &mcp.CallToolParams{Name: "review_diff", Arguments: map[string]any{"repository": o.Repository.ID, "base": base, "diff": diff, "title": "Pay"}}
	params.SetProgressToken("p")
	got, err := c.CallTool(bg, params)
	testkit.OK(t, err)
	out := structured[struct {
		Base, ModelState string
		Files, Additions int
		Findings         []struct {
			Category, Path string
			StartLine      int
		}
	}](t, got)
	if out.Base != base || out.Files != 1 || out.Additions != 1 || len(out.Findings) != 1 || out.Findings[0].Category != "secret" || out.Findings[0].StartLine != 4 || out.ModelState != "none" {
		t.Errorf("reviewed: %+v %s", out, textOf(got))
	}
	if strings.Contains(textOf(got)+fmt.Sprint(got.StructuredContent), key) {
		t.Error("the answer holds the secret")
	}
	testkit.Eventually(t, patience, func() (bool, string) { return told.Load() > 0, "no progress was reported" })
	for what, args := range map[string]map[string]any{
		"does not fit":   {"diff": strings.ReplaceAll(diff, "var a = 1", "var a = 2")},
		"unified diff":   {"diff": "hello"},
		"whole id":       {"diff": diff, "base": "main"},
		"900000 bytes":   {"diff": strings.Repeat("x", 900_001)},
		"There is nothi": {"diff": diff, "repository": "rep_never"},
		"not have the c": {"diff": diff, "base": strings.Repeat("a", 40)},
	} {
		if args["repository"] == nil {
			args["repository"] = o.Repository.ID
		}
		if args["base"] == nil {
			args["base"] = base
		}
		if got, text := o.tool(c, "review_diff", args); !got.IsError || !strings.Contains(text, what) {
			t.Errorf("%s, want %s", text, what)
		}
	}
}

// A diff of the maximum size is accepted, even if every byte of it is escaped. A longer one is refused.
func TestTheLongestDiffArrives(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	c := o.caller(o.mona)
	for n, says := range map[int]string{900_000: "This process cannot read code.", 900_001: "at most 900000 bytes"} {
		body := strings.Replace(callOf(1, "review_diff", map[string]any{"repository": o.Repository.ID, "diff": "DIFF"}), "DIFF", strings.Repeat(`\u0001`, n), 1)
		if status, answer, err := o.post(c, body); err != nil || status != 200 || !strings.Contains(answer, says) {
			t.Errorf("%d bytes: %v, %d %.300s", n, err, status, answer)
		}
	}
}
