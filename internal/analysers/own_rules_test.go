package analysers

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// Hits of our rules have advice and the weakness, and neither a comment nor a configuration of the change hides them.
func TestOwnRulesInReports(t *testing.T) {
	t.Parallel()
	all, err := Configure(Settings{Programs: []string{"ast-grep=" + testkit.AstGrep(t)}, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tree := files{
		"a/x.js":       "// ast-grep-ignore\nif (x === NaN) stop()\n",
		"b/x.py":       "y = yaml.unsafe_load(t) # ast-grep-ignore: py-unsafe-yaml\n",
		"sgconfig.yml": "ruleDirs: []\n",
	}
	q := tree.request()
	for i, language := range []string{"JavaScript", "Python", "YAML"} {
		q.Files[i].Language = language
	}
	out := runOne(t, all[0], q)
	if out.Failure != "" || len(out.Document.Runs) != 1 {
		t.Fatalf("%+v", out)
	}
	run := out.Document.Runs[0]
	var got []string
	for _, r := range run.Results {
		got = append(got, r.RuleID+" "+r.Path)
		if !strings.Contains(r.Message, ". Use ") {
			t.Errorf("%s has no advice: %q", r.RuleID, r.Message)
		}
	}
	slices.Sort(got)
	if want := []string{"js-nan-comparison a/x.js", "py-unsafe-yaml b/x.py"}; !slices.Equal(got, want) {
		t.Fatalf("results: %q, expected %q", got, want)
	}
	rule := run.Rules["py-unsafe-yaml"]
	if !slices.Equal(rule.Tags, []string{"external/cwe/cwe-502"}) || !strings.HasSuffix(rule.Help, "/502.html") {
		t.Errorf("%+v", rule)
	}
	if rule := run.Rules["js-nan-comparison"]; len(rule.Tags) != 0 || rule.Short != "Comparison with NaN" {
		t.Errorf("%+v", rule)
	}
}
