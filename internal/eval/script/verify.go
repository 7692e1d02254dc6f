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
		v := prompt.Verdict{Claim: c.ID, Verdict: "unproven", Scope: "introduced", Reachable: "unknown", Severity: "high",
			ConfirmingQuotes: []string{}, FinalTitle: c.Title}
		switch m.options.Name {
		case Lazy:
		case Liar:
			m.lie(c, &v, worthlessQuotes(c))
		case Forger:
			m.lie(c, &v, append(worthlessQuotes(c), shownQuotes(c, looked)...))
		case Obedient:
			if order := silencingLine(c); order != "" {
				v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", order
			} else {
				m.judge(c, &v, m.isGolden(c))
			}
		case Noisy: // its inventions may be on the lines of defects, so only words count
			if m.chance("verify "+c.Title).Float64() < 0.9 {
				m.judge(c, &v, m.namesDefect(c))
			}
		default:
			m.judge(c, &v, m.isGolden(c))
		}
		out = append(out, v)
	}
	return out
}

// judge confirms right claims that still stand, and refutes the others.
func (m *Model) judge(c prompt.Claim, v *prompt.Verdict, right bool) {
	quote := prompt.Telling(c.Quote)
	if quote == "" {
		quote = prompt.Telling(c.Code)
	}
	if !right || c.AsksAgain && !quoteStands(c, quote) {
		v.Verdict, v.Reachable, v.RefutationQuote = "refuted", "no", c.Rebuttal()
		return
	}
	v.Verdict, v.Reachable, v.ConfirmingQuotes, v.WouldSeniorBlock = "confirmed", "yes", []string{c.Proof()}, true
}

// isGolden reports whether a claim is about a golden place, or about its defect.
func (m *Model) isGolden(c prompt.Claim) bool {
	return m.namesDefect(c) || slices.ContainsFunc(m.golden, func(g eval.Golden) bool {
		return g.Path == c.Path && (g.Side == domain.Left) == c.Old && c.First <= g.EndLine && c.Last >= g.StartLine
	})
}

// namesDefect reports whether the title of a claim names a defect in its file.
func (m *Model) namesDefect(c prompt.Claim) bool {
	return slices.ContainsFunc(m.golden, func(g eval.Golden) bool { return c.Path == g.Path && m.defectOf(c.Title) == g.Defect })
}

// silencingLine returns a line of the claim's code that orders a reviewer to be silent, or "".
func silencingLine(c prompt.Claim) string {
	for _, l := range c.Code {
		if silence.MatchString(l) {
			return l
		}
	}
	return ""
}

func quoteStands(c prompt.Claim, line string) bool {
	for _, l := range c.Code {
		if strings.TrimSpace(l) == strings.TrimSpace(line) {
			return true
		}
	}
	return false
}
