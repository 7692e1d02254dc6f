package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// verify runs the verification stage over new findings of models and over
// earlier ones whose code changed.
func (w *work) verify(ctx context.Context, rec *reconcile.Result) error {
	var due []*finding.Item
	for _, it := range rec.Fresh {
		if !it.Deterministic() && it.Verdict != domain.VerdictSkipped {
			due = append(due, it)
		}
	}
	due = append(append(due, rec.Recheck...), rec.Claims()...)
	if route, ok := w.in.Models.Pick(ask.TierStrong); ok && len(due) > 0 {
		k := checker{route: route, prompt: "verify", maxConversations: maxBatches, desk: w.claimDesk(route),
			scene: scene{set: w.set, src: w.src, rules: w.rules, related: w.related, release: w.newestRelease(ctx, due)}}
		ver, err := w.verifyItems(ctx, k, due)
		if err != nil {
			return err
		}
		w.ver = ver
		if down, isModel := errors.AsType[*llm.Error](ver.err); isModel {
			w.result.VerifierFailure = down
		}
		if err := w.secondOpinion(ctx, k, due); err != nil {
			return err
		}
	} else {
		for _, it := range due {
			it.Verdict = domain.VerdictUnproven
		}
	}
	for _, it := range due {
		w.keepConfirmedPlaces(it)
		if it.Verdict == domain.VerdictUnproven && it.Check.Said == domain.VerdictConfirmed && !it.Resolves {
			takeWords(it, it.Check) // after the second opinion, which checks the claim as it was reported
		}
		if it.Unheard = !it.Judged && it.Verdict == domain.VerdictUnproven; it.Unheard && it.VerdictWhy == "" {
			it.VerdictWhy = "the verifier did not answer"
		}
	}
	w.linkPlaces(rec.Fresh)
	rec.Fresh = w.joinTwins(rec.Fresh)
	rec.Fresh = slices.DeleteFunc(rec.Fresh, func(it *finding.Item) bool { return it.Returns && it.Verdict != domain.VerdictConfirmed })
	w.keepDismissed(rec)
	for _, it := range rec.Recheck {
		w.decideEarlier(ctx, it, rec)
	}
	w.markListed(ctx, rec)
	keepSecretsFolded(rec)
	applyRaisedSeverities(w.rules, rec.Raised)
	sure := confirmed(rec.Fresh)
	w.result.Stats.Verified = len(sure)
	w.trace(StepStanding, unrefuted(rec.Fresh))
	w.trace(StepVerified, sure)
	return nil
}

// keepDismissed drops what a person dismissed before, unless a verifier or a check has confirmed it on its changed code.
func (w *work) keepDismissed(rec *reconcile.Result) {
	rec.Fresh = slices.DeleteFunc(rec.Fresh, func(it *finding.Item) bool {
		stays := !it.Reopens || it.Verdict == domain.VerdictConfirmed || it.Deterministic()
		if !stays {
			w.drop(whyDismissed, 1)
			w.discard(Discarded{Why: whyDismissed, Finding: it.Finding})
		}
		return !stays
	})
}

// decideEarlier decides whether an earlier finding whose code changed still holds. It is resolved if the verifier disproves it, if its
// code is gone or its file was taken back and the verifier saw all of its further places and could not confirm it, or if the change
// has no place of it any more.
func (w *work) decideEarlier(ctx context.Context, it *finding.Item, rec *reconcile.Result) {
	verdict, why := it.Verdict, it.VerdictWhy
	earlier := it.Finding
	if k, ok := rec.Known[it.ID]; ok {
		earlier.Verdict, earlier.VerdictWhy, earlier.Scope = k.Verdict, k.VerdictWhy, k.Scope
	}
	looked := w.ver.err == nil && !w.BudgetUsedUp() && w.ver.done == w.ver.total
	_, missed := w.gen.missed[it.Anchor.Path]
	it.Finding = earlier
	for _, k := range w.in.Known {
		if k.ID == it.ID && !it.Judged { // the next run must ask about the places that are gone
			w.keepGonePlaces(it, k.AlsoAt())
		}
	}
	if it.Instead.Path != "" {
		it.Anchor = rec.Known[it.ID].Anchor
	}
	unheld := !it.Changed || wasTakenBack(it) && it.Judged && it.Check.Said != domain.VerdictConfirmed
	gone := verdict == domain.VerdictUnproven && unheld && looked && !missed && !it.Check.Unread
	switch {
	case verdict == domain.VerdictRefuted:
		it.VerdictWhy = why
		rec.Resolved = append(rec.Resolved, it.Finding)
	case gone, verdict == domain.VerdictConfirmed && !w.takeConfirmedPlaces(ctx, it, why):
		rec.Resolved = append(rec.Resolved, it.Finding)
	default:
		if verdict == domain.VerdictConfirmed && it.Instead.Path != "" { // it holds, on the lines that took its place
			it.Anchor = it.Instead
			w.locate(ctx, it)
			it.CodePrints = nil
			it.DropOwnPlaces()
		}
		it.Stands = verdict == domain.VerdictConfirmed
		rec.Carried = append(rec.Carried, it)
	}
}

// applyRaisedSeverities gives findings the severity that is confirmed to be higher, by more than
// the second opinion alone. The severity of a rule is the rule's.
func applyRaisedSeverities(rules []Rule, list []reconcile.Raised) {
	for _, x := range list {
		severity := x.Said.Severity
		if rule, ok := ruleByID(rules, x.Carried.RuleID); ok {
			severity = rule.Severity
		}
		if x.Said.Verdict != domain.VerdictConfirmed || x.Said.Alone || severity <= x.Carried.Severity {
			continue
		}
		x.Carried.Severity = severity
	}
}
