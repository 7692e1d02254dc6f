package fix

import (
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of one run (design choices: people read the whole change before they take it).
const (
	MaxFindings = 20  // findings of one run; later ones are refused with [TooManyFindings]
	MaxFiles    = 5   // files that the fixes of one run change together
	MaxLines    = 120 // lines that they remove and add together
	MaxEdits    = 20  // edits of one answer of a model
)

// Result is the outcome of one run. Its JSON form holds no text of the head beyond the lines beside an edit that
// [Edit.Replacement] repeats, and no secret. It takes at most [MaxResult] bytes.
type Result struct {
	Findings []Outcome `json:"findings"` // in the order of the input
	Files    []File    `json:"files"`    // with the edits of all findings that passed, sorted by path
	Usage    Usage     `json:"usage"`
	// Incomplete is the reason for which the run ended before all findings were tried; "" if it tried all.
	Incomplete Reason `json:"incomplete,omitempty"`
}

// MaxResult is the most bytes of the JSON form of a [Result].
const MaxResult = 512 << 10

// Passed returns how many findings have a fix that passed every check.
func (r Result) Passed() (n int) {
	for _, o := range r.Findings {
		if o.Passed {
			n++
		}
	}
	return n
}

// Outcome is what became of one finding.
type Outcome struct {
	FindingID string `json:"findingId"`
	RuleID    string `json:"ruleId"`
	Passed    bool   `json:"passed"`
	Reason    Reason `json:"reason,omitempty"` // why there is no fix; "" if it passed
	// Path is the file that the reason is about, "" for none; text from outside, at most 512 bytes.
	Path string `json:"path,omitempty"`
	// Note adds the model's or the parser's words to the reason, "" for none; text from outside in one line, without secrets and
	// invisible characters, at most 500 characters.
	Note string `json:"note,omitempty"`
	// Summary is the model's sentence about the change; text from outside, as Note.
	Summary     string       `json:"summary,omitempty"`
	Edits       []Edit       `json:"edits,omitempty"`       // of a fix that passed only
	Suggestions []Suggestion `json:"suggestions,omitempty"` // for the edits whose lines the diff shows
	Outside     int          `json:"outside,omitempty"`     // edits whose lines the diff does not show, so that no block can stand there
	Checks      []Check      `json:"checks"`                // in the order in which they were made; the last one failed if Passed is false
}

// Edit replaces whole lines of one file of the head.
type Edit struct {
	Path        string `json:"path"`
	Start       int    `json:"start"`            // first replaced line, 1-based, at the head
	End         int    `json:"end"`              // last replaced line, inclusive
	Removed     string `json:"removed"`          // the replaced lines for people, without secrets, joined by newlines
	Replacement string `json:"replacement"`      // the new lines, joined by newlines, without a newline at the end
	Delete      bool   `json:"delete,omitempty"` // the lines go without replacement; Replacement is ""
}

// Suggestion is an [Edit] in the form of a host's suggestion block: all its lines stand in one hunk of the diff, on the new side.
type Suggestion struct {
	Path        string      `json:"path"`
	Side        domain.Side `json:"side"` // always [domain.Right]
	Start       int         `json:"start"`
	End         int         `json:"end"`
	Replacement string      `json:"replacement"` // "" deletes the lines if Delete is set; else the lines become one empty line
	Delete      bool        `json:"delete,omitempty"`
}

// File is a file that the fixes of a run change.
type File struct {
	Path   string `json:"path"`
	Before string `json:"before"` // SHA-256 of the content at the head, in hexadecimal
	After  string `json:"after"`  // SHA-256 of Content
	// Content is the whole new content. It may hold secrets that the head has, so the JSON form leaves it out; see [Contents].
	Content []byte `json:"-"`
}

// Check is one check of a fix.
type Check struct {
	Name    CheckName    `json:"name"`
	Outcome CheckOutcome `json:"outcome"`
}

// CheckName names a check.
type CheckName string

// The checks, in the order in which they are made.
const (
	CheckProposed CheckName = "proposed" // the model's answer has edits within the bounds
	CheckPaths    CheckName = "paths"    // only allowed files
	CheckApplied  CheckName = "applied"  // every search text stands in its file once
	CheckSize     CheckName = "size"     // at most MaxFiles and MaxLines
	CheckSyntax   CheckName = "syntax"   // the parsers accept the files as well as before
	CheckScope    CheckName = "scope"    // every edit has to do with the finding, no definition goes, tests and errors stay
	CheckStatic   CheckName = "static"   // no new finding of a deterministic check, no secret, no hidden character
	CheckGone     CheckName = "gone"     // the finding's own check does not report it any more
	CheckVerified CheckName = "verified" // the verifier refutes the finding by the new lines
	CheckLook     CheckName = "look"     // the second look at the edited functions finds nothing worse
	CheckTogether CheckName = "together" // the fix stands beside those of the other findings
)

// CheckOutcome is how a check ended.
type CheckOutcome string

// The outcomes. A check is not applicable if another one decides, or if no parser reads the language; then no check of this name
// was made.
const (
	OutcomePassed        CheckOutcome = "passed"
	OutcomeFailed        CheckOutcome = "failed"
	OutcomeNotApplicable CheckOutcome = "not applicable"
)

// Usage counts the model calls of a run. The recorder has one row for each.
type Usage struct {
	Calls        int   `json:"calls"`
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}
