package gitea

import (
	"context"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Reply implements [codehost.Publisher] with a conversation comment, also for a thread, because the API of
// Gitea up to 1.26 cannot answer in threads.
func (h *Host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	const op = "reply"
	if err := wire.CheckPull(op, repo, at.Number); err != nil {
		return codehost.Comment{}, err
	}
	var made *sdk.Comment
	err := h.write(ctx, op, func(c *sdk.Client) (err error) {
		made, _, err = c.CreateIssueComment(repo.Owner, repo.Name, int64(at.Number), sdk.CreateIssueCommentOption{Body: body.String()})
		return err
	})
	switch {
	case err != nil:
		return codehost.Comment{}, err
	case made.ID <= 0:
		return codehost.Comment{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	out := account{}.conversationComment(made)
	out.Mine = true
	return out, nil
}

// Replies implements [codehost.Publisher] with the conversation comments, for every spot (see
// [Host.Reply]). The host returns them in one page.
func (h *Host) Replies(ctx context.Context, repo codehost.Repo, at codehost.Spot, since time.Time) ([]codehost.Comment, error) {
	const op = "list replies"
	if err := wire.CheckPull(op, repo, at.Number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	var list []*sdk.Comment
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		// The host counts in seconds, and the library writes them in the given time zone.
		list, _, err = c.ListIssueComments(repo.Owner, repo.Name, int64(at.Number),
			sdk.ListIssueCommentOptions{Since: since.UTC().Truncate(time.Second)})
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []codehost.Comment
	for _, c := range list {
		if c != nil {
			out = append(out, self.conversationComment(c))
		}
	}
	return out, nil
}

// EditReply implements [codehost.Publisher]. The host numbers all comments of a pull request together.
func (h *Host) EditReply(ctx context.Context, repo codehost.Repo, _ codehost.Spot, id domain.HostID, body markdown.Text) error {
	return h.EditComment(ctx, repo, id, body)
}
