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
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/reconcile"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/wording"
)

// Deps are what an engine works with. Checks is required; the others have
// quiet defaults.
type Deps struct {
	Checks   Checks
	Recorder ask.Recorder
	Stages   ask.StageStore
	Progress func(ask.Progress) // never called concurrently within one review
	Trace    Trace              // nil: nobody measures
	Reach    Reach              // nil: nobody measures
	Logger   *slog.Logger
	Now      func() time.Time // durations of calls only; no decision rests on it
	// Random makes the delimiters of prompts, which nobody may guess: crypto/rand if
	// nil. Only who measures, with answers that were recorded, gives another.
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
// an error nothing is lost: finished model calls are in the [StageStore], and a
// caller that gives the model up calls again without Models.
func (e *Engine) Review(ctx context.Context, in Input) (Result, error) {
	p, err := e.prepare(ctx, in)
	if err != nil {
		return Result{}, err
	}
	defer p.found.Close()
	w, s, det, set := p.work, p.session, p.found, p.given
	in, clean := w.in, w.set
	reviewed, err := w.reconciler.Settled(ctx, in.Known)
	if err != nil {
		return Result{}, err
	}
	todo := planned(clean, in.Policy, in.Depth, reviewed, in.Full, in.Models != nil, in.Tier)
	if in.Depth == domain.DepthReduced {
		w.result.Depth = in.Depth
	}
	w.plan = todo
	s.AllowConversations(boundOf(todo.tier).all)
	w.measureReach(ctx)
	w.result.Tier, w.result.TierWhy, w.result.Redact, w.result.Diff = todo.tier, todo.why, det.Redactor.Text, clean
	w.result.Stats = Stats{Files: len(set.Files), Dropped: map[string]int{}, Deterministic: len(det.Findings)}
	if det.Cut > 0 {
		w.drop(check.WhyCut, det.Cut)
		w.result.Notices = append(w.result.Notices, wording.English(wording.NoticeChecksCut, det.Cut, check.MaxFindings))
	}
	for _, f := range set.Files {
		w.result.Stats.Additions += f.Additions
		w.result.Stats.Deletions += f.Deletions
	}
	if in.Notice != "" {
		w.result.Notices = append(w.result.Notices, in.Notice)
	}
	if in.SilentTrackers > 0 {
		w.result.Notices = append(w.result.Notices, wording.English(wording.NoticeTrackers, in.SilentTrackers))
	}
	if check.Hidden(in.PullRequest.Title) || check.Hidden(in.PullRequest.Body) {
		w.result.Notices = append(w.result.Notices, wording.English(wording.NoticeHidden))
	}
	if unchecked := uncheckedNotice(det.Unchecked); unchecked != "" {
		w.result.Notices = append(w.result.Notices, unchecked)
	}
	if set.Lacks != "" {
		w.result.Notices = append(w.result.Notices, set.Lacks)
	}
	if steering := instructionsNotice(set, in.steers()); steering != "" {
		w.result.Notices = append(w.result.Notices, steering)
	}
	items, err := w.deterministic(ctx, det.Findings)
	if err != nil {
		return Result{}, err
	}
	found, err := w.generate(ctx)
	if err != nil {
		return Result{}, err
	}
	items, lost, err := reconcile.Cluster(ctx, append(items, found...))
	if err != nil {
		return Result{}, err
	}
	w.drop(whyDuplicate, len(lost))
	for _, m := range lost {
		w.discard(Discarded{Why: whyDuplicate, Finding: m.Lost.Finding, into: m.Into.Fingerprints.Exact})
	}
	rec, err := w.reconciler.Reconcile(ctx, items, in.Known)
	if err != nil {
		return Result{}, err
	}
	for _, d := range rec.Decided {
		why := whyDismissed
		if d.Earlier.State == domain.FindingSuppressed {
			why = whySuppressed
		}
		w.drop(why, 1)
		w.discard(Discarded{Why: why, FindingID: d.Earlier.ID, Finding: d.Now})
	}
	if err := w.verify(ctx, &rec); err != nil {
		return Result{}, err
	}
	if err := w.saidByOthers(ctx, rec.Fresh); err != nil {
		return Result{}, err
	}
	if err := w.askElsewhere(ctx, rec.Fresh); err != nil {
		return Result{}, err
	}
	if err := w.judgeCriteria(ctx); err != nil {
		return Result{}, err
	}
	s.ReportProgress("rank", 0, 0)
	w.finish(&rec)
	return w.result, nil
}

// identify names every hunk by the part of the file in which it stands. Files are
// read one after the other, and what was made of one is let go with the next.
func identify(ctx context.Context, set *diff.Set, src change.Source) error {
	var of *diff.File
	var outline *structure.Outline
	set.Identify(func(f *diff.File, h *diff.Hunk) string {
		if f != of {
			of, outline = f, outlineOf(ctx, f, src)
		}
		if outline == nil {
			return h.Section
		}
		return outline.Place(change.FirstChanged(h), h.Section)
	})
	return ctx.Err()
}

// outlineOf reads the parts of a file at the head; nil where nobody needs them, or
// the file cannot be read.
func outlineOf(ctx context.Context, f *diff.File, src change.Source) *structure.Outline {
	if ctx.Err() != nil || f.Class.Ignored() || f.Status == diff.Deleted {
		return nil
	}
	blob, err := src.Blob(ctx, domain.Right, f.Path)
	if err != nil {
		return nil
	}
	return structure.Read(f.Language, blob)
}

// applicable returns the rules that concern a file of the change.
func applicable(rules []Rule, set *diff.Set) []Rule {
	var out []Rule
	for _, r := range rules {
		for _, f := range set.Files {
			if r.Concerns(f.Path, f.Language) {
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// instructionsNotice says that files which steer reviewers were changed, "" where
// none was: they count from the base branch only, so the change itself is not
// reviewed by them.
func instructionsNotice(set *diff.Set, steers func(path string) bool) string {
	var names []string
	for _, f := range set.Files {
		if steers(f.Path) || f.OldPath != "" && steers(f.OldPath) {
			names = append(names, change.CleanPath(f.Path))
		}
	}
	switch more := len(names) - maxNamed; {
	case len(names) == 0:
		return ""
	case more > 0:
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return wording.English(wording.NoticeInstructions, strings.Join(names, ", "))
}
