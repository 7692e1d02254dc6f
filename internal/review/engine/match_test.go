package engine

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// about is a finding of a model on lines of one function.
func about(print, key string, first, last int) domain.Finding {
	return domain.Finding{Origin: domain.OriginModel, RuleID: "llm/correctness/" + key, Category: domain.CategoryBug, Title: print, Explanation: print,
		Fingerprints: domain.Fingerprints{Exact: print, Context: "f"},
		Anchor:       domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: first, EndLine: last, Symbol: "f", Quote: "line " + print, Level: domain.AnchorLine}}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	renamed := about("old", "nil-deref", 10, 10)
	renamed.Names = []string{"new"}
	twice := about("a", "nil-deref", 10, 10)
	twice.Heard("llm/performance/n-plus-one-query")
	secret := about("secret", "key", 10, 10)
	secret.Origin = domain.OriginSecret
	gone := func(f domain.Finding) domain.Finding { f.Anchor.Side = domain.Left; return f } // the world below finds it no more
	words := func(f domain.Finding, title string) domain.Finding { f.Title, f.Explanation = title, title; return f }
	code := func(f domain.Finding, quote string) domain.Finding { f.Anchor.Quote = quote; return f }
	for name, c := range map[string]struct {
		known, found []domain.Finding
		want         []int
	}{
		"by its print":                         {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("a", "nil-deref", 90, 90)}, []int{0}},
		"by another name":                      {[]domain.Finding{renamed}, []domain.Finding{about("new", "off-by-one", 90, 90)}, []int{0}},
		"a name wins over a place":             {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "nil-deref", 10, 10), about("a", "nil-deref", 12, 12)}, []int{-1, 0}},
		"a closer place wins":                  {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 10, 10), about("c", "nil-deref", 9, 11)}, []int{-1, 0}},
		"same key, a line in common":           {[]domain.Finding{about("a", "nil-deref", 10, 14)}, []domain.Finding{about("b", "nil-deref", 14, 14)}, []int{0}},
		"same key, the next line":              {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "nil-deref", 11, 11)}, []int{-1}},
		"other key, the same line":             {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 10, 10)}, []int{0}},
		"other key, half of the lines":         {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 10, 11)}, []int{0}},
		"other key, one line of many":          {[]domain.Finding{about("a", "nil-deref", 10, 14)}, []domain.Finding{about("b", "off-by-one", 12, 12)}, []int{-1}},
		"other key, two lines away":            {[]domain.Finding{about("a", "nil-deref", 10, 10)}, []domain.Finding{about("b", "off-by-one", 12, 12)}, []int{-1}},
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
		"gone, another key in the same words": {[]domain.Finding{words(gone(about("a", "nil-deref", 10, 10)), "It panics for no items")}, []domain.Finding{words(about("b", "off-by-one", 60, 60), "It panics for no items")}, []int{0}},
		"a secret is no model's finding":      {[]domain.Finding{secret}, []domain.Finding{about("b", "key", 10, 10)}, []int{-1}},
		"no print is no name":                 {[]domain.Finding{gone(code(about("", "nil-deref", 10, 10), ""))}, []domain.Finding{about("", "off-by-one", 60, 60)}, []int{-1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var items []*item
			for _, f := range c.found {
				items = append(items, &item{f: f})
			}
			w := world{locate: func(a domain.Anchor) (domain.Anchor, bool) { return a, a.Side == domain.Right }}
			if got, err := match(t.Context(), items, c.known, w); err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}
