package reconcile

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Raised is an earlier finding whose code has changed, and the candidate that calls it more severe.
type Raised struct{ Said, Carried *finding.Item }

// raise notes a candidate that calls the last carried finding more severe. Models waver between severities, so
// it counts only if the quoted code has changed, and once the verifier agrees.
func (r *Result) raise(it *finding.Item, k domain.Finding, w world) {
	edited := !w.unchanged(k.Anchor) && change.StripSpace(it.Anchor.Quote) != change.StripSpace(k.Anchor.Quote)
	if w.haveModel && !it.Deterministic() && it.Severity > k.Severity && edited {
		r.Raised = append(r.Raised, Raised{it, r.Carried[len(r.Carried)-1]})
	}
}

// Claims returns the candidates that call an earlier finding more severe, for the verifier.
func (r *Result) Claims() []*finding.Item {
	out := make([]*finding.Item, 0, len(r.Raised))
	for _, x := range r.Raised {
		out = append(out, x.Said)
	}
	return out
}
