package ask

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
)

// Texts of results that tell a model why a call shows nothing.
const (
	ResultNoTools      = "There are no tools here: answer with what you have."
	ResultUnknownTool  = "There is no tool of that name. The tools are: "
	ResultCallsUsedUp  = "The calls that you may make here are used up: answer with what you have."
	ResultReviewUsedUp = "The calls of this review are used up: answer with what you have."
	ResultNoRoom       = "There is no room for further results: answer with what you have."
	ResultBadArguments = "The arguments are no JSON object that fits the tool's schema: " +
		"give exactly its properties, with values of their types."
	ResultTooSlow   = "That took too long and was given up: ask for less."
	ResultUncounted = " The call is not counted." // behind ResultTooSlow
	ResultFailed    = "That could not be looked up."
)

// Allowance holds the calls and tokens that a conversation may still use for tools.
type Allowance struct {
	sync.Mutex // held during a call, so that the calls of one conversation are made one after the other
	Calls      int
	Tokens     int // tokens of results
	Late       int // calls that their time limit ended and that were not counted
}

// ToolResult is the answer to a call of a tool.
type ToolResult struct {
	Text string           // for the model; never empty, not fenced
	Seen []change.Exhibit // code that it shows, which may prove a claim
	OK   bool             // false if Text says why there is nothing to see
	Hits int              // lines or places that it shows
}

// Desk offers tools and answers their calls. It is safe for concurrent use.
type Desk interface {
	Specs() []llm.Tool
	Run(ctx context.Context, a *Allowance, c llm.ToolCall) ToolResult
}

// Use counts a call that is not answered.
func (a *Allowance) Use() {
	a.Lock()
	defer a.Unlock()
	a.Calls--
}

// spent reports whether there is no room for a further call.
func (a *Allowance) spent() bool {
	a.Lock()
	defer a.Unlock()
	return a.Calls <= 0 || a.Tokens < MinResultTokens
}

// MinResultTokens is the least room for a result, in tokens. With less room, calls are not answered.
const MinResultTokens = 100
