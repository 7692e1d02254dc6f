package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

// Known findings that a model repeats take no room from its new ones.
func TestRepeatsTakeNoRoomInAnAnswer(t *testing.T) {
	t.Parallel()
	text := func(n int) string {
		var b strings.Builder
		b.WriteString("package x\n\nfunc first() {\n")
		for i := range n {
			fmt.Fprintf(&b, "\tcall%d(now, here)\n", i)
		}
		return b.String() + "}\n"
	}
	keys := []string{"nil-deref", "off-by-one", "error-ignored", "data-race", "resource-leak", "sql-injection", "division-by-zero", "quadratic-work"}
	words := []string{"Nobody looks for nothing", "The end is left out", "A failure is dropped", "Two workers write at once", "Handles pile up", "Strangers choose the statement", "An empty list panics", "Every element is searched again"}
	upTo := func(n int) (out []report) {
		for i := range n {
			out = append(out, report{"x.go", 4 + i, fmt.Sprintf("call%d(now, here)", i), keys[i], words[i]})
		}
		return out
	}
	in := sampleChange(t)
	in.ReviewedHunks, in.Models = map[string]bool{}, models(telling("", upTo(minFindings)...))
	in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(minFindings)}, nil)
	res := review(t, in, Deps{})
	if len(res.Findings) != minFindings {
		t.Fatalf("first: %+v", res.Findings)
	}
	in.publish(res)
	in.Models = models(telling("", upTo(minFindings+1)...))
	in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(minFindings + 1)}, nil)
	res = review(t, in, Deps{})
	if i := slices.IndexFunc(res.Findings, func(f domain.Finding) bool { return f.Title == words[minFindings] }); i < 0 {
		t.Fatalf("the new finding was not reported: %+v, dropped %v", res.Findings, res.Stats.Dropped)
	}
}

// If an answer has more findings than the bound, the most severe ones are kept. The part does not count
// as reviewed if a finding that matters is beyond the bound.
func TestTheGravestOfManyFindings(t *testing.T) {
	t.Parallel()
	of := func(severities ...string) (out []candidate) {
		for i, s := range severities {
			c := division()
			c.Severity, c.RuleKey, c.Title, c.SelfDoubt, c.Fix = s, fmt.Sprint("rule-", i), fmt.Sprint("Defect number ", i), float64(i)/20, nil
			out = append(out, c)
		}
		return out
	}
	for name, tt := range map[string]struct {
		said  []candidate
		first string // severity of the most severe finding that is left
		over  int
		grave bool
	}{
		"few":                   {of("info", "high"), "info", 0, false},
		"the last is critical":  {of("info", "info", "info", "info", "info", "info", "critical"), "critical", 1, false},
		"a medium one too many": {of("high", "high", "high", "high", "high", "high", "medium"), "high", 1, true},
		"an unknown one":        {of("high", "high", "high", "high", "high", "high", "odd"), "high", 1, true},
		"one more is the same":  {append(of("high", "high", "high", "high", "high", "high"), of("high")...), "high", 1, false},
	} {
		p := part{Candidates: tt.said}
		if grave := p.atMost(minFindings); grave != tt.grave || p.Over != tt.over || p.Candidates[0].Severity != tt.first || len(p.Candidates) > minFindings {
			t.Errorf("%s: %v, %d over, %+v", name, grave, p.Over, p.Candidates)
		}
	}
	for last, state := range map[string]string{"low": ModelComplete, "medium": ModelPartial} {
		in := sampleChange(t)
		in.Models = models(&scripted{verify: confirmAll, generate: findings(of(append(slices.Repeat([]string{"high"}, maxOverstep*minFindings), last)...)...)})
		res := review(t, in, Deps{})
		if res.ModelState != state || res.Stats.Dropped[whyTooMany] == 0 || (len(res.Hunks) > 0) != (state == ModelComplete) {
			t.Errorf("%s: %s (%s), dropped %v", last, res.ModelState, res.ModelNote, res.Stats.Dropped)
		}
		if state == ModelPartial && (len(res.Coverage.Skimmed) != 1 || res.Coverage.Skimmed[0].Why != whyMore) {
			t.Errorf("coverage %+v", res.Coverage)
		}
	}
}

// A finding counts if it is in a call of a tool that the model was not given, next to a text with an
// empty list.
func TestAFindingInACallBesideAnEmptyList(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Models = models(&scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
		out := enginetest.Reply(`{"findings": []}`)
		call, err := findings(division())(n, user)
		out.ToolCalls = []llm.ToolCall{{ID: "1", Name: "report", Arguments: call.Text}}
		return out, err
	}})
	if res := review(t, in, Deps{}); len(res.Findings) != 1 || res.ModelState != ModelComplete {
		t.Errorf("%s (%s), %+v", res.ModelState, res.ModelNote, res.Findings)
	}
}

// A report of removed lines is no place at the head: comments would link to other lines.
func TestRemovedLinesAreNoPlace(t *testing.T) {
	t.Parallel()
	at := func(line int, side domain.Side) *finding.Item {
		return &finding.Item{Finding: domain.Finding{Anchor: domain.Anchor{Path: "a.go", Side: side, StartLine: line, EndLine: line, Level: domain.AnchorLine}}}
	}
	for side, want := range map[domain.Side]int{domain.Left: 0, domain.Right: 1} {
		head := at(10, side)
		addPlace(head, at(40, side))
		testkit.Equal(t, string(side)+": places", len(head.AlsoAt()), want)
		testkit.Equal(t, string(side)+": evidence", len(head.Evidence), 1)
	}
}

// A finding on the lines that another one lists is part of it only if their code or their rule is alike.
func TestAListedPlaceOfAnotherDefectStays(t *testing.T) {
	t.Parallel()
	found := func(path, quote, rule string) *finding.Item {
		return &finding.Item{Finding: domain.Finding{Category: domain.CategoryBug, RuleID: rule, Verdict: domain.VerdictConfirmed, Scope: "introduced",
			Anchor: domain.Anchor{Path: path, Side: domain.Right, StartLine: 10, EndLine: 12, Level: domain.AnchorLine, Quote: quote}}}
	}
	for name, c := range map[string]struct {
		other *finding.Item
		part  bool
	}{
		"another defect": {found("b.go", "go worker.loop(jobs)", "goroutine-leak"), false},
		"the same rule":  {found("b.go", "go worker.loop(jobs)", "error-ignored"), true},
		"the same code":  {found("b.go", "_ = file.Close()", "other"), true},
	} {
		head := found("a.go", "_ = file.Close()", "error-ignored")
		head.AddPlaces(domain.Evidence{Kind: domain.EvidencePlace, Path: "b.go", Start: 12, End: 12, Quote: "_ = file.Close()"})
		w := &work{in: Input{Policy: domain.DefaultPolicy()}}
		w.linkPlaces([]*finding.Item{head, c.other})
		testkit.Equal(t, name, c.other.Twin == head, c.part)
	}
}
