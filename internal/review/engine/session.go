package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
)

// Errors of a single call that do not end the review.
var (
	ErrBudget  = errors.New("the budget refuses further model calls")
	errCanary  = errors.New("the answer repeats confidential instructions and was discarded")
	errAnswer  = errors.New("the answer cannot be used")
	errTooLong = errors.New("the text is longer than the model's context")
	errPartial = &llm.Error{Class: llm.ClassContextLength, ProviderMessage: "The endpoint has counted far fewer tokens than the text has: it has read a part only, because the context of the model is smaller. Make the context larger (Ollama: num_ctx), or say its size in contextTokens."}
)

// session is one review's access to models: it counts, records and classifies
// calls. Its methods may be called from several goroutines.
type session struct {
	deps  Deps
	in    Input
	guard guard // one for all calls, so that they begin alike
	// scrub takes secrets of the change out of a text; nil before they are known.
	scrub func(string) string
	// servers are the tools of others that finding and checking may use; nil for none.
	servers *servers
	key     string // names the review's calls for caches of providers

	mu       sync.Mutex
	progress Progress
	cached   int
	budget   bool
	plain    map[string]bool // routes whose models take no tools
	left     int             // conversations
	open     int             // calls that were announced and have not ended
	ended    chan struct{}   // closed when one ends; nil while nobody waits
}

func newSession(d Deps, in Input) *session {
	g := newGuard(d.Random)
	s := &session{deps: d, in: in, guard: g, key: "review-" + g.fence, left: boundOf(tierT4).all}
	if in.Models != nil && in.Models.Outside != nil {
		s.servers = &servers{session: s, from: in.Models.Outside, left: ServerCalls - in.Models.Outside.Made()}
	}
	return s
}

// answer is what a call gave.
type answer struct {
	text      string
	truncated bool
	broken    bool     // the provider broke it off, for whatever reason
	paths     []string // of the files that it is about, where it lists findings
}

// with is an answer with another text.
func (a answer) with(text string) answer {
	a.text = text
	return a
}

// prompted is what a model is asked.
type prompted struct {
	stage    string
	route    Route
	system   string
	messages []llm.Message
	schema   json.RawMessage
	tools    []llm.Tool
	paths    []string // of the files that findings may be about
}

// ask makes one recorded call without tools. Errors: ErrBudget, errTooLong,
// errCanary, errAnswer, the context's error, or an [*llm.Error].
func (s *session) ask(ctx context.Context, stage string, r Route, system string, messages []llm.Message, schema json.RawMessage) (answer, error) {
	return s.answer(ctx, prompted{stage: stage, route: r, system: system, messages: messages, schema: schema})
}

func (s *session) answer(ctx context.Context, p prompted) (answer, error) {
	resp, err := s.turn(ctx, p)
	ans := answerOf(resp)
	if strings.TrimSpace(resp.Text) != "" && len(p.tools) == 0 { // a call of what it was not given is a part of the answer
		for _, c := range resp.ToolCalls {
			ans.text += "\n" + c.Arguments
		}
	}
	return ans, err
}

// answerOf is the answer that a response holds. A model without tools may
// write it as the arguments of a call.
func answerOf(r llm.Response) answer {
	text := r.Text
	if strings.TrimSpace(text) == "" {
		for _, c := range r.ToolCalls {
			text += c.Arguments + "\n"
		}
	}
	return answer{text: text, truncated: r.Truncated(), broken: r.StopReason == llm.StopBroken}
}

// turn makes one recorded call, which may ask for calls of tools. Beside an error
// there is no answer.
func (s *session) turn(ctx context.Context, p prompted) (llm.Response, error) {
	if s.exhausted() {
		return llm.Response{}, ErrBudget
	}
	r := p.route
	input := size(p.system, p.schema, p.messages) + toolSize(p.tools)
	r.MaxOutputTokens = r.answer(input)
	id, err := s.begin(ctx, Call{Stage: p.stage, Tier: r.Tier, Model: r.Model, EstimatedInput: int64(input), MaxOutput: int64(r.MaxOutputTokens)})
	if err != nil {
		if errors.Is(err, ErrBudget) {
			s.deps.Logger.WarnContext(ctx, "model call refused", slog.String("stage", p.stage), slog.Any("error", err))
			s.mu.Lock()
			s.budget = true
			s.mu.Unlock()
			return llm.Response{}, ErrBudget
		}
		return llm.Response{}, fmt.Errorf("record model call: %w", err)
	}
	began := s.deps.Now()
	resp, err := r.Client.Complete(ctx, request(r, s.key, p))
	if err == nil && llm.Partial(resp.Usage, texts(p.system, p.messages)...) {
		err = errPartial
	}
	out := Outcome{Usage: resp.Usage, Model: resp.Model, Duration: s.deps.Now().Sub(began)}
	if out.Model == "" {
		out.Model = r.Model
	}
	if err != nil {
		out.Err, out.Class = err.Error(), classOf(err)
	}
	leaked := err == nil && s.leaked(resp)
	if leaked {
		out.Err, out.Class = errCanary.Error(), "leaked"
	}
	s.deps.Recorder.After(context.WithoutCancel(ctx), id, out)
	s.mu.Lock()
	s.over()
	s.progress.Calls++
	s.progress.Tokens += out.Usage.InputTokens + out.Usage.OutputTokens
	s.mu.Unlock()
	switch {
	case err != nil && tooLong(err):
		return llm.Response{}, fmt.Errorf("%w: %w", errTooLong, err)
	case err != nil:
		return llm.Response{}, err
	case leaked:
		s.deps.Logger.WarnContext(ctx, "answer discarded: it carries the canary", slog.String("stage", p.stage), slog.String("model", out.Model))
		return llm.Response{}, errCanary
	}
	if resp.StopReason == llm.StopRefused || resp.StopReason == llm.StopFiltered {
		return llm.Response{}, fmt.Errorf("%w: stopped by the model or its provider (%s)", errAnswer, resp.StopReason)
	}
	return resp, nil
}

// leaked reports whether an answer or a call that it asks for carries the canary.
func (s *session) leaked(r llm.Response) bool {
	return s.guard.leaked(r.Text) || slices.ContainsFunc(r.ToolCalls, func(c llm.ToolCall) bool { return s.guard.leaked(c.Name + c.Arguments) })
}

// toolless reports whether the model of a route is known to take no tools.
func (s *session) toolless(r Route) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plain[r.Tier+" "+r.Model]
}

// forgo remembers that the model of a route takes no tools.
func (s *session) forgo(ctx context.Context, r Route, why error) {
	s.deps.Logger.InfoContext(ctx, "the model takes no tools; it goes on without", slog.String("tier", r.Tier), slog.String("model", r.Model), slog.Any("error", why))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain == nil {
		s.plain = map[string]bool{}
	}
	s.plain[r.Tier+" "+r.Model] = true
}

// classOf names an error of a call: the class of the provider's, or that the
// call was ended from here.
func classOf(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return string(e.Class)
	}
	return "ended"
}

// begin announces a call. What is reserved for calls is more than most of them
// use: a refusal counts only when no other call of this review holds anything
// that it will give back; before, it waits for one of them.
func (s *session) begin(ctx context.Context, c Call) (id string, err error) {
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

// over notes that a call has ended. The lock is held.
func (s *session) over() {
	s.open--
	s.wake()
}

func (s *session) wake() {
	if s.ended != nil {
		close(s.ended)
		s.ended = nil
	}
}

func (s *session) exhausted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.budget
}

// report tells the caller where the review stands. Reports are never concurrent.
func (s *session) report(stage string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.Stage, s.progress.Done, s.progress.Total = stage, done, total
	if s.deps.Progress != nil {
		s.deps.Progress(s.progress)
	}
}

// stored runs work unless an earlier attempt of this run has saved its result.
func stored[T any](ctx context.Context, s *session, stage string, key any, work func() (T, error)) (T, error) {
	hash := inputHash(stage, key)
	raw, found, err := s.deps.Stages.Load(ctx, stage, hash)
	if err != nil {
		s.deps.Logger.WarnContext(ctx, "load stage result", slog.String("stage", stage), slog.Any("error", err))
	}
	if found {
		var out T
		if err := json.Unmarshal(raw, &out); err == nil {
			s.mu.Lock()
			s.cached++
			s.mu.Unlock()
			return out, nil
		}
	}
	out, err := work()
	if err != nil {
		return out, err
	}
	if raw, err = json.Marshal(out); err == nil {
		err = s.deps.Stages.Save(context.WithoutCancel(ctx), stage, hash, raw)
	}
	if err != nil {
		s.deps.Logger.WarnContext(ctx, "save stage result", slog.String("stage", stage), slog.Any("error", err))
	}
	return out, nil
}

// inputHash names the input of a stage. Delimiters and canaries are random and
// not part of it.
func inputHash(stage string, key any) string {
	h := sha256.New()
	h.Write([]byte(stage + "\x00" + PromptHash() + "\x00"))
	if err := json.NewEncoder(h).Encode(key); err != nil {
		panic(err) // keys are structs of strings and numbers
	}
	return hex.EncodeToString(h.Sum(nil))
}

// fatal reports whether an error of a call ends the review: the caller has to
// wait for the model, or has to be told the provider's words.
func fatal(err error) bool {
	switch {
	case err == nil, errors.Is(err, ErrBudget), errors.Is(err, errTooLong), errors.Is(err, errCanary), errors.Is(err, errAnswer):
		return false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	return !finalOfCall(err)
}
