package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// RuleProposal is a rule that was written from a reply to a finding. It is not a row of rules, so that no review reads it. A person
// who manages the repository accepts it, which creates a rule, or declines it.
type RuleProposal struct {
	Record
	PullRequest  string
	Number       int64         // of the pull request on the host
	Finding      string        // "" if the finding is no longer stored
	Thread       domain.HostID // the first comment of the thread
	ThreadURL    string        // "" if unknown
	Title        string        // text of a model
	Instruction  string        // text of a model
	Languages    string        // JSON array
	ProposedName string        // the author of the reply on the host
	State        domain.RuleProposalState
	Note         string // of the decision
	DecidedBy    string // id of a person; "" before the decision
	DecidedName  string
	DecidedUS    int64  // 0 before the decision
	Rule         string // the rule that the acceptance created; "" without one
}

func (v *RuleProposal) table() (string, string, []string, []any) {
	return "rule_proposals", "rpr", []string{"pull_request_id", "number", "finding_id", "thread", "thread_url", "title", "instruction",
			"languages", "proposed_name", "state", "note", "decided_by", "decided_name", "decided_us", "rule_id"},
		[]any{&v.PullRequest, &v.Number, text(&v.Finding), (*string)(&v.Thread), &v.ThreadURL, &v.Title, &v.Instruction, &v.Languages,
			&v.ProposedName, (*string)(&v.State), &v.Note, &v.DecidedBy, &v.DecidedName, number(&v.DecidedUS), &v.Rule}
}

// MaxRuleProposals is the maximum number of undecided proposals of a repository; further ones are not stored (design choice).
const MaxRuleProposals = 20

// ProposeRule stores a rule for a decision, with the state proposed. It stores one per thread. It stores none with the instruction of
// a rule of the repository or of another proposal, whatever was decided about that, and none beyond [MaxRuleProposals]. It locks the
// repository's row until the caller's transaction ends. It returns [errs.NotFound] if the tenant has no such repository or pull request.
func (s *Store) ProposeRule(ctx context.Context, t domain.Tenant, v RuleProposal) (RuleProposal, Added, error) {
	var added Added
	err := s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockRepository(ctx, t, v.Repository); err != nil {
			return err
		}
		type counts struct{ same, open int }
		n, err := first(ctx, s, s.db.Write, func(r scanner, n *counts) error { return r.Scan(&n.same, &n.open) },
			`SELECT COUNT(CASE WHEN pull_request_id = $3 AND thread = $4 OR instruction = $5 THEN 1 END)
				+ (SELECT COUNT(*) FROM rules WHERE tenant_id = $1 AND repository_id = $2 AND instruction = $5),
				COUNT(CASE WHEN state = $6 THEN 1 END)
				FROM rule_proposals WHERE tenant_id = $1 AND repository_id = $2`,
			[]any{t.ID, v.Repository, v.PullRequest, string(v.Thread), v.Instruction, string(domain.RuleProposed)})
		switch {
		case err != nil:
			return err
		case n.same > 0:
			added = AddedKnown
			return nil
		case n.open >= MaxRuleProposals:
			added = AddedOverLimit
			return nil
		}
		v.State = domain.RuleProposed
		if v, err = AddRecord(ctx, s, t, v); err == nil {
			added = AddedNew
		}
		return err
	})
	if added != AddedNew || err != nil {
		return RuleProposal{}, added, err
	}
	return v, added, nil
}

// RuleProposals lists the proposed rules of a repository, newest first, at most limit of them; only those in a state if one is given.
func (s *Store) RuleProposals(ctx context.Context, t domain.Tenant, repository string, state domain.RuleProposalState, before Cursor,
	limit int) ([]RuleProposal, error) {
	return many(ctx, s, scanRecord[RuleProposal], selectRecord[RuleProposal]()+` AND ($3 = '' OR state = $3)
		AND (created_us, id) < ($4, $5) ORDER BY created_us DESC, id DESC LIMIT $6`,
		t.ID, repository, string(state), before.from(), before.ID, limit)
}

// RuleProposal reads one proposed rule of a repository.
func (s *Store) RuleProposal(ctx context.Context, t domain.Tenant, repository, id string) (RuleProposal, error) {
	return oneRecord[RuleProposal](ctx, s, t, repository, id)
}

// RuleProposalDecision is a person's decision on a proposed rule.
type RuleProposalDecision struct {
	To       domain.RuleProposalState // accepted or declined
	Note     string
	By, Name string // the person
	Rule     string // the rule that was created; "" if it is declined
}

// DecideRuleProposal decides on a proposed rule. It returns [errs.NotFound] if the repository has no such rule that is proposed.
func (s *Store) DecideRuleProposal(ctx context.Context, t domain.Tenant, repository, id string, d RuleProposalDecision) error {
	return must1(s.exec1(ctx, `UPDATE rule_proposals SET state = $4, note = $5, decided_by = $6, decided_name = $7, decided_us = {now},
		rule_id = $8 WHERE tenant_id = $1 AND repository_id = $2 AND id = $3 AND state = $9`,
		t.ID, repository, id, string(d.To), d.Note, d.By, d.Name, d.Rule, string(domain.RuleProposed)))
}
