package github

import (
	"context"
	"fmt"
	"net/http"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Reply implements [codehost.Publisher]. The permission pull requests: write covers conversation comments
// of a pull request.
func (h *Host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	const op = "reply"
	if err := wire.CheckPull(op, repo, at.Number); err != nil {
		return codehost.Comment{}, err
	}
	thread, err := threadOf(op, at)
	if err != nil {
		return codehost.Comment{}, err
	}
	var out codehost.Comment
	var author *gh.User
	err = h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		if thread != 0 {
			c, err := h.replyInThread(ctx, repo, at.Number, thread, body.String())
			out, author = account{}.comment(c), c.GetUser()
			return err
		}
		c, _, err := h.client.Issues.CreateComment(ctx, repo.Owner, repo.Name, at.Number, gh.IssueCommentRequest{Body: body.String()})
		out, author = account{}.conversationComment(c), c.GetUser()
		return err
	})
	if err != nil {
		return codehost.Comment{}, err
	}
	if out.ID == "" {
		return codehost.Comment{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	h.storeAccountID(ctx, author)
	out.Mine = true
	return out, nil
}

// threadOf returns the number of the thread of a spot, 0 for the conversation.
func threadOf(op string, at codehost.Spot) (int64, error) {
	if at.Thread == "" {
		return 0, nil
	}
	return number(op, "thread", at.Thread)
}

// replyInThread sends a reply in the form that GitHub describes. The library's form lacks the commit and
// path that the description requires there.
func (h *Host) replyInThread(ctx context.Context, repo codehost.Repo, number int, thread int64,
	body string) (*gh.PullRequestComment, error) {
	req, err := h.client.NewRequest(ctx, http.MethodPost, fmt.Sprintf("repos/%s/%s/pulls/%d/comments/%d/replies", repo.Owner,
		repo.Name, number, thread), map[string]string{"body": body})
	if err != nil {
		return nil, err
	}
	c := new(gh.PullRequestComment)
	_, err = h.client.Do(req, c)
	return c, err
}

// Replies implements [codehost.Publisher].
func (h *Host) Replies(ctx context.Context, repo codehost.Repo, at codehost.Spot, since time.Time) ([]codehost.Comment, error) {
	const op = "list replies"
	if err := wire.CheckPull(op, repo, at.Number); err != nil {
		return nil, err
	}
	thread, err := threadOf(op, at)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	c := h.installationCall(op, repo.Access, scopePublish)
	if thread != 0 {
		return listComplete(ctx, h, c, codehost.MaxNotes, "comments",
			func(ctx context.Context, opts gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
				return h.client.PullRequests.ListComments(ctx, repo.Owner, repo.Name, at.Number,
					&gh.PullRequestListCommentsOptions{Since: since, ListOptions: opts})
			}, func(c *gh.PullRequestComment) (codehost.Comment, bool) {
				return self.comment(c), c.GetInReplyTo() == thread
			})
	}
	return listComplete(ctx, h, c, codehost.MaxNotes, "comments",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.IssueComment, *gh.Response, error) {
			return h.client.Issues.ListComments(ctx, repo.Owner, repo.Name, at.Number,
				&gh.IssueListCommentsOptions{Since: &since, ListOptions: opts})
		}, func(c *gh.IssueComment) (codehost.Comment, bool) { return self.conversationComment(c), true })
}

// EditReply implements [codehost.Publisher]. GitHub numbers comments of the conversation and of threads separately.
func (h *Host) EditReply(ctx context.Context, repo codehost.Repo, at codehost.Spot, id domain.HostID, body markdown.Text) error {
	const op = "edit reply"
	if at.Thread != "" {
		return h.EditComment(ctx, repo, id, body)
	}
	if err := wire.CheckPull(op, repo, at.Number); err != nil {
		return err
	}
	n, err := number(op, "comment", id)
	if err != nil {
		return err
	}
	return h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, _, err := h.client.Issues.UpdateComment(ctx, repo.Owner, repo.Name, n, gh.IssueCommentRequest{Body: body.String()})
		return err
	})
}
