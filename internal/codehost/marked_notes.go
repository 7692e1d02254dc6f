package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// MarkedNotes writes the comments of a review one by one, each visible at once ([ProtocolMarked]), on hosts
// without private drafts and without review objects. Such a host refuses [Publisher.CreateDraft],
// SubmitDraft and DeleteDraft with [ClassInvalid]; see [NoDrafts]. There a review is the conversation
// comment with its summary. Reviews lists the comments of the conversation. ReviewComments lists all inline
// comments of the account, because the host does not group them. See [MarkedOf].
//
// The mark is the last line of every text that this port passes and returns. An adapter whose host has
// [MarkProperty] keeps that line beside the text, and appends it when it reads; see
// [markdown.Text.SplitMark] and [markdown.JoinMark].
type MarkedNotes interface {
	// CreateNote makes a visible comment for a commit of the pull request. Without a path, it is a
	// conversation comment without side and line. A second call makes a second comment. It fails with
	// [ClassInvalid] (the place, or no text), [ClassTooLarge], or [ClassAmbiguous], also for a 5xx answer.
	CreateNote(ctx context.Context, repo Repo, number int, commit string, note DraftComment) (Comment, error)
	// Note reads a visible comment of the pull request by its id, also if another account wrote it. It fails
	// with [ClassNotFound] if the comment is gone, or if the host shows only that it was deleted.
	Note(ctx context.Context, repo Repo, number int, id domain.HostID) (Comment, error)
	// Notes lists the visible comments of all accounts, inline and in the conversation, oldest first, with
	// [Comment.Answered]. It leaves out answers in threads and deleted comments. The list may lag behind
	// writes. It fails with [ClassTooLarge] if the pull request has more than [MaxNotes] comments, answers
	// included.
	Notes(ctx context.Context, repo Repo, number int) ([]Comment, error)
	// DeleteNote deletes a visible comment of ours. A missing comment is not an error. It never deletes a
	// comment of another account: it returns [ClassInvalid].
	DeleteNote(ctx context.Context, repo Repo, number int, id domain.HostID) error
}

// MarkedOf returns the MarkedNotes of a host, or nil if the host has another protocol.
func MarkedOf(p Publisher) MarkedNotes {
	m, _ := optionalInterface[MarkedNotes](p, p.Capabilities().Protocol() == ProtocolMarked)
	return m
}
