package script

import (
	"strings"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// lie confirms or refutes by chance, and quotes one of some texts.
func (m *Model) lie(c prompt.Claim, v *prompt.Verdict, quotes []string) {
	chance := m.chance("lie " + c.Title + c.Path)
	quote := quotes[chance.IntN(len(quotes))]
	if chance.IntN(2) == 0 {
		v.Verdict, v.Reachable, v.ConfirmingQuotes, v.Severity = "confirmed", "yes", []string{quote}, "critical"
		return
	}
	v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", quote
}

// worthless are quotes that prove nothing, whatever is claimed: a comment, keywords,
// lines that the change removes, and code of other files that nobody was shown.
func worthless(c prompt.Claim) []string {
	out := []string{comment(c.Code), "return", "func", "if elsewhere == nil { return errElsewhere }", "func (c *cache) evict(key string) error { return c.store.Delete(key) }"}
	if line := prompt.Telling(c.Removed); line != "" {
		out = append(out, line)
	}
	return out
}

// besides are quotes of code that the model was shown: the first telling line of the
// claim's, and what tools have shown.
func besides(c prompt.Claim, looked []string) []string {
	out := []string{prompt.Telling(c.Code)}
	if len(looked) > 0 {
		out = append(out, prompt.Telling(looked), strings.Join(looked[max(len(looked)-2, 0):], "\n"))
	}
	return out
}

// comment is a line that is one, else one that stands nowhere.
func comment(lines []string) string {
	for _, l := range lines {
		if t := strings.TrimSpace(l); strings.HasPrefix(t, "//") || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "*") {
			return l
		}
	}
	return "// every caller has checked this before"
}
