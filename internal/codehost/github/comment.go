package github

import (
	"context"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Comment implements [codehost.Reader]. GitHub numbers conversation and inline comments separately, so the
// event decides between them.
func (h *Host) Comment(ctx context.Context, repo codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	const op = "read back comment"
	if err := wire.CheckPull(op, repo, told.Number); err != nil {
		return codehost.EventComment{}, err
	}
	id, err := number(op, "comment", told.ID)
	if err != nil {
		return codehost.EventComment{}, err
	}
	var out codehost.EventComment
	err = h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
		if told.Inline {
			c, _, err := h.client.PullRequests.GetComment(ctx, repo.Owner, repo.Name, id)
			if err == nil {
				out = written(c.GetID(), c.GetUser(), c.GetBody(), wire.NumberOf(c.GetPullRequestURL()))
				out.Inline, out.Association, out.OnPullRequest = true, c.GetAuthorAssociation(), out.Number > 0
				out.InReplyTo, out.Review = hostID(c.GetInReplyTo()), hostID(c.GetPullRequestReviewID())
			}
			return err
		}
		c, _, err := h.client.Issues.GetComment(ctx, repo.Owner, repo.Name, id)
		if err == nil {
			out = written(c.GetID(), c.GetUser(), c.GetBody(), wire.NumberOf(c.GetIssueURL()))
			out.Association, out.OnPullRequest = c.GetAuthorAssociation(), ofPull(c.GetHTMLURL())
		}
		return err
	})
	if err == nil && (out.ID != domain.NumberID(id) || out.Number != told.Number || !out.OnPullRequest) {
		err = codehost.NoComment(op)
	}
	if err != nil {
		return codehost.EventComment{}, err
	}
	return out, nil
}

func written(id int64, by *gh.User, body string, number int) codehost.EventComment {
	return codehost.EventComment{ID: hostID(id), Body: body, Author: by.GetLogin(), AuthorID: hostID(by.GetID()),
		AuthorIsBot: wireUser{Type: by.GetType()}.bot(), Number: number}
}

// ofPull reports whether a comment's page is on a pull request, "/octo/demo/pull/7", and not on an issue.
func ofPull(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.Contains(u.Path, "/pull/")
}
