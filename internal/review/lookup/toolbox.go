// Package lookup holds the tools by which models read the repository: reading, listing and searching files,
// finding definitions and references of names, and for models without tools the code beside a claim. Files
// are shown without their secrets.
//
// Tools are read-only and bounded for a conversation and for a review. The package does not call models and
// does not use findings, hosts or the database.
package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of a model's lookups. Six calls follow a claim to its definition, its callers and a guard there.
// Their results are no longer than the code around the claim.
const (
	ClaimCalls  = 6               // for the conversation about one claim
	ClaimTokens = 6_000           // for the results of a claim's calls
	ReviewCalls = 60              // for all claims
	toolTime    = 5 * time.Second // for one call
	maxLate     = 3               // calls of a conversation that their time limit ends and that do not count
	maxLateAll  = 10              // such calls of a review

	toolLines    = 200     // lines of a result
	toolHits     = 40      // places of a result
	maxArguments = 4 << 10 // bytes of a call's arguments
)

// Toolbox holds the tools by which models read the repository during one review. They are read-only and
// bounded, and show only files of the tree that the policy does not exclude. It is safe for concurrent use.
// A nil Toolbox offers no tools.
type Toolbox struct {
	*around.Head
	search   snapshot.Searcher // nil: there is no search
	folders  snapshot.Lister   // nil: the names in folders are unknown
	patience time.Duration     // the most time of one call

	mu     sync.Mutex
	calls  int // calls that are left
	late   int // calls that were not counted because their time limit ended them
	claims int // claims for which code may still be looked up without a model
	room   int // bytes of files that may still be read
	files  map[string]opened
}

// New returns the tools for the head of a change. It offers a search and a listing only if the head's
// source supports them.
func New(h *around.Head) *Toolbox {
	t := NewReader(h)
	t.search, t.calls, t.claims = h.Searcher, ReviewCalls, MaxClaims
	t.folders, _ = h.Raw.Source.(snapshot.Lister)
	return t
}

// NewReader returns a toolbox without tools, for [Toolbox.Open] only.
func NewReader(h *around.Head) *Toolbox {
	return &Toolbox{Head: h, patience: toolTime, room: maxLooked, files: map[string]opened{}}
}

// tool is one of the tools. use writes its result on the sheet, or returns a sentence that says why it did
// not look.
type tool struct {
	name, description string
	parameters        ask.Schema
	has               func(*Toolbox) bool
	use               func(ctx context.Context, t *Toolbox, arguments string, out *sheet) string
}

// offered returns the tools of this review.
func (t *Toolbox) offered() []tool {
	if t == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(allTools), func(o tool) bool { return !o.has(t) })
}

// Specs implements [ask.Desk].
func (t *Toolbox) Specs() []llm.Tool { return specsOf(t.offered()) }

// specsOf returns the descriptions of tools.
func specsOf(list []tool) (out []llm.Tool) {
	for _, o := range list {
		out = append(out, llm.Tool{Name: o.name, Description: o.description, Parameters: ask.JSON(ask.Object(o.parameters))})
	}
	return out
}

// ClaimAllowance returns the calls and tokens for the conversation about one claim.
func (t *Toolbox) ClaimAllowance() *ask.Allowance {
	return &ask.Allowance{Calls: ClaimCalls, Tokens: ClaimTokens}
}

// CallsLeft returns how many calls this review may still make.
func (t *Toolbox) CallsLeft() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls
}

// Run implements [ask.Desk]. A call that cannot be answered gets a sentence, never an error.
func (t *Toolbox) Run(ctx context.Context, a *ask.Allowance, c llm.ToolCall) ask.ToolResult {
	if t == nil {
		return ask.ToolResult{Text: ask.ResultNoTools}
	}
	a.Lock()
	defer a.Unlock()
	if why := t.refuse(a); why != "" {
		return ask.ToolResult{Text: why}
	}
	offered := t.offered()
	i := slices.IndexFunc(offered, func(o tool) bool { return o.name == c.Name })
	if i < 0 {
		var names []string
		for _, o := range offered {
			names = append(names, o.name)
		}
		return ask.ToolResult{Text: ask.ResultUnknownTool + strings.Join(names, ", ") + "."}
	}
	inner, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	out := newSheet(a.Tokens)
	why := offered[i].use(inner, t, c.Arguments, out)
	refunded := errors.Is(inner.Err(), context.DeadlineExceeded) && ctx.Err() == nil && t.refund(a)
	if why != "" {
		if refunded && why == ask.ResultTooSlow {
			why += ask.ResultUncounted
		}
		return ask.ToolResult{Text: why}
	}
	text := t.Redact(out.String())
	a.Tokens = max(a.Tokens-llm.EstimateTokens(len(text)), 0)
	return ask.ToolResult{Text: text, Seen: out.seen, OK: true, Hits: out.hits}
}

// refuse takes a call, or returns a sentence if the calls are used up. Every call counts, whatever its
// answer, so that a model that asks in a loop comes to an end; see refund for the exception.
func (t *Toolbox) refuse(a *ask.Allowance) string {
	if a.Calls <= 0 {
		return ask.ResultCallsUsedUp
	}
	a.Calls--
	if a.Tokens < ask.MinResultTokens {
		return ask.ResultNoRoom
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls <= 0 {
		return ask.ResultReviewUsedUp
	}
	t.calls--
	return ""
}

// refund gives back a call that its time limit ended. It returns false if that happened too often.
func (t *Toolbox) refund(a *ask.Allowance) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.Late == maxLate || t.late == maxLateAll {
		return false
	}
	a.Late++
	t.late++
	a.Calls++
	t.calls++
	return true
}

// ReadArguments reads the arguments of a call. It returns false if they do not fit the type.
func ReadArguments[T any](arguments string) (out T, ok bool) {
	if len(arguments) > maxArguments {
		return out, false
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return out, false
	}
	_, err := d.Token()
	return out, errors.Is(err, io.EOF)
}
