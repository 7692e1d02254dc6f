package fix

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/lookup"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds of the texts of an outcome (design choices).
const (
	maxNote  = 500      // characters of a note or a summary
	maxBytes = 32 << 10 // bytes of all removed and added lines of a run
	maxWhere = 512      // bytes of the path of a reason
)

// run is one run under way.
type run struct {
	*ask.Session
	deps     Deps
	in       Input
	set      *diff.Set // as the host gave it
	clean    *diff.Set // without secrets
	bounds   *change.BoundedSource
	redacted *check.RedactedSource
	before   check.Result // of the head
	key      []byte       // tells values of secrets apart
	route    ask.Route
	tools    *lookup.Toolbox
	tally    *tally

	mu   sync.Mutex
	docs map[string]*document // of the head, by path
	done int
}

// attempt is the fix of one finding on its way.
type attempt struct {
	Outcome
	finding domain.Finding
	patches []patch
	version *version
}

// begin reads the change and runs the checks over the head.
func (f *Fixer) begin(ctx context.Context, in Input) (*run, error) {
	if f.deps.Checks == nil {
		return nil, errors.New("fix: no deterministic checks were given")
	}
	if in.Source == nil {
		in.Source = change.NoSource{}
	}
	set, err := diff.ParseContext(ctx, in.Diff)
	if err != nil {
		if ctx.Err() != nil || errs.Is(err, errs.TooLarge) {
			return nil, cmp.Or(ctx.Err(), err)
		}
		return nil, errs.Wrap(err, errs.Invalid, "diff_invalid", "The diff of the change cannot be read.")
	}
	r := &run{deps: f.deps, in: in, set: set, docs: map[string]*document{}, bounds: &change.BoundedSource{Source: in.Source},
		key: make([]byte, 32), tally: &tally{Recorder: f.deps.Recorder}}
	if r.tally.Recorder == nil {
		r.tally.Recorder = ask.NopRecorder{}
	}
	if _, err := rand.Read(r.key); err != nil {
		return nil, err
	}
	r.Session = ask.New(ask.Deps{Recorder: r.tally, Stages: f.deps.Stages, Progress: f.deps.Progress, Logger: f.deps.Logger,
		Now: f.deps.Now, Random: f.deps.Random, PromptHash: promptHash()}, nil)
	if r.before, err = f.deps.Checks.Run(ctx, set, r.bounds, r.options()); err != nil {
		return nil, fmt.Errorf("deterministic checks: %w", err)
	}
	r.SetScrub(r.redact)
	if r.clean, err = check.Redact(ctx, set, r.before.Redactor); err != nil {
		r.before.Close()
		return nil, err
	}
	for _, file := range r.clean.Files { // no model sees what could not be searched for secrets
		if r.before.Withheld[file.Path] != "" || slices.Contains(r.before.Unchecked, file.Path) {
			file.Hunks, file.Omitted = nil, check.WhySecrets
		}
	}
	r.redacted = &check.RedactedSource{Source: r.bounds, Redactor: r.before.Redactor}
	r.tools = r.toolbox(r.clean, r.redacted, r.bounds)
	return r, nil
}

// redact replaces the known secrets in a text.
func (r *run) redact(s string) string { return r.before.Redactor.Text(s) }

// tryAll tries to mend each finding. The error is fatal.
func (r *run) tryAll(ctx context.Context) ([]*attempt, error) {
	out := make([]*attempt, len(r.in.Findings))
	route, ok := r.in.Models.Pick(ask.TierStrong)
	r.route = route
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(ask.ParallelCalls)
	due := min(len(out), MaxFindings)
	r.ReportProgress("fix", 0, due)
	for i, f := range r.in.Findings {
		a := &attempt{finding: f, Outcome: Outcome{FindingID: f.ID, RuleID: f.RuleID, Checks: []Check{}}}
		out[i] = a
		switch {
		case i >= MaxFindings:
			a.refuse(CheckProposed, TooManyFindings, "")
			continue
		case !ok:
			a.refuse(CheckProposed, NoModel, "")
			continue
		}
		group.Go(func() error {
			err := ask.Contained(func() error { return r.try(inner, a) })
			if errors.Is(err, ask.ErrFault) {
				r.deps.Logger.ErrorContext(ctx, "a fix ended by a fault", slog.Any("error", err))
				*a = attempt{finding: f, Outcome: Outcome{FindingID: f.ID, RuleID: f.RuleID, Checks: []Check{}}}
				a.refuse(CheckProposed, NotCheckable, "")
				err = nil
			}
			r.mu.Lock()
			r.done++
			r.ReportProgress("fix", r.done, due)
			r.mu.Unlock()
			return err
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// refuse ends an attempt with a failed check.
func (a *attempt) refuse(name CheckName, why Reason, path string) {
	a.Passed, a.Reason, a.Path = false, why, clip.Bytes(change.ShowPath(path), maxWhere)
	a.Checks = append(a.Checks, Check{name, OutcomeFailed})
	a.Edits, a.Suggestions, a.Outside = nil, nil, 0
}

func (a *attempt) pass(name CheckName) { a.Checks = append(a.Checks, Check{name, OutcomePassed}) }

// tell returns a model's text as a note.
func (r *run) tell(text string) string {
	text = r.redact(change.StripInvisible(strings.ToValidUTF8(change.Cut(text, 8*maxNote), "")))
	return clip.Runes(change.OneLine(secret.Scrub(text)), maxNote, "…")
}

// unanswered refuses an attempt whose conversation has no usable answer, or returns a fatal error.
func (a *attempt) unanswered(ctx context.Context, name CheckName, err error) error {
	if ctx.Err() != nil || ask.IsFatal(err) {
		return err
	}
	a.refuse(name, whyRefused(err), "")
	return nil
}

// try makes and checks the fix of one finding. The error is fatal.
func (r *run) try(ctx context.Context, a *attempt) error {
	f := a.finding
	d, why, err := r.open(ctx, f.Anchor.Path, true)
	if err != nil {
		return err
	}
	if why != "" || f.Anchor.Side == domain.Left {
		a.refuse(CheckProposed, cmp.Or(why, NotPlaced), f.Anchor.Path)
		return nil
	}
	said, err := r.propose(ctx, f, d)
	if err != nil {
		return a.unanswered(ctx, CheckProposed, err)
	}
	a.Summary = r.tell(said.Summary)
	switch {
	case len(said.Edits) == 0:
		a.refuse(CheckProposed, NoFix, "")
		return nil
	case len(said.Edits) > MaxEdits:
		a.refuse(CheckSize, TooLarge, "")
		return nil
	}
	a.pass(CheckProposed)
	for _, step := range []func(context.Context, *attempt, []proposed) (bool, error){r.apply, r.guard, r.prove} {
		if ok, err := step(ctx, a, said.Edits); err != nil || !ok {
			return err
		}
	}
	r.finish(a)
	return nil
}

// apply applies the edits in memory.
func (r *run) apply(ctx context.Context, a *attempt, edits []proposed) (bool, error) {
	docs := make([]*document, len(edits))
	for i, e := range edits {
		d, why, err := r.open(ctx, e.Path, e.Path == a.finding.Anchor.Path)
		if err != nil {
			return false, err
		}
		if why != "" {
			a.refuse(CheckPaths, why, e.Path)
			return false, nil
		}
		docs[i] = d
	}
	a.pass(CheckPaths)
	for i, e := range edits {
		p, why := docs[i].locate(e.Search, e.Replace)
		if why == "" && slices.ContainsFunc(a.patches, p.overlaps) {
			why = Overlapping
		}
		if why != "" {
			a.refuse(CheckApplied, why, e.Path)
			return false, nil
		}
		a.patches = append(a.patches, p)
	}
	a.pass(CheckApplied)
	a.version = r.version(a.patches)
	if tooLarge(a.version, a.patches) {
		a.refuse(CheckSize, TooLarge, "")
		return false, nil
	}
	a.pass(CheckSize)
	return true, nil
}

// tooLarge reports whether a version is beyond the bounds of a run.
func tooLarge(v *version, patches []patch) bool {
	bytes := 0
	for _, p := range patches {
		e := p.edit()
		bytes += len(e.Removed) + len(e.Replacement)
	}
	return len(v.pairs) > MaxFiles || v.lines > MaxLines || bytes > maxBytes
}

// guard makes the tests that need the text alone.
func (r *run) guard(_ context.Context, a *attempt, _ []proposed) (bool, error) {
	inComment := r.checked(a.finding) && standsInComment(a.finding, a.version)
	if !inComment && noCode(a.version.pairs) {
		a.refuse(CheckScope, NoCode, "")
		return false, nil
	}
	if !r.parses(a, CheckSyntax) {
		return false, nil
	}
	for _, p := range a.version.pairs {
		for _, g := range guards {
			if g.fails(p) {
				a.refuse(CheckScope, g.reason, p.after.path)
				return false, nil
			}
		}
		if p.before.path != a.finding.Anchor.Path && altersAssertion(p) {
			a.refuse(CheckScope, WeakensTest, p.after.path)
			return false, nil
		}
	}
	if path := unrelated(a.finding, a.version.pairs); path != "" {
		a.refuse(CheckScope, Unrelated, path)
		return false, nil
	}
	a.pass(CheckScope)
	return true, nil
}

// parses checks the syntax of the files of an attempt.
func (r *run) parses(a *attempt, name CheckName) bool {
	read := 0
	for _, p := range a.version.pairs {
		broken, unknown := breaks(p)
		switch {
		case broken:
			a.refuse(name, BreaksSyntax, p.after.path)
			return false
		case unknown:
			a.refuse(name, Unchecked, p.after.path)
			return false
		}
		_, known := faults(p.after)
		read += count(known)
	}
	if read == 0 {
		a.Checks = append(a.Checks, Check{name, OutcomeNotApplicable})
	} else {
		a.pass(name)
	}
	return true
}

// standsInComment reports whether the finding's own lines have no code.
func standsInComment(f domain.Finding, v *version) bool {
	for _, p := range v.pairs {
		if p.before.path == f.Anchor.Path {
			lines := p.before.codeLines()
			first, last := max(f.Anchor.StartLine, 1), min(f.Anchor.EndLine, len(lines))
			return first <= last && strings.TrimSpace(strings.Join(lines[first-1:last], "")) == ""
		}
	}
	return false
}

// prove runs the checks over the new files and asks the verifier and the second look.
func (r *run) prove(ctx context.Context, a *attempt, _ []proposed) (bool, error) {
	why, path, after, err := r.static(ctx, a.version)
	if err != nil {
		return false, err
	}
	if why != "" {
		a.refuse(CheckStatic, why, path)
		return false, nil
	}
	a.pass(CheckStatic)
	if r.checked(a.finding) {
		if !r.gone(a.finding, after) {
			a.refuse(CheckGone, StillThere, a.finding.Anchor.Path)
			return false, nil
		}
		a.pass(CheckGone)
		a.Checks = append(a.Checks, Check{CheckVerified, OutcomeNotApplicable})
	} else {
		a.Checks = append(a.Checks, Check{CheckGone, OutcomeNotApplicable})
		if ok, err := r.hearing(ctx, a, CheckVerified, r.verify); !ok {
			return false, err
		}
	}
	return r.hearing(ctx, a, CheckLook, r.look)
}

// hearing makes a check by a model.
func (r *run) hearing(ctx context.Context, a *attempt, name CheckName,
	judge func(context.Context, domain.Finding, *version) (Reason, string, error),
) (bool, error) {
	why, note, err := judge(ctx, a.finding, a.version)
	switch {
	case err != nil:
		return false, a.unanswered(ctx, name, err)
	case why != "":
		a.refuse(name, why, "")
		a.Note = r.tell(note)
		return false, nil
	}
	a.pass(name)
	return true, nil
}

// finish gives an attempt that passed its edits and suggestions.
func (r *run) finish(a *attempt) {
	a.Passed = true
	for _, p := range a.patches {
		e := p.edit()
		a.Edits = append(a.Edits, e)
		if r.isShown(e) {
			a.Suggestions = append(a.Suggestions, Suggestion{Path: e.Path, Side: domain.Right, Start: e.Start, End: e.End,
				Replacement: e.Replacement, Delete: e.Delete})
		} else {
			a.Outside++
		}
	}
}

// isShown reports whether one hunk of the diff shows all lines of an edit.
func (r *run) isShown(e Edit) bool {
	f := r.set.File(e.Path)
	if f == nil {
		return false
	}
	h, ok := f.Commentable(domain.Right, e.Start)
	if !ok {
		return false
	}
	_, last, ok := h.Range(domain.Right)
	return ok && e.End <= last
}
