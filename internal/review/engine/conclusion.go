package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// Conclude returns the conclusion of the check of a review: success, neutral or failure. open holds the findings
// that are open and shown. Secrets and violations of mandatory rules always fail it. A confirmed or deterministic
// finding fails it from the policy's severity on, except for a value that may be a secret. An incomplete review is
// neutral at best, unless the policy has another conclusion for it.
func (r Result) Conclude(open []domain.Finding, p domain.Policy) string {
	worst := domain.CheckSuccess
	if len(open) > 0 {
		worst = domain.CheckNeutral
	}
	if slices.ContainsFunc(open, func(f domain.Finding) bool { return r.Fails(f, p) }) {
		return domain.CheckFailure
	}
	return r.concludeUnread(worst, p.Check.Unreviewed)
}

// Fails reports whether an open finding that is shown fails the check.
func (r Result) Fails(f domain.Finding, p domain.Policy) bool {
	holds := f.Verdict == domain.VerdictConfirmed || f.Origin.Deterministic() && !f.Doubtful
	on := p.Check.FailOn
	return r.Blocks(f.ID) || on != nil && holds && f.Severity >= *on && f.Scope != "pre_existing"
}

// conclusions lists the conclusions of completed reviews, best first.
var conclusions = []string{domain.CheckSuccess, domain.CheckNeutral, domain.CheckFailure}

// concludeUnread returns the worst of a conclusion and those of the review's incomplete parts.
func (r Result) concludeUnread(worst string, u domain.Unreviewed) string {
	for end, usual := range r.UnreviewedEnds() {
		if c := u.Conclusion(end, usual); slices.Index(conclusions, c) > slices.Index(conclusions, worst) {
			worst = c
		}
	}
	return worst
}

// BlocksUnread reports whether the policy fails the check because the review is incomplete, whatever it found.
func (r Result) BlocksUnread(p domain.Policy) bool {
	return r.concludeUnread(domain.CheckSuccess, p.Check.Unreviewed) == domain.CheckFailure
}

// Clean reports whether a review of the change has nothing to say beside its check: no finding is open and shown, every
// part was read, and there is neither a notice nor a ticket. open holds the findings that are open and shown.
func (r Result) Clean(open []domain.Finding) bool {
	return len(open) == 0 && len(r.UnreviewedEnds()) == 0 && len(r.Notices) == 0 && len(r.Tickets) == 0
}

// UnreviewedEnds returns the reasons why a completed review is incomplete, with the usual conclusion of each; it is
// empty for a complete review. A repository without a model usually succeeds. A review that could not match a mandatory rule is
// incomplete.
func (r Result) UnreviewedEnds() map[domain.UnreviewedEnd]string {
	out := map[domain.UnreviewedEnd]string{}
	budget := r.ModelNote == NoteBudget
	if r.ModelState == ModelPartial {
		budget = slices.Contains(strings.Split(strings.TrimRight(r.ModelNote, "."), clauseEnd), wording.English(wording.BudgetUsed))
	}
	limited := r.ModelNote == NoteAuthorLimit || r.ModelNote == NoteOutsideLimit
	switch down := r.ModelState == ModelUnavailable || r.ModelState == ModelPartial; {
	case down && budget:
		out[domain.UnreviewedBudget] = domain.CheckNeutral
	case down && limited:
		out[domain.UnreviewedOutsider] = domain.CheckNeutral
	case down:
		out[domain.UnreviewedIncomplete] = domain.CheckNeutral
	case r.ModelState == ModelNone && r.ModelNote == NoteNotConfigured:
		out[domain.UnreviewedIncomplete] = domain.CheckSuccess
	}
	if r.CutsCode() || slices.ContainsFunc(r.Unread(), func(f FileNote) bool { return f.Why != checksOnly && f.Why != whyBudget }) {
		out[domain.UnreviewedIncomplete] = domain.CheckNeutral
	}
	if len(out) == 0 && len(r.Unread()) > 0 || len(r.UnmatchedRules) > 0 {
		out[domain.UnreviewedIncomplete] = domain.CheckNeutral
	}
	return out
}
