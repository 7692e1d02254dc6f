package check

import (
	"fmt"
	"strings"
	"testing"
)

// Each case is a new workflow, unless it has an older version. The cases are forms that look like faults and are not, and the faults
// beside them.
func TestExceptionsOfWorkflows(t *testing.T) {
	t.Parallel()
	const job = "on: [push, pull_request]\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
	const block = job + "      - run: |\n          set -e\n"
	const title = "          echo ${{ github.event.issue.title }}\n"
	at := func(rule string, line int, severity string) string {
		return fmt.Sprintf("%s@%d-%d/line/%s", rule, line, line, severity)
	}
	injection := func(line int) string { return at("assay/ci-injection", line, "high") }
	script := func(expression string) string { return job + "      - run: echo ${{ " + expression + " }}\n" }
	named := "\"owner/na\\nme@v1\""
	for name, tt := range map[string]struct{ before, after, want string }{
		"a comparison":              {"", script("github.head_ref == 'x'"), ""},
		"a choice by a comparison":  {"", script("github.event.issue.title != '' && 1 || 2"), ""},
		"a choice by a text":        {"", script("github.head_ref && 'a' || 'b'"), ""},
		"a negation":                {"", script("!github.head_ref"), ""},
		"a digest":                  {"", script("hashFiles(github.head_ref)"), ""},
		"a test of a text":          {"", script("endsWith(github.head_ref, 'x') || contains(github.head_ref, 'y')"), ""},
		"the second of a choice":    {"", script("true && github.head_ref"), injection(6)},
		"an alternative":            {"", script("github.head_ref || 'x'"), injection(6)},
		"a formatted text":          {"", script("format('{0}', github.head_ref)"), injection(6)},
		"a list":                    {"", script("join(github.event.commits.*.message)"), injection(6)},
		"an element of a list":      {"", script("github.event.commits[0].message"), injection(6)},
		"a filter of an object":     {"", script("toJSON(github.event.*.body)"), injection(6)},
		"a property by an index":    {block + "          true\n", block + "          true\n          echo ${{ github.event.issue['title'] }}\n", injection(9)},
		"an expression of two rows": {block, block + "          echo ${{ github.event.issue.title ||\n            'x' }}\n", injection(8)},
		"a text on the second row":  {block, block + "          echo ${{ 'x' ||\n            github.event.issue.title }}\n", injection(8)},
		"a safe line in an old block": {block + title, block + title + "          echo ${{ github.event.issue.title == 'x' }}\n" +
			"          echo ${{ github.event.issue.title2 }}\n", ""},
		"a group of a queue":            {"", "concurrency: {group: a, queue: max}\n" + script("1"), ""},
		"keys of a service":             {"", strings.Replace(script("1"), "    steps", "    services: {x: {image: a, command: b, entrypoint: c}}\n    steps", 1), ""},
		"a brand new context":           {"", script("brand_new.x"), ""},
		"a key that is nearly right":    {"", strings.Replace(script("1"), "    steps", "    timeout-minuts: 5\n    steps", 1), at("actionlint/syntax-check", 5, "medium")},
		"a long key":                    {"", job + "      - run: x\n        " + strings.Repeat("k", 1000) + ": y\n", ""},
		"a short key that is new":       {"", job + "      - run: x\n        on: y\n", ""},
		"the only key, nearly right":    {"", strings.Replace(script("1"), "[push, pull_request]", "{workflow_dispatch: {inptus: {}}}", 1), at("actionlint/syntax-check", 1, "medium")},
		"a new key beside the only one": {"", strings.Replace(script("1"), "[push, pull_request]", "{workflow_dispatch: {brand_new: {}}}", 1), ""},
		"a step of a new kind":          {"", job + "      - name: x\n        brand_new: y\n      - run: x\n", ""},
		"a step that does nothing":      {"", job + "      - name: x\n      - brand_new: y\n", at("actionlint/syntax-check", 6, "medium")},
		"a new property beside a known": {"", job + "      - id: s\n        run: x\n      - run: echo ${{ github.brand_new }} ${{ steps.s.outputs.x }}\n",
			""},
		"secrets of a called workflow": {"", "on: {workflow_call: {inputs: {x: {type: string}}}}\njobs:\n  a:\n    runs-on: x\n    steps:\n" +
			"      - run: echo ${{ secrets.any }} ${{ inputs.x }}\n", ""},
		"an input that does not exist": {"", "on: {workflow_call: {inputs: {x: {type: string}}}}\njobs:\n  a:\n    runs-on: x\n    steps:\n" +
			"      - run: echo ${{ inputs.y }}\n", at("actionlint/expression", 6, "medium")},
		"two actions on a line": {"", "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{uses: owner/a@v1}, {uses: owner/b@v1}]\n",
			at("assay/ci-moving-action", 5, "low") + " " + at("assay/ci-moving-action", 5, "low")},
		"an action with a broken name": {"", job + "      - uses: " + named + "\n", at("assay/ci-moving-action", 6, "low")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := run(t, lintedWorkflow, tt.before, tt.after)
			if got := summary(res); got != tt.want || len(res.Unread) > 0 {
				t.Errorf("got  %s\nwant %s, unread %q", got, tt.want, res.Unread)
			}
			for _, f := range res.Findings {
				if strings.Contains(f.Title+f.Explanation, "\n") {
					t.Errorf("%q %q", f.Title, f.Explanation)
				}
			}
		})
	}
}

// If a rule panics, the faults of the other rules are reported, and the review names the workflow as not completely checked.
func TestARuleThatPanics(t *testing.T) {
	t.Parallel()
	res := run(t, lintedWorkflow, "", "on: {schedule: [{cron: 'TZ=UTC'}]}\njobs:\n  a:\n    runs-on: x\n    needs: [b]\n    steps:\n"+
		"      - run: echo ${{ github.head_ref }}\n")
	got := summary(res)
	if !strings.Contains(got, "ci-injection@7") || !strings.Contains(got, "job-needs@") || res.Unread[lintedWorkflow] != WhyWorkflow {
		t.Errorf("%s, unread %q", got, res.Unread)
	}
}

// A workflow whose messages would be long and many is named instead of linted.
func TestCostOfWorkflows(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	const head = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
	var ids, long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&ids, "      - {id: a%d, run: x}\n", i)
	}
	for i := range 100 {
		fmt.Fprintf(&long, "      - {id: %s%d, run: x}\n", strings.Repeat("a", 400), i)
	}
	for name, text := range map[string]string{
		"steps and expressions":   head + ids.String() + strings.Repeat("      - run: ${{steps.x}}\n", 1200),
		"steps and conditions":    head + ids.String() + strings.Repeat("      - {run: x, if: steps.x}\n", 1000),
		"aliases of a script":     head + "      - &s {run: '" + strings.Repeat("${{steps.x}}", 300) + "'}\n" + strings.Repeat("      - *s\n", 500),
		"long names and a script": head + long.String() + "      - &s {run: '" + strings.Repeat("${{steps.x}}", 300) + "'}\n" + strings.Repeat("      - *s\n", 30),
	} {
		t.Run(name, func(t *testing.T) {
			var unread bool
			cost := allocated(func() { _, unread = lintWorkflow([]byte(text)) })
			if !unread || cost > 64<<20 {
				t.Errorf("unread %v, %d bytes", unread, cost)
			}
		})
	}
}
