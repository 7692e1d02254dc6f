package mcpserver

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// Rerunner starts another review of the current head of a run's pull request. It is idempotent: the same
// request twice starts one run.
type Rerunner interface {
	Rerun(ctx context.Context, run store.Run, request string, who domain.Asker) (store.Run, error)
}

// RerunWanted is the input of rerun_review.
type RerunWanted struct {
	Place
	Run string `json:"run" jsonschema:"Id of a run of the pull request, from get_review"`
}

// Begun is the output of rerun_review.
type Begun struct {
	Run   string `json:"run" jsonschema:"Id of the new run, for get_review"`
	State string `json:"state"`
}

func rerunReview(ctx context.Context, v *visit, in RerunWanted) (Begun, string, error) {
	at, err := v.repository(ctx, in.Repository, perm.RepoManage, true)
	if err != nil {
		return Begun{}, "", err
	}
	run, err := v.run(ctx, at, in.Run)
	if err != nil {
		return Begun{}, "", err
	}
	if v.Rerun == nil {
		return Begun{}, "", errs.New(errs.Unavailable, "unavailable", "This process cannot start reviews.")
	}
	var made store.Run
	err = v.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		made, err = v.Rerun.Rerun(ctx, run, callRecordIn(ctx).id, domain.Asker{How: domain.AskedByRerun, UserID: v.User.ID, Name: v.User.Name})
		return audit.Act{Tenant: v.Tenant, Action: "review-run.rerun", Target: audit.Target{Kind: "review-run", ID: run.ID}, Note: made.ID}, err
	})
	if err != nil {
		return Begun{}, "", err
	}
	return Begun{made.ID, string(made.State)}, fmt.Sprintf("Review %s has begun: %s. get_review tells how far it is.", made.ID,
		made.State), nil
}

// DecisionWanted is the input of approve_output and reject_output.
type DecisionWanted struct {
	Place
	Output string `json:"output" jsonschema:"Id of the output that waits, from get_review"`
	Digest string `json:"digest" jsonschema:"Of exactly what was looked at, from get_review"`
	Note   string `json:"note,omitempty" jsonschema:"Why, in a sentence or two"`
}

// ApprovalWanted is the input of approve_output.
type ApprovalWanted struct {
	DecisionWanted
	Drop []string `json:"drop,omitempty" jsonschema:"Ids of findings to leave out of the published review"`
}

// Decided is the state of an output after a decision.
type Decided struct {
	Output string `json:"output"`
	Run    string `json:"run"`
	State  string `json:"state" jsonschema:"approved: it is on its way to the code host; published, rejected or expired"`
}

func approveOutput(ctx context.Context, v *visit, in ApprovalWanted) (Decided, string, error) {
	if len(in.Drop) > 200 {
		return Decided{}, "", field.Wrong("/drop", "must have at most 200 ids")
	}
	return v.decide(ctx, in.DecisionWanted, domain.ApprovalApproved, domain.ApprovalChanges{Drop: in.Drop})
}

func rejectOutput(ctx context.Context, v *visit, in DecisionWanted) (Decided, string, error) {
	return v.decide(ctx, in, domain.ApprovalRejected, domain.ApprovalChanges{})
}

// decide approves or rejects a waiting output, as the HTTP interface does.
func (v *visit) decide(ctx context.Context, in DecisionWanted, to domain.ApprovalState,
	changes domain.ApprovalChanges) (Decided, string, error) {
	var c field.Check
	c.That(in.Digest != "" && len(in.Digest) <= 100, "/digest", "must be the digest of the output that was looked at")
	c.That(len(in.Note) <= 2000, "/note", "must have at most 2000 bytes")
	if err := c.Err(); err != nil {
		return Decided{}, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoReview, true)
	if err == nil {
		err = checkID(in.Output)
	}
	if err != nil {
		return Decided{}, "", err
	}
	row, err := v.Approvals.Decide(ctx, v.Tenant, at, in.Output,
		approval.Decision{To: to, Digest: in.Digest, Note: in.Note, Changes: changes, How: domain.ByInterface, UserID: v.User.ID,
			Name: v.User.Name})
	if err != nil {
		return Decided{}, "", err
	}
	return Decided{row.Output, row.Run, string(row.State)}, fmt.Sprintf("The output %s of review %s is %s.", row.Output, row.Run,
		row.State), nil
}

// DismissalWanted is the input of dismiss_finding.
type DismissalWanted struct {
	Place
	Finding string `json:"finding" jsonschema:"Id of the finding, from list_findings or get_review"`
	Reason  string `json:"reason" jsonschema:"Reason for the dismissal, in a sentence of at most 500 characters"`
}

// Dismissed is the state of a finding after its dismissal.
type Dismissed struct {
	Finding string `json:"finding"`
	State   string `json:"state"`
}

func dismissFinding(ctx context.Context, v *visit, in DismissalWanted) (Dismissed, string, error) {
	at, err := v.repository(ctx, in.Repository, perm.RepoReview, true)
	if err == nil {
		err = checkID(in.Finding)
	}
	if err != nil {
		return Dismissed{}, "", err
	}
	row, err := v.Approvals.Dismiss(ctx, v.Tenant, at, approval.Dismissal{Finding: in.Finding, Reason: in.Reason, UserID: v.User.ID,
		Name: v.User.Name})
	if err != nil {
		return Dismissed{}, "", err
	}
	return Dismissed{row.ID, string(row.State)}, fmt.Sprintf("The finding %s is %s. People can take that back on its page.", row.ID,
		row.State), nil
}
