package script

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/sim/model/prompt"
)

func (m *Model) verify(claims []prompt.Claim, looked []string) []prompt.Verdict {
	var out []prompt.Verdict
	for _, c := range claims {
		v := prompt.Verdict{Claim: c.ID, Verdict: "unproven", Scope: "introduced", Reachable: "unknown", Severity: "high", ConfirmingQuotes: []string{}, FinalTitle: c.Title}
		switch m.options.Name {
		case Lazy:
		case Liar:
			m.lie(c, &v, worthless(c))
		case Forger:
			m.lie(c, &v, append(worthless(c), besides(c, looked)...))
		case Obedient:
			if order := ordered(c); order != "" {
				v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", order
			} else {
				m.judge(c, &v, m.holds(c))
			}
		case Noisy: // what it invents stands on lines of defects, too: its words tell
			if m.chance("verify "+c.Title).Float64() < 0.9 {
				m.judge(c, &v, m.named(c))
			}
		default:
			m.judge(c, &v, m.holds(c))
		}
		out = append(out, v)
	}
	return out
}

// judge confirms what is right, as far as it is still there, and refutes what is not.
func (m *Model) judge(c prompt.Claim, v *prompt.Verdict, right bool) {
	quote := prompt.Telling(c.Quote)
	if quote == "" {
		quote = prompt.Telling(c.Code)
	}
	if !right || c.AsksAgain && !stands(c, quote) {
		v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", c.Rebuttal()
		return
	}
	v.Verdict, v.Reachable, v.ConfirmingQuotes, v.WouldSeniorBlock = "confirmed", "yes", []string{c.Proof()}, true
}

// holds reports whether a claim is about a golden place, or about its defect.
func (m *Model) holds(c prompt.Claim) bool {
	return m.named(c) || slices.ContainsFunc(m.golden, func(g eval.Golden) bool {
		return g.Path == c.Path && (g.Side == domain.Left) == c.Old && c.First <= g.EndLine && c.Last >= g.StartLine
	})
}

// named reports whether the words of a claim are of a defect of its file.
func (m *Model) named(c prompt.Claim) bool {
	return slices.ContainsFunc(m.golden, func(g eval.Golden) bool { return c.Path == g.Path && m.defectOf(c.Title) == g.Defect })
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
