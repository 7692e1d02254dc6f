package notify

import (
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
)

// fixed says how a fix run ended.
func fixed(b domain.FixCompletedBody, a eventContext) words {
	switch {
	case b.State != domain.FixCompleted:
		return words{"The fix run of " + pull(a) + " was " + map[domain.FixState]string{domain.FixFailed: "not finished",
			domain.FixCancelled: "cancelled"}[b.State], lines(a.Title, "Reason: "+b.Reason)}
	case b.Passed == 0:
		return words{"No fix is offered on " + pull(a), lines(a.Title, b.Reason)}
	}
	return words{fmt.Sprintf("%d of %s fixed on %s", b.Passed, count(b.Findings, "finding"), pull(a)), lines(a.Title, b.Reason)}
}
