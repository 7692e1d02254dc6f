package engine

import (
	"context"
	"log/slog"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// suppressedBy returns the id of the suppression that keeps a finding out of the review, or "". Nothing keeps out a
// finding of a mandatory rule, and only its fingerprint a secret or a security finding of High and above.
func (w *work) suppressedBy(f domain.Finding) string {
	if len(w.in.Suppressions) == 0 || w.ofMandatoryRule(f) {
		return ""
	}
	for _, s := range w.in.Suppressions {
		if f.Suppressible(s.Scope) && covers(s, f) {
			return s.ID
		}
	}
	return ""
}

// ofMandatoryRule reports whether a model reported the finding under a rule that is mandatory.
func (w *work) ofMandatoryRule(f domain.Finding) bool {
	return slices.ContainsFunc(append([]string{f.RuleID}, f.Rules...), func(id string) bool {
		r, ok := w.ruleOf(id)
		return ok && r.Mandatory
	})
}

// covers reports whether a suppression is about a finding. A fingerprint does not cover findings without code. A rule or a
// category covers findings up to the suppression's highest severity, and all places of the defect must match its paths.
func covers(s domain.Suppression, f domain.Finding) bool {
	if s.Scope == domain.ScopeFingerprint {
		return f.HasDistinctPrint() && slices.ContainsFunc(s.Matches, f.HasCode)
	}
	if f.Severity > s.MaxSeverity {
		return false
	}
	is := f.RuleID
	if s.Scope == domain.ScopeCategory {
		is = string(f.Category)
	}
	if !slices.Contains(s.Matches, is) || len(s.Paths) == 0 {
		return slices.Contains(s.Matches, is)
	}
	return f.Anchor.Path != "" && glob.Any(s.Paths, f.Anchor.Path) &&
		!slices.ContainsFunc(f.AlsoAt(), func(e domain.Evidence) bool { return !glob.Any(s.Paths, e.Path) })
}

// hide marks a finding as kept out of the review.
func hide(it *finding.Item) {
	it.State = domain.FindingSuppressed
	it.Route, it.Why, it.Aside = domain.RouteStored, whySuppressed, ""
}

// hideCarried keeps earlier findings out of the review that a suppression has covered since. An earlier finding
// that no review shows stays as it is.
func (w *work) hideCarried(carried []*finding.Item) {
	for _, it := range carried {
		if it.State != domain.FindingOpen || !it.Published() {
			continue
		}
		if it.SuppressedBy = w.suppressedBy(it.Finding); it.SuppressedBy != "" {
			hide(it)
			w.drop(whySuppressed, 1)
			w.discard(Discarded{Why: whySuppressed, FindingID: it.ID, Finding: it.Finding})
		}
	}
}

// noteSecretPrints says how many secrets are shown although a suppression of an older version has their fingerprint. These
// versions gave all secrets on equal lines one fingerprint, so that it does not tell which value a person saw.
func (w *work) noteSecretPrints(ctx context.Context, items []*finding.Item) {
	n := 0
	for _, it := range items {
		if len(w.in.Suppressions) == 0 || len(it.SecretDigests) == 0 || it.State != domain.FindingOpen || !it.Published() {
			continue
		}
		print, err := w.reconciler.Prints.WithoutValue(ctx, it.Finding)
		if err != nil {
			w.deps.Logger.WarnContext(ctx, "no fingerprint without the value of a secret", slog.Any("error", err))
			continue
		}
		if slices.ContainsFunc(w.in.Suppressions, func(s domain.Suppression) bool {
			return s.Scope == domain.ScopeFingerprint && slices.Contains(s.Matches, print)
		}) {
			n++
		}
	}
	if n > 0 {
		w.note(wording.English(wording.NoticeSecretPrints, n))
	}
}

// Calibrated returns how many findings were not shown because calibration has raised the threshold of their category.
func (s Stats) Calibrated() int { return s.Dropped[whyCalibrated] }

// Suppressed returns how many findings suppressions kept out of the review.
func (s Stats) Suppressed() int { return s.Dropped[whySuppressed] }
