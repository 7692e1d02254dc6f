package review

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
)

// maxProposer is the longest stored name of the author of a reply, in characters.
const maxProposer = 200

// proposeRule stores the rule that the reply states, for a person who manages the repository to decide about. A reply that needs
// no other answer gets the outcome noted. If the policy turns rules off, no rule is proposed.
func (r *reply) proposeRule(ctx context.Context, out *render.Reply, why *string) error {
	if r.rule == (engine.ReplyRule{}) || *why != "" && *why != replyNoAnswer || !r.policy.Allows(domain.CategoryRule) {
		return nil
	}
	languages := []string{}
	if l := diff.Language(r.finding.Anchor.Path); l != "" {
		languages = append(languages, strings.ToLower(l))
	}
	_, added, err := r.Store.ProposeRule(ctx, r.tenant, store.RuleProposal{Record: store.Record{Repository: r.row.Repository},
		PullRequest: r.row.PullRequest, Number: int64(r.row.Number), Finding: r.finding.ID, Thread: r.row.Thread,
		ThreadURL: r.finding.CommentURL, Title: r.redact(r.rule.Title), Instruction: r.redact(r.rule.Instruction),
		Languages: store.JSON(languages), ProposedName: clip.Runes(r.comment.Author, maxProposer, "…")})
	if err != nil || added != store.AddedNew {
		return err
	}
	out.ProposedRule, out.RulesURL = true, r.rulesPage()
	if out.Outcome == domain.ReplyUnanswered {
		out.Outcome, *why = domain.ReplyNoted, ""
	}
	return nil
}

// rulesPage returns the address of the page of the repository's rules; "" without a public address.
func (r *reply) rulesPage() string {
	if r.Base == "" {
		return ""
	}
	return r.repositoryPage(r.tenant.ID, r.row.Repository) + "/rules"
}
