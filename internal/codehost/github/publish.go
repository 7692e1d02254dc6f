package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities {
	return codehost.CapabilitiesOf(codehost.GitHub)
}

// CreateDraft implements [codehost.Publisher]. Without an event GitHub makes a pending review, with all
// comments or not at all.
func (h *Host) CreateDraft(ctx context.Context, repo codehost.Repo, number int, d codehost.Draft) (codehost.Review, error) {
	const op = "create draft"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return codehost.Review{}, err
	}
	body := &gh.PullRequestReviewRequest{CommitID: &d.Commit, Body: gh.Ptr(d.Body.String())}
	for i := range d.Comments {
		c := &d.Comments[i]
		dc := &gh.DraftReviewComment{Path: &c.Path, Body: gh.Ptr(c.Body.String()), Side: &c.Side, Line: &c.Line}
		if c.StartLine != 0 {
			dc.StartLine, dc.StartSide = &c.StartLine, &c.Side
		}
		body.Comments = append(body.Comments, dc)
	}
	return h.writeReview(ctx, op, repo, func(ctx context.Context) (*gh.PullRequestReview, error) {
		r, _, err := h.client.PullRequests.CreateReview(ctx, repo.Owner, repo.Name, number, body)
		return r, err
	})
}

// SubmitDraft implements [codehost.Publisher]. An empty body keeps the draft's.
func (h *Host) SubmitDraft(ctx context.Context, repo codehost.Repo, number int, id domain.HostID,
	body markdown.Text) (codehost.Review, error) {
	const op = "submit draft"
	n, err := checkReview(op, repo, number, id)
	if err != nil {
		return codehost.Review{}, err
	}
	return h.writeReview(ctx, op, repo, func(ctx context.Context) (*gh.PullRequestReview, error) {
		r, _, err := h.client.PullRequests.SubmitReview(ctx, repo.Owner, repo.Name, number, n,
			gh.PullRequestSubmitReviewRequest{Event: "COMMENT", Body: optional(body.String())})
		return r, err
	})
}

// writeReview sends one write whose answer is our review.
func (h *Host) writeReview(ctx context.Context, op string, repo codehost.Repo,
	fn func(context.Context) (*gh.PullRequestReview, error)) (codehost.Review, error) {
	var r *gh.PullRequestReview
	err := h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) (err error) {
		r, err = fn(ctx)
		return err
	})
	if err != nil {
		return codehost.Review{}, err
	}
	if r.GetID() == 0 {
		return codehost.Review{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no review"}
	}
	h.storeAccountID(ctx, r.GetUser())
	out := account{}.review(r)
	out.Mine = true
	return out, nil
}

// Reviews implements [codehost.Publisher].
func (h *Host) Reviews(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Review, error) {
	const op = "list reviews"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	return listComplete(ctx, h, h.installationCall(op, repo.Access, scopePublish), codehost.MaxNotes, "reviews",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.PullRequestReview, *gh.Response, error) {
			return h.client.PullRequests.ListReviews(ctx, repo.Owner, repo.Name, number, &opts)
		}, func(r *gh.PullRequestReview) (codehost.Review, bool) { return self.review(r), true })
}

// Review implements [codehost.Publisher].
func (h *Host) Review(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Review, error) {
	const op = "read review"
	n, err := checkReview(op, repo, number, id)
	if err != nil {
		return codehost.Review{}, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Review{}, err
	}
	var r *gh.PullRequestReview
	err = h.run(ctx, h.installationCall(op, repo.Access, scopePublish), func(ctx context.Context) (err error) {
		r, _, err = h.client.PullRequests.GetReview(ctx, repo.Owner, repo.Name, number, n)
		return err
	})
	if err != nil {
		return codehost.Review{}, err
	}
	return self.review(r), nil
}

// DeleteDraft implements [codehost.Publisher]. GitHub refuses to delete a submitted review, with an invalid
// status.
func (h *Host) DeleteDraft(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	const op = "delete draft"
	n, err := checkReview(op, repo, number, id)
	if err != nil {
		return err
	}
	err = h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, _, err := h.client.PullRequests.DeletePendingReview(ctx, repo.Owner, repo.Name, number, n)
		return err
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// EditReview implements [codehost.Publisher].
func (h *Host) EditReview(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	const op = "edit review"
	n, err := checkReview(op, repo, number, id)
	if err != nil {
		return err
	}
	return h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, _, err := h.client.PullRequests.UpdateReview(ctx, repo.Owner, repo.Name, number, n, body.String())
		return err
	})
}

// ReviewComments implements [codehost.Publisher].
func (h *Host) ReviewComments(ctx context.Context, repo codehost.Repo, number int, review domain.HostID) ([]codehost.Comment, error) {
	const op = "list review comments"
	n, err := checkReview(op, repo, number, review)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	return listComplete(ctx, h, h.installationCall(op, repo.Access, scopePublish), codehost.MaxNotes, "comments of the review",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
			return h.client.PullRequests.ListReviewComments(ctx, repo.Owner, repo.Name, number, n, &opts)
		}, func(c *gh.PullRequestComment) (codehost.Comment, bool) {
			comment := self.comment(c)
			comment.Review = review
			return comment, true
		})
}

// EditComment implements [codehost.Publisher].
func (h *Host) EditComment(ctx context.Context, repo codehost.Repo, id domain.HostID, body markdown.Text) error {
	const op = "edit comment"
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	n, err := number(op, "comment", id)
	if err != nil {
		return err
	}
	return h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, _, err := h.client.PullRequests.UpdateComment(ctx, repo.Owner, repo.Name, n, gh.UpdatePullRequestCommentRequest{Body: body.String()})
		return err
	})
}
