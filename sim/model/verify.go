package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// claim is a claim of a verification request.
type claim struct {
	id, title   string
	asksAgain   bool     // whether an earlier report still holds
	quote, code []string // without numbers and marks
}

// shownCode is a line of code with its number and mark.
var shownCode = regexp.MustCompile(`^\s*\d+(?: [-+ ](?: (.*))?)?$`)

// parseClaims reads the claims of a prompt: "=== claim <id>" starts one; "title:" follows, and fenced blocks after
// "quote:" and "code:".
func parseClaims(text string) []claim {
	var out []claim
	var fence string
	var into *[]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if fence != "" {
			switch {
			case line == fence:
				fence, into = "", nil
			case into != nil:
				if m := shownCode.FindStringSubmatch(line); m != nil && into == &out[len(out)-1].code {
					line = m[1]
				}
				*into = append(*into, line)
			}
			continue
		}
		if id, ok := strings.CutPrefix(line, "=== claim "); ok {
			out = append(out, claim{id: strings.TrimSpace(id)})
			continue
		}
		if len(out) == 0 {
			continue
		}
		c := &out[len(out)-1]
		switch {
		case strings.HasPrefix(line, "title:"):
			c.title = strings.TrimSpace(strings.TrimPrefix(line, "title:"))
		case strings.HasPrefix(line, "question:"):
			c.asksAgain = true
		case strings.HasPrefix(line, "quote:"):
			into = &c.quote
		case strings.HasPrefix(line, "code:"):
			into = &c.code
		case strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		}
	}
	return out
}

// telling returns the first line that has enough to be recognised, else the first that is not blank.
func telling(lines []string) string {
	best := ""
	for _, l := range lines {
		letters := len(strings.Join(strings.Fields(l), ""))
		if letters >= 4 && strings.ContainsFunc(l, unicode.IsLetter) {
			return l
		}
		if best == "" && letters > 0 {
			best = l
		}
	}
	return best
}

type verdict struct {
	Claim            string   `json:"claim"`
	Verdict          string   `json:"verdict"`
	Scope            string   `json:"scope"`
	Reachable        string   `json:"reachable"`
	Severity         string   `json:"severity"`
	RefutationQuote  string   `json:"refutation_quote"`
	ConfirmingQuotes []string `json:"confirming_quotes"`
	WouldSeniorBlock bool     `json:"would_senior_block"`
	FinalTitle       string   `json:"final_title"`
	FinalExplanation string   `json:"final_explanation"`
}

// verdicts answers the claims of a request.
func verdicts(q *request, v Verify) (json.RawMessage, error) {
	out := []verdict{}
	severity := v.Severity
	if severity == "" {
		severity = "critical"
	}
	for _, c := range parseClaims(q.user) {
		a := verdict{Claim: c.id, Scope: "introduced", Reachable: "yes", Severity: severity, ConfirmingQuotes: []string{}, FinalTitle: c.title}
		quote := telling(c.quote)
		if quote == "" {
			quote = telling(c.code)
		}
		switch {
		case listed(v.Unproven, c.title):
			a.Verdict, a.Reachable = "unproven", "unknown"
		case listed(v.Refute, c.title), c.asksAgain && !stillThere(c, quote):
			a.Verdict, a.Reachable, a.RefutationQuote = "refuted", "no", telling(append(c.code, c.quote...))
		default:
			a.Verdict, a.ConfirmingQuotes, a.WouldSeniorBlock = "confirmed", []string{quote}, true
		}
		out = append(out, a)
	}
	return plainJSON(map[string]any{"verdicts": out})
}

func listed(patterns []string, title string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return regexp.MustCompile(p).MatchString(title) })
}

// stillThere reports whether a line stands in the code that the claim shows.
func stillThere(c claim, line string) bool {
	return slices.ContainsFunc(c.code, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(line) })
}
