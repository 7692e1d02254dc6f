package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// verdicts answers the claims of a request.
func verdicts(q *request, v Verify) (json.RawMessage, error) {
	var out []prompt.Verdict
	severity := v.Severity
	if severity == "" {
		severity = "critical"
	}
	for _, c := range prompt.ReadClaims(q.user) {
		a := prompt.Verdict{Claim: c.ID, Scope: "introduced", Reachable: "yes", Severity: severity, ConfirmingQuotes: []string{},
			FinalTitle: c.Title, FinalExplanation: v.Explain}
		quote := prompt.Telling(c.Quote)
		if quote == "" {
			quote = prompt.Telling(c.Code)
		}
		proof := c.Proof()
		if line := v.Stands[c.Title]; c.AsksAgain && line != "" {
			quote, proof = line, line
		}
		switch {
		case listed(v.Unproven, c.Title):
			a.Verdict, a.Reachable = "unproven", "unknown"
		case listed(v.Refute, c.Title), c.AsksAgain && !stillThere(c, quote):
			a.Verdict, a.Reachable, a.RefutationQuote = "refuted", "no", c.Rebuttal()
		default:
			a.Verdict, a.ConfirmingQuotes, a.WouldSeniorBlock = "confirmed", []string{proof}, true
		}
		out = append(out, a)
	}
	return plainJSON(prompt.Verdicts(out))
}

func listed(patterns []string, title string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return regexp.MustCompile(p).MatchString(title) })
}

// stillThere reports whether a line is in the code that the claim shows.
func stillThere(c prompt.Claim, line string) bool {
	return slices.ContainsFunc(c.Code, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(line) })
}
