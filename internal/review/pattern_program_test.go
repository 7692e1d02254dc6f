package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/testkit"
)

// The operator's ast-grep matches patterns of rules on added lines: a moved call and a changed argument behind $$$ are old.
func TestPatternsByTheRealProgram(t *testing.T) {
	t.Parallel()
	list, err := analysers.Configure(analysers.Settings{Programs: []string{"ast-grep=" + testkit.AstGrep(t)}, DataDir: t.TempDir()})
	testkit.OK(t, err)
	runner := &analysers.Runner{Launcher: children, Analysers: list}
	for _, e := range runner.Examine(t.Context()) {
		if e.Failure == analysers.Sandbox {
			t.Skip("the kernel offers no sandbox for programs")
		}
	}
	src, raw := enginetest.Files{}, ""
	for _, f := range [][3]string{
		{"a.py", "print(1)\nx = 1\n", "if x:\n    print(1)\nx = 1\nprint(2)\n"},
		{"web/b.tsx", "const a = <b>{log(1)}</b>;\n", "const a = <b>{log(1)}</b>;\nconst c = <b>{log(2)}</b>;\n"},
		{"C.java", "class C { void f() { g(); } }\n", "class C { void f() { g(1); } }\n"},
	} {
		src["LEFT:"+f[0]], src["RIGHT:"+f[0]] = f[1], f[2]
		raw += enginetest.Unified(f[0], f[1], f[2])
	}
	set, err := diff.ParseContext(t.Context(), []byte(raw))
	testkit.OK(t, err)
	var opt check.Options
	for language, pattern := range map[string]string{"python": "print($A)", "typescript": "log($$$)", "java": "g($$$)", "javascript": "log($$$)"} {
		opt.Rules = append(opt.Rules, check.Rule{ID: language, Title: "t", Instruction: "i", Severity: domain.Low,
			Matcher: match.Spec{Kind: match.AST, Pattern: pattern, Language: language}})
	}
	opt.Rules, err = check.MatchCode(t.Context(), set, src, opt, runner)
	testkit.OK(t, err)
	checker, err := check.New()
	testkit.OK(t, err)
	res, err := checker.Run(t.Context(), set, src, opt)
	testkit.OK(t, err)
	defer res.Close()
	var got []string
	for _, f := range res.Findings {
		got = append(got, fmt.Sprint(f.RuleID, " ", f.Anchor.Path, ":", f.Anchor.StartLine))
	}
	slices.Sort(got) // the rules above have no order
	testkit.Equal(t, "findings", strings.Join(got, "; "), "repo/python a.py:4; repo/typescript web/b.tsx:2")
	testkit.Equal(t, "unmatched", len(res.Unmatched), 0)
}
