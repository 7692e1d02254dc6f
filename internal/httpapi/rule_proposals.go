package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// RuleProposal is a rule that was proposed from a reply to a finding.
type RuleProposal struct {
	ID          string           `json:"id"`
	State       string           `json:"state" enum:"proposed,accepted,declined" doc:"No review reads it; accepting it creates a rule"`
	Title       string           `json:"title" doc:"Written by a model from the reply"`
	Instruction string           `json:"instruction" doc:"Written by a model from the reply"`
	Languages   []string         `json:"languages" doc:"Of the file that the reply is about; none: unknown"`
	Number      int64            `json:"number" doc:"Of the pull request"`
	FindingID   string           `json:"findingId,omitempty" doc:"That the reply is about; absent if no longer stored"`
	ThreadURL   string           `json:"threadUrl,omitempty" doc:"Address of the thread on the code host; absent if it is unknown"`
	ProposedBy  string           `json:"proposedBy" doc:"Author of the reply on the code host; text from outside"`
	Decided     *RuleProposalAct `json:"decided,omitempty" doc:"Absent before the decision"`
	RuleID      string           `json:"ruleId,omitempty" doc:"The rule that was created; it may have been deleted since"`
	CreatedAt   time.Time        `json:"createdAt"`
}

// RuleProposalAct is a person's decision on a proposed rule.
type RuleProposalAct struct {
	By   string    `json:"by"`
	Name string    `json:"name" doc:"As it was then"`
	At   time.Time `json:"at"`
	Note string    `json:"note,omitempty"`
}

func ruleProposalOf(v store.RuleProposal) RuleProposal {
	out := RuleProposal{ID: v.ID, State: string(v.State), Title: v.Title, Instruction: v.Instruction,
		Languages: storedList[string](v.Languages), Number: v.Number, FindingID: v.Finding, ThreadURL: v.ThreadURL,
		ProposedBy: v.ProposedName, RuleID: v.Rule, CreatedAt: store.Time(v.CreatedUS)}
	if v.DecidedUS != 0 {
		out.Decided = &RuleProposalAct{By: v.DecidedBy, Name: v.DecidedName, At: store.Time(v.DecidedUS), Note: v.Note}
	}
	return out
}

func (s *server) ruleProposals(ctx context.Context, in *struct {
	InRepository
	Page
	State string `query:"state" enum:"proposed,accepted,declined" doc:"Only those in this state"`
}) (*Listed[RuleProposal], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Store.RuleProposals(ctx, c.tenant, c.repository.ID, domain.RuleProposalState(in.State), before, limit)
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, ruleProposalOf), nil
}

// RuleProposalDecision accepts or declines a proposed rule.
type RuleProposalDecision struct {
	Decision string             `json:"decision" enum:"accept,decline" example:"decline"`
	Rule     *tenant.RuleCreate `json:"rule,omitempty" doc:"The rule to create; absent: as proposed, with the severity medium. Only to accept"`
	Note     string             `json:"note,omitempty" maxLength:"2000" doc:"Why" example:"It is about one service alone"`
}

func (s *server) decideRuleProposal(ctx context.Context, in *struct {
	InRepository
	ID   string `path:"proposalId"`
	Body RuleProposalDecision
}) (*Read[RuleProposal], error) {
	c := callerFrom(ctx)
	d := tenant.RuleProposalDecision{Accept: in.Body.Decision == "accept", Rule: in.Body.Rule, Note: in.Body.Note, UserID: c.user.ID,
		Name: c.user.Name}
	v, err := s.Tenant.DecideRuleProposal(ctx, c.tenant, c.repository.ID, in.ID, d)
	if err != nil {
		return nil, err
	}
	return read(ruleProposalOf(v), nil)
}
