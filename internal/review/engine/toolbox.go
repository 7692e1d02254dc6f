package engine

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
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of what a model may look at (design choices: six calls follow a claim to its
// definition, its callers and a guard there, and their results are no longer than the
// code around it).
const (
	claimCalls  = 6
	claimTokens = 6_000           // of the results of a claim's calls
	reviewCalls = 60              // of all claims
	toolTime    = 5 * time.Second // of one call

	toolLines    = 200     // lines of a result
	toolHits     = 40      // places of a result
	maxArguments = 4 << 10 // bytes of a call's arguments
)

// toolbox is what models may ask of the repository during one review: read-only, within
// bounds, and of files alone that are part of the tree. It is safe for concurrent use;
// a nil one offers nothing.
type toolbox struct {
	w        *work
	search   snapshot.Searcher // nil: nothing can be searched
	folders  snapshot.Lister   // nil: nobody knows what stands in folders
	patience time.Duration     // with one call

	mu     sync.Mutex
	calls  int // that are left
	claims int // for which something may still be looked up without a model
	room   int // bytes of files that may still be read
	files  map[string]opened
}

// tools makes the toolbox of a review once.
type tools struct {
	once sync.Once
	box  *toolbox
}

// toolbox is what models may ask of the repository; nil where a review looks at the
// change alone.
func (w *work) toolbox() *toolbox {
	w.tools.once.Do(func() { w.tools.box = newToolbox(w) })
	return w.tools.box
}

func newToolbox(w *work) *toolbox {
	if _, nothing := w.bounds.Source.(change.NoSource); nothing || w.in.Context != "" && w.in.Context != ContextRepository {
		return nil
	}
	t := &toolbox{w: w, patience: toolTime, calls: reviewCalls, claims: maxBeside, room: maxLooked, files: map[string]opened{}}
	t.search, _ = w.bounds.Source.(snapshot.Searcher)
	t.folders, _ = w.bounds.Source.(snapshot.Lister)
	return t
}

// tool is one of the tools. It writes what it finds on the sheet; where it does not
// look, it returns a sentence that says why.
type tool struct {
	name, description string
	parameters        ask.Schema
	has               func(*toolbox) bool
	use               func(ctx context.Context, t *toolbox, arguments string, out *sheet) string
}

// offered are the tools that this review has.
func (t *toolbox) offered() []tool {
	if t == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(allTools), func(o tool) bool { return !o.has(t) })
}

// Specs are the tools as a model is told of them; none for a nil toolbox.
func (t *toolbox) Specs() []llm.Tool { return specsOf(t.offered()) }

func specsOf(list []tool) (out []llm.Tool) {
	for _, o := range list {
		out = append(out, llm.Tool{Name: o.name, Description: o.description, Parameters: ask.JSON(ask.Object(o.parameters))})
	}
	return out
}

// claim is what the conversation about one claim may ask for.
func (t *toolbox) claim() *ask.Allowance {
	return &ask.Allowance{Calls: claimCalls, Tokens: claimTokens}
}

// left is how many calls this review still has.
func (t *toolbox) left() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls
}

// Run answers a call within the bounds of a conversation and of the review. What cannot
// be answered is a sentence, never an error.
func (t *toolbox) Run(ctx context.Context, a *ask.Allowance, c llm.ToolCall) ask.ToolResult {
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
	if why := offered[i].use(inner, t, c.Arguments, out); why != "" {
		return ask.ToolResult{Text: why}
	}
	text := t.w.redact(out.String())
	a.Tokens = max(a.Tokens-llm.EstimateTokens(len(text)), 0)
	return ask.ToolResult{Text: text, Seen: out.seen, OK: true, Hits: out.hits}
}

// refuse takes a call of what is left, or says that there is none. A call counts
// whatever its answer is: so a model that asks in a loop comes to an end.
func (t *toolbox) refuse(a *ask.Allowance) string {
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

// read reads a call's arguments; false where they do not fit.
func read[T any](arguments string) (out T, ok bool) {
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
