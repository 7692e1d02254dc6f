package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/ask/asktest"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// neighbour is a desk that returns the code beside a claim.
type neighbour struct {
	asktest.Desk
	text string
}

func (*neighbour) ClaimAllowance() *ask.Allowance { return &ask.Allowance{Calls: 2, Tokens: 1_000} }

func (*neighbour) CallsLeft() int { return lookup.ReviewCalls }

func (n *neighbour) Beside(context.Context, domain.Anchor) (string, []change.Exhibit) {
	lines := strings.Split(n.text, "\n")
	e := change.NewExhibit("Go", lines, 0, 1, change.Span{First: 1, Last: len(lines)})
	e.Path = "shop/helper.go"
	return n.text, []change.Exhibit{e}
}

// A model without tools is shown the code beside a claim if it has room for it, and its quotes from
// that code count.
func TestAVerifierWithoutTools(t *testing.T) {
	t.Parallel()
	const average = "func safeAverage(items []Item) int {\n\tif len(items) == 0 {\n\t\treturn errNothing(items)\n\t}\n\treturn Average(items)\n}"
	for name, c := range map[string]struct {
		refuses bool
		window  int
		beside  bool
		verdict domain.Verdict
	}{
		"with tools":       {false, enginetest.LargeWindow, false, domain.VerdictUnproven},
		"without tools":    {true, enginetest.LargeWindow, true, domain.VerdictRefuted},
		"no room for more": {true, 5_500, false, domain.VerdictUnproven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := false
			m := &enginetest.Turns{Answer: func(_ int, r llm.Request) (llm.Response, error) {
				if c.refuses && len(r.Tools) > 0 {
					return llm.Response{}, &llm.Error{Class: llm.ClassTools, Status: 400, ProviderMessage: "no tools"}
				}
				if n := ask.Size(r.System, r.Schema.JSON, r.Messages); n > c.window*4/5 {
					t.Errorf("%d tokens are sent to a window of %d", n, c.window)
				}
				shown = strings.Contains(enginetest.SaidTo(r), "beside:\n")
				if strings.Contains(r.System, "look at the repository with the tools") != (len(r.Tools) > 0) {
					t.Error("the system text about tools does not match the offered tools")
				}
				return judged("refuted", "return errNothing(items)")
			}}
			w := newWork(New(Deps{}).deps, sampleChange(t))
			w.AllowConversations(10)
			text := average
			if c.window < enginetest.LargeWindow {
				text += strings.Repeat("\n// and so on", 3_000)
			}
			it := &finding.Item{Finding: domain.Finding{Severity: domain.High, Anchor: domain.Anchor{Path: "shop/shop.go", Side: domain.Right, Symbol: "Average", StartLine: 21, EndLine: 21, Quote: "return Total(items) / len(items)"}}}
			k := checker{route: ask.Route{Client: m, Model: "m", Tier: ask.TierStrong, MaxOutputTokens: 500, Window: c.window}, prompt: "verify", maxConversations: 5, desk: &neighbour{text: text},
				scene: scene{set: &diff.Set{}, src: enginetest.Files{}}}
			if _, err := w.verifyItems(t.Context(), k, []*finding.Item{it}); err != nil {
				t.Fatal(err)
			}
			if shown != c.beside || it.Verdict != c.verdict {
				t.Errorf("beside: %v, %s (%s)", shown, it.Verdict, it.VerdictWhy)
			}
		})
	}
}

// rationed is a desk of a review with a limited number of calls.
type rationed struct {
	neighbour
	calls int
}

func (*rationed) ClaimAllowance() *ask.Allowance {
	return &ask.Allowance{Calls: lookup.ClaimCalls, Tokens: lookup.ClaimTokens}
}

func (r *rationed) CallsLeft() int { return r.calls }

// Each conversation has its share of a review's calls, in whatever order they come. If there are too
// few for one each, all are shown the code beside a claim instead.
func TestConversationsShareTheCalls(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]string{lookup.ReviewCalls: "6 6 6", 8: "2 2 2", 3: "1 1 1", 2: "beside beside beside", 0: "beside beside beside"} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			t.Parallel()
			box := &rationed{neighbour{text: "func helper() {}"}, left}
			var items []*finding.Item
			for _, name := range []string{"A", "B", "C"} {
				items = append(items, &finding.Item{Finding: domain.Finding{Severity: domain.High, Anchor: domain.Anchor{Path: "shop/shop.go", Side: domain.Right, Symbol: name, StartLine: 21, EndLine: 21}}})
			}
			var mu sync.Mutex
			got := map[string]int{}
			m := &enginetest.Turns{Answer: func(n int, r llm.Request) (llm.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				name := claimName.FindString(enginetest.SaidTo(r))
				if strings.Contains(enginetest.SaidTo(r), "beside:\n") {
					got[name] = -1
				}
				if strings.Contains(r.System, "look at the repository with the tools") != (left >= len(items)) || strings.Contains(r.System, "2 calls for this claim.") != (left == 8) {
					t.Errorf("the system text: %s", r.System)
				}
				if len(r.Tools) == 0 {
					return judged("unproven", "")
				}
				got[name]++
				return enginetest.Calling(enginetest.ReadOf("", fmt.Sprint(name, n)))
			}}
			w := newWork(New(Deps{}).deps, sampleChange(t))
			w.AllowConversations(10)
			k := checker{route: ask.Route{Client: m, Model: "m", Tier: ask.TierStrong, MaxOutputTokens: 500, Window: enginetest.LargeWindow}, prompt: "verify", maxConversations: 5, desk: box,
				scene: scene{set: &diff.Set{}, src: enginetest.Files{}}}
			for _, it := range items {
				it.Title = "claim of " + it.Anchor.Symbol
			}
			if _, err := w.verifyItems(t.Context(), k, items); err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, it := range items {
				n := got["claim of "+it.Anchor.Symbol]
				list = append(list, strings.ReplaceAll(fmt.Sprint(n), "-1", "beside"))
			}
			if strings.Join(list, " ") != want {
				t.Errorf("%v, want %s", list, want)
			}
		})
	}
}

var claimName = regexp.MustCompile(`claim of [ABC]`)

// A review without files, or of the change alone, gives models no tools.
func TestReviewsWithoutFilesHaveNoTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source change.Source
		level  ContextLevel
		tools  bool
	}{
		"no files":         {change.NoSource{}, "", false},
		"the change alone": {enginetest.Files{}, ContextNone, false},
		"the repository":   {enginetest.Files{}, ContextRepository, true},
	} {
		w := newWork(Deps{}, Input{Context: c.level})
		w.bounds = &change.BoundedSource{Source: c.source}
		if got := w.newToolbox() != nil; got != c.tools {
			t.Errorf("%s: tools %v", name, got)
		}
	}
}
