package check

import (
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"

	"github.com/assay-dev/assay/internal/clip"
)

// textRules are the rules of gitleaks for texts, with their keywords.
type textRules struct {
	rules    []config.Rule
	keywords [256][]keyword // by their first byte
	always   []int          // places of the rules without keywords
}

// keyword is a word of a rule in lower case. The library tries a rule only on texts with one of its keywords.
type keyword struct {
	word string
	rule int // its place
}

// rulesForTexts returns the rules of a configuration that need no path of a file.
func rulesForTexts(cfg config.Config) *textRules {
	t := &textRules{}
	for _, r := range cfg.Rules {
		if r.Regex == nil || r.Path != nil {
			continue
		}
		at := len(t.rules)
		t.rules = append(t.rules, r)
		if len(r.Keywords) == 0 || slices.Contains(r.Keywords, "") {
			t.always = append(t.always, at)
			continue
		}
		for _, k := range r.Keywords {
			k = strings.ToLower(k)
			t.keywords[k[0]] = append(t.keywords[k[0]], keyword{k, at})
		}
	}
	return t
}

// genericSigns are the signs between a name and its value in [genericRule], whose keywords are usual words. It needs one of them.
const genericSigns = "=>:|,"

// match reports whether the expression of a rule matches a text.
func (t *textRules) match(text string) bool {
	text += "\n"                   // as the scan ends a text
	lower := strings.ToLower(text) // as the library looks for keywords
	due := slices.Clone(t.always)
	for i := range len(lower) {
		for _, k := range t.keywords[lower[i]] {
			if strings.HasPrefix(lower[i:], k.word) && !slices.Contains(due, k.rule) {
				due = append(due, k.rule)
			}
		}
	}
	return slices.ContainsFunc(due, func(at int) bool {
		r := t.rules[at]
		return (r.RuleID != genericRule || strings.ContainsAny(text, genericSigns)) && r.Regex.MatchString(text)
	})
}

// maxJudgedText is the length of the longest text that [Scanner.MayHold] judges, in bytes (a design choice). Longer ones are scanned.
const maxJudgedText = 16 << 10

// MayHold reports whether [Scanner.ScanText] can find a secret in a text. True is not a proof, because entropy and lists of allowed
// values are not tried. A text with invisible characters is judged without them, too.
func (s *Scanner) MayHold(text string) bool {
	if s.mayHold(text) {
		return true
	}
	shown := clip.Visible(text)
	return shown != text && s.mayHold(shown)
}

func (s *Scanner) mayHold(text string) bool {
	return s.texts.match(text) || len(secretsByPosition("", text)) > 0
}
