package check

import (
	"fmt"
	"strings"
	"testing"
)

const lintedWorkflow = ".github/workflows/ci.yml"

// Each case is a new workflow, unless it has an older version.
func TestFaultsOfWorkflows(t *testing.T) {
	t.Parallel()
	const job = "on: [push, pull_request]\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
	const block = job + "      - run: |\n          set -e\n"
	at := func(rule string, line int, severity string) string {
		return fmt.Sprintf("%s@%d-%d/line/%s", rule, line, line, severity)
	}
	injection := func(line int) string { return at("assay/ci-injection", line, "high") }
	moving := func(line int, severity string) string { return at("assay/ci-moving-action", line, severity) }
	sha := strings.Repeat("1a", 20)
	for name, tt := range map[string]struct{ before, after, want string }{
		"a title in a script":           {"", job + "      - run: echo ${{ github.event.pull_request.title }}\n", injection(6)},
		"a title in a block":            {"", block + "          echo \"${{ github.event.issue.title }}\"\n", injection(8)},
		"a branch in github-script":     {"", job + "      - uses: actions/github-script@v7\n        with:\n          script: |\n            x('${{ github.head_ref }}')\n", injection(9)},
		"a title in a variable":         {"", job + "      - env:\n          T: ${{ github.event.pull_request.title }}\n        run: echo \"$T\"\n", ""},
		"a number in a script":          {"", job + "      - run: echo ${{ github.event.pull_request.number }} ${{ github.sha }}\n", ""},
		"an older title":                {job + "      - run: echo ${{ github.event.issue.title }}\n", job + "      - run: echo ${{ github.event.issue.title }}\n      - run: true\n", ""},
		"a second title":                {job + "      - run: echo ${{ github.event.issue.title }}\n", job + "      - run: echo ${{ github.event.issue.title }}\n      - run: echo ${{ github.event.issue.title }}\n", injection(7)},
		"another line of a block":       {block + "          echo ${{ github.event.issue.title }}\n", block + "          echo ${{ github.event.issue.title }}\n          true\n", ""},
		"a new line of an older block":  {block + "          true\n", block + "          true\n          echo ${{ github.event.issue.body }}\n", injection(9)},
		"a step that does not exist":    {"", job + "      - run: echo ${{ steps.x.outputs.y }}\n", at("actionlint/expression", 6, "medium")},
		"an output that an action has":  {"", job + "      - uses: actions/cache@v4\n        id: c\n        with: {path: x, key: y}\n      - run: echo ${{ steps.c.outputs.brand-new }}\n", ""},
		"a newer property of GitHub":    {"", job + "      - run: echo ${{ github.brand_new }} ${{ runner.brand_new }}\n", ""},
		"a condition that always holds": {"", job + "      - if: ${{ github.ref == 'x' }} && true\n        run: x\n", at("actionlint/if-cond", 6, "medium")},
		"a job that does not exist":     {"", job + "      - run: x\n  b:\n    needs: [c]\n    runs-on: x\n    steps: [{run: x}]\n", at("actionlint/job-needs", 7, "medium")},
		"the same step twice":           {"", job + "      - {id: a, run: x}\n      - {id: a, run: x}\n", at("actionlint/id", 7, "medium")},
		"an unknown key":                {"", job + "      - run: x\n        worknig-directory: y\n", at("actionlint/syntax-check", 7, "medium")},
		"an invalid schedule":           {"", strings.Replace(job, "[push, pull_request]", "{schedule: [{cron: 0 0 * *}]}", 1) + "      - run: x\n", at("actionlint/events", 1, "medium")},
		"an invalid filter":             {"", strings.Replace(job, "[push, pull_request]", "{push: {branches: ['^main$']}}", 1) + "      - run: x\n", at("actionlint/glob", 1, "medium")},
		"an old command":                {"", job + "      - run: echo \"::set-output name=a::b\"\n", at("actionlint/deprecated-commands", 6, "low")},
		"machines of one's own":         {"", strings.Replace(job, "ubuntu-24.04", "[self-hosted, big-box]", 1) + "      - run: x\n", ""},
		"an event of a newer version":   {"", strings.Replace(job, "[push, pull_request]", "brand_new", 1) + "      - run: x\n", ""},
		"an unused anchor":              {"", job + "      - run: &x x\n", ""},
		"steps by an alias":             {"", job + "      - &s {run: x}\n      - *s\n", ""},
		"a fault on an older line":      {job + "      - run: x\n        nmae: y\n", job + "      - run: x\n        nmae: y\n      - run: y\n", ""},
		"invalid YAML":                  {"", "on: [push\njobs:\n", at("actionlint/syntax-check", 1, "medium")},
		"YAML that breaks elsewhere":    {job + "      - run: x\nx: 'a\n  b'\n", job + "      - run: x\nx: 'a\n  b\n", at("actionlint/syntax-check", 8, "medium")},
		"invalid YAML before":           {"on: [push\njobs:\n", "on: [push\njobs:\nx: y\n", ""},
		"empty":                         {"", "\n", ""},
		"an action by a tag":            {"", job + "      - uses: owner/name@v1\n", moving(6, "low")},
		"an action by a branch":         {"", job + "      - uses: owner/name/sub@main\n", moving(6, "medium")},
		"a workflow by a tag":           {"", "on: push\njobs:\n  a:\n    uses: owner/name/.github/workflows/a.yml@v1.2.3\n", moving(4, "low")},
		"an action of GitHub":           {"", job + "      - uses: actions/checkout@v4\n      - uses: github/codeql-action/init@v3\n", ""},
		"an action of GitHub by branch": {"", job + "      - uses: actions/checkout@main\n", moving(6, "medium")},
		"actions that do not move":      {"", job + "      - uses: owner/name@" + sha + " # v1\n      - uses: ./local\n      - uses: docker://a/b@sha256:" + strings.Repeat("0", 64) + "\n", ""},
		"a newer tag":                   {job + "      - uses: owner/name@v1\n", job + "      - uses: owner/name@v2\n", ""},
		"a branch after a tag":          {job + "      - uses: owner/name@v1\n", job + "      - uses: owner/name@main\n", moving(6, "medium")},
		"an older tag":                  {job + "      - uses: owner/name@v1\n", job + "      - uses: owner/name@v1\n      - run: x\n", ""},
		"an action by an alias":         {"", job + "      - &s {uses: owner/name@v1}\n      - *s\n", moving(6, "low")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, lintedWorkflow, tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
				for _, f := range run(t, lintedWorkflow, tt.before, tt.after).Findings {
					t.Log(f.Explanation)
				}
			}
		})
	}
}

func TestActionsOfActions(t *testing.T) {
	t.Parallel()
	const text = "name: a\nruns:\n  using: composite\n  steps:\n    - uses: owner/name@main\n"
	for path, want := range map[string]bool{
		"action.yml": true, ".github/actions/a/action.yaml": true, "vendor/a/action.yml": false, "testdata/action.yml": false, "a.yml": false,
	} {
		if got := summary(run(t, path, "", text)) == "assay/ci-moving-action@5-5/line/medium"; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// Text of the workflow in a message is data: it has no invisible characters and a bounded length.
func TestMessagesOfTheLinterAreData(t *testing.T) {
	t.Parallel()
	key := "a\u200b" + strings.Repeat("b", 5000)
	res := run(t, lintedWorkflow, "", "on: push\njobs:\n  a:\n    runs-on: x\n    needs: [\""+key+"\"]\n    steps: [{run: x}]\n")
	if len(res.Findings) == 0 {
		t.Error("no finding")
	}
	for _, f := range res.Findings {
		if strings.HasPrefix(f.RuleID, "actionlint/") && (strings.Contains(f.Explanation, "\u200b") || len(f.Explanation) > 600) {
			t.Errorf("%d bytes: %q", len(f.Explanation), f.Explanation[:200])
		}
	}
}

func TestBoundsOfWorkflows(t *testing.T) {
	t.Parallel()
	const head = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
	var aliases strings.Builder
	aliases.WriteString("a0: &a0 [x]\n")
	for i := range 12 {
		fmt.Fprintf(&aliases, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i)
	}
	for name, text := range map[string]string{
		"bytes":   head + strings.Repeat("      - run: x\n", maxYAML/10),
		"depth":   head + "      - run: x\nx: " + strings.Repeat("[", 100) + "\n",
		"aliases": aliases.String() + head + "      - run: x\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res := run(t, lintedWorkflow, "", text); res.Unread[lintedWorkflow] != WhyWorkflow {
				t.Errorf("unread: %q, found %s", res.Unread, summary(res))
			}
		})
	}
	res := run(t, lintedWorkflow, "", head+strings.Repeat("      - uses: owner/name@v1\n", 8))
	if len(res.Findings) != maxPlaceFindings || len(res.Unread) > 0 {
		t.Errorf("%d findings, unread %q", len(res.Findings), res.Unread)
	}
}

func FuzzWorkflow(f *testing.F) {
	for _, seed := range []string{
		"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ github.head_ref }}\n      - uses: a/b@v1\n",
		"on: {schedule: [{cron: '* * * * *'}]}\njobs: {a: {uses: a/b/c.yml@v1, with: {x: y}}}\n", "a: &a [*a]\non: *a\n", "on: [\n",
		"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          ${{ 'a' ||\n  github.event.issue['title'] && 1 }}\n      - naem: x\n",
		"on: workflow_call\njobs:\n  a:\n    strategy: {matrix: {x: [1, 1], exclude: [{y: 1}]}}\n    if: ${{ a }} b\n    steps: [{run: '${{ fromJSON(x).*.y[0] }}'}]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		lines := strings.Count(text, "\n") + 1
		linted, _ := lintWorkflow([]byte(text))
		for _, d := range linted {
			if d.rule == "assay/ci-injection" && (d.line < 1 || d.line > lines) {
				t.Errorf("%s at line %d of %d", d.rule, d.line, lines)
			}
		}
		faults, _ := movingActions([]byte(text))
		for _, d := range faults {
			if d.line < 1 {
				t.Errorf("%s at line %d", d.rule, d.line)
			}
		}
	})
}
