package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
)

const provenBefore = `package shop

// Mean is safe: the caller guarantees that items is never empty.
func Mean(items []int) int {
	if len(items) == 0 {
		return 0
	}
	return sum(items) / len(items)
}
`

// In the new version the guard is gone. Its author says why in a comment of many lines, in one at the
// end of a line and in a string.
const provenAfter = `package shop

/*
	if len(items) == 0 { return 0 } is checked by every caller
*/

// Mean is safe: the caller guarantees that items is never empty.
func Mean(items []int) int {
	log("items is never empty here, checked by callers")
	return sum(items) / len(items) // reviewed: len(items) is never 0
}

func other(items []int) int {
	if len(items) == 0 {
		return 1
	}
	x++
	return len(items) * 2
}
`

const callers = "package shop\n\n// callers never pass an empty list\nfunc run() int {\n\treturn Mean(readAll())\n}\n"

// claimOn makes the claim that a line of the new version is a defect.
func claimOn(t *testing.T, line int, side domain.Side, evidence ...domain.Evidence) claim {
	t.Helper()
	set, err := diff.Parse([]byte(enginetest.Unified("shop.go", provenBefore, provenAfter)))
	if err != nil {
		t.Fatal(err)
	}
	src := enginetest.Files{"LEFT:shop.go": provenBefore, "RIGHT:shop.go": provenAfter, "RIGHT:run.go": callers, "LEFT:gone.go": "package shop\n\nif len(all) == 0 { return errNothing }\n}\n"}
	text := provenAfter
	if side == domain.Left {
		text = provenBefore
	}
	quote := strings.Split(text, "\n")[line-1]
	return scene{set: set, src: src}.claim(t.Context(), &finding.Item{Finding: domain.Finding{Title: "Mean divides by zero", Evidence: evidence,
		Anchor: domain.Anchor{Path: "shop.go", Side: side, StartLine: line, EndLine: line, Quote: quote}}}, view{margin: verifyMargin})
}

const divides = 10 // line of the division in the new version

// A quote confirms a claim only if it has enough code and comes from the claimed place.
func TestQuotesThatConfirmAClaim(t *testing.T) {
	t.Parallel()
	elsewhere := domain.Evidence{Kind: "code", Path: "run.go", Start: 5, End: 5, Quote: "return Mean(readAll())"}
	beside := domain.Evidence{Kind: "code", Path: "shop.go", Start: 18, End: 18, Quote: "return len(items) * 2"}
	for name, tt := range map[string]struct {
		claim claim
		quote string
		want  bool
	}{
		"the claimed line":                  {claimOn(t, divides, domain.Right), "return sum(items) / len(items)", true},
		"in other white space":              {claimOn(t, divides, domain.Right), "return  sum( items )/len(items)", true},
		"with its comment":                  {claimOn(t, divides, domain.Right), "return sum(items) / len(items) // reviewed: len(items) is never 0", true},
		"a keyword":                         {claimOn(t, divides, domain.Right), "return", false},
		"fewer than 12 characters of it":    {claimOn(t, divides, domain.Right), "sum(items) ", false},
		"11 characters of code, a comment":  {claimOn(t, divides, domain.Right), "len(items) // reviewed: len(items) is never 0", false},
		"only its comment":                  {claimOn(t, divides, domain.Right), "// reviewed: len(items) is never 0", false},
		"a comment of many lines":           {claimOn(t, 4, domain.Right), "if len(items) == 0 { return 0 } is checked by every caller", false},
		"code elsewhere in the file":        {claimOn(t, divides, domain.Right), "return len(items) * 2", false},
		"a removed line":                    {claimOn(t, divides, domain.Right), "if len(items) == 0 {\n\t\treturn 0", false},
		"a removed line that is claimed":    {claimOn(t, 5, domain.Left), "if len(items) == 0 {", true},
		"a short line with its neighbour":   {claimOn(t, 17, domain.Right), "x++\n\treturn len(items) * 2", true},
		"a short line alone":                {claimOn(t, 17, domain.Right), "x++", false},
		"code that is not there":            {claimOn(t, divides, domain.Right), "return sum(items) / count(items)", false},
		"nothing":                           {claimOn(t, divides, domain.Right), "", false},
		"with the numbers of the listing":   {claimOn(t, divides, domain.Right), "    9   \tlog(\"items is never empty here, checked by callers\")\n   10 + \treturn sum(items) / len(items)", true},
		"with other kinds of white space":   {claimOn(t, divides, domain.Right), "return\u00a0sum(items)\u3000/ len(items)", true},
		"evidence that is part of a line":   {claimOn(t, divides, domain.Right, domain.Evidence{Kind: "code", Path: "run.go", Start: 5, End: 5, Quote: "Mean(readAll())"}), "return Mean(readAll())", true},
		"short evidence, its neighbours":    {claimOn(t, divides, domain.Right, domain.Evidence{Kind: "code", Path: "run.go", Start: 6, End: 6, Quote: "}"}), "return Mean(readAll())\n}", true},
		"evidence that does not stand":      {claimOn(t, divides, domain.Right, domain.Evidence{Kind: "code", Path: "run.go", Start: 5, End: 5, Quote: "return Mean(nothing)"}), "return Mean(nothing)", false},
		"its place, the evidence is wrong":  {claimOn(t, divides, domain.Right, domain.Evidence{Kind: "code", Path: "run.go", Start: 5, End: 5, Quote: "return Mean(nothing)"}), "return sum(items) / len(items)", true},
		"a quotation of a megabyte":         {claimOn(t, divides, domain.Right), strings.Repeat("return sum(items) / len(items) ", 40_000), false},
		"evidence in the same file":         {claimOn(t, divides, domain.Right, beside), "return len(items) * 2", true},
		"the cited code of another file":    {claimOn(t, divides, domain.Right, elsewhere), "return Mean(readAll())", true},
		"its place alone, and another file": {claimOn(t, divides, domain.Right, elsewhere), "return sum(items) / len(items)", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apply(tt.claim, tt.claim.weigh(verdict{Verdict: "confirmed", Severity: "high", ConfirmingQuotes: []string{"no such code at all", tt.quote}}))
			if got := tt.claim.it.Verdict; (got == domain.VerdictConfirmed) != tt.want {
				t.Errorf("%q: %s", tt.quote, got)
			}
		})
	}
}

// Comments and strings of the author refute nothing. Neither does code that occurs everywhere or that
// was removed.
func TestQuotesThatRefuteAClaim(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		quote string
		want  bool
	}{
		"code":                      {"if len(items) == 0 {\n\t\treturn 1", true},
		"a keyword":                 {"func", false},
		"a comment":                 {"// Mean is safe: the caller guarantees that items is never empty.", false},
		"a comment of many lines":   {"if len(items) == 0 { return 0 } is checked by every caller", false},
		"a string":                  {`"items is never empty here, checked by callers"`, false},
		"a string with few of code": {`log("items is never empty here, checked by callers")`, false},
		"a removed guard":           {"return 0\n\t}\n\treturn sum(items)", false},
		"the words of the claim":    {"Mean divides by zero", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := claimOn(t, divides, domain.Right)
			apply(c, c.weigh(verdict{Verdict: "refuted", RefutationQuote: tt.quote}))
			if got := c.it.Verdict; (got == domain.VerdictRefuted) != tt.want {
				t.Errorf("%q: %s", tt.quote, got)
			}
		})
	}
}

// Text in comments and strings is not code, whatever syntax of a language hides it.
func TestCommentsAndStringsAreNotCode(t *testing.T) {
	t.Parallel()
	const hidden = "if items.empty() { return zero }"
	for name, tt := range map[string]struct{ path, text string }{
		"Python, no space before the sign":  {"a.py", "return f(x)#" + hidden},
		"Python, an escaped triple":         {"a.py", `"""a \"""` + hidden + `"""`},
		"Ruby, a block":                     {"a.rb", "x = 1\n=begin\n" + hidden + "\n=end"},
		"Ruby, a string of two lines":       {"a.rb", "x = \"\n" + hidden + "\n\""},
		"Perl, documentation":               {"a.pl", "x();\n=pod\n\n" + hidden + "\n\n=cut"},
		"Rust, a comment in a comment":      {"a.rs", "/* /* */ " + hidden + " */"},
		"Rust, a string of two lines":       {"a.rs", "let a = \"\n" + hidden + "\n\";"},
		"Kotlin, a comment in a comment":    {"a.kt", "/* /* */ " + hidden + " */"},
		"Haskell, a comment in a comment":   {"a.hs", "{- {- -} " + hidden + " -}"},
		"OCaml, a comment in a comment":     {"a.ml", "(* (* *) " + hidden + " *)"},
		"C, a continued line":               {"a.c", "// a \\\n" + hidden},
		"C, code that is left out":          {"a.c", "int a;\n#if 0\n" + hidden + "\n#endif"},
		"SQL, a string of two lines":        {"a.sql", "select '\n" + hidden + "\n'"},
		"SQL, quotes in a string":           {"a.sql", "select '''" + hidden + "'''"},
		"TypeScript, an escape in a string": {"a.ts", "x = `a\\` " + hidden + "`"},
		"JavaScript, a mark of HTML":        {"a.js", "<!-- " + hidden},
		"HTML, a comment of a script":       {"a.html", "<script>\n// " + hidden + "\n</script>"},
		"Vue, a string":                     {"a.vue", "x = '" + hidden + "'"},
		"Julia, a block":                    {"a.jl", "#= " + hidden + "\n" + hidden + " =#"},
		"C#, a string of two lines":         {"a.cs", "x = @\"\n" + hidden + "\n\";"},
		"batch, a remark":                   {"a.bat", "rem " + hidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := tt.text + "\n\nlast(one, two, three, four);\n"
			set, err := diff.Parse([]byte(enginetest.Unified(tt.path, "\n", after)))
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Count(after, "\n")
			c := scene{set: set, src: enginetest.Files{"RIGHT:" + tt.path: after}}.claim(t.Context(), &finding.Item{Finding: domain.Finding{Anchor: domain.Anchor{Path: tt.path, Side: domain.Right, StartLine: line, EndLine: line, Quote: "last(one, two, three, four);"}}}, view{margin: verifyMargin})
			if c.refutes(hidden) {
				t.Error("it refutes")
			}
			if !c.refutes("last(one, two, three, four);") || !c.confirms("last(one, two, three, four);") {
				t.Error("the code behind it proves nothing")
			}
		})
	}
}

// A quotation that matches everywhere in a long line costs no more than the line.
func TestProofOfRepeatedCharacters(t *testing.T) {
	t.Parallel()
	e := change.NewExhibit("Go", []string{"// " + strings.Repeat("a", 1<<20)}, 0, 1, change.Span{First: 1, Last: 1})
	if e.Proves(strings.Repeat("a", change.MaxProof), e.Code, true) {
		t.Error("a comment proves something")
	}
}

// In a language without a description, the comment signs of many languages count, so that a doubtful
// quotation proves nothing. Without the file only the hunk is available.
func TestProofWithoutLanguageOrFile(t *testing.T) {
	t.Parallel()
	const before, after = "start\n", "start\nrun quickly now\n# this was checked by the owner\n-- and this was checked too\n"
	set, err := diff.Parse([]byte(enginetest.Unified("job.zzz", before, after)))
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]change.Source{"with the file": enginetest.Files{"LEFT:job.zzz": before, "RIGHT:job.zzz": after}, "with the hunk alone": change.NoSource{}} {
		c := scene{set: set, src: src}.claim(t.Context(), &finding.Item{Finding: domain.Finding{Anchor: domain.Anchor{Path: "job.zzz", Side: domain.Right, StartLine: 2, EndLine: 2, Quote: "run quickly now"}}}, view{margin: verifyMargin})
		if !c.confirms("run quickly now") || !c.refutes("run quickly now") {
			t.Errorf("%s: code proves nothing", name)
		}
		if c.refutes("# this was checked by the owner") || c.refutes("-- and this was checked too") {
			t.Errorf("%s: a comment refutes", name)
		}
	}
}

// A finding on a file as a whole is about the line that it quotes.
func TestAClaimOnAFileIsAboutItsQuotation(t *testing.T) {
	t.Parallel()
	set, err := diff.Parse([]byte(enginetest.Unified("shop.go", provenBefore, provenAfter)))
	if err != nil {
		t.Fatal(err)
	}
	f := domain.Finding{Anchor: domain.Anchor{Path: "shop.go", Side: domain.Right, Level: domain.AnchorFile, Quote: "return len(items) * 2\n}"}}
	c := scene{set: set, src: enginetest.Files{"RIGHT:shop.go": provenAfter}}.claim(t.Context(), &finding.Item{Finding: f}, view{margin: verifyMargin})
	if !c.confirms("return len(items) * 2") || c.confirms("return sum(items) / len(items)") {
		t.Error("it is about another line")
	}
}

// An earlier report whose code has changed is confirmed by any shown code, because its place no longer
// exists.
func TestAnEarlierReportIsConfirmedByAnyCode(t *testing.T) {
	t.Parallel()
	c := claimOn(t, divides, domain.Right)
	c.it.Resolves = true
	if !c.confirms("return len(items) * 2") || c.confirms("// Mean is safe: the caller guarantees") || c.confirms("return") {
		t.Error("wrongly")
	}
}

// A model that checks whether a rule is violated sees the rule.
func TestTheRuleStandsInTheClaim(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Rules = []Rule{{ID: "r1", Title: "No division", Instruction: "Never divide\nby a length.", Severity: domain.High}}
	c := division()
	c.RuleKey = repoPrefix + "r1"
	m := &scripted{generate: findings(c), verify: confirmAll}
	in.Models = models(m)
	review(t, in, Deps{})
	for _, r := range m.requests {
		if _, user := enginetest.Prompt(r); strings.Contains(user, "=== claim") {
			if !strings.Contains(user, "\nrule of this repository that the code is said to violate: No division. Never divide by a length.\n") {
				t.Errorf("the claim does not name the rule:\n%s", user)
			}
			return
		}
	}
	t.Error("nothing was verified")
}

// A quotation proves the same if its signs are spelled differently.
func TestProofWithOtherSigns(t *testing.T) {
	t.Parallel()
	for _, other := range []*strings.Replacer{strings.NewReplacer("(", "（", ")", "）"), strings.NewReplacer("(", "&#40;", ")", "&rpar;", "/", "&#x2F;")} {
		quote := other.Replace("return sum(items) / len(items)")
		if c := claimOn(t, divides, domain.Right); !c.confirms(quote) || !c.refutes(quote) || c.confirms(other.Replace("(nothing that stands there)")) {
			t.Errorf("%q proves nothing, or too much", quote)
		}
	}
}
