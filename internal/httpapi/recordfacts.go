package httpapi

import (
	"time"

	"github.com/assay-dev/assay/internal/store"
)

// EvidencePlace is a place in the code that supports a verdict.
type EvidencePlace struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Note      string `json:"note"`
}

// AcceptanceCheck is the verdict on one acceptance criterion of a linked issue.
type AcceptanceCheck struct {
	ID        string          `json:"id"`
	RunID     string          `json:"runId,omitempty"`
	Number    int             `json:"number" doc:"Of the pull request"`
	IssueKey  string          `json:"issueKey"`
	Criterion string          `json:"criterion" doc:"Empty where only the key of the issue may be known"`
	Verdict   string          `json:"verdict" enum:"met,partly,not_met,unclear,not_applicable" doc:"met and partly have a quote that stands in the head, not_met the places that were searched"`
	Reason    string          `json:"reason"`
	Evidence  []EvidencePlace `json:"evidence"`
	Kept      bool            `json:"kept" doc:"The verdict is the one of an earlier review: criterion and evidence did not change"`
	CreatedAt time.Time       `json:"createdAt"`
}

func acceptanceCheck(v store.ACCheck) AcceptanceCheck {
	return AcceptanceCheck{ID: v.ID, RunID: v.Run, Number: v.Number, IssueKey: v.IssueKey, Criterion: v.Criterion, Verdict: v.Verdict,
		Reason: v.Reason, Kept: v.Kept, Evidence: storedList[EvidencePlace](v.Evidence), CreatedAt: store.Time(v.CreatedUS)}
}
