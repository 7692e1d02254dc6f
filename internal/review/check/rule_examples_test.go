package check

import (
	"maps"
	"math/rand/v2"
	expr "regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// examplesOfRule is how many texts are made for each rule of the library.
const examplesOfRule = 60

// The texts are made from the expression of each rule, so that a new version of the library brings its own. A text that [Scanner.MayHold]
// keeps from the scan has no secret.
func TestTextsOfEachRuleMayHoldSecrets(t *testing.T) {
	t.Parallel()
	s, err := NewScanner()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // examples, not secrets
	for _, id := range slices.Sorted(maps.Keys(s.fair.Config.Rules)) {
		rule := s.fair.Config.Rules[id]
		if rule.Regex == nil || rule.Path != nil {
			continue // texts of documents have no path
		}
		form, err := expr.Parse(rule.Regex.String(), expr.Perl)
		if err != nil {
			t.Fatal(err)
		}
		met := 0
		for i := range examplesOfRule {
			e := example{r: r, shortest: i%2 == 0, likes: likings[i/2%len(likings)]}
			e.write(form)
			text := strings.Join(rule.Keywords, " ") + " " + e.String()
			may := s.MayHold(text)
			if met > 0 && may {
				continue
			}
			hits, err := s.ScanText(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if met += len(hits); len(hits) > 0 && !may {
				t.Errorf("%s: %q has %v", id, text, hits)
				break
			}
		}
		if met == 0 {
			t.Errorf("%s: the scan finds no secret in the texts of this rule", id)
		}
	}
}

// likings are the characters that an example takes where an expression allows them.
var likings = []func(rune) bool{func(rune) bool { return true }, unicode.IsLower, unicode.IsLetter,
	func(c rune) bool { return unicode.IsLower(c) || unicode.IsDigit(c) }, func(c rune) bool { return !unicode.IsLetter(c) && c != ' ' }}

// example is a text that an expression matches, if its boundaries allow the text.
type example struct {
	strings.Builder
	r        *rand.Rand
	shortest bool // each part is repeated as little as possible
	likes    func(rune) bool
}

func (e *example) write(form *expr.Regexp) {
	least, most := 1, 1
	switch form.Op {
	case expr.OpLiteral:
		for _, c := range form.Rune {
			if low := unicode.ToLower(c); form.Flags&expr.FoldCase != 0 && e.likes(low) {
				c = low
			}
			e.WriteRune(c)
		}
		return
	case expr.OpCharClass:
		e.WriteRune(e.of(form.Rune))
		return
	case expr.OpAnyChar, expr.OpAnyCharNotNL:
		e.WriteRune(e.of([]rune{'!', '~'}))
		return
	case expr.OpAlternate:
		e.write(form.Sub[e.r.IntN(len(form.Sub))])
		return
	case expr.OpStar:
		least, most = 0, 3
	case expr.OpPlus:
		most = 4
	case expr.OpQuest:
		least = 0
	case expr.OpRepeat:
		if least, most = form.Min, form.Max; most < 0 {
			most = least + 4
		}
	}
	if !e.shortest {
		least += e.r.IntN(min(most-least, 12) + 1)
	}
	for range least {
		for _, part := range form.Sub {
			e.write(part)
		}
	}
}

// of returns a character of a class, a visible one of ASCII if possible.
func (e *example) of(pairs []rune) rune {
	var seen, liked []rune
	for i := 0; i+1 < len(pairs); i += 2 {
		for c := max(pairs[i], ' '); c <= min(pairs[i+1], '~'); c++ {
			if seen = append(seen, c); e.likes(c) {
				liked = append(liked, c)
			}
		}
	}
	switch {
	case len(liked) > 0:
		return liked[e.r.IntN(len(liked))]
	case len(seen) > 0:
		return seen[e.r.IntN(len(seen))]
	}
	return pairs[0]
}
