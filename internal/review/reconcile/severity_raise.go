package reconcile

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Raised is an earlier finding whose code has changed, and what this run says of it:
// that it is worse than it was.
type Raised struct{ Said, Carried *finding.Item }

// raise notes that a candidate calls the finding that was carried last worse. Models
// waver between severities, so it counts only where the quoted code is another, and after the
// verifier has said the same.
func (r *Result) raise(it *finding.Item, k domain.Finding, w world) {
	edited := !w.unchanged(k.Anchor) && change.StripSpace(it.Anchor.Quote) != change.StripSpace(k.Anchor.Quote)
	if w.haveModel && !it.Deterministic() && it.Severity > k.Severity && edited {
		r.Raised = append(r.Raised, Raised{it, r.Carried[len(r.Carried)-1]})
	}
}

// Claims are the items of what was raised, for the verifier.
func (r *Result) Claims() []*finding.Item {
	out := make([]*finding.Item, 0, len(r.Raised))
	for _, x := range r.Raised {
		out = append(out, x.Said)
	}
	return out
}
