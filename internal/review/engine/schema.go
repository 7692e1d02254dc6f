package engine

import (
	"encoding/json"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
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
	Fix         *fix            `json:"fix"`
	SelfDoubt   float64         `json:"self_doubt"`
	SameAs      string          `json:"same_as"` // label of an earlier finding; "" for a new one

	Half    int  `json:"half,omitempty"`    // which answer it is from of a part that was cut; no model sets it
	Repeats bool `json:"repeats,omitempty"` // it repeats the words of a tool of others; no model sets it

	answer int // which answer it is from

	guessed bool // the decoder had to guess its quotation, see [jsonrepair.Value]
	by      aim  // by which pass
	general int  // passes with the general lens over its part
}

type citation struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Quote string `json:"quote"`
	Note  string `json:"note"`

	guessed bool // as above
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

	Why     string `json:"why,omitempty"`     // it counts for less than it says; no model sets it
	Repeats bool   `json:"repeats,omitempty"` // it repeats the words of a tool of others; no model sets it
}

type object = map[string]any

func obj(properties object) object {
	required := make([]string, 0, len(properties))
	for k := range properties {
		required = append(required, k)
	}
	slices.Sort(required) // strict mode of OpenAI's structured outputs wants every property required
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func enum(values ...string) object { return object{"type": "string", "enum": values} }

var (
	text    = object{"type": "string"}
	integer = object{"type": "integer"}
	number  = object{"type": "number"}
	boolean = object{"type": "boolean"}
)

func list(item object) object { return object{"type": "array", "items": item} }

// findingSchema is the JSON Schema of a generation answer. It keeps to the
// subset that strict structured outputs accept: no bounds, everything required.
func findingSchema(rules []Rule) json.RawMessage {
	categories := make([]string, 0, 9)
	for _, c := range modelCategories() {
		categories = append(categories, string(c))
	}
	fixed := obj(object{"old": text, "new": text})
	fixed["type"] = []string{"object", "null"}
	return mustJSON(obj(object{"findings": list(obj(object{
		"path": text, "side": enum("RIGHT", "LEFT"), "start": integer, "end": integer, "quote": text,
		"category": enum(categories...), "rule_key": enum(ruleKeys(rules)...),
		"severity": enum("info", "low", "medium", "high", "critical"),
		"title":    text, "trigger": text, "explanation": text,
		"evidence":   list(obj(object{"path": text, "start": integer, "end": integer, "quote": text, "note": text})),
		"fix":        fixed,
		"self_doubt": number, "same_as": text,
	}))}))
}

// verdictSchema is the JSON Schema of a verification answer.
func verdictSchema() json.RawMessage {
	return mustJSON(obj(object{"verdicts": list(obj(object{
		"claim": text, "verdict": enum("confirmed", "refuted", "unproven"),
		"scope":            enum("introduced", "exacerbated", "pre_existing", "unrelated"),
		"reachable":        enum("yes", "no", "unknown"),
		"severity":         enum("info", "low", "medium", "high", "critical"),
		"refutation_quote": text, "confirming_quotes": list(text), "would_senior_block": boolean,
		"final_title": text, "final_explanation": text,
	}))}))
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only strings, slices and maps of them are given
	}
	return b
}
