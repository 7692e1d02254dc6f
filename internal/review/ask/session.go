// Package ask is one review's access to models. A [Session] makes the calls: it counts them against the
// budget, records them, stores the results of finished stages, and lets a model call tools within bounds.
// The package also fences untrusted text, writes system texts and schemas, and reads the lists and objects
// in answers.
//
// Stages decide the questions; this package sends them. It holds no text of a stage and no notion of a
// finding. It imports the port of models, the code of a change and the reader of broken JSON, but no host
// or database.
package ask

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/llm"
)

// Errors of a single call that do not end the review.
var (
	ErrBudget  = errors.New("the budget refuses further model calls")
	ErrCanary  = errors.New("the answer repeats confidential instructions and was discarded")
	ErrAnswer  = errors.New("the answer cannot be used")
	ErrTooLong = errors.New("the text is longer than the model's context")
	errPartial = &llm.Error{Class: llm.ClassContextLength, ProviderMessage: "The endpoint has counted far fewer tokens than the text has: " +
		"it has read a part only, because the context of the model is smaller. " +
		"Make the context larger (Ollama: num_ctx), or say its size in contextTokens."}
)

// Deps holds the parts that a session works with. Every field has a default: nothing is recorded, stored,
// reported or logged, the clock is the system's, and the random source is crypto/rand.
type Deps struct {
	Recorder   Recorder
	Stages     StageStore
	Progress   func(Progress) // called one at a time
	Logger     *slog.Logger
	Now        func() time.Time // for durations only
	Random     io.Reader        // source of delimiters and canaries
	PromptHash string           // part of the key of every stored stage
}

// ParallelCalls bounds the model calls of one review that run at once. The client of an endpoint has its own limit.
const ParallelCalls = 3

// Session makes the model calls of one review. Its methods are safe for concurrent use, apart from the setters, which
// are called before the first call.
type Session struct {
	deps  Deps
	Guard Guard // one for all calls, so that they begin with the same text
	// scrub removes secrets of the change from a text; nil before they are known.
	scrub func(string) string
	// Servers are the tools of other servers; may be nil.
	Servers *Servers
	key     string // names the review's calls for caches of providers

	mu       sync.Mutex
	progress Progress        // the last report to the caller
	cached   int             // stage results that were loaded
	budget   bool            // the recorder refused a call
	plain    map[string]bool // routes whose models do not support tools
	left     int             // conversations that are left
	open     int             // calls that were announced and have not ended
	ended    chan struct{}   // closed when a call ends; nil if no call waits
}

// New returns a session. Outside are the tools of other servers, or nil. It has no conversations until
// [Session.AllowConversations] is called.
func New(d Deps, outside Outside) *Session {
	if d.Recorder == nil {
		d.Recorder = NopRecorder{}
	}
	if d.Stages == nil {
		d.Stages = nopStages{}
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Random == nil {
		d.Random = rand.Reader
	}
	g := NewGuard(d.Random)
	s := &Session{deps: d, Guard: g, key: "review-" + g.Fence}
	if outside != nil {
		s.Servers = &Servers{Session: s, from: outside, left: ServerCalls - outside.Made()}
	}
	return s
}

// SetScrub sets the function that replaces the secrets of the change in a text.
func (s *Session) SetScrub(scrub func(string) string) { s.scrub = scrub }

// SetFiles sets the number of files that progress reports.
func (s *Session) SetFiles(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.Files = n
}

// Totals returns the number of calls made and of stage results that were loaded from the store.
func (s *Session) Totals() (calls, cached int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress.Calls, s.cached
}

// Answer is a model's answer.
type Answer struct {
	Text      string
	Truncated bool     // it reached the token limit
	Broken    bool     // the provider ended it
	Paths     []string // paths of the files that it may be about, if it lists findings
}

// with returns the answer with another text.
func (a Answer) with(text string) Answer {
	a.Text = text
	return a
}

// Question is one request to a model.
type Question struct {
	Stage    string // name of the stage, for records and schemas
	Route    Route
	System   string
	Messages []llm.Message
	Schema   json.RawMessage
	tools    []llm.Tool
	Paths    []string // paths of the files that findings may be about
}

// Ask makes one recorded call without tools. Errors: [ErrBudget], [ErrTooLong], [ErrCanary], [ErrAnswer], the
// context's error, or an [*llm.Error].
func (s *Session) Ask(ctx context.Context, stage string, r Route, system string, messages []llm.Message, schema json.RawMessage) (
	Answer, error,
) {
	return s.answer(ctx, Question{Stage: stage, Route: r, System: system, Messages: messages, Schema: schema})
}

// answer is [Session.Ask] for a question.
func (s *Session) answer(ctx context.Context, p Question) (Answer, error) {
	resp, err := s.turn(ctx, p)
	ans := answerOf(resp)
	if strings.TrimSpace(resp.Text) != "" && len(p.tools) == 0 { // without tools, the arguments of a call are part of the answer
		for _, c := range resp.ToolCalls {
			ans.Text += "\n" + c.Arguments
		}
	}
	return ans, err
}

// answerOf returns the answer in a response. A model without tools may write it as the arguments of a call.
func answerOf(r llm.Response) Answer {
	text := r.Text
	if strings.TrimSpace(text) == "" {
		for _, c := range r.ToolCalls {
			text += c.Arguments + "\n"
		}
	}
	return Answer{Text: text, Truncated: r.Truncated(), Broken: r.StopReason == llm.StopBroken}
}

// turn makes one recorded call, which may ask for calls of tools. Beside an error, the response is empty.
func (s *Session) turn(ctx context.Context, p Question) (llm.Response, error) {
	if s.BudgetUsedUp() {
		return llm.Response{}, ErrBudget
	}
	r := p.Route
	input := Size(p.System, p.Schema, p.Messages) + ToolSize(p.tools)
	r.MaxOutputTokens = r.answer(input)
	id, err := s.begin(ctx, Call{Stage: p.Stage, Tier: r.Tier, Model: r.Model,
		EstimatedInput: int64(input), MaxOutput: int64(r.MaxOutputTokens)})
	if err != nil {
		if errors.Is(err, ErrBudget) {
			s.deps.Logger.WarnContext(ctx, "model call refused", slog.String("stage", p.Stage), slog.Any("error", err))
			s.mu.Lock()
			s.budget = s.budget || r.Tier != TierPanel // a model of another price may still have room
			s.mu.Unlock()
			return llm.Response{}, ErrBudget
		}
		return llm.Response{}, fmt.Errorf("record model call: %w", err)
	}
	began := s.deps.Now()
	var resp llm.Response
	err = Contained(func() (err error) {
		resp, err = r.Client.Complete(ctx, request(r, s.key, p))
		return err
	})
	if errors.Is(err, ErrFault) { // the call is settled like one that failed; its record names the fault without the stack
		s.deps.Logger.ErrorContext(ctx, "a model call ended by a fault", slog.String("stage", p.Stage), slog.Any("error", err))
		err = ErrFault
	}
	if err == nil && llm.Partial(resp.Usage, texts(p.System, p.Messages)...) {
		err = errPartial
	}
	out := Outcome{Usage: resp.Usage, Model: resp.Model, Duration: s.deps.Now().Sub(began)}
	if out.Model == "" {
		out.Model = r.Model
	}
	if err != nil {
		out.Err, out.Class = err.Error(), ErrorClass(err)
	}
	leaked := err == nil && s.leaked(resp)
	if leaked {
		out.Err, out.Class = ErrCanary.Error(), "leaked"
	}
	s.deps.Recorder.After(context.WithoutCancel(ctx), id, out)
	s.mu.Lock()
	s.over()
	s.progress.Calls++
	s.progress.Tokens += out.Usage.InputTokens + out.Usage.OutputTokens
	s.mu.Unlock()
	switch {
	case err != nil && tooLong(err):
		return llm.Response{}, fmt.Errorf("%w: %w", ErrTooLong, err)
	case err != nil:
		return llm.Response{}, err
	case leaked:
		s.deps.Logger.WarnContext(ctx, "answer discarded: it carries the canary", slog.String("stage", p.Stage), slog.String("model", out.Model))
		return llm.Response{}, ErrCanary
	}
	if resp.StopReason == llm.StopRefused || resp.StopReason == llm.StopFiltered {
		return llm.Response{}, fmt.Errorf("%w: stopped by the model or its provider (%s)", ErrAnswer, resp.StopReason)
	}
	return resp, nil
}

// leaked reports whether a response, or a call that it asks for, carries the canary.
func (s *Session) leaked(r llm.Response) bool {
	return s.Guard.Leaked(r.Text) ||
		slices.ContainsFunc(r.ToolCalls, func(c llm.ToolCall) bool { return s.Guard.Leaked(c.Name + c.Arguments) })
}

// toolless reports whether the model of a route is known not to support tools.
func (s *Session) toolless(r Route) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plain[r.Tier+" "+r.Model]
}

// withoutTools records that the model of a route does not support tools.
func (s *Session) withoutTools(ctx context.Context, r Route, why error) {
	s.deps.Logger.InfoContext(ctx, "the model takes no tools; it goes on without",
		slog.String("tier", r.Tier), slog.String("model", r.Model), slog.Any("error", why))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain == nil {
		s.plain = map[string]bool{}
	}
	s.plain[r.Tier+" "+r.Model] = true
}

// ErrorClass names an error of a call: the provider's class, or "ended" if the call was ended here.
func ErrorClass(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return string(e.Class)
	}
	return "ended"
}

// begin announces a call. Reservations exceed what most calls use, so a refusal counts only if no other call of this
// review holds a reservation. Otherwise begin waits for one of them to end.
func (s *Session) begin(ctx context.Context, c Call) (id string, err error) {
	for {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		s.mu.Lock()
		s.open++
		s.mu.Unlock()
		id, err = s.deps.Recorder.Before(ctx, c)
		if err == nil {
			return id, nil
		}
		s.mu.Lock()
		if s.open--; s.open == 0 || !errors.Is(err, ErrBudget) {
			s.wake()
			s.mu.Unlock()
			return "", err
		}
		if s.ended == nil {
			s.ended = make(chan struct{})
		}
		ended := s.ended
		s.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
}

// over records that a call has ended. The caller holds the lock.
func (s *Session) over() {
	s.open--
	s.wake()
}

// wake lets waiting calls try again. The caller holds the lock.
func (s *Session) wake() {
	if s.ended != nil {
		close(s.ended)
		s.ended = nil
	}
}

// BudgetUsedUp reports whether the recorder has refused a call.
func (s *Session) BudgetUsedUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.budget
}

// ReportProgress tells the caller the stage and how many of its units are done. Reports are never concurrent.
func (s *Session) ReportProgress(stage string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.Stage, s.progress.Done, s.progress.Total = stage, done, total
	if s.deps.Progress != nil {
		s.deps.Progress(s.progress)
	}
}

// IsFatal reports whether an error of a call ends the review, because the review must wait for the model or
// show the provider's message.
func IsFatal(err error) bool {
	switch {
	case err == nil, errors.Is(err, ErrBudget), errors.Is(err, ErrTooLong), errors.Is(err, ErrCanary), errors.Is(err, ErrAnswer),
		errors.Is(err, ErrFault):
		return false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	return !IsFinal(err)
}
