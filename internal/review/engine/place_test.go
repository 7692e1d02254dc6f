package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// atLine is a model that reports one line by its number, none for 0. Asked again, it confirms a claim
// if the line holds is shown.
func atLine(line int, quote, holds string) *scripted {
	return &scripted{
		generate: func(_ int, user string) (llm.Response, error) {
			first, _, _ := strings.Cut(quote, "\n")
			if line == 0 || !strings.Contains(user, first) {
				return findings()(0, "")
			}
			return findings(candidate{Path: "x.go", Side: "RIGHT", Start: line, End: line + strings.Count(quote, "\n"), Quote: quote, Category: "bug", RuleKey: "wrong-argument",
				Severity: "high", Title: "The check is too weak", Explanation: "It lets through what it should stop.", Trigger: "always"})(0, "")
		},
		verify: func(_ int, user string) (llm.Response, error) {
			list := verdicts(user, "confirmed")
			for i, block := range claimBlocks(user) {
				_, code, _ := strings.Cut(block, "\ncode:\n")
				switch {
				case !strings.Contains(block, "\nquestion:"):
				case holds != "" && strings.Contains(code, holds):
					list[i].ConfirmingQuotes = []string{holds}
				default:
					list[i].Verdict = "unproven"
				}
			}
			return say(map[string]any{"verdicts": list})
		},
	}
}

// A finding is recognised by the lines around its line: equal lines occur at many places, and after an
// edit of the right one the nearest is another one.
func TestSurroundingsDistinguishEqualLines(t *testing.T) {
	t.Parallel()
	text := func(body ...string) string {
		return "package x\n\nfunc first() {\n\t" + strings.Join(body, "\n\t") + "\n}\n\nfunc second() {\n\tprepare()\n\tdone()\n}\n"
	}
	const check, edited = "check(err)", "check(err, strictly)"
	lines := []string{"open(a)", "read(b)", check, "v = old", "shut(d)", "open(e)", "read(f)", check, "v = old", "shut(h)"}
	with := func(at int, by ...string) string {
		return text(slices.Replace(slices.Clone(lines), at, at+1, by...)...)
	}
	for name, c := range map[string]struct {
		reported int // line of the first report
		quote    string
		then     string
		line     int // of the second report, 0 for no report
		says     string
		holds    string
		at       int // where the finding is open afterwards, 0 if it is resolved
	}{
		"the first of two is edited":            {reported: 6, then: with(2, edited), line: 6, says: edited, at: 6},
		"a name at its end gets longer":         {reported: 7, quote: "v = old", then: with(3, "v = older"), line: 7, says: "v = older", at: 7},
		"the second of two is edited":           {reported: 11, then: with(7, edited), line: 11, says: edited, at: 11},
		"the first is edited, in silence":       {reported: 6, then: with(2, edited), holds: edited, at: 6},
		"the second is edited, in silence":      {reported: 11, then: with(7, edited), holds: edited, at: 11},
		"the first is replaced":                 {reported: 6, then: with(2, "guard(a)")},
		"the second is replaced":                {reported: 11, then: with(7, "guard(a)")},
		"the first is deleted":                  {reported: 6, then: with(2)},
		"the second is deleted":                 {reported: 11, then: with(7)},
		"the other one is edited":               {reported: 6, then: with(7, edited), line: 6, says: check, at: 6},
		"the other one is deleted":              {reported: 11, then: with(2), line: 10, says: check, at: 10},
		"one more is put before it, in silence": {reported: 6, then: with(0, check, "open(a)"), holds: check, at: 7},
		"lines are put before it":               {reported: 6, then: with(0, "one()", "two()", "three()", "four()", "open(a)"), line: 10, says: check, at: 10},
		"a line is put into its quotation":      {reported: 6, quote: check + "\n\tv = old", then: with(2, check, "log(c)"), line: 6, says: check, at: 6},
		"it moves with all above it, in silence": {reported: 8, quote: "shut(d)\n\topen(e)", holds: "shut(d)", at: 17,
			then: strings.Replace(text(lines[5:]...), "\tdone()", "\t"+strings.Join(lines[:5], "\n\t")+"\n\tdone()", 1)},
		"the only one is edited, in other words": {reported: 5, quote: "read(b)", then: with(1, "scan(b, w)"), line: 5, says: "scan(b, w)", at: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.quote == "" {
				c.quote = check
			}
			in := sampleChange(t)
			in.Models, in.ReviewedHunks = models(atLine(c.reported, c.quote, "")), map[string]bool{}
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(lines...)}, nil)
			res := review(t, in, Deps{})
			if len(res.Open()) != 1 || res.Findings[0].Anchor.StartLine != c.reported {
				t.Fatalf("first: %+v", res.Findings)
			}
			id := res.Findings[0].ID
			in.publish(res)
			in.Models = models(atLine(c.line, c.says, c.holds))
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": c.then}, nil)
			res = review(t, in, Deps{})
			open := res.Open()
			if c.at == 0 {
				if len(open) > 0 || !slices.Contains(res.Resolved, id) {
					t.Fatalf("not resolved: %+v", open)
				}
				return
			}
			if len(open) != 1 || open[0].ID != id || !open[0].Known || open[0].Anchor.StartLine != c.at {
				t.Fatalf("want %s at %d: %+v, resolved %v", id, c.at, open, res.Resolved)
			}
			if want := strings.TrimSpace(strings.Split(c.then, "\n")[c.at-1]); !strings.Contains(open[0].Anchor.Quote, want) {
				t.Errorf("it quotes %q, want %q", open[0].Anchor.Quote, want)
			}
		})
	}
}

// A file is renamed back to the name under which its hunk was reviewed. Its findings follow each
// rename.
func TestAFileThatIsRenamedBack(t *testing.T) {
	t.Parallel()
	const code = "package x\n\nfunc first() {\n\tprepare()\n\tcheck(err, strictly, now)\n}\n"
	in := sampleChange(t)
	in.ReviewedHunks = map[string]bool{}
	id := ""
	for i, path := range []string{"x.go", "y.go", "x.go"} {
		in.Models = models(atLine(5, "check(err, strictly, now)", ""))
		if i > 0 {
			in.Models = models(atLine(0, "", ""))
		}
		in.shows(enginetest.Tree{}, enginetest.Tree{path: code}, nil)
		res := review(t, in, Deps{})
		open := res.Open()
		if i == 0 && len(open) == 1 {
			id = open[0].ID
		}
		if len(open) != 1 || open[0].ID != id || open[0].Anchor.Path != path {
			t.Fatalf("head %d: %+v, resolved %v", i, open, res.Resolved)
		}
		in.publish(res)
	}
}

// A pull request is reset across a renamed file and an edited line. The finding was seen in this hunk
// before and stands again, whatever the model calls it, and even if the model is silent.
func TestAHunkThatIsAsItWas(t *testing.T) {
	t.Parallel()
	const before, after = "check(err, strictly, now)", "test(err, as, before)"
	text := func(line string) string {
		return "package x\n\nfunc first() {\n\tprepare()\n\t" + line + "\n\tdone()\n}\n"
	}
	for name, last := range map[string]*scripted{"reported wider": atLine(5, before+"\n\tdone()", ""), "in silence": atLine(0, "", "")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks = map[string]bool{}
			id := ""
			for i, c := range []struct {
				path, line string
				model      *scripted
			}{{"x.go", before, atLine(5, before, "")}, {"y.go", before, atLine(0, "", "")}, {"y.go", after, atLine(0, "", after)}, {"x.go", before, last}} {
				in.Models = models(c.model)
				in.shows(enginetest.Tree{}, enginetest.Tree{c.path: text(c.line)}, nil)
				res := review(t, in, Deps{})
				open := res.Open()
				if i == 0 && len(open) == 1 {
					id = open[0].ID
				}
				if len(open) != 1 || open[0].ID != id || len(res.Resolved) > 0 {
					t.Fatalf("head %d: %+v, resolved %v", i, open, res.Resolved)
				}
				if a := open[0].Anchor; i == 3 && (a.Path != "x.go" || !strings.Contains(a.Quote, before)) {
					t.Errorf("it is shown at %+v", a)
				}
				in.publish(res)
			}
		})
	}
}

// A pull request is reset to an earlier head across edits after which the finding quotes more or fewer
// lines and has another rule. Its fingerprints tell where it was in the restored hunk, even if no model
// mentions it, and the next edit finds it there.
func TestALineThatIsSetBackFromMoreLinesOrFewer(t *testing.T) {
	t.Parallel()
	const whole, broken, other = "check(err, strictly, now)", "test(err,\n\t\tas, before)", "probe(it)"
	text := func(before, line string) string {
		return "package x\n\n" + before + "func first() {\n\tprepare()\n\t" + line + "\n\tdone()\n}\n"
	}
	const beyond = 600 // more lines than are searched for a name that a finding had
	long := strings.Repeat("var _ = 1\n", beyond)
	type push struct{ path, line, quote, rule string }
	for name, pushes := range map[string][]push{
		"it quotes more now":              {{"x.go", whole, whole, "wrong-argument"}, {"y.go", whole, "", ""}, {"y.go", broken, broken, "wrong-argument"}, {"x.go", whole, "", ""}},
		"it quotes fewer now":             {{"x.go", broken, broken, "wrong-argument"}, {"y.go", broken, "", ""}, {"y.go", other, other, "wrong-argument"}, {"x.go", broken, "", ""}},
		"not reported there":              {{"x.go", whole, whole, "wrong-argument"}, {"y.go", whole, "", ""}, {"z.go", whole, "", ""}, {"z.go", broken, broken, "wrong-argument"}, {"y.go", whole, "", ""}},
		"behind many lines":               {{"long.go", whole, whole, "wrong-argument"}, {"long2.go", whole, "", ""}, {"long2.go", broken, broken, "wrong-argument"}, {"long.go", whole, "", ""}},
		"its name there has another rule": {{"x.go", other, other, "wrong-argument"}, {"x.go", whole, whole, "wrong-variable"}, {"y.go", whole, "", ""}, {"y.go", broken, broken, "wrong-argument"}, {"x.go", whole, "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks = map[string]bool{}
			id := ""
			for i, c := range append(pushes, push{pushes[len(pushes)-1].path, pushes[len(pushes)-1].line + "\n\tlog()", pushes[len(pushes)-1].line, "wrong-argument"}) {
				before, at := "", 5
				if strings.HasPrefix(c.path, "long") {
					before, at = long, 5+beyond
				}
				first, _, _ := strings.Cut(c.line, "\n")
				m := atLine(0, "", first)
				if c.quote != "" {
					m.generate = findings(candidate{Path: c.path, Side: "RIGHT", Start: at, End: at + strings.Count(c.quote, "\n"), Quote: c.quote, Category: "bug", RuleKey: c.rule,
						Severity: "high", Title: "The check is too weak", Explanation: "It lets through what it should stop.", Trigger: "always"})
				}
				in.Models = models(m)
				in.shows(enginetest.Tree{}, enginetest.Tree{c.path: text(before, c.line)}, nil)
				res := review(t, in, Deps{})
				open := res.Open()
				if i == 0 && len(open) == 1 {
					id = open[0].ID
				}
				if len(open) != 1 || open[0].ID != id || len(res.Resolved) > 0 {
					t.Fatalf("head %d: %+v, resolved %v", i, open, res.Resolved)
				}
				if a := open[0].Anchor; a.Path != c.path || a.StartLine != at || !strings.Contains(a.Quote, first) {
					t.Errorf("head %d: it is shown at %+v", i, a)
				}
				in.publish(res)
			}
		})
	}
}

// A line of few characters is recognised in another file if the same lines surround it, however many
// places have it.
func TestFewCharactersBetweenTheSameNeighbours(t *testing.T) {
	t.Parallel()
	function := "func first() {\n\topen(a)\n\tread(b)\n\tx = nil\n\tuse(c)\n\tshut(d)\n}\n"
	plain := "package x\n\n" + strings.Repeat("var _ = 1\n", 20)
	var others strings.Builder
	for i := range 40 {
		fmt.Fprintf(&others, "\nfunc f%d() {\n\tx = nil\n}\n", i)
	}
	in := sampleChange(t)
	in.ReviewedHunks, in.Models = map[string]bool{}, models(atLine(6, "x = nil", ""))
	in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": "package x\n\n" + function}, nil)
	res := review(t, in, Deps{})
	if len(res.Open()) != 1 {
		t.Fatalf("first: %+v", res.Findings)
	}
	id := res.Open()[0].ID
	in.publish(res)
	in.Models = models(atLine(0, "", ""))
	in.shows(enginetest.Tree{"b.go": plain}, enginetest.Tree{"b.go": plain + others.String() + "\n" + function}, nil)
	res = review(t, in, Deps{})
	if open := res.Open(); len(open) != 1 || open[0].ID != id || open[0].Anchor.Path != "b.go" || open[0].Anchor.Symbol != "first" || open[0].State != domain.FindingOpen {
		t.Fatalf("%+v, resolved %v", open, res.Resolved)
	}
}

// outsideChange is a change whose file has a function that the diff does not show, and a model's report of a line there.
func outsideChange(t *testing.T) (Input, func(quote, title, severity string) candidate) {
	far := "\nfunc Far(a, b int) int {\n" + strings.Repeat("\ta += b\n", 40) + "\tx := a / b\n\ty := a / (b - 1)\n\treturn x + y\n}\n"
	const guard, returned = "\tif len(items) == 0 {\n\t\treturn nil\n\t}\n", "\treturn &items[0]"
	in, before := sampleChange(t), oldGo+far
	after := strings.Replace(before, guard+returned, returned, 1)
	on := domain.High
	in.Policy.Check.FailOn = &on
	in.Source = enginetest.Files{"LEFT:shop/shop.go": before, "RIGHT:shop/shop.go": after}
	in.Diff = []byte(enginetest.Unified("shop/shop.go", before, after))
	lineOf := func(part string) int { return strings.Count(after[:strings.Index(after, part)], "\n") + 1 }
	return in, func(quote, title, severity string) candidate {
		c := division()
		c.Fix, c.Quote, c.Title, c.Explanation, c.Severity = nil, quote, title, title, severity
		c.Start, c.End = lineOf(quote), lineOf(quote)
		c.Evidence = []citation{{Path: "shop/shop.go", Start: lineOf(returned), End: lineOf(returned), Quote: returned}}
		return c
	}
}

// confirmOutside confirms all claims by a changed line.
func confirmOutside(_ int, user string) (llm.Response, error) {
	list := verdicts(user, "confirmed")
	for i := range list {
		list[i].Severity, list[i].WouldSeniorBlock, list[i].ConfirmingQuotes = "critical", true, []string{"\treturn &items[0]"}
	}
	return say(map[string]any{"verdicts": list})
}

// Findings of one rule in one function outside the diff are told apart by their code: a decision on one leaves the other, and one
// answer may have both.
func TestFindingsOutsideTheDiffAreToldApartByTheirCode(t *testing.T) {
	t.Parallel()
	in, report := outsideChange(t)
	one := report("\tx := a / b", "x divides by zero if b is 0, which callers exclude", "medium")
	two := report("\ty := a / (b - 1)", "y divides by zero for b = 1, a request of anybody", "critical")
	run := func(in Input, found ...candidate) Result {
		in.Models = models(&scripted{generate: findings(found...), verify: confirmOutside})
		return review(t, in, Deps{})
	}
	both := run(in, one, two)
	if len(both.Findings) != 2 || both.Findings[0].Anchor.Level != domain.AnchorFile || both.Findings[0].Fingerprints.Exact == both.Findings[1].Fingerprints.Exact {
		t.Fatalf("%+v", both.Findings)
	}
	k := run(in, one).Findings[0]
	dismissed, suppressed := in, in
	k.State, k.Known = domain.FindingDismissed, true
	dismissed.Known, suppressed.Suppressions = []domain.Finding{k}, []domain.Suppression{fingerprintOf(k)}
	for how, in := range map[string]Input{"dismissed": dismissed, "suppressed": suppressed} {
		if res := run(in, one); len(res.Open()) != 0 {
			t.Errorf("%s, the same: %+v", how, res.Open())
		}
		if res := run(in, two); len(res.Open()) != 1 || res.Conclude(res.Open(), in.Policy) != domain.CheckFailure {
			t.Errorf("%s, another: %+v", how, res.Findings)
		}
	}
}
