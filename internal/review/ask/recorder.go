package ask

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/llm"
)

// Call announces a model call before it is made.
type Call struct {
	Stage          string // guidelines, intent, generate, verify, criteria
	Tier, Model    string
	EstimatedInput int64 // tokens, estimated from bytes
	MaxOutput      int64 // tokens
}

// Outcome says how an announced call ended. Err is "" on success.
type Outcome struct {
	Usage    llm.Usage
	Model    string // the model that answered
	Duration time.Duration
	Err      string
	Class    string // of the error, one of a fixed set, for metrics; "" on success
}

// Recorder keeps one row for each model call. Implementations are safe for concurrent use.
type Recorder interface {
	// Before may refuse a call. If the error's chain contains [ErrBudget], the budget has no room for the
	// call: the review makes no more calls and ranks its results so far. Any other error ends the review.
	Before(ctx context.Context, call Call) (id string, err error)
	// After is called once for every call that Before accepted, also when the
	// context of the review has ended.
	After(ctx context.Context, id string, outcome Outcome)
	// Looked is called once for every answered call of a tool, in the order of a conversation. A failure to
	// record a call costs a line on a page, never a review.
	Looked(ctx context.Context, use ToolUse)
}

// ToolUse is one call of a tool by a model.
type ToolUse struct {
	Stage     string // generate, verify, criteria
	Tool      string // as the model named it, at most 64 bytes
	Arguments string // as the model gave them, without secrets of the change, at most 1 KiB
	Outcome   string // one of the constants
	Hits      int    // lines or places that it showed
	Bytes     int    // of the result
	Duration  time.Duration
}

// Outcomes of a [ToolUse].
const (
	ToolOK      = "ok"
	ToolRefused = "refused" // bad arguments, a repeated call, or one beyond the bounds
	ToolFailed  = "failed"  // it took too long, or could not be read
)

const (
	maxToolName      = 64
	maxToolArguments = 1 << 10
)

// StageStore keeps the results of finished model calls of a run, so that a run that was killed does not pay for them
// again. Implementations are safe for concurrent use. An error costs money, never correctness: it is logged.
type StageStore interface {
	Load(ctx context.Context, stage, inputHash string) (out []byte, found bool, err error)
	Save(ctx context.Context, stage, inputHash string, out []byte) error
}

// Progress describes how far a running review is.
type Progress struct {
	Stage       string // parse, check, triage, guidelines, intent, generate, verify, criteria, rank
	Done, Total int    // units of the stage: chunks, batches; 0 of 0 if the stage has no units
	Files       int    // files in the diff
	Calls       int    // model calls so far
	Tokens      int64  // tokens so far, input and output
}

// NopRecorder is a [Recorder] that keeps nothing.
type NopRecorder struct{}

func (NopRecorder) Before(context.Context, Call) (string, error) { return "", nil }
func (NopRecorder) After(context.Context, string, Outcome)       {}
func (NopRecorder) Looked(context.Context, ToolUse)              {}

type nopStages struct{}

func (nopStages) Load(context.Context, string, string) ([]byte, bool, error) { return nil, false, nil }
func (nopStages) Save(context.Context, string, string, []byte) error         { return nil }
