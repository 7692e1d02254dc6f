// Package engine reviews a change: it runs deterministic checks, lets models
// find and verify defects, and decides what is worth saying and where.
//
// The packages below it hold what its stages share: change the code of a change, ask the access to models, around the other
// code that has to do with the change, lookup the tools of models, finding a finding in the making, reconcile the
// comparison with earlier runs, and criteria the acceptance criteria of tickets.
//
// The engine knows no host and no database: it reads a snapshot, calls models
// through a port, and returns a result. Publishing, storing, fetching and the
// text of comments do not live here. Each stage is a small function over its
// input in a file of its own; [Engine.Review] is the order of the stages.
//
// Nothing that a pull request or a model says is trusted: text from outside is
// fenced and stripped before it enters a prompt, every place and quote of an
// answer is checked against the code, and no model can remove a finding of a
// deterministic check.
package engine

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/review/ask"
)

// Deps are what an engine works with. Checks is required; the others have
// quiet defaults.
type Deps struct {
	Checks    Checks
	Analysers Analysers // nil: no program runs
	Recorder  ask.Recorder
	Stages    ask.StageStore
	Progress  func(ask.Progress) // never called concurrently within one review
	Trace     Trace              // nil: not measured
	Reach     Reach              // nil: not measured
	Logger    *slog.Logger
	Now       func() time.Time // durations of calls only; no decision rests on it
	// Random makes the delimiters of prompts, which must be impossible to guess; crypto/rand if nil. Only measurements
	// with recorded answers set it.
	Random io.Reader
}

// Engine reviews changes. It is safe for concurrent use.
type Engine struct{ deps Deps }

// New makes an engine.
func New(d Deps) *Engine {
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	return &Engine{deps: d}
}

// With returns an engine that differs in what belongs to one run.
func (e *Engine) With(r ask.Recorder, s ask.StageStore, progress func(ask.Progress)) *Engine {
	d := e.deps
	d.Recorder, d.Stages, d.Progress = r, s, progress
	return New(d)
}

// Review reviews a change.
//
// Errors: a kind of [errs.Invalid] for a diff that cannot be parsed, and
// [errs.TooLarge] for one that is too large; the context's error; an [*llm.Error], wrapped, when the model is down, refuses
// the effort, or refused every call for a reason that would come again. After
// an error nothing is lost: finished model calls are in the [ask.StageStore], and a
// caller that gives the model up calls again without Models.
func (e *Engine) Review(ctx context.Context, in Input) (Result, error) {
	in.programs = true
	w, err := e.prepare(ctx, in)
	if err != nil {
		return Result{}, err
	}
	defer w.checks.Close()
	if err := w.triage(ctx); err != nil {
		return Result{}, err
	}
	w.describe()
	checked, err := w.deterministic(ctx, w.checks.Findings)
	if err != nil {
		return Result{}, err
	}
	generated, err := w.generate(ctx)
	if err != nil {
		return Result{}, err
	}
	items, err := w.merge(ctx, append(checked, generated...))
	if err != nil {
		return Result{}, err
	}
	rec, err := w.reconcile(ctx, items)
	if err != nil {
		return Result{}, err
	}
	if err := w.verify(ctx, &rec); err != nil {
		return Result{}, err
	}
	if err := w.saidByOthers(ctx, rec.Fresh); err != nil {
		return Result{}, err
	}
	if err := w.markReportedElsewhere(ctx, rec.Fresh); err != nil {
		return Result{}, err
	}
	if err := w.judgeCriteria(ctx); err != nil {
		return Result{}, err
	}
	w.ReportProgress("rank", 0, 0)
	if err := w.explainResults(ctx, rec.Fresh); err != nil {
		return Result{}, err
	}
	w.finish(ctx, &rec)
	return w.result, nil
}
