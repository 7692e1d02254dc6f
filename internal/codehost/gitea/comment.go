package gitea

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Comment implements [codehost.Reader]. All comments share one numbering. The host returns no content for
// an inline comment (routers/api/v1/repo/issue_comment.go of go-gitea/gitea, GetIssueComment), and an
// answer in an inline thread comes as a comment event. So Comment searches the newest [threadReviews]
// reviews, because the host lists inline comments by review only.
func (h *Host) Comment(ctx context.Context, repo codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	const op = "read back comment"
	if err := wire.CheckPull(op, repo, told.Number); err != nil {
		return codehost.EventComment{}, err
	}
	id, err := wire.NumberOfID(op, told.ID)
	if err != nil {
		return codehost.EventComment{}, err
	}
	var c *sdk.Comment
	onLines := false
	err = h.read(ctx, op, func(client *sdk.Client) error {
		got, resp, err := client.GetIssueComment(repo.Owner, repo.Name, id)
		if onLines = resp != nil && resp.Response != nil && resp.StatusCode == http.StatusNoContent; onLines {
			return nil
		}
		c = got
		return err
	})
	switch {
	case err != nil:
		return codehost.EventComment{}, err
	case onLines:
		return h.commentOnLines(ctx, op, repo, told.Number, id)
	case c.ID != id || c.PRURL == "" || wire.NumberOf(c.PRURL) != told.Number:
		return codehost.EventComment{}, codehost.NoComment(op)
	}
	return written(c.ID, c.Poster, c.Body, told.Number, codehost.IsEdited(c.Created, c.Updated)), nil
}

func (h *Host) commentOnLines(ctx context.Context, op string, repo codehost.Repo, number int, id int64) (codehost.EventComment, error) {
	reviews, err := h.reviews(ctx, op, repo, number)
	if err != nil {
		return codehost.EventComment{}, err
	}
	reviews = slices.DeleteFunc(reviews, func(r *sdk.PullReview) bool { return r.State == sdk.ReviewStatePending || r.CodeCommentsCount == 0 })
	slices.SortFunc(reviews, func(a, b *sdk.PullReview) int { return cmp.Compare(b.ID, a.ID) })
	for _, r := range reviews[:min(len(reviews), threadReviews)] {
		comments, err := h.comments(ctx, op, repo, number, r.ID)
		if err != nil {
			return codehost.EventComment{}, err
		}
		for _, c := range comments {
			if c.ID == id {
				out := written(c.ID, c.Reviewer, c.Body, number, codehost.IsEdited(c.Created, c.Updated))
				out.Inline, out.InReplyTo = true, answeredBy(c, comments)
				return out, nil
			}
		}
	}
	return codehost.EventComment{}, codehost.NoComment(op)
}

// answeredBy returns the first comment of the thread that an inline comment answers, "" if it is the first itself. An answer is a
// comment of the same review on the same line (services/pull/review.go of go-gitea/gitea, CreateCodeComment). list is the review's
// comments, oldest first.
func answeredBy(c *sdk.PullReviewComment, list []*sdk.PullReviewComment) domain.HostID {
	side, line := sideAndLine(c)
	for _, o := range list {
		if oside, oline := sideAndLine(o); o.ID < c.ID && o.Path == c.Path && oside == side && oline == line {
			return wire.HostID(o.ID)
		}
	}
	return ""
}

func written(id int64, by *sdk.User, body string, number int, edited bool) codehost.EventComment {
	return codehost.EventComment{ID: wire.HostID(id), Body: body, Author: login(by), AuthorID: wire.HostID(userID(by)),
		AuthorIsBot:   systemUser(by),
		OnPullRequest: true, Number: number, Edited: edited}
}
