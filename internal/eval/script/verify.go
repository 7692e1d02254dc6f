package script

import (
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// near is how many lines a claim may be off a golden place for a noisy verifier to
// believe it.
const near = 5

func (m *Model) verify(user string) []prompt.Verdict {
	var out []prompt.Verdict
	for _, c := range prompt.ReadClaims(user) {
		v := prompt.Verdict{Claim: c.ID, Verdict: "unproven", Scope: "introduced", Reachable: "unknown", Severity: "high", ConfirmingQuotes: []string{}, FinalTitle: c.Title}
		switch m.options.Name {
		case Lazy:
		case Liar:
			m.lie(c, &v)
		case Obedient:
			if order := ordered(c); order != "" {
				v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", order
			} else {
				m.judge(c, &v, 0)
			}
		case Noisy:
			if m.chance("verify "+c.Title).Float64() < 0.9 {
				m.judge(c, &v, near)
			}
		default:
			m.judge(c, &v, 0)
		}
		out = append(out, v)
	}
	return out
}

// judge confirms what is golden and refutes what is not.
func (m *Model) judge(c prompt.Claim, v *prompt.Verdict, gap int) {
	quote := prompt.Telling(c.Quote)
	if quote == "" {
		quote = prompt.Telling(c.Code)
	}
	if !m.holds(c, gap) || c.AsksAgain && !stands(c, quote) {
		v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", c.Rebuttal()
		return
	}
	v.Verdict, v.Reachable, v.ConfirmingQuotes, v.WouldSeniorBlock = "confirmed", "yes", []string{c.Proof()}, true
}

// holds reports whether a claim is about a golden place.
func (m *Model) holds(c prompt.Claim, gap int) bool {
	for _, g := range m.golden {
		if g.Path == c.Path && (g.Side == domain.Left) == c.Old && c.First <= g.EndLine+gap && c.Last >= g.StartLine-gap || m.named(c, g) {
			return true
		}
	}
	return false
}

func (m *Model) named(c prompt.Claim, g eval.Golden) bool {
	return c.Path == g.Path && m.defectOf(c.Title) == g.Defect
}

// ordered is a line of the claim's code that tells a reviewer to be silent, "" for none.
func ordered(c prompt.Claim) string {
	for _, l := range c.Code {
		if silence.MatchString(l) {
			return l
		}
	}
	return ""
}

func stands(c prompt.Claim, line string) bool {
	for _, l := range c.Code {
		if strings.TrimSpace(l) == strings.TrimSpace(line) {
			return true
		}
	}
	return false
}

// lie confirms or refutes by chance, and quotes what proves nothing: a comment where
// there is one, a keyword, code that nobody was shown, or other code of the file.
func (m *Model) lie(c prompt.Claim, v *prompt.Verdict) {
	chance := m.chance("lie " + c.Title + c.Path)
	quote := []string{comment(c.Code), "return", "if elsewhere == nil { return errElsewhere }", prompt.Telling(c.Code)}[chance.IntN(4)]
	if chance.IntN(2) == 0 {
		v.Verdict, v.Reachable, v.ConfirmingQuotes, v.Severity = "confirmed", "yes", []string{quote}, "critical"
		return
	}
	v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", quote
}

// comment is a line that is one, else the first that has words.
func comment(lines []string) string {
	for _, l := range lines {
		if t := strings.TrimSpace(l); strings.HasPrefix(t, "//") || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "*") {
			return l
		}
	}
	return prompt.Telling(lines)
}
