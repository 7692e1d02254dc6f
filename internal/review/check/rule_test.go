package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

func byRegex(pattern string) Rule {
	return Rule{ID: "rul_1", Title: "No prints", Instruction: "Use the logger.", Severity: domain.Medium,
		Matcher: match.Spec{Kind: match.Regex, Pattern: pattern}}
}

func byCode(pattern string) Rule {
	r := byRegex(pattern)
	r.Matcher = match.Spec{Kind: match.AST, Pattern: pattern, Language: "go"}
	return r
}

func runRule(t *testing.T, r Rule, path, before, after string) Result {
	t.Helper()
	set := change(t, path, before, after)
	src := files{"RIGHT:" + path: after}
	if before != "" {
		src["LEFT:"+path] = before
	}
	res, err := checker(t).Run(t.Context(), set, src, Options{Secrets: true, Static: true, Rules: []Rule{r}})
	testkit.OK(t, err)
	return res
}

// found are the lines of the findings of rules.
func found(res Result) string {
	var out []string
	for _, f := range res.Findings {
		if f.Origin == domain.OriginRule {
			out = append(out, fmt.Sprint(f.Anchor.StartLine))
		}
	}
	return strings.Join(out, " ")
}

func TestRulesWithAPattern(t *testing.T) {
	prints, code := byRegex(`fmt\.Print`), byCode(`fmt.Println($$$)`)
	const top = "package p\n\nfunc a() {\n"
	for name, c := range map[string]struct {
		rule                Rule
		path, before, after string
		want                string
	}{
		"an added line":                  {prints, "a.go", top + "}\n", top + "\tfmt.Print(1)\n}\n", "4"},
		"no match":                       {prints, "a.go", top + "}\n", top + "\tlog.Print(1)\n}\n", ""},
		"an old line":                    {prints, "a.go", top + "\tfmt.Print(1)\n}\n", top + "\tfmt.Print(1)\n\tb()\n}\n", ""},
		"a moved and indented line":      {prints, "a.go", top + "\tfmt.Print(1)\n}\n", top + "\tif x {\n\t\tfmt.Print(1)\n\t}\n}\n", ""},
		"one more than before":           {prints, "a.go", top + "\tfmt.Print(1)\n}\n", top + "\tif x {\n\t\tfmt.Print(1)\n\t}\n\tfmt.Print(1)\n}\n", "7"},
		"an edited line":                 {prints, "a.go", top + "\tfmt.Print(1)\n}\n", top + "\tfmt.Print(2)\n}\n", "4"},
		"a comment does not suppress it": {prints, "a.go", top + "}\n", top + "\t//nolint:all // assay:ignore\n\tfmt.Print(1) //nolint // #nosec\n}\n", "5"},
		"a broken file":                  {prints, "a.go", top + "}\n", top + "\tfmt.Print(1\n", "4"},
		"another language":               {prints, "a.py", "a\n", "a\nfmt.Print\n", "2"},
		"returns at the ends of lines":   {byRegex(`x$`), "a.txt", "a\r\n", "a\r\nx\r\n", "2"},
		"code: an added call":            {code, "a.go", top + "}\n", top + "\tfmt.Println(1,\n\t\t2)\n}\n", "4"},
		"code: no match":                 {code, "a.go", top + "}\n", top + "\t// fmt.Println(1)\n\tx(\"fmt.Println(1)\")\n}\n", ""},
		"code: an old call":              {code, "a.go", top + "\tfmt.Println(1)\n}\n", top + "\tfmt.Println(1)\n\tb()\n}\n", ""},
		"code: other arguments":          {code, "a.go", top + "\tfmt.Println(1)\n}\n", top + "\tfmt.Println(2)\n}\n", ""},
		"code: a comment":                {code, "a.go", top + "}\n", top + "\tfmt.Println(1) //nolint\n}\n", "4"},
		"code: a part made it match":     {byCode(`f($A, $A)`), "a.go", top + "\tf(1,\n\t\t2)\n}\n", top + "\tf(1,\n\t\t1)\n}\n", "5"},
		"code: a changed body":           {byCode(`for { $$$ }`), "a.go", top + "\tfor {\n\t\ta()\n\t}\n}\n", top + "\tfor {\n\t\tb()\n\t}\n}\n", ""},
		"code: a broken older version":   {code, "a.go", top + "\tfmt.Println(1\n}\n", top + "\tfmt.Println(1)\n}\n", "4"},
		"code: another language":         {code, "a.py", "a\n", "a\nfmt.Println(1)\n", ""},
		"code: a new file":               {code, "a.go", "", "package p\nvar a, _ = fmt.Println(1)\n", "2"},
	} {
		res := runRule(t, c.rule, c.path, c.before, c.after)
		if got := found(res); got != c.want {
			t.Errorf("%s: lines %q, want %q", name, got, c.want)
		}
		if len(res.Unmatched) > 0 || res.Unread[c.path] != "" {
			t.Errorf("%s: unmatched %v, unread %v", name, res.Unmatched, res.Unread)
		}
	}
}

func TestFindingsOfRulesHaveTheWordsOfTheRule(t *testing.T) {
	res := runRule(t, byRegex("print"), "a.txt", "a\n", "a\nprint "+ghToken()+"\n")
	i := len(res.Findings) - 1
	testkit.Equal(t, "a secret and a rule on one line", len(res.Findings), 2)
	f := res.Findings[i]
	testkit.Equal(t, "finding", fmt.Sprint(f.RuleID, f.Title, f.Explanation, f.Category, f.Severity, f.Origin, f.Confidence, f.Verdict),
		fmt.Sprint("repo/rul_1", "No prints", "Use the logger.", domain.CategoryRule, domain.Medium, domain.OriginRule, 1, domain.VerdictSkipped))
	if strings.Contains(f.Anchor.Quote, ghToken()) {
		t.Error("the finding quotes a secret")
	}
}

func TestScopeOfRulesWithAPattern(t *testing.T) {
	r := byRegex("x")
	for name, s := range map[string]Scope{"path": {Paths: []string{"b/**"}}, "except": {Except: []string{"a.*"}}, "language": {Languages: []string{"python"}}} {
		r.Scope = s
		testkit.Equal(t, name, found(runRule(t, r, "a.go", "", "package x\n")), "")
	}
	r.Scope = Scope{Paths: []string{"*.go"}, Languages: []string{"gO"}}
	testkit.Equal(t, "in scope", found(runRule(t, r, "a.go", "", "package x\n")), "1")
	set := change(t, "a.go", "", "package x\n")
	res, err := checker(t).Run(t.Context(), set, files{}, Options{Rules: []Rule{r}, LeftOut: []string{"a.go"}})
	testkit.OK(t, err)
	testkit.Equal(t, "left out by the policy", len(res.Findings), 0)
}

// Rules that were not matched everywhere are named, and so are the files.
func TestRulesThatWereNotMatchedAreNamed(t *testing.T) {
	const path = "a.go"
	code := byCode(`f($A)`)
	broken := runRule(t, code, path, "", "package p\nfunc a() {\n f(1\n")
	testkit.Equal(t, "broken", broken.Unread[path], WhyRuleBroken)
	testkit.Equal(t, "no guess in a broken file", found(broken), "")
	large := runRule(t, code, path, "", "package p\nvar a = `"+strings.Repeat("x\n", 600_000)+"`\n")
	if large.Unread[path] == "" {
		t.Error("a large file counts as matched")
	}
	long := runRule(t, byRegex("x"), "a.txt", "a\n", "a\n"+strings.Repeat("x", match.MaxLine+1)+"\nx\n")
	testkit.Equal(t, "long line", long.Unread["a.txt"]+found(long), WhyRuleBound+"3")
	for name, r := range map[string]Rule{"expression": byRegex("("), "language": {ID: "rul_1", Matcher: match.Spec{Kind: match.AST, Pattern: "f()", Language: "cobol"}}} {
		testkit.Equal(t, name, runRule(t, r, path, "", "package p\n").Unmatched["rul_1"], UnmatchedPattern)
	}

	m := newRuleMatching(Options{Rules: []Rule{byRegex("x"), {ID: "rul_2", Matcher: byRegex("p").Matcher}}})
	m.rules[0].left = 1 // a nanosecond
	_, err := m.file(t.Context(), 0, change(t, "a.txt", "", strings.Repeat("xp\n", 5000)).Files[0], files{})
	testkit.OK(t, err)
	testkit.Equal(t, "time of a rule", fmt.Sprint(m.unmatched, len(m.rules[0].places), len(m.rules[1].places)), fmt.Sprint(map[string]string{"rul_1": UnmatchedTime}, 0, 5000))
	m.left = 0
	_, err = m.file(t.Context(), 0, change(t, "b.txt", "", "p\n").Files[0], files{})
	testkit.OK(t, err)
	testkit.Equal(t, "time of all rules", m.unmatched["rul_2"], UnmatchedTime)
}

func TestManyPlacesOfOneRule(t *testing.T) {
	lines := func(n int) (out string) {
		for i := range n {
			out += fmt.Sprintf("print %d\n", i)
		}
		return out
	}
	res := runRule(t, byRegex("print"), "a.txt", "", lines(maxRulePlaces))
	testkit.Equal(t, "each has its finding", len(res.Findings), maxRulePlaces)
	res = runRule(t, byRegex("print"), "a.txt", "", lines(maxRulePlaces+1))
	testkit.Equal(t, "one more", len(res.Findings), maxRulePlaces+1)
	testkit.Equal(t, "its words", res.Findings[maxRulePlaces].Explanation, "Use the logger.")
	res = runRule(t, byRegex("print"), "a.txt", "", lines(maxRulePlaces+31))
	testkit.Equal(t, "one for the rest", len(res.Findings), maxRulePlaces+1)
	last := res.Findings[maxRulePlaces]
	testkit.Equal(t, "says how many", last.Explanation, wording.English(wording.SayRulePlaces, 30, "Use the logger."))
	testkit.Equal(t, "can be translated", wording.RuleTexts.Knows(last.Explanation), true)
}

func TestMatchRule(t *testing.T) {
	const before, after = "package p\nvar a = f(1)\n", "package p\nvar a = f(1)\nvar b = f(2, 3)\nvar c = f(4)\n"
	set := change(t, "a.go", before, after)
	src := files{"RIGHT:a.go": after, "LEFT:a.go": before}
	for name, r := range map[string]Rule{"regex": byRegex(`f\(\d\)`), "ast": byCode(`f($A)`)} {
		got, err := MatchRule(t.Context(), set, src, r, nil)
		testkit.OK(t, err)
		testkit.Equal(t, name, fmt.Sprintf("%+v", got), "{Files:1 Hits:2 Reported:1 Places:[{Path:a.go Line:4 Reported:true} {Path:a.go Line:2 Reported:false}] Partly:false Unmatched:}")
	}
	if _, err := MatchRule(t.Context(), set, src, byRegex("("), nil); err == nil {
		t.Error("a wrong pattern is tried")
	}
	got, err := MatchRule(t.Context(), set, files{"RIGHT:a.go": "package p\nvar b = f(\n"}, byCode(`f($A)`), nil)
	testkit.OK(t, err)
	testkit.Equal(t, "broken", fmt.Sprint(got.Partly, got.Hits), "true 0")
}
