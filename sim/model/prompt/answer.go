package prompt

import "encoding/json"

// Found is a finding of a generation answer, in the form of the engine's schema.
type Found struct {
	Path        string     `json:"path"`
	Side        string     `json:"side"`
	Start       int        `json:"start"`
	End         int        `json:"end"`
	Quote       string     `json:"quote"`
	Category    string     `json:"category"`
	RuleKey     string     `json:"rule_key"`
	Severity    string     `json:"severity"`
	Title       string     `json:"title"`
	Trigger     string     `json:"trigger"`
	Explanation string     `json:"explanation"`
	Evidence    []Citation `json:"evidence"`
	Fix         *Change    `json:"fix"`
	SelfDoubt   float64    `json:"self_doubt"`
	SameAs      string     `json:"same_as"`
}

// Citation is a piece of code that supports a finding.
type Citation struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Quote string `json:"quote"`
	Note  string `json:"note"`
}

// Change replaces old code by new.
type Change struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Verdict is the answer to one claim.
type Verdict struct {
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

// Same is the answer to one pair.
type Same struct {
	Pair string `json:"pair"`
	Same bool   `json:"same"`
}

// Findings returns the answer to a generation prompt.
func Findings(list []Found) map[string]any { return answer("findings", list) }

// Verdicts returns the answer to a verification prompt.
func Verdicts(list []Verdict) map[string]any { return answer("verdicts", list) }

// Pairs returns the answer to a comparison.
func Pairs(list []Same) map[string]any { return answer("pairs", list) }

func answer[T any](name string, list []T) map[string]any {
	if list == nil {
		list = []T{}
	}
	return map[string]any{name: list}
}

// Allowed returns the value if the schema's enumeration of a finding's member holds it, or if the member has
// no enumeration. Otherwise it returns the fallback if that is allowed, or else the first value.
func Allowed(schema json.RawMessage, member, value, fallback string) string {
	var s struct {
		Properties struct {
			Findings struct {
				Items struct {
					Properties map[string]struct {
						Enum []string `json:"enum"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"findings"`
		} `json:"properties"`
	}
	if value == "" {
		value = fallback
	}
	if json.Unmarshal(schema, &s) != nil {
		return value
	}
	enum := s.Properties.Findings.Items.Properties[member].Enum
	first := ""
	for _, e := range enum {
		switch {
		case e == value:
			return value
		case e == fallback, first == "":
			first = e
		}
	}
	if first == "" {
		return value
	}
	return first
}
