package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// DirectReviewer makes a review visible by one write ([ProtocolDirect]). Such a host refuses [Publisher.CreateDraft],
// SubmitDraft and DeleteDraft with [ClassInvalid]; see [NoDrafts].
type DirectReviewer interface {
	// CreateReview makes a visible review with all of its comments. A create that fails may leave a part of the review as a
	// draft, and take in what is left of another one. Errors: [ClassInvalid] (a comment's line), [ClassAmbiguous]: also an
	// answer of 5xx.
	CreateReview(ctx context.Context, repo Repo, number int, draft Draft) (Review, error)
	// DeleteReview deletes a review of ours, visible or a draft, with its comments. One that is gone is no error. That of
	// another account is never deleted: [ClassInvalid].
	DeleteReview(ctx context.Context, repo Repo, number int, id domain.HostID) error
}

// DirectOf returns what makes reviews visible by one write on a host; ok is false where they are drafts first.
func DirectOf(h Host) (d DirectReviewer, ok bool) {
	return verbs[DirectReviewer](h, h.Capabilities().Protocol() == ProtocolDirect)
}

// NoDrafts implements the methods of [Publisher] about drafts by refusals, for hosts without drafts of reviews.
type NoDrafts struct{}

// CreateDraft implements [Publisher].
func (NoDrafts) CreateDraft(context.Context, Repo, int, Draft) (Review, error) {
	return Review{}, noDraft("create draft")
}

// SubmitDraft implements [Publisher].
func (NoDrafts) SubmitDraft(context.Context, Repo, int, domain.HostID, markdown.Text) (Review, error) {
	return Review{}, noDraft("submit draft")
}

// DeleteDraft implements [Publisher].
func (NoDrafts) DeleteDraft(context.Context, Repo, int, domain.HostID) error {
	return noDraft("delete draft")
}

func noDraft(op string) error {
	return Refused(op, "reviews are not published by drafts of reviews on this host")
}
