package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

// about is a model's finding on lines of one function.
func about(print, key string, first, last int) domain.Finding {
	return domain.Finding{Origin: domain.OriginModel, RuleID: "llm/correctness/" + key, Category: domain.CategoryBug, Title: print, Explanation: print,
		Fingerprints: domain.Fingerprints{Exact: print, Context: "f"},
		Anchor:       domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: first, EndLine: last, Symbol: "f", Quote: "line " + print, Level: domain.AnchorLine}}
}

// ruleless is a finding for which no rule fits.
func ruleless(print string, first, last int) domain.Finding {
	f := about(print, "", first, last)
	f.RuleID = "llm/other/bug"
	return f
}

func TestMatch(t *testing.T) {
	t.Parallel()
	renamed := about("old", "nil-deref", 10, 10)
	renamed.Names = []string{"new"}
	twice := about("a", "nil-deref", 10, 10)
	twice.AddRule("llm/performance/n-plus-one-query")
	secret := about("secret", "key", 10, 10)
	secret.Origin = domain.OriginSecret
	gone := func(f domain.Finding) domain.Finding { f.Anchor.Side = domain.Left; return f } // the search below does not find it
	words := func(f domain.Finding, title string) domain.Finding { f.Title, f.Explanation = title, title; return f }
	resolved := func(f domain.Finding) domain.Finding { f.State = domain.FindingResolved; return f }
	code := func(f domain.Finding, quote string) domain.Finding { f.Anchor.Quote = quote; return f }
	for name, c := range map[string]struct {
		known, found []domain.Finding
		want         []int
	}{
		"by its print":                           {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("a", "nil-deref", 90, 90)}, []int{0}},
		"by another name":                        {[]domain.Finding{renamed}, []domain.Finding{about("new", "off-by-one", 90, 90)}, []int{0}},
		"a name wins over a place":               {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "nil-deref", 10, 10), about("a", "nil-deref", 12, 12)}, []int{-1, 0}},
		"a closer place wins":                    {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 10, 10), about("c", "nil-deref", 9, 11)}, []int{-1, 0}},
		"same key, a line in common":             {[]domain.Finding{about("a", "nil-deref", 10, 14)}, []domain.Finding{about("b", "nil-deref", 14, 14)}, []int{0}},
		"same key, the next line":                {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "nil-deref", 11, 11)}, []int{-1}},
		"other key, the same line":               {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 10, 10)}, []int{-1}},
		"other key, the same line and words":     {[]domain.Finding{words(about("a", "nil-deref", 10, 10), "It panics for no items")}, []domain.Finding{words(about("b", "off-by-one", 10, 10), "no items: it panics")}, []int{0}},
		"other key, the words, another line":     {[]domain.Finding{words(about("a", "nil-deref", 10, 10), "It panics for no items")}, []domain.Finding{words(about("b", "off-by-one", 11, 11), "no items: it panics")}, []int{-1}},
		"other key, one line of many":            {[]domain.Finding{about("a", "nil-deref", 10, 14)}, []domain.Finding{about("b", "off-by-one", 12, 12)}, []int{-1}},
		"other key, one line of many, the words": {[]domain.Finding{words(about("a", "nil-deref", 10, 14), "It panics for no items")}, []domain.Finding{words(about("b", "off-by-one", 12, 12), "no items: it panics")}, []int{0}},
		"other key, two lines away":              {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 12, 12)}, []int{-1}},
		"no rule at all, a line in common":       {[]domain.Finding{ruleless("a", 10, 14)}, []domain.Finding{ruleless("b", 14, 14)}, []int{-1}},
		"the same place and words win over an earlier key": {[]domain.Finding{words(func() domain.Finding {
			f := about("a", "wrong-variable", 69, 70)
			f.AddRule("llm/correctness/wrong-argument")
			return f
		}(), "intent gets its arguments in the wrong order"), words(about("b", "wrong-variable", 70, 70), "Unmarshal gets its arguments in the wrong order")},
			[]domain.Finding{words(about("c", "wrong-argument", 70, 70), "Unmarshal gets its arguments in the wrong order")}, []int{1}},
		"two of one line":                      {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "nil-deref", 10, 10), about("c", "nil-deref", 10, 10)}, []int{0, -1}},
		"gone, the same key beside":            {[]domain.Finding{gone(about("a", "nil-deref", 10, 10))}, []domain.Finding{about("b", "nil-deref", 12, 12)}, []int{0}},
		"gone, the same key far away":          {[]domain.Finding{gone(about("a", "nil-deref", 10, 10))}, []domain.Finding{code(about("b", "nil-deref", 60, 60), "unlike")}, []int{-1}},
		"gone, similar code far away":          {[]domain.Finding{gone(code(about("a", "nil-deref", 10, 10), "return total of items"))}, []domain.Finding{code(about("b", "nil-deref", 60, 60), "return sum of items")}, []int{0}},
		"gone, similar code wins over a place": {[]domain.Finding{gone(code(about("a", "nil-deref", 10, 10), "return total of items"))}, []domain.Finding{code(about("b", "nil-deref", 10, 10), "unlike"), code(about("c", "nil-deref", 60, 60), "return sum of items")}, []int{-1, 0}},
		"gone, another key beside":             {[]domain.Finding{gone(about("a", "nil-deref", 10, 10))}, []domain.Finding{about("b", "off-by-one", 10, 10)}, []int{-1}},
		"gone, a key by which it was reported": {[]domain.Finding{gone(twice)}, []domain.Finding{func() domain.Finding {
			f := about("b", "", 11, 11)
			f.RuleID = "llm/performance/n-plus-one-query"
			return f
		}()}, []int{0}},
		"gone, another key in the same words, beside":     {[]domain.Finding{words(gone(about("a", "nil-deref", 10, 10)), "It panics for no items")}, []domain.Finding{words(about("b", "off-by-one", 12, 12), "It panics for no items")}, []int{0}},
		"gone, another key in the same words, far away":   {[]domain.Finding{words(gone(about("a", "nil-deref", 10, 10)), "It panics for no items")}, []domain.Finding{words(about("b", "off-by-one", 60, 60), "It panics for no items")}, []int{-1}},
		"repaired, the same key in its place, other code": {[]domain.Finding{resolved(gone(code(about("a", "nil-deref", 10, 10), "return total of items")))}, []domain.Finding{code(about("b", "nil-deref", 10, 10), "unlike")}, []int{-1}},
		"repaired, and back in similar code":              {[]domain.Finding{resolved(gone(code(about("a", "nil-deref", 10, 10), "return total of items")))}, []domain.Finding{code(about("b", "nil-deref", 10, 10), "return sum of items")}, []int{0}},
		"a secret is not a model's finding":               {[]domain.Finding{secret}, []domain.Finding{about("b", "key", 10, 10)}, []int{-1}},
		"an empty print matches nothing":                  {[]domain.Finding{gone(code(about("", "nil-deref", 10, 10), ""))}, []domain.Finding{about("", "off-by-one", 60, 60)}, []int{-1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var items []*finding.Item
			for _, f := range c.found {
				items = append(items, &finding.Item{Finding: f})
			}
			w := world{locate: func(k domain.Finding) Place { return Place{Anchor: k.Anchor, Stands: k.Anchor.Side == domain.Right} }}
			if got, err := match(t.Context(), items, c.known, w); err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

// A model may say that its report is an earlier finding that it was shown, in the same file.
func TestTheModelsOwnWord(t *testing.T) {
	t.Parallel()
	there := func(f domain.Finding) domain.Finding { f.Anchor.Quote = "stands"; return f }
	elsewhere := func(f domain.Finding) domain.Finding { f.Anchor.Path = "b.go"; f.Fingerprints.Context = "b"; return f }
	state := func(s domain.FindingState) domain.Finding {
		f := about("a", "nil-deref", 10, 10)
		f.ID, f.State = "fnd_1", s
		return f
	}
	far := about("b", "off-by-one", 60, 60)
	far.Fingerprints.Context = "g"
	near := about("b", "off-by-one", 12, 12)
	for name, c := range map[string]struct {
		known, found domain.Finding
		word         string
		want         int
	}{
		"the same":                           {state(domain.FindingOpen), far, "fnd_1", 0},
		"the same, whose code stands":        {there(state(domain.FindingOpen)), far, "fnd_1", -1},
		"the same line, whose code stands":   {there(state(domain.FindingOpen)), about("b", "off-by-one", 10, 10), "fnd_1", 0},
		"resolved, and its code is back":     {there(state(domain.FindingResolved)), far, "fnd_1", 0},
		"dismissed, whose code stands":       {there(state(domain.FindingDismissed)), near, "fnd_1", -1},
		"nothing said":                       {state(domain.FindingOpen), far, "", -1},
		"another one":                        {state(domain.FindingOpen), far, "fnd_2", -1},
		"in another file":                    {state(domain.FindingOpen), elsewhere(far), "fnd_1", -1},
		"resolved":                           {state(domain.FindingResolved), far, "fnd_1", 0},
		"dismissed, at another place":        {state(domain.FindingDismissed), far, "fnd_1", -1},
		"dismissed, in its function":         {state(domain.FindingDismissed), about("b", "off-by-one", 60, 60), "fnd_1", -1},
		"dismissed, beside it":               {state(domain.FindingDismissed), near, "fnd_1", 0},
		"suppressed, at another place":       {state(domain.FindingSuppressed), far, "fnd_1", -1},
		"a check's finding is not a model's": {func() domain.Finding { f := state(domain.FindingOpen); f.Origin = domain.OriginStatic; return f }(), far, "fnd_1", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world{locate: func(k domain.Finding) Place { return Place{Anchor: k.Anchor, Stands: k.Anchor.Quote == "stands"} }}
			got, err := match(t.Context(), []*finding.Item{{Finding: c.found, SameAs: c.word}}, []domain.Finding{c.known}, w)
			if err != nil || got[0] != c.want {
				t.Errorf("got %v, %v, want %d", got, err, c.want)
			}
		})
	}
}

// If another rule is reported in other words at the place of an earlier finding, the model is asked
// whether it is the same: once for each candidate, at most ten times.
func TestAmbiguousPlacesAreAskedAbout(t *testing.T) {
	t.Parallel()
	var known []domain.Finding
	var items []*finding.Item
	for i := range 2 * maxQuestions {
		known = append(known, about(fmt.Sprint("a", i), "nil-deref", 10*i+10, 10*i+10))
		f := about(fmt.Sprint("b", i), "off-by-one", 10*i+10, 10*i+10)
		items = append(items, &finding.Item{Finding: f})
	}
	far := about("far", "off-by-one", 5000, 5000)
	items = append([]*finding.Item{{Finding: far}}, items...)
	for name, c := range map[string]struct {
		answers []bool
		err     error
		want    int // candidates that are recognised
	}{
		"all are":            {slices.Repeat([]bool{true}, maxQuestions), nil, maxQuestions},
		"no candidate is":    {make([]bool, maxQuestions), nil, 0},
		"some answers":       {[]bool{true, false, true}, nil, 2},
		"more than asked":    {slices.Repeat([]bool{true}, 3*maxQuestions), nil, maxQuestions},
		"no answer":          {nil, nil, 0},
		"the call has ended": {nil, context.Canceled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []Pair
			w := world{locate: func(k domain.Finding) Place { return Place{Anchor: k.Anchor, Stands: true} }, same: func(_ context.Context, p []Pair) ([]bool, error) {
				asked = append(asked, p...)
				return c.answers, c.err
			}}
			got, err := match(t.Context(), items, known, w)
			again := len(got) - len(slices.DeleteFunc(slices.Clone(got), func(k int) bool { return k >= 0 }))
			if !errors.Is(err, c.err) || again != c.want || len(asked) != maxQuestions || got[0] >= 0 {
				t.Fatalf("%v: %d known again of %d asked: %v", err, again, len(asked), got)
			}
			for _, p := range asked {
				if p.Earlier.Anchor.StartLine != p.Now.Anchor.StartLine {
					t.Errorf("asked about lines %d and %d", p.Earlier.Anchor.StartLine, p.Now.Anchor.StartLine)
				}
			}
		})
	}
}

// If code has moved to new lines elsewhere, and a model reports a wider quotation of it under another
// rule, the model is asked whether it is the earlier finding.
func TestMovedCodeInAWiderQuotationIsAskedAbout(t *testing.T) {
	t.Parallel()
	const line = "\ttestkit.OK(t, err)"
	for name, c := range map[string]struct {
		quote    string
		there    bool // the earlier code stands where it was
		reviewed bool // the new lines were reviewed
		asked    int
	}{
		"a line more":                {line + "\n}", false, false, 1},
		"only half of a line":        {"testkit.OK(t", false, false, 0},
		"other code":                 {"\tother()\n}", false, false, 0},
		"nothing":                    {"", false, false, 0},
		"the old place has it still": {line + "\n}", true, false, 0},
		"reviewed before":            {line + "\n}", false, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, now := about("a", "wrong-operator", 23, 23), about("b", "off-by-one", 47, 48)
			k.Anchor.Quote, now.Anchor.Quote, now.Anchor.Symbol, now.Fingerprints.Context = line, c.quote, "settle", "g"
			asked := 0
			w := world{locate: func(k domain.Finding) Place { return Place{Anchor: k.Anchor, Stands: c.there} }, same: func(_ context.Context, p []Pair) ([]bool, error) {
				asked += len(p)
				return []bool{true}, nil
			}}
			got, err := match(t.Context(), []*finding.Item{{Finding: now, Reviewed: c.reviewed}}, []domain.Finding{k}, w)
			if err != nil || asked != c.asked || (got[0] == 0) != (c.asked > 0) {
				t.Errorf("asked about %d pairs, got %v, %v", asked, got, err)
			}
		})
	}
}

// If one of two equal lines moves, and the other one stays in a changed hunk, the model is asked
// whether a report on the new line is the earlier finding, provided that words or rule are alike.
func TestACopyOfTheCodeElsewhereIsAskedAbout(t *testing.T) {
	t.Parallel()
	const line = "\twantKind(t, err, errs.Unavailable)"
	for name, c := range map[string]struct {
		change func(it *finding.Item, k *domain.Finding)
		hunk   string // of the diff
		asked  int
	}{
		"moved":                     {func(*finding.Item, *domain.Finding) {}, "after", 1},
		"the hunk is as it was":     {func(*finding.Item, *domain.Finding) {}, "before", 0},
		"the new line was reviewed": {func(it *finding.Item, _ *domain.Finding) { it.Reviewed = true }, "after", 0},
		"other code":                {func(it *finding.Item, _ *domain.Finding) { it.Anchor.Quote = "\twantKind(t, other)" }, "after", 0},
		"other words and another rule": {func(it *finding.Item, _ *domain.Finding) {
			it.Title, it.Explanation, it.RuleID = "A lock is held", "Nobody unlocks.", "llm/concurrency/deadlock"
		}, "after", 0},
		"a check says it": {func(_ *finding.Item, k *domain.Finding) { k.Origin = domain.OriginSecret }, "after", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, now := about("a", "nil-deref", 34, 35), about("b", "nil-deref", 80, 81)
			k.Anchor.Quote, k.Anchor.HunkID, now.Anchor.Quote = "\twantKind(t, err,\n\t\terrs.Unavailable)", "before", line
			it := &finding.Item{Finding: now}
			c.change(it, &k)
			asked := 0
			w := world{hunks: map[string]bool{c.hunk: true}, locate: func(k domain.Finding) Place { return Place{Anchor: k.Anchor, Stands: true} }, same: func(_ context.Context, p []Pair) ([]bool, error) {
				asked += len(p)
				testkit.Equal(t, "the line that stands", p[0].stands, 34)
				return []bool{true}, nil
			}}
			got, err := match(t.Context(), []*finding.Item{it}, []domain.Finding{k}, w)
			if err != nil || asked != c.asked || (got[0] == 0) != (c.asked > 0) {
				t.Errorf("asked about %d pairs, got %v, %v", asked, got, err)
			}
		})
	}
}
