package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// prepare reads a change, runs the deterministic checks over it and takes the secrets out. The caller closes the checks.
// Errors are those of [Engine.Review] about the change.
func (e *Engine) prepare(ctx context.Context, in Input) (*work, error) {
	if e.deps.Checks == nil {
		return nil, errors.New("engine: no deterministic checks were given")
	}
	if in.Source == nil {
		in.Source = change.NoSource{}
	}
	bounds := &change.BoundedSource{Source: in.Source}
	in.Source = textSource{bounds}
	in.Models = in.Models.ForDepth(in.Depth)
	w := newWork(e.deps, in)
	w.ReportProgress("parse", 0, 0)
	set, err := diff.ParseContext(ctx, in.Diff)
	if err != nil {
		if ctx.Err() != nil || errs.Is(err, errs.TooLarge) {
			return nil, cmp.Or(ctx.Err(), err)
		}
		return nil, errs.Wrap(err, errs.Invalid, "diff_invalid", "The diff of the change cannot be read.")
	}
	for _, f := range set.Files {
		f.AnyPath = in.AnyPath
	}
	if err := judgeFiles(ctx, set, bounds, func(path string) bool { return change.ExcludedPath(path, in.Policy) != "" }); err != nil {
		return nil, err
	}
	if err := identify(ctx, set, in.Source); err != nil {
		return nil, err
	}
	w.SetFiles(len(set.Files))

	w.ReportProgress("check", 0, len(set.Files))
	asked, matched := divideRules(in.Rules)
	w.matched = matched
	options, err := w.checkOptions(ctx, set)
	if err != nil {
		return nil, err
	}
	det, err := e.deps.Checks.Run(ctx, set, in.Source, options)
	if err != nil {
		return nil, fmt.Errorf("deterministic checks: %w", err)
	}
	w.SetScrub(det.Redactor.Text)
	clean, err := check.Redact(ctx, set, det.Redactor)
	if err != nil {
		det.Close()
		return nil, err
	}
	withhold(clean, det)
	if err := w.joinAnalyses(ctx, clean, &det); err != nil {
		det.Close()
		return nil, err
	}
	redacted := &check.RedactedSource{Source: in.Source, Redactor: det.Redactor}
	cleaned := checkedSource{redacted, bounds}
	outputs := showCells(ctx, clean, cleaned)
	src := anchor.NewFiles(notebookSource{cleaned})
	w.checks = det
	w.prepared = prepared{given: set, set: clean, src: src, redact: det.Redactor.Text, redacted: redacted, bounds: bounds,
		outputs: outputs, unread: det.Unread, long: change.OverlongFiles(clean)}
	rules, err := w.visibleRules(ctx, asked)
	if err != nil {
		det.Close()
		return nil, err
	}
	w.rules = applicable(rules, clean)
	w.asker = &reconcile.Asker{Session: w.Session, Models: in.Models, Logger: e.deps.Logger}
	w.reconciler = &reconcile.Reconciler{Set: clean, Source: src, Prints: anchor.NewFingerprinter(in.Repository, clean, src),
		ReviewedHunks: in.ReviewedHunks, HaveModel: in.Models != nil, Checked: w.checked, Unseen: w.unseen, Locate: w.locate,
		Suppressed: w.suppressedBy,
		Asker:      w.asker, Logger: e.deps.Logger}
	return w, nil
}
