package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// DirectReviewer makes a review visible by one write ([ProtocolDirect]). Hosts with it refuse
// [Publisher.CreateDraft], SubmitDraft and DeleteDraft with [ClassInvalid]; see [NoDrafts].
type DirectReviewer interface {
	// CreateReview makes a visible review with all of its comments. A failed create can leave a part of the
	// review as a draft, and include the remains of another one. It fails with [ClassInvalid] (a comment's
	// line) or [ClassAmbiguous], also for a 5xx answer.
	CreateReview(ctx context.Context, repo Repo, number int, draft Draft) (Review, error)
	// DeleteReview deletes our review, visible or a draft, with its comments. A missing review is not an
	// error. It never deletes a review of another account: it returns [ClassInvalid].
	DeleteReview(ctx context.Context, repo Repo, number int, id domain.HostID) error
}

// DirectOf returns the DirectReviewer of a host, or nil if the host has another protocol.
func DirectOf(p Publisher) DirectReviewer {
	d, _ := optionalInterface[DirectReviewer](p, p.Capabilities().Protocol() == ProtocolDirect)
	return d
}

// NoDrafts refuses the draft methods of [Publisher], for hosts without drafts of reviews.
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
