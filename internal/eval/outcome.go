package eval

import (
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// ErrNoCode reports that a case cannot be reviewed because its code is not available. It is skipped and
// counted.
var ErrNoCode = errors.New("the code of the case is not at hand")

// ErrLabel reports that the code of a case shows its label to be wrong. The case is skipped and counted.
var ErrLabel = errors.New("the label of the case is wrong")

// Stage is the progress of a model's finding.
type Stage string

// The stages in their order. Published findings are those that pass the rules of the review: mostly
// verified ones, and some that no verifier could decide.
const (
	Generated Stage = "generated" // a model wrote it
	Anchored  Stage = "anchored"  // its place and quote are in the code
	Standing  Stage = "standing"  // no verifier refuted it
	Verified  Stage = "verified"  // a verifier confirmed it
	Published Stage = "published" // people would see it, inline or in the summary
	Dropped   Stage = "dropped"   // it is not shown; [Finding.Drop] says why. It follows no other stage
)

// Drop says why a finding is not shown.
type Drop struct {
	At         string `json:"at"`                   // the engine's stage, such as verify
	Why        string `json:"why"`                  // the engine's reason, such as unproven
	Verdict    string `json:"verdict,omitempty"`    // of the verification; "" where none was asked for
	VerdictWhy string `json:"verdictWhy,omitempty"` // the quotation that decided, or the rule by which the verdict does not count
	Said       string `json:"said,omitempty"`       // the verifier's own verdict
	Reason     string `json:"reason,omitempty"`     // in the verifier's words
}

// String returns the reason in a line: the engine's, and the verifier's where it has another.
func (d Drop) String() string {
	out := d.Why
	if d.Verdict == string(domain.VerdictUnproven) && d.VerdictWhy != "" {
		out += ": " + d.VerdictWhy
	}
	if d.Said != "" && d.Reason != "" {
		out += "; the verifier said " + d.Said + ": " + d.Reason
	}
	return out
}

// Finding is a finding of a review at some stage.
type Finding struct {
	Path      string      `json:"path"`
	Side      domain.Side `json:"side"`
	StartLine int         `json:"startLine"` // 0: the whole file
	EndLine   int         `json:"endLine"`
	Rule      string      `json:"rule,omitempty"`
	Category  string      `json:"category,omitempty"`
	Severity  string      `json:"severity,omitempty"`
	Title     string      `json:"title,omitempty"`
	Text      string      `json:"text,omitempty"`
	Inline    bool        `json:"inline,omitempty"` // at its line, otherwise in the summary
	Model     bool        `json:"model,omitempty"`  // from a model, otherwise from a deterministic check
	// Confidence is from 0 to 1; 0 if the stage has no confidence.
	Confidence float64 `json:"confidence,omitempty"`
	ID         string  `json:"id,omitempty"` // equal across the heads of a case
	// Lenses are the lenses of the passes that reported it, in the engine's words.
	Lenses []string `json:"lenses,omitempty"`
	// By names the passes that reported it, such as general-2 or panel; only of stages after [Generated].
	By []string `json:"by,omitempty"`
	// Passes counts the general passes over the place until one reported it: with 2, the first one did not.
	Passes int   `json:"passes,omitempty"`
	Drop   *Drop `json:"drop,omitempty"` // only in stage [Dropped]
}

// Cost is the usage of a review.
type Cost struct {
	Calls        int           `json:"calls"`
	InputTokens  int64         `json:"inputTokens"`
	CachedTokens int64         `json:"cachedTokens"` // part of InputTokens
	OutputTokens int64         `json:"outputTokens"`
	Looks        int           `json:"looks,omitempty"`    // tool calls by models
	Answered     int           `json:"answered,omitempty"` // part of Looks: the others were refused or unreadable
	Micros       int64         `json:"micros"`             // millionths of a US dollar; 0 if a price is unknown
	Duration     time.Duration `json:"duration"`
}

// Add adds the usage of another review.
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

// MaxContext is the most context items of a [Head] (design choice: the largest prompts show a few hundred).
const MaxContext = 2000

// ContextItem is a piece of code beside the change that prompts showed.
type ContextItem struct {
	Stage     string `json:"stage"` // the engine's word for the calls, such as generate or verify
	Kind      string `json:"kind"`  // surroundings (in changed files), definition, use, test, other, claim, or look-up
	Path      string `json:"path"`
	What      string `json:"what,omitempty"` // symbol and note in the heading, at most 200 bytes
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Bytes     int    `json:"bytes"` // as written, with line numbers
	Times     int    `json:"times"` // requests that showed it
}

// ContextShare tells how much of the finder's context is useful, in lines of a case that marks [Case.Useful].
type ContextShare struct {
	Marked      int `json:"marked"`      // useful lines that the change itself does not show
	MarkedShown int `json:"markedShown"` // part of Marked
	Lines       int `json:"lines"`       // shown lines beside the change, without blank ones, comments and brackets
	Useful      int `json:"useful"`      // part of Lines
}

// MaxRuns is the most changed parts of one file that a [Head] keeps (design choice: no reviewable file has more).
const MaxRuns = 5000

// Run is a part of a file whose lines the change removed, added or replaced. Old and New are its first lines on both
// sides, from 1. On a side without lines of the run, it is the line behind the run.
type Run struct {
	Old      int `json:"old"`
	OldLines int `json:"oldLines"`
	New      int `json:"new"`
	NewLines int `json:"newLines"`
}

// Head is the result of one head's review.
type Head struct {
	// Stages holds the model's findings of each stage. [Published] also has those of deterministic checks.
	// Findings of earlier heads are not repeated.
	Stages   map[Stage][]Finding `json:"stages"`
	Resolved []string            `json:"resolved,omitempty"` // ids of earlier heads' findings
	// Renames maps the head paths of renamed files to their base paths. Known places may name either path.
	Renames map[string]string `json:"renames,omitempty"`
	// Runs holds the changed parts of the files with known places, by head path, in their order. They tell where a line
	// of one side stands on the other. A file with more than [MaxRuns] parts is absent.
	Runs  map[string][]Run `json:"runs,omitempty"`
	Shown int              `json:"shown,omitempty"` // number of the case's definitions that prompts showed
	// Elsewhere counts the definitions in files outside the change, and ShownElsewhere those among them
	// that prompts showed. Both are part of the totals.
	Elsewhere      int `json:"elsewhere,omitempty"`
	ShownElsewhere int `json:"shownElsewhere,omitempty"`
	// Context lists the code beside the change that prompts showed, in the order of its first showing. ContextCut counts
	// the pieces above [MaxContext].
	Context      []ContextItem `json:"context,omitempty"`
	ContextCut   int           `json:"contextCut,omitempty"`
	ContextShare *ContextShare `json:"contextShare,omitempty"` // only if the case marks useful code
	Lines        int           `json:"lines"`                  // changed lines
	Cost         Cost          `json:"cost"`
	Model        string        `json:"model"`          // the engine's word for the end of the model's part
	Note         string        `json:"note,omitempty"` // reason for an incomplete review
}

// Outcome is the result of one run over a case.
type Outcome struct {
	Case  Case   `json:"case"`
	Run   int    `json:"run,omitempty"` // index among several runs over the same case, from 0
	Heads []Head `json:"heads,omitempty"`
	// Error is the reason for a missing review. Skipped reports that the code was not available.
	Error   string `json:"error,omitempty"`
	Skipped bool   `json:"skipped,omitempty"`
}
