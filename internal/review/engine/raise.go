package engine

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// raised is an earlier finding whose code has changed, and what this run says of it:
// that it is worse than it was.
type raised struct{ said, carried *finding.Item }

// raise notes that a candidate calls the finding that was carried last worse. Models
// waver between severities, so it counts only where the quoted code is another, and after the
// verifier has said the same.
func (r *reconciled) raise(it *finding.Item, k domain.Finding, w world) {
	edited := !w.unchanged(k.Anchor) && change.StripSpace(it.Anchor.Quote) != change.StripSpace(k.Anchor.Quote)
	if w.haveModel && !it.Deterministic() && it.Severity > k.Severity && edited {
		r.raised = append(r.raised, raised{it, r.carried[len(r.carried)-1]})
	}
}

// claimed are the items of what was raised, for the verifier.
func (r *reconciled) claimed() []*finding.Item {
	out := make([]*finding.Item, 0, len(r.raised))
	for _, x := range r.raised {
		out = append(out, x.said)
	}
	return out
}

// settleRaised gives findings the severity that is confirmed to be higher, by more than
// the second opinion alone. The severity of a rule is the rule's.
func (w *work) settleRaised(list []raised) {
	for _, x := range list {
		severity := x.said.Severity
		if rule, ok := ruleByID(w.rules, x.carried.RuleID); ok {
			severity = rule.Severity
		}
		if x.said.Verdict != domain.VerdictConfirmed || x.said.Alone || severity <= x.carried.Severity {
			continue
		}
		x.carried.Severity = severity
	}
}
