package script

import (
	"strings"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// lie confirms or refutes at random, and quotes one of the given texts.
func (m *Model) lie(c prompt.Claim, v *prompt.Verdict, quotes []string) {
	chance := m.chance("lie " + c.Title + c.Path)
	quote := quotes[chance.IntN(len(quotes))]
	if chance.IntN(2) == 0 {
		v.Verdict, v.Reachable, v.ConfirmingQuotes, v.Severity = "confirmed", "yes", []string{quote}, "critical"
		return
	}
	v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", quote
}

// worthlessQuotes returns quotes that prove no claim: a comment, keywords, removed lines, and code that the model
// was not shown.
func worthlessQuotes(c prompt.Claim) []string {
	out := []string{comment(c.Code), "return", "func", "if elsewhere == nil { return errElsewhere }",
		"func (c *cache) evict(key string) error { return c.store.Delete(key) }"}
	if line := prompt.Telling(c.Removed); line != "" {
		out = append(out, line)
	}
	return out
}

// shownQuotes returns quotes from the prompt: the first telling line of the claim's code, and lines from tools.
func shownQuotes(c prompt.Claim, looked []string) []string {
	out := []string{prompt.Telling(c.Code)}
	if len(looked) > 0 {
		out = append(out, prompt.Telling(looked), strings.Join(looked[max(len(looked)-2, 0):], "\n"))
	}
	return out
}

// comment returns a comment line of the code, or one that is not in the code.
func comment(lines []string) string {
	for _, l := range lines {
		if t := strings.TrimSpace(l); strings.HasPrefix(t, "//") || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "*") {
			return l
		}
	}
	return "// every caller has checked this before"
}
