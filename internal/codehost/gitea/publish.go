package gitea

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities { return codehost.CapabilitiesOf(h.instance.Kind) }

// CreateReview implements [codehost.DirectReviewer]. The host adds the comments one after the other to a
// pending review, and shows it at the end (routers/api/v1/repo/pull_review.go, CreatePullReview). If it
// stops at a comment, the earlier ones stay in the pending review, and the next create includes them. So
// CreateReview checks every place first, and sends nothing if one is wrong; that error has no HTTP status.
//
// A comment stands on the last line of its range, because the host has no ranges.
func (h *Host) CreateReview(ctx context.Context, repo codehost.Repo, number int, d codehost.Draft) (codehost.Review, error) {
	const op = "create review"
	if err := h.checkDraft(ctx, op, repo, number, d); err != nil {
		return codehost.Review{}, err
	}
	opts := sdk.CreatePullReviewOptions{State: sdk.ReviewStateComment, Body: d.Body.String(), CommitID: d.Commit}
	for _, c := range d.Comments {
		dc := sdk.CreatePullReviewComment{Path: c.Path, Body: c.Body.String(), NewLineNum: int64(c.Line)}
		if c.Side == string(domain.Left) {
			dc.OldLineNum, dc.NewLineNum = dc.NewLineNum, 0
		}
		opts.Comments = append(opts.Comments, dc)
	}
	var made *sdk.PullReview
	err := h.write(ctx, op, func(c *sdk.Client) (err error) {
		made, _, err = c.CreatePullReview(repo.Owner, repo.Name, int64(number), opts)
		return err
	})
	if err != nil {
		return codehost.Review{}, err
	}
	if made.ID <= 0 {
		return codehost.Review{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no review"}
	}
	out := account{}.review(made)
	out.Mine = true
	return out, nil
}

// bodyCommentID returns the id of the comment that shows a review's body, or 0. The address of a review is that
// of the comment, ".../pulls/7#issuecomment-12" (models/issues/review.go, HTMLURL).
func bodyCommentID(r *sdk.PullReview) int64 {
	u, err := url.Parse(r.HTMLURL)
	if err != nil {
		return 0
	}
	text, found := strings.CutPrefix(u.Fragment, "issuecomment-")
	if !found {
		return 0
	}
	id, err := wire.NumberOfID("", domain.HostID(text))
	if err != nil {
		return 0
	}
	return id
}

// reviews lists the reviews of a pull request, without the requests that the host's list also contains.
func (h *Host) reviews(ctx context.Context, op string, repo codehost.Repo, number int) ([]*sdk.PullReview, error) {
	list, whole, err := listAll(ctx, h, op, codehost.MaxNotes, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.PullReview,
		*sdk.Response, error) {
		return c.ListPullReviews(repo.Owner, repo.Name, int64(number), sdk.ListPullReviewsOptions{ListOptions: opts})
	}, func(r *sdk.PullReview) (*sdk.PullReview, bool) {
		return r, r != nil && r.State != sdk.ReviewStateRequestReview
	})
	if err == nil && !whole {
		err = wire.TooMany(op, codehost.MaxNotes, "reviews")
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Reviews implements [codehost.Publisher]. An administrator of the instance also sees drafts of other
// accounts, which are not Mine.
func (h *Host) Reviews(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Review, error) {
	const op = "list reviews"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.reviews(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Review
	for _, r := range list {
		out = append(out, self.review(r))
	}
	return out, nil
}

// review reads one review in the host's form.
func (h *Host) review(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID) (*sdk.PullReview, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	n, err := wire.NumberOfID(op, id)
	if err != nil {
		return nil, err
	}
	var r *sdk.PullReview
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		r, _, err = c.GetPullReview(repo.Owner, repo.Name, int64(number), n)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case r.ID != n:
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not the review"}
	case r.State == sdk.ReviewStateRequestReview:
		return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is the request of a review, not a review"}
	}
	return r, nil
}

// Review implements [codehost.Publisher].
func (h *Host) Review(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Review, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Review{}, err
	}
	r, err := h.review(ctx, "read review", repo, number, id)
	if err != nil {
		return codehost.Review{}, err
	}
	return self.review(r), nil
}

// DeleteReview implements [codehost.DirectReviewer]. It checks the author first, because an administrator's
// token can delete the reviews of other accounts.
func (h *Host) DeleteReview(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	const op = "delete review"
	r, err := h.review(ctx, op, repo, number, id)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	self, err := h.ownAccount(ctx)
	switch {
	case err != nil:
		return err
	case !self.is(r.Reviewer):
		return codehost.Refused(op, "the review is that of another account")
	}
	err = h.write(ctx, op, func(c *sdk.Client) error {
		_, err := c.DeletePullReview(repo.Owner, repo.Name, int64(number), r.ID)
		return err
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// EditReview implements [codehost.Publisher]. The host cannot edit a review, but people see its body as a
// comment, which can be edited (routers/api/v1/repo/issue_comment.go, editIssueComment). [Host.Review]
// still returns the original body. If a person deleted that comment, the review stays and EditReview fails
// with [codehost.ClassNotFound].
func (h *Host) EditReview(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	const op = "edit review"
	r, err := h.review(ctx, op, repo, number, id)
	if err != nil {
		return err
	}
	comment := bodyCommentID(r)
	if comment == 0 {
		return &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the page has no text of the review any more"}
	}
	return h.edit(ctx, op, repo, comment, body)
}

// edit replaces the body of any comment.
func (h *Host) edit(ctx context.Context, op string, repo codehost.Repo, id int64, body markdown.Text) error {
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, resp, err := c.EditIssueComment(repo.Owner, repo.Name, id, sdk.EditIssueCommentOption{Body: body.String()})
		if resp != nil && resp.Response != nil && resp.StatusCode == http.StatusNoContent { // the comment cannot have a text
			return &codehost.Error{Class: codehost.ClassInvalid, Op: op, Status: resp.StatusCode, Message: "this comment cannot be edited"}
		}
		return err
	})
}

// comments lists the inline comments of a review, oldest first.
func (h *Host) comments(ctx context.Context, op string, repo codehost.Repo, number int, review int64) ([]*sdk.PullReviewComment, error) {
	var list []*sdk.PullReviewComment
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		list, _, err = c.ListPullReviewComments(repo.Owner, repo.Name, int64(number), review)
		return err
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c *sdk.PullReviewComment) bool { return c == nil })
	slices.SortFunc(list, func(a, b *sdk.PullReviewComment) int { return cmp.Compare(a.ID, b.ID) }) // the host's order varies
	return list, nil
}

// ReviewComments implements [codehost.Publisher].
func (h *Host) ReviewComments(ctx context.Context, repo codehost.Repo, number int, review domain.HostID) ([]codehost.Comment, error) {
	const op = "list review comments"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	n, err := wire.NumberOfID(op, review)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.comments(ctx, op, repo, number, n)
	if err != nil {
		return nil, err
	}
	var out []codehost.Comment
	for _, c := range list {
		comment := self.comment(c)
		comment.Review = review
		out = append(out, comment)
	}
	return out, nil
}

// EditComment implements [codehost.Publisher]. Inline and conversation comments share one numbering.
func (h *Host) EditComment(ctx context.Context, repo codehost.Repo, id domain.HostID, body markdown.Text) error {
	const op = "edit comment"
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	n, err := wire.NumberOfID(op, id)
	if err != nil {
		return err
	}
	return h.edit(ctx, op, repo, n, body)
}
