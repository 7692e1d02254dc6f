package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// Bounds of the code that a model looks up before it reports findings (design choices). Those of the toolbox hold besides.
const (
	finderCalls  = 4                // of one pass over a part, those to tools of other servers among them
	finderTokens = 4_000            // of their results
	finderTime   = 15 * time.Second // for all of them
)

// sayNoFurther is the result of a call beyond the bounds.
const sayNoFurther = "No further look-ups: answer now."

// finderDesk offers the tools of a model that looks for findings. It serves one conversation.
type finderDesk struct {
	ask.Desk
	now  func() time.Time
	left time.Duration // for calls
}

// Run implements [ask.Desk]. When the time or another bound is used up, it ends the conversation's calls.
func (d *finderDesk) Run(ctx context.Context, a *ask.Allowance, c llm.ToolCall) ask.ToolResult {
	if d.left <= 0 {
		return endCalls(a)
	}
	began := d.now()
	inner, cancel := context.WithTimeout(ctx, d.left)
	defer cancel()
	res := d.Desk.Run(inner, a, c)
	if d.left -= d.now().Sub(began); inner.Err() != nil && ctx.Err() == nil {
		d.left = 0
	}
	switch res.Text {
	case ask.ResultCallsUsedUp, ask.ResultReviewUsedUp, ask.ResultNoRoom:
		return endCalls(a)
	}
	if !res.OK && d.left <= 0 {
		return endCalls(a)
	}
	return res
}

// endCalls takes the calls that are left, so that the model is asked for its answer.
func endCalls(a *ask.Allowance) ask.ToolResult {
	a.Lock()
	defer a.Unlock()
	a.Calls = 0
	return ask.ToolResult{Text: sayNoFurther}
}

// shareLookUps gives each pass its part of the calls that a review may make before findings are reported: none if the policy does not
// want them, in a reduced review, at a depth below T2 and without a toolbox.
func (w *work) shareLookUps(passes []pass) {
	shallow := w.plan.tier == tierT0 || w.plan.tier == tierT1 || w.in.Depth == domain.DepthReduced
	if !w.in.Policy.FinderLookups || shallow || len(passes) == 0 {
		return
	}
	if w.finder = w.newToolbox(); w.finder == nil {
		return
	}
	for i := range passes {
		passes[i].lookUps = min(finderCalls, lookup.ReviewCalls/len(passes))
	}
}

// finderTools returns the names of the tools that a pass offers and how many calls it has, for the key of its stored answer. It returns
// "" for a pass without tools.
func (w *work) finderTools(ps pass) string {
	if ps.lookUps == 0 {
		return ""
	}
	names := []string{fmt.Sprint(ps.lookUps)}
	for _, t := range w.finder.Specs() {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// askFinder asks the question of a pass. The model may look up code before it answers, if the pass has calls and the model has room for
// the tools and their results. Otherwise, and if it refuses tools, it answers from the prompt alone.
func (w *work) askFinder(ctx context.Context, ps pass, q ask.Question) (ask.Answer, ask.Question, error) {
	if ps.lookUps == 0 {
		return w.AskWithServers(ctx, q)
	}
	var desk ask.Desk = w.finder
	plain, words := q.System, ask.PromptText("tools", "{bound}", callsInWords(ps.lookUps))
	if len(w.Servers.Offered(ps.route)) > 0 {
		desk, words = checkDesk{w.finder, ask.ServerDesk{Servers: w.Servers, Route: ps.route}}, words+ask.ServerWords
	}
	q.System += "\n" + words
	if ask.Size(q.System, q.Schema, q.Messages)+ask.ToolSize(desk.Specs())+finderTokens > ps.route.Input() {
		q.System = plain
		return w.AskWithServers(ctx, q)
	}
	h, err := w.Converse(ctx, ask.Talk{Question: q, Desk: &finderDesk{desk, w.now, finderTime},
		Bounds: &ask.Allowance{Calls: ps.lookUps, Tokens: finderTokens}, Without: func(_ context.Context, q *ask.Question) { q.System = plain }})
	return h.Answer, h.Question, err
}

// callsInWords returns a number of calls in words.
func callsInWords(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// now returns the time by the clock of the review.
func (w *work) now() time.Time {
	if w.deps.Now != nil {
		return w.deps.Now()
	}
	return time.Now()
}
