package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/secret"
)

// maxParallel is how many calls in one answer are answered. The rest is left out, as if the model had not
// made them.
const maxParallel = 32

// Sentences to a model that are the results of calls.
const (
	sayHave    = "You have this already: it is the result of an earlier call. Ask for something else, or answer."
	sayLeftOut = "(left out: there is no room for this any more)"
)

// Talk is a question with the tools that the model may call before it answers.
type Talk struct {
	Question
	Desk   Desk       // nil if there are no tools
	Bounds *Allowance // of the calls; the conversation ends when they are used up
	// Without turns the question into one for a model without tools. If it is nil, the question stays as it is.
	Without func(context.Context, *Question)
	// Quiet removes private text from the record of a call. If it is nil, the record stays as it is.
	Quiet func(string) string
}

// Reply is the end of a conversation. Its question holds the results of calls as text, so that a repair can
// continue from there.
type Reply struct {
	Answer
	Question                  // the question that was answered, with the results of calls as text
	Seen     []change.Exhibit // code that calls have shown
	looked   bool             // the model had tools
	Calls    []llm.ToolCall   // calls that had a result
}

// conversation is the state of [Session.Converse].
type conversation struct {
	*Session
	Talk
	asked   map[string]bool // calls that had a result, by name and arguments
	results []result
	seen    []change.Exhibit
	calls   int // number of calls, for their ids
	made    []llm.ToolCall
}

// result is the result of a call.
type result struct {
	at   int    // index of its message
	key  string // key in asked
	call string // the call as text
	text string
}

// Converse asks for an answer and lets the model call tools before it gives one, until it answers or the bounds are
// used up. Then it asks once more, without tools. A model that refuses tools is asked without them, and so are all
// later questions on its route. Errors are those of [Session.Ask].
func (s *Session) Converse(ctx context.Context, t Talk) (Reply, error) {
	if t.Desk != nil {
		t.tools = t.Desk.Specs()
	}
	if len(t.tools) == 0 || s.toolless(t.Route) {
		return s.askWithoutTools(ctx, t)
	}
	c := &conversation{Session: s, Talk: t, asked: map[string]bool{}}
	for first := true; ; first = false {
		resp, err := c.next(ctx)
		switch {
		case err != nil && first && refusesTools(err):
			out, again := s.askWithoutTools(ctx, t)
			if again == nil || ErrorClass(err) == string(llm.ClassTools) {
				s.withoutTools(ctx, t.Route, err)
			}
			return out, again
		case err != nil && refusesTools(err): // the model does not accept the calls that it has made itself
			return c.conclude(ctx)
		case err != nil:
			return Reply{}, err
		case len(resp.ToolCalls) == 0:
			return c.reply(answerOf(resp), c.inWords()), nil
		}
		if !c.look(ctx, resp) {
			return c.conclude(ctx)
		}
	}
}

// askWithoutTools asks without tools.
func (s *Session) askWithoutTools(ctx context.Context, t Talk) (Reply, error) {
	if t.tools = nil; t.Without != nil {
		t.Without(ctx, &t.Question)
	}
	ans, err := s.answer(ctx, t.Question)
	return Reply{Answer: ans, Question: t.Question}, err
}

// refusesTools reports whether the same question may be answered without tools, because the model does not
// support them or the provider refuses something about them.
func refusesTools(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && (e.Class == llm.ClassTools || e.Class == llm.ClassFinal)
}

// next asks for the next turn. It leaves out the oldest results if the window has no room for them.
func (c *conversation) next(ctx context.Context) (llm.Response, error) {
	for c.size() > c.Route.Input() && c.forget() {
	}
	for {
		resp, err := c.Session.turn(ctx, c.Question)
		if !errors.Is(err, ErrTooLong) || !c.forget() {
			return resp, err
		}
	}
}

// forget leaves out the older half of the results. It returns false if they are all left out.
func (c *conversation) forget() bool {
	n := (len(c.results) + 1) / 2
	for _, r := range c.results[:n] {
		c.Messages[r.at].Text = sayLeftOut
		delete(c.asked, r.key) // the model may ask for it again
	}
	c.results = c.results[n:]
	return n > 0
}

// look answers the calls of a turn in their order. It returns false if no further call may follow.
func (c *conversation) look(ctx context.Context, resp llm.Response) bool {
	calls := slices.Clone(resp.ToolCalls[:min(len(resp.ToolCalls), maxParallel)])
	ids := map[string]bool{}
	for i := range calls { // some servers leave the id empty or repeat it
		if c.calls++; calls[i].ID == "" || ids[calls[i].ID] {
			calls[i].ID = fmt.Sprintf("call_%d", c.calls)
		}
		ids[calls[i].ID] = true
	}
	c.Messages = append(slices.Clip(c.Messages), llm.Message{Role: llm.Assistant, Text: resp.Text, ToolCalls: calls, Kept: resp.Kept})
	more, fresh := true, false // fresh: the turn has a call that was not made before
	for _, call := range calls {
		key := call.Name + "\x00" + canonical(call.Arguments)
		fresh = fresh || !c.asked[key]
		res := c.run(ctx, call, key)
		if res.OK {
			c.asked[key] = true
			ofBase(call.Arguments, res.Seen)
			c.results = append(c.results, result{len(c.Messages), key, call.Name + " " + canonical(call.Arguments), res.Text})
			c.seen = append(c.seen, res.Seen...)
			c.made = append(c.made, call)
		}
		c.Messages = append(c.Messages, llm.Message{Role: llm.ToolResult, ToolCallID: call.ID, Text: c.Guard.Wrap("result of a call", res.Text)})
		more = more && res.Text != ResultReviewUsedUp
	}
	return more && fresh && !c.Bounds.spent()
}

// run answers a call and records it. A call that repeats an earlier one gets no new answer.
func (c *conversation) run(ctx context.Context, call llm.ToolCall, key string) ToolResult {
	began := c.deps.Now()
	res := ToolResult{Text: sayHave}
	if c.asked[key] {
		c.Bounds.Use()
	} else {
		res = c.Desk.Run(ctx, c.Bounds, call)
	}
	outcome := ToolRefused
	switch {
	case res.OK:
		outcome = ToolOK
	case strings.HasPrefix(res.Text, ResultTooSlow), res.Text == ResultFailed:
		outcome = ToolFailed
	}
	name, arguments := call.Name, call.Arguments
	if strings.Contains(arguments, `\u`) { // an escaped letter must not hide text
		arguments = canonical(arguments)
	}
	if c.Quiet != nil {
		name, arguments = c.Quiet(name), c.Quiet(arguments)
	}
	c.deps.Recorder.Looked(context.WithoutCancel(ctx), ToolUse{Stage: c.Stage, Tool: c.Excerpt(name, maxToolName),
		Arguments: c.Excerpt(arguments, maxToolArguments),
		Outcome:   outcome, Hits: res.Hits, Bytes: len(res.Text), Duration: c.deps.Now().Sub(began)})
	return res
}

// Excerpt returns a model's text without secrets, in at most max bytes, for records.
func (s *Session) Excerpt(text string, max int) string {
	if text = change.Cut(text, 4*max); s.scrub != nil {
		text = s.scrub(text)
	}
	return change.Cut(secret.Scrub(change.StripInvisible(strings.ToValidUTF8(text, ""))), max-len(" […]"))
}

// conclude asks for the answer without tools and puts the results of calls into the message. A request that
// contains calls would need the tools again, and a model with tools continues to call them.
func (c *conversation) conclude(ctx context.Context) (Reply, error) {
	for {
		p := c.inWords()
		last := &p.Messages[len(p.Messages)-1]
		last.Text += "\n" + PromptText("conclude")
		ans, err := Answer{}, ErrTooLong
		if len(c.results) == 0 || Size(p.System, p.Schema, p.Messages) <= p.Route.Input() {
			ans, err = c.Session.answer(ctx, p)
		}
		if errors.Is(err, ErrTooLong) && c.forget() {
			continue
		}
		return c.reply(ans, p), err
	}
}

// inWords returns the question with the results of calls behind it, as data.
func (c *conversation) inWords() Question {
	p := c.Question
	p.tools = nil
	p.Messages = slices.Clone(p.Messages[:c.first()])
	var b strings.Builder
	for _, r := range c.results {
		fmt.Fprintf(&b, "=== %s\n%s\n", change.OneLine(r.call), strings.TrimRight(r.text, "\n"))
	}
	if b.Len() > 0 {
		p.Messages[len(p.Messages)-1].Text += "\n" + c.Guard.Wrap("what you have looked at", b.String())
	}
	return p
}

// first returns how many messages there were before the first call.
func (c *conversation) first() int {
	i := slices.IndexFunc(c.Messages, func(m llm.Message) bool { return m.Role == llm.Assistant })
	if i < 0 {
		return len(c.Messages)
	}
	return i
}

// size estimates the tokens of the next request.
func (c *conversation) size() int {
	return Size(c.System, c.Schema, c.Messages) + ToolSize(c.tools)
}

// reply returns the end of the conversation.
func (c *conversation) reply(a Answer, p Question) Reply {
	return Reply{Answer: a, Question: p, Seen: c.seen, looked: true, Calls: c.made}
}

// ofBase marks code that a call has shown from the version before the change.
func ofBase(arguments string, seen []change.Exhibit) {
	var a struct{ Side domain.Side }
	if json.Unmarshal([]byte(arguments), &a) != nil || a.Side != domain.Left {
		return
	}
	for i := range seen {
		seen[i].Left = true
	}
}

// canonical returns a JSON text in one form, so that equal arguments are recognised.
func canonical(arguments string) string {
	var v any
	if json.Unmarshal([]byte(arguments), &v) != nil {
		return arguments
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return arguments
	}
	return string(raw)
}

// ToolSize estimates the tokens of the descriptions of tools.
func ToolSize(tools []llm.Tool) int {
	n := 0
	for _, t := range tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return llm.EstimateTokens(n)
}
