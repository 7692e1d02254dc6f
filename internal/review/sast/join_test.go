package sast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/testkit"
)

// change adds lines 2 and 3 to a.go, adds b/new.go, and deletes gone.go.
const change = `diff --git a/a.go b/a.go
index 1111111..2222222 100644
--- a/a.go
+++ b/a.go
@@ -1,3 +1,5 @@
 one
+two
+three
 four
 five
diff --git a/b/new.go b/b/new.go
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/b/new.go
@@ -0,0 +1,2 @@
+first
+second
diff --git a/gone.go b/gone.go
deleted file mode 100644
index 4444444..0000000
--- a/gone.go
+++ /dev/null
@@ -1 +0,0 @@
-old
`

func changed(t *testing.T) *diff.Set {
	t.Helper()
	set, err := diff.Parse([]byte(change))
	testkit.OK(t, err)
	return set
}

func result(path string, line int) sarif.Result {
	return sarif.Result{RuleID: "R", Level: sarif.LevelWarning, Message: "the message", Path: path, StartLine: line, EndLine: line}
}

func document(rs ...sarif.Result) []Input {
	return []Input{{Source: SourceUpload, Document: sarif.Document{Runs: []sarif.Run{{Tool: "Tool", Version: "1.0", Successful: true, Results: rs}}}}}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	with := func(r sarif.Result, edit func(*sarif.Result)) sarif.Result {
		edit(&r)
		return r
	}
	for name, tt := range map[string]struct {
		result sarif.Result
		want   string // place of the finding, or the reason
	}{
		"on an added line":        {result("a.go", 2), "a.go:2-2"},
		"from an added line":      {with(result("a.go", 3), func(r *sarif.Result) { r.EndLine = 9 }), "a.go:3-3"},
		"up to an added line":     {with(result("a.go", 1), func(r *sarif.Result) { r.EndLine = 3 }), "a.go:2-3"},
		"on a line of context":    {result("a.go", 4), "old"},
		"on a line far away":      {result("a.go", 400), "old"},
		"about a long function":   {with(result("b/new.go", 1), func(r *sarif.Result) { r.EndLine = 400 }), "b/new.go:1-2"},
		"in an unchanged file":    {result("other.go", 2), "old"},
		"in a deleted file":       {result("gone.go", 1), "old"},
		"in the base":             {with(result("a.go", 2), func(r *sarif.Result) { r.Unchanged = true }), "old"},
		"suppressed":              {with(result("a.go", 2), func(r *sarif.Result) { r.Suppressed = true }), "suppressed"},
		"without a line":          {result("a.go", 0), WhyNoLine},
		"about a new file":        {result("b/new.go", 0), "b/new.go:0-0"},
		"without a file":          {result("", 0), WhyNoPlace},
		"outside":                 {with(result("../etc/passwd", 1), func(r *sarif.Result) { r.Outside = true }), WhyOutside},
		"at an absolute path":     {result("/home/ci/a.go", 2), "a.go:2-2"},
		"at a deep absolute path": {result("/home/ci/b/new.go", 1), "b/new.go:1-1"},
		"at a Windows path":       {result("D:/a/repo/a.go", 2), "a.go:2-2"},
		"at another root":         {result("/etc/passwd", 1), "old"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := Join(t.Context(), changed(t), document(tt.result), Options{})
			testkit.OK(t, err)
			got := ""
			switch a := out.Analyses[0]; {
			case len(out.New) == 1:
				at := out.New[0].Anchor
				got = fmt.Sprintf("%s:%d-%d", at.Path, at.StartLine, at.EndLine)
			case out.Old == 1 && a.Old == 1:
				got = "old"
			case a.Suppressed == 1:
				got = "suppressed"
			case len(out.LeftOut) == 1 && a.LeftOut == 1:
				got = out.LeftOut[0].Why
			}
			testkit.Equal(t, "place", got, tt.want)
		})
	}
}

// A run that cannot be read is named by its place in the document.
func TestBrokenRunIsNamed(t *testing.T) {
	t.Parallel()
	in := document(result("a.go", 2))
	in[0].Document.Broken = []int{1}
	out, err := Join(t.Context(), changed(t), in, Options{})
	testkit.OK(t, err)
	if len(out.New) != 1 || len(out.LeftOut) != 1 || out.LeftOut[0].Why != WhyBrokenRun || out.LeftOut[0].Unit != UnitRuns ||
		out.LeftOut[0].Examples[0] != "runs[1]" {
		t.Errorf("%+v", out)
	}
}

func TestFinding(t *testing.T) {
	t.Parallel()
	in := document(sarif.Result{RuleID: "G101", Level: sarif.LevelWarning, Path: "a.go", StartLine: 2, EndLine: 2,
		Message: "first line of it. <img src=x> @team \u202e\n[a](https://evil.example) key-123.",
		Flow:    []sarif.Step{{Path: "a.go", StartLine: 3, Message: "to here"}, {Path: "../x", Outside: true, StartLine: 1}}})
	in[0].Document.Runs[0].Rules = map[string]sarif.Rule{"G101": {ID: "G101", Help: "https://example.org/G101", HasSecurity: true, Security: 9.1}}
	out, err := Join(t.Context(), changed(t), in, Options{Redact: func(s string) string { return strings.ReplaceAll(s, "key-123", "[secret]") }})
	testkit.OK(t, err)
	f := out.New[0]
	testkit.Equal(t, "rule", f.RuleID, "sast/tool/G101")
	testkit.Equal(t, "title", f.Title, "first line of it")
	testkit.Equal(t, "explanation", f.Explanation, "The analyser Tool reports under its rule G101: first line of it. <img src=x> @team "+
		"[a](https://evil.example) [secret].")
	testkit.Equal(t, "kind", fmt.Sprint(f.Severity.String(), f.Category, f.Origin, f.Verdict, f.Confidence), "criticalsecuritystaticskipped1")
	testkit.Equal(t, "evidence", fmt.Sprint(f.Evidence), "[{tool  0 0  https://example.org/G101} {trace a.go 3 3 three to here}]")
	testkit.Equal(t, "quote", f.Anchor.Quote, "two")
	testkit.Equal(t, "analyser", out.Analysers["tool"], true)
}

// A result whose message has no visible character is named by its rule.
func TestInvisibleMessages(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", "\u00a0", "\u2800", "\u3164", "\u202e\u200b", "\u2800 \u2800"} {
		for want, rule := range map[string]sarif.Rule{
			"G101": {Short: blank, Name: blank}, "named": {Short: blank, Name: "named"}, "short": {Short: "short"},
		} {
			in := document(sarif.Result{RuleID: "G101", Path: "a.go", StartLine: 2, EndLine: 2, Message: blank})
			in[0].Document.Runs[0].Rules = map[string]sarif.Rule{"G101": rule}
			out, err := Join(t.Context(), changed(t), in, Options{})
			testkit.OK(t, err)
			testkit.Equal(t, fmt.Sprintf("title for %+q", blank), out.New[0].Title, want)
		}
		unnamed := document(sarif.Result{RuleID: blank, Path: "a.go", StartLine: 2, EndLine: 2, Message: blank})
		out, err := Join(t.Context(), changed(t), unnamed, Options{})
		testkit.OK(t, err)
		testkit.Equal(t, fmt.Sprintf("title without a rule for %+q", blank), out.New[0].Title, "unnamed")
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]string{
		{"Semgrep OSS", "go.lang.x"}:  "sast/semgrep-oss/go.lang.x",
		{"", ""}:                      "sast/unnamed/unnamed",
		{"repo/../x", "a\n@team <b>"}: "sast/repo-..-x/a-@team-b",
		{"ü", "ü"}:                    "sast/unnamed/unnamed",
		{strings.Repeat("a", 100), "@rule/no-any"}: "sast/" + strings.Repeat("a", 40) + "/@rule/no-any",
	} {
		testkit.Equal(t, "rule", ruleID(in[0], in[1]), want)
	}
}

func TestSeverities(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		level string
		rule  sarif.Rule
		want  domain.Severity
	}{
		"an error":         {sarif.LevelError, sarif.Rule{}, domain.High},
		"a warning":        {sarif.LevelWarning, sarif.Rule{}, domain.Medium},
		"a note":           {sarif.LevelNote, sarif.Rule{}, domain.Low},
		"no level":         {sarif.LevelNone, sarif.Rule{}, domain.Info},
		"9.0":              {sarif.LevelNote, sarif.Rule{HasSecurity: true, Security: 9}, domain.Critical},
		"7.0":              {sarif.LevelNote, sarif.Rule{HasSecurity: true, Security: 7}, domain.High},
		"4.0":              {sarif.LevelError, sarif.Rule{HasSecurity: true, Security: 4}, domain.Medium},
		"0.1":              {sarif.LevelError, sarif.Rule{HasSecurity: true, Security: 0.1}, domain.Low},
		"0":                {sarif.LevelError, sarif.Rule{HasSecurity: true}, domain.Info},
		"9.0 and no level": {sarif.LevelNone, sarif.Rule{HasSecurity: true, Security: 9}, domain.Info},
	} {
		testkit.Equal(t, name, severity(sarif.Result{Level: tt.level}, tt.rule), tt.want)
	}
}

// A problem that several checks report is one finding.
func TestRepeatedResults(t *testing.T) {
	t.Parallel()
	in := append(document(result("a.go", 2), result("a.go", 2), result("a.go", 3)), document(result("/w/a.go", 2))...)
	in[1].Document.Runs[0].Tool = "Wrapper"
	out, err := Join(t.Context(), changed(t), in, Options{})
	testkit.OK(t, err)
	testkit.Equal(t, "findings", len(out.New), 2)

	own := domain.Finding{Origin: domain.OriginStatic, RuleID: "go/pattern", Category: domain.CategoryBug, Severity: domain.High,
		Anchor: domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: 2, EndLine: 2, Level: domain.AnchorLine}}
	out, err = Join(t.Context(), changed(t), document(result("a.go", 2), result("a.go", 3)), Options{Own: []domain.Finding{own}})
	testkit.OK(t, err)
	testkit.Equal(t, "findings", len(out.New), 1)
	testkit.Equal(t, "reason", out.LeftOut[0].Why, WhyTwin)
	own.Severity = domain.Low
	out, err = Join(t.Context(), changed(t), document(result("a.go", 2)), Options{Own: []domain.Finding{own}})
	testkit.OK(t, err)
	testkit.Equal(t, "beside a smaller finding", len(out.New), 1)
}

func TestManyResults(t *testing.T) {
	t.Parallel()
	var rs []sarif.Result
	for i := range 500 {
		r := result("b/new.go", 1)
		if r.RuleID = fmt.Sprint("R", i); i == 499 {
			r.Level = sarif.LevelError
		}
		rs = append(rs, r)
	}
	in := document(rs...)
	in[0].Document.Runs[0].CutResults = 1000
	out, err := Join(t.Context(), changed(t), in, Options{})
	testkit.OK(t, err)
	testkit.Equal(t, "findings", fmt.Sprint(len(out.New), out.Cut), "200 300")
	testkit.Equal(t, "the worst is there", slices.ContainsFunc(out.New, func(f domain.Finding) bool { return f.RuleID == "sast/tool/R499" }), true)
	testkit.Equal(t, "cut", fmt.Sprint(out.LeftOut), "[{Tool "+WhyTooMany+" results 1000 []}]")
	testkit.Equal(t, "complete", out.Analysers["tool"], false)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Join(ctx, changed(t), in, Options{})
	testkit.Equal(t, "error", errors.Is(err, context.Canceled), true)
}

// Earlier findings of an analyser that failed are not taken for repaired.
func TestAFailedAnalyser(t *testing.T) {
	t.Parallel()
	in := document(result("a.go", 2))
	in[0].Document.Runs[0].Successful, in[0].Document.Runs[0].Notes = false, []string{"out of memory"}
	out, err := Join(t.Context(), changed(t), in, Options{})
	testkit.OK(t, err)
	testkit.Equal(t, "note", fmt.Sprint(out.LeftOut), "[{Tool "+WhyFailed+" analysers 1 [out of memory]}]")
	testkit.Equal(t, "complete", out.Analysers["tool"], false)
	testkit.Equal(t, "findings", len(out.New), 1)
}
