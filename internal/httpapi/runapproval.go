package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// RunApproval is the approval of a run's review for a reader of the run. Every reader sees it, but not
// every reader may decide.
type RunApproval struct {
	Approval
	MayDecide bool   `json:"mayDecide" doc:"The signed-in person may approve and reject it now. The code host is asked again when they do"`
	WhyNot    string `json:"whyNot" doc:"Why the signed-in person cannot decide, in a sentence; empty if they can, or if it is decided"`
	Told      string `json:"told" doc:"Who has decided, and when, or why it expired, in a sentence; empty while it waits"`
}

// runApproval returns nil for a run whose review needs no approval.
func (s *server) runApproval(ctx context.Context, run store.Run) (*RunApproval, error) {
	c, t := callerFrom(ctx), domain.Tenant{ID: run.Tenant}
	row, err := s.Store.ApprovalOfRun(ctx, t, run.ID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, _, err := s.approval(ctx, row)
	if err != nil {
		return nil, err
	}
	out := &RunApproval{Approval: v, Told: approval.DecisionSentence(row)}
	if v.State != string(domain.ApprovalPending) {
		return out, nil
	}
	out.WhyNot, err = s.Approvals.WhyNot(ctx, t, c.repository, run.PullRequest, approval.Viewer{ID: c.user.ID, Allows: c.Allows})
	out.MayDecide = err == nil && out.WhyNot == ""
	return out, err
}
