package gitea

import (
	"context"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Reactions implements [codehost.ReactionReader]. The host does not count reactions in its lists, so each comment costs one request.
// The call for comments of the conversation takes inline comments, too (routers/api/v1/repo/issue_reaction.go of go-gitea/gitea,
// GetIssueCommentReactions).
func (h *Host) Reactions(ctx context.Context, repo codehost.Repo, number int, comments []domain.HostID) (
	map[domain.HostID][]codehost.Reaction, error) {
	const op = "list reactions"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID][]codehost.Reaction{}
	for _, id := range comments[:min(len(comments), codehost.MaxReacted)] {
		n, err := wire.NumberOfID(op, id)
		if err != nil {
			return nil, err
		}
		var list []*sdk.Reaction
		err = h.read(ctx, op, func(c *sdk.Client) (err error) {
			list, _, err = c.GetIssueCommentReactions(repo.Owner, repo.Name, n)
			return err
		})
		if codehost.ClassOf(err) == codehost.ClassNotFound { // a person deleted the comment
			continue
		}
		if err != nil {
			return nil, err
		}
		out[id] = thumbsOf(self, list)
	}
	return out, nil
}

// thumbsOf returns the thumbs of other accounts, at most [codehost.MaxReactions].
func thumbsOf(self account, list []*sdk.Reaction) (out []codehost.Reaction) {
	for _, r := range list {
		if r == nil || r.Reaction != "+1" && r.Reaction != "-1" || userID(r.User) == 0 || self.is(r.User) || len(out) == codehost.MaxReactions {
			continue
		}
		out = append(out, codehost.Reaction{Up: r.Reaction == "+1",
			Person: codehost.Sender{Login: login(r.User), ID: wire.HostID(userID(r.User)), IsBot: systemUser(r.User)}})
	}
	return out
}
