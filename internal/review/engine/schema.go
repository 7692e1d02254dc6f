package engine

import (
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/finding"
)

// candidate is a finding as a model writes it. Nothing in it is trusted.
type candidate struct {
	Path        string          `json:"path"`
	Side        string          `json:"side"`
	Start       int             `json:"start"`
	End         int             `json:"end"`
	Quote       string          `json:"quote"`
	Category    domain.Category `json:"category"`
	RuleKey     string          `json:"rule_key"`
	Severity    string          `json:"severity"`
	Title       string          `json:"title"`
	Trigger     string          `json:"trigger"`
	Explanation string          `json:"explanation"`
	Evidence    []citation      `json:"evidence"`
	AlsoAt      []furtherPlace  `json:"also_at"`
	Fix         *fix            `json:"fix"`
	SelfDoubt   float64         `json:"self_doubt"`
	SameAs      string          `json:"same_as"` // label of an earlier finding; "" for a new one

	Half    int  `json:"half,omitempty"`    // which answer it is from of a part that was cut; no model sets it
	Repeats bool `json:"repeats,omitempty"` // it repeats the words of a tool of others; no model sets it

	answer int // which answer it is from

	guessed bool          // the decoder had to guess its quotation, see [jsonrepair.Value]
	by      finding.Pass  // by which pass
	general int           // passes with the general lens over its part, without that of the panel
	panel   bool          // the panel read its part
	finder  domain.Finder // the model of the pass; the zero value without a panel
}

type citation struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Quote string `json:"quote"`
	Note  string `json:"note"`

	guessed bool // as above
}

// furtherPlace is a line that has the same defect.
type furtherPlace struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

type fix struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// verdict is the verifier's answer to one claim.
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
	FinalTrigger     string   `json:"final_trigger"`
	RestsOn          []basis  `json:"rests_on"`
	Intended         string   `json:"intended"`
	IntendedQuote    string   `json:"intended_quote"`
	AlsoAt           []string `json:"also_at"` // labels of further places with the same defect
	SameAs           string   `json:"same_as"` // label of another claim of the same prompt; "" for none

	Said    string `json:"said,omitempty"`    // the verdict as the model gave it; no model sets it
	Why     string `json:"why,omitempty"`     // it counts for less than it says; no model sets it
	Repeats bool   `json:"repeats,omitempty"` // it repeats the words of a tool of others; no model sets it
	// Reason is the explanation for a second opinion, in one line; no model sets it. It is "" if it repeats the words of a
	// tool of others, which another model must not see.
	Reason string          `json:"reason,omitempty"`
	Looked []finding.Lines `json:"looked,omitempty"` // code that was looked up; no model sets it
}

// basis is documented behaviour on which a verdict rests.
type basis struct {
	What    string `json:"what"`
	Version string `json:"version"` // "" if it is not known
}

// findingSchema is the JSON Schema of a generation answer. It keeps to the
// subset that strict structured outputs accept: no bounds, everything required.
func findingSchema(rules []Rule) json.RawMessage {
	categories := make([]string, 0, 9)
	for _, c := range modelCategories() {
		categories = append(categories, string(c))
	}
	fixed := ask.Object(ask.Schema{"old": ask.String, "new": ask.String})
	fixed["type"] = []string{"object", "null"}
	return ask.JSON(ask.Object(ask.Schema{"findings": ask.Array(ask.Object(ask.Schema{
		"path": ask.String, "side": ask.Enum("RIGHT", "LEFT"), "start": ask.Integer, "end": ask.Integer, "quote": ask.String,
		"category": ask.Enum(categories...), "rule_key": ask.Enum(ruleKeys(rules)...),
		"severity": ask.Enum("info", "low", "medium", "high", "critical"),
		"title":    ask.String, "trigger": ask.String, "explanation": ask.String,
		"evidence": ask.Array(ask.Object(ask.Schema{"path": ask.String, "start": ask.Integer, "end": ask.Integer, "quote": ask.String,
			"note": ask.String})),
		"also_at":    ask.Array(ask.String),
		"fix":        fixed,
		"self_doubt": ask.Number, "same_as": ask.String,
	})), "synopsis": ask.String}))
}

// verdictSchema is the JSON Schema of a verification answer.
func verdictSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"verdicts": ask.Array(ask.Object(ask.Schema{
		"claim": ask.String, "verdict": ask.Enum("confirmed", "refuted", "unproven"),
		"scope":            ask.Enum("introduced", "exacerbated", "pre_existing", "unrelated"),
		"reachable":        ask.Enum("yes", "no", "unknown"),
		"severity":         ask.Enum("info", "low", "medium", "high", "critical"),
		"refutation_quote": ask.String, "confirming_quotes": ask.Array(ask.String), "would_senior_block": ask.Boolean,
		"final_title": ask.String, "final_explanation": ask.String, "final_trigger": ask.String,
		"rests_on": ask.Array(ask.Object(ask.Schema{"what": ask.String, "version": ask.String})),
		"intended": ask.Enum("yes", "no", "unknown"), "intended_quote": ask.String, "same_as": ask.String,
		"also_at": ask.Array(ask.String),
	}))}))
}
