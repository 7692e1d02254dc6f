package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// MaxNotes is how many comments of a pull request [NoteByNote.Notes] and
// [NoteByNote.NoteDrafts] look through, those of others among them.
const MaxNotes = 5_000

// NoteDraft is a comment that is prepared, and that only its author sees. What it
// becomes when it is published is a comment with another id.
type NoteDraft struct {
	ID     domain.HostID
	Body   string // text from outside: a person with the same account may have written it
	Path   string // "" for a comment of the conversation
	Side   string // LEFT or RIGHT; "" without a path
	Line   int    // the last one; 0 without a path
	Commit string // the head for which it was made, "" without a path
}

// NoteByNote prepares the comments of a review and makes them visible one by one:
// where drafts are private and a review is no object of the host ([ProtocolNotes]).
// Such a host refuses [Publisher.CreateDraft], SubmitDraft and DeleteDraft with
// [ClassInvalid]; a review is there the comment of the conversation that holds its
// summary, Reviews lists the comments of the conversation, and ReviewComments all inline comments of
// the account, because the host does not keep which were said together. See [NotesOf].
//
// Nothing here tells whether a draft was published or deleted: after either it is
// gone. What is visible is found by its mark, in Notes.
type NoteByNote interface {
	// DraftNote prepares a comment for a commit of the pull request. Without a path
	// it is one of the conversation, and has no side and line. A second call makes a
	// second draft. Errors as those of [Publisher.CreateDraft].
	DraftNote(ctx context.Context, repo Repo, number int, commit string, note DraftComment) (NoteDraft, error)
	// NoteDrafts lists the drafts of the account on the pull request, the oldest
	// first, whoever wrote them. A list may lag behind what was made. Above
	// [MaxNotes]: [ClassTooLarge].
	NoteDrafts(ctx context.Context, repo Repo, number int) ([]NoteDraft, error)
	// PublishNote makes this draft visible and no other. [ClassNotFound]: there is no
	// such draft (any more). [ClassAmbiguous]: look with NoteDrafts and Notes; a host may
	// have made the comment and kept the draft. No error is its word alone: it may have
	// made no comment, which Notes shows.
	PublishNote(ctx context.Context, repo Repo, number int, id domain.HostID) error
	// EditNoteDraft replaces the text of a draft of the conversation. [ClassNotFound]: there
	// is no such draft (any more).
	EditNoteDraft(ctx context.Context, repo Repo, number int, id domain.HostID, body markdown.Text) error
	// DeleteNoteDraft deletes a draft; one that is gone is no error. It cannot hit what
	// is visible: ids of drafts are none of comments.
	DeleteNoteDraft(ctx context.Context, repo Repo, number int, id domain.HostID) error
	// Notes lists the visible comments of the account, inline and of the conversation, the
	// oldest first. Above [MaxNotes], of everybody: [ClassTooLarge].
	Notes(ctx context.Context, repo Repo, number int) ([]Comment, error)
}

// NotesOf returns what publishes note by note on a host; ok is false where a review is
// one object, or nothing is private.
func NotesOf(h Host) (n NoteByNote, ok bool) {
	c := h.Capabilities()
	return verbs[NoteByNote](h, c.PrivateDrafts && !c.WholeReview)
}
