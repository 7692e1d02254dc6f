package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// ProposedRule is a rule that was proposed from a reply to a finding. A model wrote its title and instruction from the reply.
type ProposedRule struct {
	ID          string   `json:"id"`
	State       string   `json:"state" jsonschema:"proposed: no review reads it; accepted or declined"`
	Title       string   `json:"title"`
	Instruction string   `json:"instruction"`
	Languages   []string `json:"languages" jsonschema:"Of the file that the reply is about; none: unknown"`
	PullRequest int64    `json:"pullRequest" jsonschema:"Number of the pull request"`
	Finding     string   `json:"finding,omitempty" jsonschema:"Id of the finding that the reply is about, for explain_finding"`
	Thread      string   `json:"thread,omitempty" jsonschema:"Address of the thread on the code host; absent if unknown"`
	ProposedBy  string   `json:"proposedBy" jsonschema:"Author of the reply on the code host"`
	Rule        string   `json:"rule,omitempty" jsonschema:"Id of the rule that the acceptance created"`
}

// ProposedRules is a page of proposed rules.
type ProposedRules struct {
	Items      []ProposedRule `json:"items"`
	NextCursor string         `json:"nextCursor,omitempty" jsonschema:"For the next page; absent on the last one"`
}

// ProposedRulesWanted is the input of list_proposed_rules.
type ProposedRulesWanted struct {
	Place
	State string `json:"state,omitempty" jsonschema:"Only those in this state; proposed where absent, any for all"`
	Paging
}

func proposalStates() []string { return []string{"proposed", "accepted", "declined", "any"} }

// proposalEnums adds the allowed words of the filter to the input schema.
func proposalEnums(s *jsonschema.Schema) {
	for _, w := range proposalStates() {
		s.Properties["state"].Enum = append(s.Properties["state"].Enum, w)
	}
}

func (s *Service) proposedRule(v store.RuleProposal) ProposedRule {
	return ProposedRule{ID: v.ID, State: string(v.State), Title: s.line(v.Title), Instruction: s.text(v.Instruction),
		Languages: append([]string{}, store.FromJSON[[]string](v.Languages)...), PullRequest: v.Number, Finding: v.Finding,
		Thread: s.line(v.ThreadURL), ProposedBy: s.line(v.ProposedName), Rule: v.Rule}
}

// markdown returns a proposed rule as one item.
func (r ProposedRule) markdown() string {
	return fmt.Sprintf("%s (%s, #%d, by %s) %s: %s\n", r.ID, r.State, r.PullRequest, r.ProposedBy, r.Title, r.Instruction)
}

func listProposedRules(ctx context.Context, v *visit, in ProposedRulesWanted) (ProposedRules, string, error) {
	out := ProposedRules{Items: []ProposedRule{}}
	state := domain.RuleProposalState(in.State)
	switch {
	case in.State == "":
		state = domain.RuleProposed
	case in.State == "any":
		state = ""
	case !slices.Contains(proposalStates(), in.State):
		return out, "", field.Wrong("/state", "must be one of "+strings.Join(proposalStates(), ", "))
	}
	limit, before, err := in.window()
	if err != nil {
		return out, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	rows, err := v.Store.RuleProposals(ctx, v.Tenant, at.ID, state, before, limit+1)
	if err != nil {
		return out, "", err
	}
	rows, out.NextCursor = cutPage(rows, limit)
	var b strings.Builder
	for _, r := range rows {
		shown := v.proposedRule(r)
		out.Items = append(out.Items, shown)
		b.WriteString(shown.markdown())
	}
	text := pluralize(len(rows), "proposed rule.", "proposed rules.") + nextPageHint(out.NextCursor)
	if len(rows) > 0 {
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}

// ProposedRuleDecision is the input of decide_proposed_rule.
type ProposedRuleDecision struct {
	Place
	Proposal string      `json:"proposal" jsonschema:"Id of a proposed rule, from list_proposed_rules"`
	Decision string      `json:"decision" jsonschema:"accept: create the rule; or decline"`
	Rule     *RuleChange `json:"rule,omitempty" jsonschema:"Changes to the proposed rule; only with accept"`
	Note     string      `json:"note,omitempty" jsonschema:"Why, in a sentence or two"`
}

// RuleChange holds the changes to a proposed rule that is accepted.
type RuleChange struct {
	Title       string   `json:"title,omitempty" jsonschema:"At most 200 characters; absent: as proposed"`
	Instruction string   `json:"instruction,omitempty" jsonschema:"At most 4,000 characters; absent: as proposed"`
	Paths       []string `json:"paths,omitempty" jsonschema:"At most 50 path patterns; absent: every file"`
	Languages   []string `json:"languages,omitempty" jsonschema:"At most 20; absent: as proposed; empty: every language"`
	Severity    string   `json:"severity,omitempty" jsonschema:"info, low, medium, high or critical; absent: medium"`
}

// proposalDecisionEnums adds the allowed words of a decision to the input schema.
func proposalDecisionEnums(s *jsonschema.Schema) {
	s.Properties["decision"].Enum = []any{"accept", "decline"}
}

// check checks what [tenant.Service.CreateRule] leaves to the schema of the HTTP interface.
func (r *RuleChange) check(c *field.Check) {
	if r == nil {
		return
	}
	c.That(utf8.RuneCountInString(r.Title) <= 200, "/rule/title", "must have at most 200 characters")
	c.That(utf8.RuneCountInString(r.Instruction) <= 4000, "/rule/instruction", "must have at most 4000 characters")
	c.That(len(r.Paths) <= 50, "/rule/paths", "must have at most 50 patterns")
	c.That(len(r.Languages) <= 20, "/rule/languages", "must have at most 20 languages")
	c.That(r.Severity == "" || slices.Contains(severities(), r.Severity), "/rule/severity", "must be one of "+strings.Join(severities(), ", "))
}

// applyTo returns the proposed rule with the changes; nil if there is no change.
func (r *RuleChange) applyTo(v store.RuleProposal) *tenant.RuleCreate {
	if r == nil {
		return nil
	}
	out := tenant.RuleCreate{Title: cmp.Or(r.Title, v.Title), Instruction: cmp.Or(r.Instruction, v.Instruction), Paths: r.Paths,
		Languages: r.Languages, Severity: cmp.Or(r.Severity, tenant.SeverityOfProposals.String())}
	if r.Languages == nil {
		out.Languages = store.FromJSON[[]string](v.Languages)
	}
	return &out
}

func decideProposedRule(ctx context.Context, v *visit, in ProposedRuleDecision) (ProposedRule, string, error) {
	var c field.Check
	c.That(in.Decision == "accept" || in.Decision == "decline", "/decision", "must be accept or decline")
	c.That(len(in.Note) <= 2000, "/note", "must have at most 2000 bytes")
	in.Rule.check(&c)
	if err := c.Err(); err != nil {
		return ProposedRule{}, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoManage, true)
	if err == nil {
		err = checkID(in.Proposal)
	}
	if err != nil {
		return ProposedRule{}, "", err
	}
	proposal, err := v.Store.RuleProposal(ctx, v.Tenant, at.ID, in.Proposal)
	if err != nil {
		return ProposedRule{}, "", err
	}
	row, err := v.Service.Tenant.DecideRuleProposal(ctx, v.Tenant, at.ID, in.Proposal, tenant.RuleProposalDecision{
		Accept: in.Decision == "accept", Rule: in.Rule.applyTo(proposal), Note: in.Note, UserID: v.User.ID, Name: v.User.Name})
	if err != nil {
		return ProposedRule{}, "", err
	}
	text := fmt.Sprintf("The proposed rule %s is %s.", row.ID, row.State)
	if row.Rule != "" {
		text += " Reviews apply it from now on as the rule " + row.Rule + "."
	}
	return v.proposedRule(row), text, nil
}
