package engine

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

// maxParallel is how many calls of one answer are answered; those beyond are left
// out, as if the model had not asked for them.
const maxParallel = 32

// Sentences to a model that are the results of calls.
const (
	sayHave    = "You have this already: it is the result of an earlier call. Ask for something else, or answer."
	sayLeftOut = "(left out: there is no room for this any more)"
)

// desk answers the calls of a conversation.
type desk interface {
	specs() []llm.Tool
	run(ctx context.Context, a *allowance, c llm.ToolCall) toolResult
}

// talk is what a conversation is about, and what the model may look at in it.
type talk struct {
	prompted
	desk   desk       // nil where nothing may be looked at
	bounds *allowance // of the calls; ends the conversation when it is used up
	// without makes the question one for a model that has no tools; nil: it stays.
	without func(context.Context, *prompted)
	// quiet takes out of what is recorded of a call what must not be kept; nil: nothing.
	quiet func(string) string
}

// heard is the end of a conversation.
type heard struct {
	answer
	prompted                  // what the answer was given to, in words: a repair goes on from there
	seen     []change.Exhibit // code that calls have shown
	looked   bool             // the model had tools
	made     []llm.ToolCall   // that had a result
}

// conversation is one under way.
type conversation struct {
	*session
	talk
	asked   map[string]bool // what was called for, and with what
	results []result
	seen    []change.Exhibit
	calls   int // of tools, for ids
	made    []llm.ToolCall
}

// result is what a call has shown.
type result struct {
	at   int    // index of its message
	key  string // in asked
	call string // in words
	text string
}

// converse asks for an answer and lets the model look things up before it gives one,
// call by call, until it answers or what it may look at is used up; then it is asked
// once more, without tools. A model that takes no tools is asked without them, and
// so is everything after it on its route. Errors are those of [session.ask].
func (s *session) converse(ctx context.Context, t talk) (heard, error) {
	if t.desk != nil {
		t.tools = t.desk.specs()
	}
	if len(t.tools) == 0 || s.toolless(t.route) {
		return s.plainly(ctx, t)
	}
	c := &conversation{session: s, talk: t, asked: map[string]bool{}}
	for first := true; ; first = false {
		resp, err := c.next(ctx)
		switch {
		case err != nil && first && refusesTools(err):
			out, again := s.plainly(ctx, t)
			if again == nil || classOf(err) == string(llm.ClassTools) {
				s.forgo(ctx, t.route, err)
			}
			return out, again
		case err != nil && refusesTools(err): // it does not take the calls that it has made itself
			return c.conclude(ctx)
		case err != nil:
			return heard{}, err
		case len(resp.ToolCalls) == 0:
			return c.heard(answerOf(resp), c.inWords()), nil
		}
		if !c.look(ctx, resp) {
			return c.conclude(ctx)
		}
	}
}

// plainly asks without tools.
func (s *session) plainly(ctx context.Context, t talk) (heard, error) {
	if t.tools = nil; t.without != nil {
		t.without(ctx, &t.prompted)
	}
	ans, err := s.answer(ctx, t.prompted)
	return heard{answer: ans, prompted: t.prompted}, err
}

// refusesTools reports whether the same question without tools may be answered: the
// model takes none, or something about them is refused.
func refusesTools(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && (e.Class == llm.ClassTools || e.Class == llm.ClassFinal)
}

// next asks for the next turn. What has no room is left out, the oldest results first.
func (c *conversation) next(ctx context.Context) (llm.Response, error) {
	for c.size() > c.route.input() && c.forget() {
	}
	for {
		resp, err := c.session.turn(ctx, c.prompted)
		if !errors.Is(err, errTooLong) || !c.forget() {
			return resp, err
		}
	}
}

// forget leaves the older half of the results out; false where none is left.
func (c *conversation) forget() bool {
	n := (len(c.results) + 1) / 2
	for _, r := range c.results[:n] {
		c.messages[r.at].Text = sayLeftOut
		delete(c.asked, r.key) // it may be asked for again
	}
	c.results = c.results[n:]
	return n > 0
}

// look answers the calls of a turn, one after the other; false where nothing further
// may be looked at.
func (c *conversation) look(ctx context.Context, resp llm.Response) bool {
	calls := slices.Clone(resp.ToolCalls[:min(len(resp.ToolCalls), maxParallel)])
	ids := map[string]bool{}
	for i := range calls { // some servers give none, or the same again
		if c.calls++; calls[i].ID == "" || ids[calls[i].ID] {
			calls[i].ID = fmt.Sprintf("call_%d", c.calls)
		}
		ids[calls[i].ID] = true
	}
	c.messages = append(slices.Clip(c.messages), llm.Message{Role: llm.Assistant, Text: resp.Text, ToolCalls: calls, Kept: resp.Kept})
	more, fresh := true, false // fresh: something is asked that was not asked before
	for _, call := range calls {
		key := call.Name + "\x00" + canonical(call.Arguments)
		fresh = fresh || !c.asked[key]
		res := c.run(ctx, call, key)
		if res.ok {
			c.asked[key] = true
			ofBase(call.Arguments, res.seen)
			c.results = append(c.results, result{len(c.messages), key, call.Name + " " + canonical(call.Arguments), res.text})
			c.seen = append(c.seen, res.seen...)
			c.made = append(c.made, call)
		}
		c.messages = append(c.messages, llm.Message{Role: llm.ToolResult, ToolCallID: call.ID, Text: c.guard.wrap("result of a call", res.text)})
		more = more && res.text != sayReview
	}
	return more && fresh && !c.bounds.spent()
}

// run answers a call and records it. One that repeats what was asked has no answer.
func (c *conversation) run(ctx context.Context, call llm.ToolCall, key string) toolResult {
	began := c.deps.Now()
	res := toolResult{text: sayHave}
	if c.asked[key] {
		c.bounds.take()
	} else {
		res = c.desk.run(ctx, c.bounds, call)
	}
	outcome := ToolRefused
	switch {
	case res.ok:
		outcome = ToolOK
	case res.text == saySlow, res.text == sayImpossible:
		outcome = ToolFailed
	}
	name, arguments := call.Name, call.Arguments
	if strings.Contains(arguments, `\u`) { // nothing hides behind the code of a letter
		arguments = canonical(arguments)
	}
	if c.quiet != nil {
		name, arguments = c.quiet(name), c.quiet(arguments)
	}
	c.deps.Recorder.Looked(context.WithoutCancel(ctx), ToolUse{Stage: c.stage, Tool: c.fit(name, maxToolName), Arguments: c.fit(arguments, maxToolArguments),
		Outcome: outcome, Hits: res.hits, Bytes: len(res.text), Duration: c.deps.Now().Sub(began)})
	return res
}

// fit makes text of a model fit to be kept: without secrets of the change and what
// looks like one, and short.
func (s *session) fit(text string, most int) string {
	if text = change.Cut(text, 4*most); s.scrub != nil {
		text = s.scrub(text)
	}
	return change.Cut(secret.Scrub(change.StripInvisible(strings.ToValidUTF8(text, ""))), most-len(" […]"))
}

// conclude asks for the answer without tools, with what the calls have shown in the
// message: a request with calls in it needs the tools again, and a model that has
// them goes on asking.
func (c *conversation) conclude(ctx context.Context) (heard, error) {
	for {
		p := c.inWords()
		last := &p.messages[len(p.messages)-1]
		last.Text += "\n" + textOf("conclude")
		ans, err := answer{}, errTooLong
		if len(c.results) == 0 || size(p.system, p.schema, p.messages) <= p.route.input() {
			ans, err = c.session.answer(ctx, p)
		}
		if errors.Is(err, errTooLong) && c.forget() {
			continue
		}
		return c.heard(ans, p), err
	}
}

// inWords is the question with what the calls have shown behind it, as data.
func (c *conversation) inWords() prompted {
	p := c.prompted
	p.tools = nil
	p.messages = slices.Clone(p.messages[:c.first()])
	var b strings.Builder
	for _, r := range c.results {
		fmt.Fprintf(&b, "=== %s\n%s\n", change.OneLine(r.call), strings.TrimRight(r.text, "\n"))
	}
	if b.Len() > 0 {
		p.messages[len(p.messages)-1].Text += "\n" + c.guard.wrap("what you have looked at", b.String())
	}
	return p
}

// first is how many messages there were before the model looked at anything.
func (c *conversation) first() int {
	i := slices.IndexFunc(c.messages, func(m llm.Message) bool { return m.Role == llm.Assistant })
	if i < 0 {
		return len(c.messages)
	}
	return i
}

func (c *conversation) size() int {
	return size(c.system, c.schema, c.messages) + toolSize(c.tools)
}

func (c *conversation) heard(a answer, p prompted) heard {
	return heard{answer: a, prompted: p, seen: c.seen, looked: true, made: c.made}
}

// ofBase marks what a call has shown of the version before the change.
func ofBase(arguments string, seen []change.Exhibit) {
	var a struct{ Side domain.Side }
	if json.Unmarshal([]byte(arguments), &a) != nil || a.Side != domain.Left {
		return
	}
	for i := range seen {
		seen[i].Left = true
	}
}

// canonical is a JSON text in one form, so that the same arguments are known again.
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

// toolSize estimates the tokens of what a model is told of tools.
func toolSize(tools []llm.Tool) int {
	n := 0
	for _, t := range tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return llm.EstimateTokens(n)
}

// take counts a call that nobody has to answer.
func (a *allowance) take() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls--
}

// spent reports whether nothing further may be looked at.
func (a *allowance) spent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls <= 0 || a.tokens < leastResult
}
