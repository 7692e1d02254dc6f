package sast

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/testkit"
)

// added returns a change that adds files of three lines.
func added(t *testing.T, names ...string) *diff.Set {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,3 @@\n+x\n+y\n+z\n", name)
	}
	set, err := diff.Parse([]byte(b.String()))
	testkit.OK(t, err)
	return set
}

// A document without its root is used only if one folder alone can be the root.
func TestGuessedRoots(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		changed, results []string
		want             string // files of findings, and the reasons of the others
	}{
		"one file":                    {[]string{"a/x.go"}, []string{"/w/a/x.go"}, "[a/x.go] []"},
		"two files could be meant":    {[]string{"x.go", "a/x.go"}, []string{"/w/a/x.go"}, "[] [" + WhyRoot + " 1]"},
		"another file decides":        {[]string{"x.go", "a/x.go", "y.go"}, []string{"/w/a/x.go", "/w/y.go"}, "[a/x.go y.go] []"},
		"two roots":                   {[]string{"x.go", "y.go"}, []string{"/v/x.go", "/w/y.go"}, "[] [" + WhyRoot + " 2]"},
		"a file of the same name":     {[]string{"main.go"}, []string{"/w/cmd/main.go", "/w/a.go", "/w/b.go", "/w/c.go"}, "[] [" + WhyRoot + " 1]"},
		"one result often":            {[]string{"x.go", "y.go", "z.go"}, []string{"/v/x.go", "/v/x.go", "/v/x.go", "/w/y.go", "/w/z.go"}, "[y.go z.go] [" + WhyOutside + " 3]"},
		"no changed file":             {[]string{"x.go"}, []string{"/w/other.go"}, "[] []"},
		"a file of the system beside": {[]string{"x.go", "y.go"}, []string{"/w/x.go", "/w/y.go", "/usr/include/x.h"}, "[x.go y.go] [" + WhyOutside + " 1]"},
	} {
		var rs []sarif.Result
		for _, p := range tt.results {
			rs = append(rs, result(p, 2))
		}
		out, err := Join(t.Context(), added(t, tt.changed...), document(rs...), Options{})
		testkit.OK(t, err)
		files, left := []string{}, []string{}
		for _, f := range out.New {
			files = append(files, f.Anchor.Path)
		}
		slices.Sort(files)
		for _, n := range out.LeftOut {
			left = append(left, fmt.Sprint(n.Why, " ", n.Count))
		}
		testkit.Equal(t, name, fmt.Sprint(files, left), tt.want)
		testkit.Equal(t, name+": complete", out.Analysers["tool"], !strings.Contains(tt.want, WhyRoot))
	}
}

// An analyser counts as complete only if all of its runs are, and no finding of it was cut.
func TestEveryRunOfAnAnalyserCounts(t *testing.T) {
	t.Parallel()
	for _, order := range [][]bool{{true, false}, {false, true}} {
		var in []Input
		for _, ok := range order {
			d := document(result("a.go", 2))
			d[0].Document.Runs[0].Successful = ok
			in = append(in, d...)
		}
		out, err := Join(t.Context(), changed(t), in, Options{})
		testkit.OK(t, err)
		testkit.Equal(t, "complete", out.Analysers["tool"], false)
	}
	var rs []sarif.Result
	for i := range MaxFindings + 1 {
		r := result("b/new.go", 1)
		r.RuleID = fmt.Sprint("R", i)
		rs = append(rs, r)
	}
	in := append(document(rs...), document(result("b/new.go", 2))...)
	in[1].Name = "other"
	in[1].Document.Runs[0].Results[0].Level = sarif.LevelError
	out, err := Join(t.Context(), changed(t), in, Options{})
	testkit.OK(t, err)
	testkit.Equal(t, "complete", fmt.Sprint(out.Cut, out.Analysers["tool"], out.Analysers["other"]), "2 false true")
}

// A secret of the change does not return as the name of an analyser or rule.
func TestNamesLoseTheirSecrets(t *testing.T) {
	t.Parallel()
	in := document(result("a.go", 2), result("gone/hunter2.go", 2))
	in[0].Document.Runs[0].Tool, in[0].Document.Runs[0].Version, in[0].Document.Runs[0].Results[0].RuleID = "t-hunter2", "v-hunter2", "r-hunter2"
	in[0].Document.Runs[0].Results[1].Outside = true
	out, err := Join(t.Context(), changed(t), in, Options{Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }})
	testkit.OK(t, err)
	if text := fmt.Sprintf("%+v", out); strings.Contains(text, "hunter2") || len(out.New) != 1 {
		t.Error(text)
	}
}

// A result that repeats another one is named, so that the counts of an analyser add up.
func TestRepeatedResultsAreNamed(t *testing.T) {
	t.Parallel()
	out, err := Join(t.Context(), changed(t), document(result("a.go", 2), result("a.go", 2)), Options{})
	testkit.OK(t, err)
	a := out.Analyses[0]
	testkit.Equal(t, "counts", fmt.Sprint(a.Results, a.New, a.Old, a.Suppressed, a.LeftOut), "2 1 0 0 1")
	testkit.Equal(t, "notes", fmt.Sprint(out.LeftOut[0].Why, out.LeftOut[0].Count), WhyRepeated+"1")
}
