package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/eval/plan"
	"github.com/assay-dev/assay/internal/testkit"
)

// Stored runs are compared. Without a price of tokens scripted runs are refused, runs over other cases are, and a
// recall that no run reaches has its own exit code.
func TestAPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	run := func(name string, args ...string) {
		t.Helper()
		good(t, command(t, nil, append([]string{"eval", "run", "--quiet", "--only", "^(ledger|clinic|depot)", "--output", file(name)}, args...)...))
	}
	run("oracle", "--scripted", "oracle", "--tier", "T1")
	run("noisy", "--scripted", "noisy", "--recall", "0.3", "--tier", "T1")
	run("fewer", "--scripted", "oracle", "--limit", "3")
	args := []string{"eval", "plan", file("noisy"), file("oracle"), "--price", "3/15"}

	p := decode[plan.Plan](t, good(t, command(t, nil, append(args, "--recall", "0.9", "--json")...)))
	testkit.Equal(t, "chosen", p.Chosen, "oracle")
	testkit.Equal(t, "best", p.Best, "oracle")
	oracle := p.Setting("oracle")
	if oracle.Recall.Value != 1 || oracle.Recall.Interval == nil || oracle.Micros() <= 0 || oracle.Options["model all"] != "oracle" || oracle.Options["tier"] != "" {
		t.Errorf("%+v", oracle)
	}
	text := good(t, command(t, nil, append(args, "--recall", "0.9")...))
	for _, want := range []string{"REACHES IT", "model all oracle", "reaches a recall of 90.0 % at the least cost: 100.0 % (95 %:", "compared with",
		"Below 200, a difference decides nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the plan:\n%s", want, text)
		}
	}
	if r := command(t, nil, "eval", "plan", file("noisy"), file("oracle"), "--recall", "0.9"); r.code != exitFailed || !strings.Contains(r.stderr, "--price") {
		t.Errorf("without a price: %d %s", r.code, r.stderr)
	}
	if r := command(t, nil, "eval", "plan", file("oracle"), file("fewer"), "--recall", "0.9", "--price", "3/15"); r.code != exitFailed ||
		!strings.Contains(r.stderr, "not over the same cases") {
		t.Errorf("other cases: %d %s", r.code, r.stderr)
	}
	run("lazy", "--scripted", "lazy")
	r := command(t, nil, "eval", "plan", file("noisy"), file("lazy"), "--recall", "0.99", "--price", "3/15")
	if r.code != noneReaches || !strings.Contains(r.stdout, "No run reaches a recall of 99.0 %. The best is noisy") {
		t.Errorf("no run reaches it: %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
