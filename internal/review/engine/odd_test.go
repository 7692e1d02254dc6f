package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// placeable fails for a finding at a line that a host refuses because its diff does not show the line.
func placeable(t *testing.T, in Input, res Result) {
	t.Helper()
	set, err := diff.Parse(in.Diff)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Findings {
		if f.Anchor.Level != domain.AnchorLine {
			continue
		}
		file := set.File(f.Anchor.Path)
		if file == nil {
			t.Errorf("a finding is at a line of a file that is not in the diff: %+v", f.Anchor)
			continue
		}
		side := f.Anchor.Side
		first, shown := file.Commentable(side, f.Anchor.StartLine)
		last, alsoShown := file.Commentable(side, f.Anchor.EndLine)
		if !shown || !alsoShown || first != last || f.Anchor.EndLine < f.Anchor.StartLine {
			t.Errorf("a finding is at lines that the diff does not show: %+v", f.Anchor)
		}
	}
}

// Whatever a model answers, the review ends, has no finding at a line that a host refuses, and is not
// called complete if no answer could be used.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	with := func(change func(c *candidate)) candidate {
		c := division()
		change(&c)
		return c
	}
	text := func(s string) func(int, string) (llm.Response, error) {
		return func(int, string) (llm.Response, error) { return enginetest.Reply(s), nil }
	}
	one, _ := findings(division())(0, "")
	many := make([]candidate, 10_000)
	for i := range many {
		many[i] = with(func(c *candidate) { c.Title = fmt.Sprint("Average divides by zero ", i) })
	}
	for name, tt := range map[string]struct {
		generate func(int, string) (llm.Response, error)
		state    string
		findings int
		dropped  string // why some were dropped
	}{
		"in another language": {findings(with(func(c *candidate) {
			c.Title, c.Explanation, c.Trigger = "空のリストでゼロ除算", "len(items) が 0 のとき除算が失敗します。", "Average(nil)"
		})), ModelComplete, 1, ""},
		"in prose":               {text("Looks good to me, but Average may divide by zero in line 20."), ModelUnavailable, 0, ""},
		"in prose, elsewhere":    {text("問題は見つかりませんでした。"), ModelUnavailable, 0, ""},
		"nothing":                {text(""), ModelUnavailable, 0, ""},
		"another object":         {text(`{"verdict":"approve","comments":[]}`), ModelUnavailable, 0, ""},
		"null":                   {text(`{"findings":null}`), ModelUnavailable, 0, ""},
		"sentences as findings":  {text(`{"findings":["Average divides by zero","line 20"]}`), ModelUnavailable, 0, ""},
		"numbers as texts":       {text(`{"findings":[{"path":"shop/shop.go","start":"twenty","title":7}]}`), ModelPartial, 0, whySchema},
		"twice":                  {text(one.Text + "\n" + one.Text), ModelComplete, 1, ""},
		"the same finding twice": {findings(division(), division()), ModelComplete, 1, whyDuplicate},
		"10,000 findings":        {findings(many...), ModelPartial, -1, whyTooMany},
		"line -1":                {findings(with(func(c *candidate) { c.Start, c.End = -1, -1 })), ModelComplete, -1, ""},
		"line 0":                 {findings(with(func(c *candidate) { c.Start, c.End = 0, 0 })), ModelComplete, -1, ""},
		"a line far behind":      {findings(with(func(c *candidate) { c.Start, c.End = 1<<62, 1<<62 })), ModelComplete, -1, ""},
		"lines backwards":        {findings(with(func(c *candidate) { c.Start, c.End = 20, -20 })), ModelComplete, -1, ""},
		"all lines":              {findings(with(func(c *candidate) { c.Start, c.End = 1, 1<<40 })), ModelComplete, -1, ""},
		"the wrong side":         {findings(with(func(c *candidate) { c.Side = "LEFT" })), ModelComplete, -1, ""},
		"a side of its own":      {findings(with(func(c *candidate) { c.Side = "both" })), ModelComplete, -1, ""},
		"a quote of 1 MB":        {findings(with(func(c *candidate) { c.Quote = strings.Repeat("return Total(items) / len(items)\n", 32<<10) })), ModelPartial, 0, whyAnchor},
		"evidence of 1 MB": {findings(with(func(c *candidate) {
			c.Evidence = []citation{{Path: "shop/shop.go", Start: 1, End: 2, Quote: strings.Repeat("x", 1<<20)}}
		})), ModelComplete, 1, ""},
		"a path above the root": {findings(with(func(c *candidate) { c.Path = "../../etc/passwd" })), ModelPartial, 0, whySchema},
		"a path with NUL":       {findings(with(func(c *candidate) { c.Path = "shop/shop.go\x00" })), ModelComplete, 1, ""},
		"a repair of 1 MB":      {findings(with(func(c *candidate) { c.Fix = &fix{Old: c.Quote, New: strings.Repeat("y\n", 1<<19)} })), ModelComplete, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: tt.generate, verify: confirmAll})
			res := review(t, in, Deps{})
			placeable(t, in, res)
			if res.ModelState != tt.state {
				t.Errorf("state %s (%s), want %s", res.ModelState, res.ModelNote, tt.state)
			}
			if tt.findings >= 0 && len(res.Findings) != tt.findings || len(res.Findings) > maxOverstep*minFindings {
				t.Errorf("%d findings, want %d: %+v", len(res.Findings), tt.findings, res.Findings)
			}
			if tt.dropped != "" && res.Stats.Dropped[tt.dropped] == 0 {
				t.Errorf("dropped %v, want some for %q", res.Stats.Dropped, tt.dropped)
			}
			if (res.ModelState == ModelComplete) != (len(res.Hunks) > 0) {
				t.Errorf("state %s with %d hunks that count as reviewed", res.ModelState, len(res.Hunks))
			}
			for _, f := range res.Findings {
				if s := f.Suggestion; s != nil && len(s.New) > 64<<10 {
					t.Errorf("a suggestion of %d bytes", len(s.New))
				}
			}
		})
	}
}

// spending accepts some calls and refuses all that follow.
type spending struct {
	ask.NopRecorder
	left atomic.Int64
}

func (s *spending) Before(context.Context, ask.Call) (string, error) {
	if s.left.Add(-1) < 0 {
		return "", errs.Wrap(ask.ErrBudget, errs.Conflict, "budget_exhausted", "The budget is used up.")
	}
	return "", nil
}

// A budget that ends between two calls ends the work of models: completed parts count, the other parts
// are named, and no part is wrongly called reviewed.
func TestABudgetThatEndsBetweenCalls(t *testing.T) {
	t.Parallel()
	input := func() Input {
		in := sampleChange(t)
		var text strings.Builder
		source := in.Source.(enginetest.Files)
		text.Write(in.Diff)
		for _, name := range []string{"a", "b"} {
			before := "package x\n"
			after := before + strings.Repeat("var _ = 1 // a line that takes some room in the prompt of this test\n", 900)
			text.WriteString(enginetest.Unified(name+".go", before, after))
			source["LEFT:"+name+".go"], source["RIGHT:"+name+".go"] = before, after
		}
		in.Diff = []byte(text.String())
		in.Models = models(&scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
			if strings.Contains(user, "=== shop/shop.go") {
				return findings(division())(n, user)
			}
			return findings()(n, user)
		}})
		return in
	}
	whole := review(t, input(), Deps{})
	calls := whole.Stats.Calls
	if whole.ModelState != ModelComplete || calls < 3 || len(whole.Findings) != 1 {
		t.Fatalf("with enough money: state %s (%s), %d calls, %d findings", whole.ModelState, whole.ModelNote, calls, len(whole.Findings))
	}
	for n := range calls {
		t.Run(fmt.Sprintf("after %d of %d calls", n, calls), func(t *testing.T) {
			t.Parallel()
			in, money := input(), &spending{}
			money.left.Store(int64(n))
			res := review(t, in, Deps{Recorder: money})
			placeable(t, in, res)
			if want := map[bool]string{true: ModelUnavailable, false: ModelPartial}[n == 0]; res.ModelState != want {
				t.Errorf("state %s (%s), want %s", res.ModelState, res.ModelNote, want)
			}
			named := len(res.Coverage.Skimmed) + len(res.Coverage.Skipped) + len(res.Coverage.Reviewed)
			if named != 3 {
				t.Errorf("the coverage names %d of 3 files: %+v", named, res.Coverage)
			}
			for _, f := range res.Coverage.Reviewed {
				if slices.ContainsFunc(res.Coverage.Skimmed, func(s FileNote) bool { return s.Path == f.Path }) {
					t.Errorf("%s is reviewed and not", f.Path)
				}
			}
			if n == 0 && len(res.Coverage.Reviewed)+len(res.Hunks) > 0 {
				t.Errorf("without a call %+v are reviewed", res.Coverage.Reviewed)
			}
			for _, f := range res.Findings {
				if f.Verdict == domain.VerdictConfirmed {
					t.Errorf("%s was not verified", f.Title)
				}
			}
		})
	}
}
