package eval

import (
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ErrNoCode says that a case cannot be reviewed here, because its code is not at
// hand: it is left out, and counted.
var ErrNoCode = errors.New("the code of the case is not at hand")

// Stage is how far a finding of a model came.
type Stage string

// The stages in their order. What is published is what the rules of the review
// leave: mostly what was verified, and what is shown although no verifier could
// decide it.
const (
	Generated Stage = "generated" // a model wrote it
	Anchored  Stage = "anchored"  // its place and quote are in the code
	Standing  Stage = "standing"  // no verifier refuted it
	Verified  Stage = "verified"  // a verifier confirmed it
	Published Stage = "published" // a person would see it: inline or in the summary
)

// Finding is what a review said, or would have said.
type Finding struct {
	Path      string      `json:"path"`
	Side      domain.Side `json:"side"`
	StartLine int         `json:"startLine"` // 0: of the whole file
	EndLine   int         `json:"endLine"`
	Rule      string      `json:"rule,omitempty"`
	Category  string      `json:"category,omitempty"`
	Severity  string      `json:"severity,omitempty"`
	Title     string      `json:"title,omitempty"`
	Text      string      `json:"text,omitempty"`
	Inline    bool        `json:"inline,omitempty"` // at its line, else in the summary
	Model     bool        `json:"model,omitempty"`  // a model's, else of a deterministic check
	// Confidence is from 0 to 1; 0 where the stage knows none.
	Confidence float64 `json:"confidence,omitempty"`
	ID         string  `json:"id,omitempty"` // the same across the heads of a case
	// Lenses are those of the passes that reported it, in the engine's words.
	Lenses []string `json:"lenses,omitempty"`
}

// Cost is what a review used.
type Cost struct {
	Calls        int           `json:"calls"`
	InputTokens  int64         `json:"inputTokens"`
	CachedTokens int64         `json:"cachedTokens"` // of InputTokens
	OutputTokens int64         `json:"outputTokens"`
	Looks        int           `json:"looks,omitempty"`    // calls of tools by models
	Answered     int           `json:"answered,omitempty"` // of Looks: the others were refused, or could not be read
	Micros       int64         `json:"micros"`             // of a US dollar; 0 where no price is known
	Duration     time.Duration `json:"duration"`
}

// Add adds what another review used.
func (c *Cost) Add(d Cost) {
	c.Calls += d.Calls
	c.InputTokens += d.InputTokens
	c.CachedTokens += d.CachedTokens
	c.OutputTokens += d.OutputTokens
	c.Looks += d.Looks
	c.Answered += d.Answered
	c.Micros += d.Micros
	c.Duration += d.Duration
}

// Head is what the review of one head said.
type Head struct {
	// Stages holds the model's findings of each stage, and under [Published] those
	// of deterministic checks too. What an earlier head said is not said again.
	Stages   map[Stage][]Finding `json:"stages"`
	Resolved []string            `json:"resolved,omitempty"` // ids of findings of earlier heads
	// Renames holds the path at the base by the path at the head, of files that the
	// change renamed: what is known may name either.
	Renames map[string]string `json:"renames,omitempty"`
	Shown   int               `json:"shown,omitempty"` // of the case's definitions, how many prompts showed
	// Elsewhere counts the definitions in files that the change does not touch, and
	// ShownElsewhere those of them that prompts showed. Both are part of the others.
	Elsewhere      int    `json:"elsewhere,omitempty"`
	ShownElsewhere int    `json:"shownElsewhere,omitempty"`
	Lines          int    `json:"lines"` // changed lines
	Cost           Cost   `json:"cost"`
	Model          string `json:"model"`          // the engine's word for how the model's part ended
	Note           string `json:"note,omitempty"` // why it is incomplete
}

// Outcome is what the reviews of a case said.
type Outcome struct {
	Case  Case   `json:"case"`
	Run   int    `json:"run,omitempty"` // of several over the same case, from 0
	Heads []Head `json:"heads,omitempty"`
	// Error says why there is no review; Skipped that the code was not at hand.
	Error   string `json:"error,omitempty"`
	Skipped bool   `json:"skipped,omitempty"`
}
