package httpapi

import (
	"context"
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

// CodeIndex is the state of the index of a repository's default branch.
type CodeIndex struct {
	State       string     `json:"state" enum:"absent,building,ready,failed"`
	Branch      string     `json:"branch"`
	CommitSHA   string     `json:"commitSha"`
	Mode        string     `json:"mode" enum:"lexical,hybrid"`
	Files       int64      `json:"files"`
	Chunks      int64      `json:"chunks"`
	FilesDone   int64      `json:"filesDone" doc:"While it is built"`
	VectorModel string     `json:"vectorModel,omitempty"`
	VectorSize  int64      `json:"vectorSize,omitempty"`
	Reason      string     `json:"reason,omitempty" doc:"Why it failed"`
	BuiltAt     *time.Time `json:"builtAt,omitempty"`
}

func (s *server) codeIndex(ctx context.Context, _ *InRepository) (*Read[CodeIndex], error) {
	c := callerFrom(ctx)
	out := CodeIndex{State: "absent", Branch: c.repository.DefaultBranch, Mode: "lexical"}
	rows, err := s.Store.CodeIndexes(ctx, c.tenant, c.repository.ID, store.Cursor{}, 100)
	for _, v := range rows {
		if v.Branch == out.Branch {
			out = CodeIndex{State: v.State, Branch: v.Branch, CommitSHA: v.CommitSHA, Mode: v.Mode, Files: v.Files, Chunks: v.Chunks,
				FilesDone:   v.FilesDone,
				VectorModel: v.VectorModel, VectorSize: v.VectorSize, Reason: v.Reason, BuiltAt: store.TimeOrNil(v.BuiltUS)}
			break
		}
	}
	return read(out, err)
}
