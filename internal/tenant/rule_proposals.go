package tenant

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// SeverityOfProposals is the severity of an accepted rule whose decision names no other (design choice).
const SeverityOfProposals = domain.Medium

// RuleProposalDecision is a person's decision on a rule that was proposed from a reply. The caller has checked that the person may
// manage the repository.
type RuleProposalDecision struct {
	Accept bool
	Rule   *RuleCreate // the rule to create; nil: as proposed. Only to accept
	Note   string      // at most 2,000 characters; secrets in it are replaced
	UserID string
	Name   string // of the person
}

// ruleProposalRecord is the audit log's record of a proposed rule. The log has the created rule in an entry of its own.
type ruleProposalRecord struct {
	State string `json:"state" audit:"track"`
	Rule  string `json:"ruleId" audit:"track"`
}

// DecideRuleProposal accepts a proposed rule, which creates a rule of the repository, or declines it. It returns the proposal as it
// is then. Errors: [errs.NotFound]; [errs.Conflict] if it is decided (the message names who decided) or if the repository has too
// many rules; [errs.Invalid].
func (s *Service) DecideRuleProposal(ctx context.Context, t domain.Tenant, repository, id string, d RuleProposalDecision) (
	store.RuleProposal, error) {
	var c field.Check
	c.Text("/note", d.Note)
	c.That(d.Accept || d.Rule == nil, "/rule", "must be absent where the rule is declined")
	if err := c.Err(); err != nil {
		return store.RuleProposal{}, err
	}
	d.Note = s.Scan(d.Note)
	var after store.RuleProposal
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		v, err := s.Store.RuleProposal(ctx, t, repository, id)
		if err != nil {
			return audit.Act{}, err
		}
		if v.State != domain.RuleProposed {
			return audit.Act{}, decidedBefore(v)
		}
		action, move := "rule-proposal.decline", store.RuleProposalDecision{To: domain.RuleDeclined, Note: d.Note, By: d.UserID, Name: d.Name}
		if d.Accept {
			action, move.To = "rule-proposal.accept", domain.RuleAccepted
			if move.Rule, err = s.createProposed(ctx, t, v, d.Rule); err != nil {
				return audit.Act{}, err
			}
		}
		err = s.Store.DecideRuleProposal(ctx, t, repository, id, move)
		if errs.Is(err, errs.NotFound) { // another person decided in the meantime
			return audit.Act{}, errs.New(errs.Conflict, "rule_proposal_decided", "Another person has just decided on this rule.")
		}
		if err == nil {
			after, err = s.Store.RuleProposal(ctx, t, repository, id)
		}
		return audit.Act{Tenant: t, Action: action, Target: audit.Target{Kind: "rule-proposal", ID: id, Name: v.Title}, Note: d.Note,
			Before: ruleProposalRecord{string(v.State), v.Rule}, After: ruleProposalRecord{string(after.State), after.Rule}}, err
	})
	return after, err
}

// decidedBefore is the error of a second decision.
func decidedBefore(v store.RuleProposal) error {
	verb := "declined"
	if v.State == domain.RuleAccepted {
		verb = "accepted"
	}
	return errs.New(errs.Conflict, "rule_proposal_decided", "%s %s this rule at %s.", v.DecidedName, verb,
		store.Time(v.DecidedUS).UTC().Format(time.DateTime+" UTC"))
}

// createProposed creates the rule of an accepted proposal, as proposed or as changed, and returns its id.
func (s *Service) createProposed(ctx context.Context, t domain.Tenant, v store.RuleProposal, changed *RuleCreate) (string, error) {
	in := RuleCreate{Title: v.Title, Instruction: v.Instruction, Languages: store.FromJSON[[]string](v.Languages),
		Severity: SeverityOfProposals.String()}
	if changed != nil {
		in = *changed
	}
	r, err := s.CreateRule(ctx, t, v.Repository, in)
	if wrong, is := errors.AsType[*errs.Error](err); is && len(wrong.Fields) > 0 {
		fields := make([]errs.Field, len(wrong.Fields))
		for i, f := range wrong.Fields {
			fields[i] = errs.Field{Pointer: "/rule" + f.Pointer, Message: f.Message}
		}
		return "", field.Invalid(fields)
	}
	return r.ID, err
}
