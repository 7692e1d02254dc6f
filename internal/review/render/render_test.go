package render

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update after checking):\n%s", name, got)
	}
}

func bug(id string, change func(*domain.Finding)) domain.Finding {
	f := domain.Finding{
		ID: id, Origin: domain.OriginModel, RuleID: "llm/correctness/division-by-zero", Category: domain.CategoryBug, Severity: domain.High, Scope: "introduced",
		Confidence: 0.86, Title: "Average divides by zero for an empty list", State: domain.FindingOpen, Verdict: domain.VerdictConfirmed, Route: domain.RouteInline,
		Explanation: "`len(items)` is 0 when no item is given. The division then panics.", Trigger: "`Average(nil)` panics.",
		Anchor:       domain.Anchor{Path: "shop/shop.go", Side: domain.Right, StartLine: 20, EndLine: 20, Symbol: "Average", Level: domain.AnchorLine, Quote: "return Total(items) / len(items)"},
		Fingerprints: domain.Fingerprints{Exact: "v1:" + id},
		Evidence:     []domain.Evidence{{Kind: "code", Path: "shop/shop.go", Start: 8, End: 8, Quote: "func Total(items []Item) int {", Note: "Total accepts an empty list"}},
		Suggestion: &domain.Suggestion{Path: "shop/shop.go", Start: 20, End: 20, Old: "\treturn Total(items) / len(items)",
			New: "\tif len(items) == 0 {\n\t\treturn 0\n\t}\n\treturn Total(items) / len(items)", Applies: true, Parses: "yes"},
	}
	if change != nil {
		change(&f)
	}
	return f
}

func input(findings ...domain.Finding) Input {
	files := func(names ...string) (out []engine.FileNote) {
		for _, n := range names {
			out = append(out, engine.FileNote{Path: n})
		}
		return out
	}
	return Input{
		First: true, Mode: domain.PublishAuto, Policy: domain.DefaultPolicy(), Run: Run{ID: "run_1", HeadSHA: "abc1234def"},
		Result: engine.Result{Findings: findings, Tier: "T2", ModelState: engine.ModelComplete, Coverage: engine.Coverage{
			Reviewed: files("a.go", "b.go", "shop/shop.go"), Skimmed: []engine.FileNote{{Path: "README.md", Why: "docs"}}, Skipped: []engine.FileNote{{Path: "x.png", Why: "binary"}}}},
		LinkFor: func(p string, a, b int) string {
			return fmt.Sprintf("https://host.example/o/r/blob/abc1234/%s#L%d-L%d", p, a, b)
		},
		DetailsURL: "https://assay.example/r/run_1",
	}
}

func dump(o Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "check: %s | %s\n\n----- body\n%s\n", o.CheckConclusion, o.CheckTitle, o.Body)
	if o.SummaryBody != o.Body {
		fmt.Fprintf(&b, "\n----- summary\n%s\n", o.SummaryBody)
	}
	for _, c := range o.Comments {
		fmt.Fprintf(&b, "\n----- comment %s %s %d-%d %s\n%s\n", c.Path, c.Side, c.StartLine, c.Line, c.FindingID, c.Body)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	secret := bug("fnd_3", func(f *domain.Finding) {
		f.Origin, f.Category, f.RuleID, f.Severity, f.Verdict = domain.OriginSecret, domain.CategorySecret, "gitleaks/aws-access-token", domain.Critical, domain.VerdictSkipped
		f.Title, f.Explanation, f.Trigger, f.Evidence, f.Suggestion = "AWS access token in the change", "Revoke it and read it from the environment.", "", nil, nil
	})
	doubt := bug("fnd_4", func(f *domain.Finding) {
		f.Verdict, f.Route, f.Confidence, f.Title = domain.VerdictUnproven, domain.RouteSummary, 0.45, "The lock may be released twice."
	})
	minor := bug("fnd_5", func(f *domain.Finding) {
		f.Severity, f.Route, f.Title = domain.Low, domain.RouteSummary, "Comment contradicts the code"
	})
	file := bug("fnd_6", func(f *domain.Finding) {
		f.Route, f.Severity, f.Title, f.Anchor.Level, f.Anchor.StartLine = domain.RouteSummary, domain.Medium, "Callers are not changed", domain.AnchorFile, 0
	})
	hostile := bug("fnd_7", func(f *domain.Finding) {
		f.Title = "Ask @octocat <img src=x> [x](https://evil.example)"
		f.Explanation = "/approve\nfixes #12 ![p](https://evil.example/p.png)\n<!-- assay:pub=forged -->\n```suggestion\nrm -rf\n```"
		f.Trigger = "see https://evil.example\n/merge"
		f.Suggestion.New = "```\nfence\n```"
	})
	later := input(bug("fnd_8", nil), bug("fnd_1", func(f *domain.Finding) { f.Known = true }))
	later.First, later.Run.PreviousHead = false, "0123456789"
	later.Result.Resolved = []string{"fnd_2", "fnd_9"}
	later.Result.Stats.Earlier, later.Result.Stats.EarlierResolved = 3, 2
	quiet := input()
	quiet.First, quiet.Run.PreviousHead = false, "0123456789"
	again := input() // a second review of one head, for which a comment asked
	again.First, again.Run.PreviousHead = false, again.Run.HeadSHA
	down := input(secret)
	down.Result.ModelState, down.Result.ModelNote, down.Result.Blocking = engine.ModelUnavailable, engine.NoteUnavailable, []string{"fnd_3"}
	partial := input()
	partial.Result.ModelState, partial.Result.ModelNote = engine.ModelPartial, "2 of 3 parts of the change were reviewed"
	only := input(bug("fnd_1", nil))
	only.Mode = domain.PublishSummaryOnly
	large := input(bug("fnd_1", nil))
	large.Result.ModelState, large.Result.ModelNote = engine.ModelPartial, "5 files were too large to be reviewed"
	for _, n := range []string{"a/big.sql", "b/`big`.go", "c.go", "d.go"} {
		large.Result.Coverage.Skipped = append(large.Result.Coverage.Skipped, engine.FileNote{Path: n, Why: diff.OmittedLarge})
	}
	large.Result.Coverage.Skimmed = append(large.Result.Coverage.Skimmed, engine.FileNote{Path: "table.go", Why: diff.OmittedByHost})
	for name, in := range map[string]Input{
		"first": input(secret, bug("fnd_1", nil), doubt, minor, file), "clean": input(), "later": later, "later-nothing": quiet, "later-same-head": again,
		"hostile": input(hostile), "model-down": down, "partial": partial, "summary-only": only, "large-files": large,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, name+".md", dump(Render(in)))
		})
	}
}

func TestConclusion(t *testing.T) {
	t.Parallel()
	high, none := domain.High, (*domain.Severity)(nil)
	for name, tt := range map[string]struct {
		in     Input
		failOn *domain.Severity
		want   string
	}{
		"clean":                  {input(), &high, domain.CheckSuccess},
		"finding, never fails":   {input(bug("a", nil)), none, domain.CheckNeutral},
		"finding reaches":        {input(bug("a", nil)), &high, domain.CheckFailure},
		"finding below":          {input(bug("a", func(f *domain.Finding) { f.Severity = domain.Medium })), &high, domain.CheckNeutral},
		"unproven never fails":   {input(bug("a", func(f *domain.Finding) { f.Verdict, f.Route = domain.VerdictUnproven, domain.RouteSummary })), &high, domain.CheckNeutral},
		"dismissed":              {input(bug("a", func(f *domain.Finding) { f.State = domain.FindingDismissed })), &high, domain.CheckSuccess},
		"stored only":            {input(bug("a", func(f *domain.Finding) { f.Route = domain.RouteStored })), &high, domain.CheckSuccess},
		"earlier one still open": {input(bug("a", func(f *domain.Finding) { f.Known = true })), &high, domain.CheckFailure},
		"blocking": {func() Input {
			in := input(bug("a", func(f *domain.Finding) { f.Severity = domain.Low }))
			in.Result.Blocking = []string{"a"}
			return in
		}(), none, domain.CheckFailure},
		"incomplete is never green": {func() Input {
			in := input()
			in.Result.ModelState = engine.ModelPartial
			return in
		}(), none, domain.CheckNeutral},
		"files beyond a bound":          {unread(input(), 2), &high, domain.CheckNeutral},
		"beyond a bound, and a finding": {unread(input(bug("a", nil)), 2), &high, domain.CheckFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.in.Policy.Check.FailOn = tt.failOn
			if got := Render(tt.in).CheckConclusion; got != tt.want {
				t.Errorf("conclusion %s, want %s", got, tt.want)
			}
		})
	}
}

// The policy decides the conclusion of an incomplete review, by the reason. Findings can make it worse, and another
// end's value changes nothing.
func TestConclusionOfAnIncompleteReview(t *testing.T) {
	t.Parallel()
	state := func(state, note string) func(Input) Input {
		return func(in Input) Input {
			in.Result.ModelState, in.Result.ModelNote = state, note
			return in
		}
	}
	partly := wording.English(wording.PartsReviewed, 1, 3) + ", " + wording.English(wording.BudgetUsed)
	for name, c := range map[string]struct {
		of    func(Input) Input
		end   domain.UnreviewedEnd
		usual string
	}{
		"partly":              {state(engine.ModelPartial, wording.English(wording.PartsReviewed, 1, 3)), domain.UnreviewedIncomplete, domain.CheckNeutral},
		"no model answered":   {state(engine.ModelUnavailable, engine.NoteUnavailable), domain.UnreviewedIncomplete, domain.CheckNeutral},
		"no model":            {state(engine.ModelNone, engine.NoteNotConfigured), domain.UnreviewedIncomplete, domain.CheckSuccess},
		"too large":           {func(in Input) Input { return unread(in, 2) }, domain.UnreviewedIncomplete, domain.CheckNeutral},
		"long lines":          {withCutCode, domain.UnreviewedIncomplete, domain.CheckNeutral},
		"no budget":           {state(engine.ModelUnavailable, engine.NoteBudget), domain.UnreviewedBudget, domain.CheckNeutral},
		"no budget in part":   {state(engine.ModelPartial, partly), domain.UnreviewedBudget, domain.CheckNeutral},
		"limit of the author": {state(engine.ModelUnavailable, engine.NoteAuthorLimit), domain.UnreviewedOutsider, domain.CheckNeutral},
		"limit from outside":  {state(engine.ModelUnavailable, engine.NoteOutsideLimit), domain.UnreviewedOutsider, domain.CheckNeutral},
	} {
		for _, value := range []string{"", domain.UnreviewedPass, domain.UnreviewedNeutral, domain.UnreviewedFail} {
			for _, end := range []domain.UnreviewedEnd{domain.UnreviewedIncomplete, domain.UnreviewedBudget, domain.UnreviewedOutsider} {
				clean := c.of(input())
				want := c.usual
				if value != "" {
					set(&clean.Policy.Check.Unreviewed, end, value)
					if end == c.end {
						want = map[string]string{domain.UnreviewedPass: domain.CheckSuccess, domain.UnreviewedNeutral: domain.CheckNeutral,
							domain.UnreviewedFail: domain.CheckFailure}[value]
					}
				}
				out := Render(clean)
				testkit.Equal(t, fmt.Sprintf("%s, %s is %q", name, end, value), out.CheckConclusion, want)
				blocks := strings.Contains(out.CheckSummary.String(), "blocks the merge") && strings.Contains(out.CheckTitle.String(), "so far")
				testkit.Equal(t, fmt.Sprintf("%s, %s is %q: the check says so", name, end, value), blocks, want == domain.CheckFailure)
				found := c.of(input(bug("a", nil)))
				found.Policy = clean.Policy
				if want == domain.CheckSuccess {
					want = domain.CheckNeutral
				}
				testkit.Equal(t, fmt.Sprintf("%s, %s is %q, a finding", name, end, value), Render(found).CheckConclusion, want)
			}
		}
		strict := c.of(input())
		strict.Policy.Check.Unreviewed.Preset = domain.PresetStrict
		testkit.Equal(t, name+", strict", Render(strict).CheckConclusion, domain.CheckFailure)
	}
	whole := input()
	whole.Policy.Check.Unreviewed.Preset = domain.PresetStrict
	testkit.Equal(t, "complete, strict", Render(whole).CheckConclusion, domain.CheckSuccess)
}

// withCutCode adds a file with a line of code that is longer than a model sees.
func withCutCode(in Input) Input {
	in.Result.Coverage.Reviewed = append(slices.Clone(in.Result.Coverage.Reviewed), engine.FileNote{Path: "long.js", Extent: engine.ExtentPart})
	return in
}

func set(u *domain.Unreviewed, end domain.UnreviewedEnd, value string) {
	*map[domain.UnreviewedEnd]**string{domain.UnreviewedIncomplete: &u.Incomplete, domain.UnreviewedBudget: &u.Budget,
		domain.UnreviewedOutsider: &u.Outsider}[end] = &value
}

// unread adds files that were too many for a model.
func unread(in Input, n int) Input {
	for i := range n {
		in.Result.Coverage.Skimmed = append(in.Result.Coverage.Skimmed, engine.FileNote{Path: fmt.Sprintf("big/%03d.go", i), Why: "not among the riskiest lines of a large change"})
	}
	return in
}

// The check run names the files that no model read, up to a bound, and says that it is incomplete.
// Files that the policy keeps from models do not count.
func TestCheckNamesUnreadFiles(t *testing.T) {
	t.Parallel()
	whole := Render(input())
	if strings.Contains(whole.CheckSummary.String(), "Not looked at by a model") || whole.CheckTitle.String() != "Nothing found" {
		t.Errorf("a complete review: %s\n%s", whole.CheckTitle, whole.CheckSummary)
	}
	out := Render(unread(input(), 70))
	for _, want := range []string{"`big/000.go`", "`big/019.go`", "- and 50 more files", "nothing found so far"} {
		if !strings.Contains(out.CheckSummary.String(), want) {
			t.Errorf("the check run lacks %q:\n%s", want, out.CheckSummary)
		}
	}
	for _, not := range []string{"`big/020.go`", "`x.png`"} {
		if strings.Contains(out.CheckSummary.String(), not) {
			t.Errorf("the check run names %s:\n%s", not, out.CheckSummary)
		}
	}
	if out.CheckTitle.String() != "Incomplete: nothing found so far" {
		t.Errorf("title: %s", out.CheckTitle)
	}
}

// The summary has at most 15 lines, and says how much it leaves out.
func TestSummaryIsShort(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stated, asked, folded int
		notices               int    // and the notes about the model and the depth, where there are any
		want                  string // number of listed items of each kind
	}{
		"of each kind, with notes":      {30, 9, 20, 3, "1 1 1"},
		"of each kind, with many notes": {30, 9, 20, 8, "1 1 1"},
		"of each kind":                  {30, 9, 20, 0, "5 1 1"},
		"stated and folded":             {2, 0, 20, 0, "2 0 5"},
		"asked and folded":              {0, 4, 7, 0, "0 4 5"},
		"folded":                        {0, 0, 6, 0, "0 0 5"},
		"all of them":                   {2, 2, 3, 0, "2 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []domain.Finding
			for word, n := range map[string]int{"stated": tt.stated, "asked": tt.asked, "folded": tt.folded} {
				for i := range n {
					list = append(list, bug(fmt.Sprint(word, i), func(f *domain.Finding) {
						f.Title, f.Explanation, f.Route = word+" it is", "Said.", domain.RouteSummary
						switch word {
						case "asked":
							f.Verdict = domain.VerdictUnproven
						case "folded":
							f.Severity = domain.Low
						}
					}))
				}
			}
			in := input(list...)
			for i := range tt.notices {
				in.Result.ModelState, in.Result.Depth = engine.ModelPartial, domain.DepthReduced
				in.Result.Notices = append(in.Result.Notices, fmt.Sprintf("The notice %d.", i))
			}
			body, count := Render(in).Body.String(), 0
			for l := range strings.Lines(body) {
				if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "</details>") {
					count++
				}
			}
			for _, n := range append(in.Result.Notices, wording.English(wording.Reduced)) {
				if in.Result.Notices != nil && !strings.Contains(body, n) {
					t.Errorf("the summary does not say %q:\n%s", n, body)
				}
			}
			listed := func(word string) int { return strings.Count(body, word+" it is") }
			if got := fmt.Sprint(listed("stated"), listed("asked"), listed("folded")); got != tt.want || count > maxSummary {
				t.Errorf("%d lines with %s findings, want %s:\n%s", count, got, tt.want, body)
			}
		})
	}
}

// A path that leaves the tree is named without a link, because the link could lead to any page of the
// host.
func TestAPathOutsideTheTreeIsNotALink(t *testing.T) {
	t.Parallel()
	in := input()
	in.Result.Coverage.Skipped = []engine.FileNote{{Path: "../../../evil/page", Why: diff.OmittedPath}, {Path: "big.go", Why: diff.OmittedLarge}}
	body := dump(Render(in))
	if !strings.Contains(body, "`../../../evil/page`") || strings.Contains(body, "/blob/abc1234/..") || !strings.Contains(body, "/blob/abc1234/big.go") {
		t.Error(body)
	}
}

func TestBoundsAndSecrets(t *testing.T) {
	t.Parallel()
	const key = "not-a-key-but-long_enough"
	f := bug("fnd_1", func(f *domain.Finding) {
		f.Title, f.Explanation = "Uses "+key, strings.Repeat("long words "+key+" ", 300)
		f.Evidence = slices.Repeat([]domain.Evidence{{Kind: "code", Path: "a.go", Start: 1, End: 9, Quote: strings.Repeat("`"+key+"\n", 40)}}, 9)
		f.Suggestion.New = "\tx := " + key
	})
	in := input(f)
	in.MaxBody = 1200
	in.Redact = func(s string) string { return strings.ReplaceAll(s, key, "[redacted:test]") }
	out := Render(in)
	all := fmt.Sprint(out.Body, out.SummaryBody, out.CheckTitle, out.CheckSummary)
	for _, c := range out.Comments {
		all += c.Body.String()
		if n := c.Body.Len(); n > in.MaxBody-reserve {
			t.Errorf("a comment has %d characters", n)
		}
		if strings.Contains(c.Body.String(), "```suggestion") {
			t.Error("a suggestion with a secret is offered")
		}
	}
	if strings.Contains(all, key) {
		t.Error("a secret is in the output")
	}
	if len(out.Comments) != 1 {
		t.Fatalf("%d comments", len(out.Comments))
	}
}

// A trigger of several lines is a block of code, which no line of it ends.
func TestTriggersKeepTheirLines(t *testing.T) {
	t.Parallel()
	body := Render(input(bug("fnd_1", func(f *domain.Finding) {
		f.Trigger = "for n in [0]:\n    half(n)\n```\n@team <b>x</b>\n/approve\n<!-- assay:x -->\n\u202e" + strings.Repeat("y", 2*maxTrigger)
	}))).Comments[0].Body.String()
	want := "**When:** \n\n````\nfor n in [0]:\n    half(n)\n```\n@team <b>x</b>\n /approve\n"
	if !strings.Contains(body, want) || !strings.Contains(body, "y…\n````\n") || strings.Contains(body, "\u202e") || strings.Count(body, "y") > maxTrigger+50 {
		t.Errorf("the comment:\n%s", body)
	}
}

// A suggestion that puts removed lines back stands on the new line that it changes, because hosts apply none on removed
// lines. Without a click the comment stays on the removed lines.
func TestASuggestionForRemovedLinesStandsBesideThem(t *testing.T) {
	t.Parallel()
	back := func(f *domain.Finding) {
		f.Anchor.Side, f.Anchor.StartLine, f.Anchor.EndLine = domain.Left, 31, 33
		f.Suggestion.Start, f.Suggestion.End = 22, 22
	}
	c := Render(input(bug("fnd_1", back))).Comments[0]
	testkit.Equal(t, "place", fmt.Sprint(c.Side, c.StartLine, c.Line), fmt.Sprint(domain.Right, 0, 22))
	in := input(bug("fnd_1", back))
	in.Host = codehost.CapabilitiesOf(codehost.GitHub)
	in.Host.Suggestions = codehost.SuggestNone
	c = Render(in).Comments[0]
	testkit.Equal(t, "place without a click", fmt.Sprint(c.Side, c.StartLine, c.Line), fmt.Sprint(domain.Left, 31, 33))
}

// A blank line in the block would replace the deleted lines with a blank line.
func TestASuggestionThatDeletesLinesIsAnEmptyBlock(t *testing.T) {
	t.Parallel()
	body := Render(input(bug("fnd_1", func(f *domain.Finding) { f.Suggestion.New = "" }))).Comments[0].Body.String()
	if !strings.Contains(body, "\n```suggestion\n```\n") {
		t.Errorf("the comment:\n%s", body)
	}
}

func TestSuggestionIsOnlyOfferedWhereItApplies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*domain.Finding)
		policy func(*domain.Policy)
		want   bool
	}{
		"applies":        {nil, nil, true},
		"does not apply": {func(f *domain.Finding) { f.Suggestion.Applies = false }, nil, false},
		"does not parse": {func(f *domain.Finding) { f.Suggestion.Parses = "no" }, nil, false},
		"outside":        {func(f *domain.Finding) { f.Suggestion.End = 30 }, nil, false},
		"other file":     {func(f *domain.Finding) { f.Suggestion.Path = "b.go" }, nil, false},
		"removed lines":  {func(f *domain.Finding) { f.Anchor.Side = domain.Left }, nil, true},
		"hidden text":    {func(f *domain.Finding) { f.Suggestion.New = "x\u202e" }, nil, false},
		"turned off":     {nil, func(p *domain.Policy) { p.Fixes = "off" }, false},
		"deletes a line": {func(f *domain.Finding) { f.Suggestion.New = "" }, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(bug("fnd_1", tt.change))
			if tt.policy != nil {
				tt.policy(&in.Policy)
			}
			if got := strings.Contains(Render(in).Comments[0].Body.String(), "```suggestion"); got != tt.want {
				t.Errorf("suggestion offered: %v, want %v", got, tt.want)
			}
		})
	}
}
