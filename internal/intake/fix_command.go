package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// fixRefusals has the answers to refused fix runs, by the code of the refusal.
var fixRefusals = map[string]wording.Key{
	"fixes_off": wording.SayFixOff, "fixes_not_published": wording.SayFixSilent, "pull_request_closed": wording.SayNotOpen,
	"head_not_reviewed": wording.SayFixNotReviewed, "nothing_to_fix": wording.SayFixNothing, "too_many_fixes": wording.SayFixLimit,
	"fix_under_way": wording.SayFixWaits, store.CodeBudget: wording.OnlyChecksBudget,
}

// fix requests fixes: for the finding in whose thread the command stands, or for all open findings. The comments about the fixes are
// the answer.
func (s *Service) fix(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (decision, markdown.Text, error) {
	if !mayMaintain(r.role) {
		return ignored(noPermission), r.texts().Say(wording.SayFixRole), nil
	}
	asked := domain.FixAsked{PullRequest: row.ID, Comment: r.comment.Name(), Thread: threadOf(r.comment), Author: r.comment.Author}
	f, alone, found, err := s.findingOf(ctx, t, row, r)
	switch {
	case err != nil:
		return decision{}, markdown.Text{}, err
	case found && !alone:
		return ignored(severalFindings), r.texts().Say(wording.SaySeveralFindings), nil
	case found:
		asked.Findings = []string{f.ID}
	case r.comment.InReplyTo != "": // a fix of every finding belongs in the conversation
		return ignored("the command stands in a thread of no finding"), r.texts().Say(wording.SayNoFinding, commandForm(wordFix)), nil
	}
	repository, err := s.Store.Repository(ctx, t, row.Repository)
	if err != nil {
		return decision{}, markdown.Text{}, err
	}
	answer, err := s.Fixes.ByComment(ctx, t, repository, asked)
	if err != nil || answer.Code == "" {
		return applied, markdown.Text{}, err
	}
	say := markdown.Text{}
	if key, ok := fixRefusals[answer.Code]; ok {
		say = r.texts().Say(key)
	}
	return ignored("no fix run was started: " + answer.Code), say, nil
}
