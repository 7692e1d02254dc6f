package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// MaxNotes is the most comments of a pull request that [NoteByNote.Notes], [NoteByNote.NoteDrafts] and
// [MarkedNotes.Notes] look through, including comments of other accounts.
const MaxNotes = 5_000

// NoteDraft is a prepared comment that only its author sees. The published comment has another id.
type NoteDraft struct {
	ID     domain.HostID
	Body   string // text from outside: a person with the same account may have written it
	Path   string // "" for a comment of the conversation
	Side   string // LEFT or RIGHT; "" without a path
	Line   int    // last line; 0 without a path
	Commit string // head that the draft was made for, "" without a path
}

// NoteByNote prepares the comments of a review and publishes them one by one ([ProtocolNotes]), on hosts
// with private drafts and without review objects. Such a host refuses [Publisher.CreateDraft], SubmitDraft
// and DeleteDraft with [ClassInvalid]. There a review is the conversation comment with its summary. Reviews
// lists the comments of the conversation. ReviewComments lists all inline comments of the account, because
// the host does not group them. See [NotesOf].
//
// A published draft and a deleted draft look the same: both are gone. Notes finds the published comment by
// its mark.
type NoteByNote interface {
	// DraftNote prepares a comment for a commit of the pull request. Without a path, it is a conversation
	// comment without side and line. A second call makes a second draft. Errors are those of
	// [Publisher.CreateDraft].
	DraftNote(ctx context.Context, repo Repo, number int, commit string, note DraftComment) (NoteDraft, error)
	// NoteDrafts lists the account's drafts on the pull request, oldest first, including drafts that a
	// person wrote. The list may lag behind writes. Above [MaxNotes] it fails with [ClassTooLarge].
	NoteDrafts(ctx context.Context, repo Repo, number int) ([]NoteDraft, error)
	// PublishNote publishes this draft only, or with [Capabilities.AbsorbsDrafts] every draft of the account, so
	// that the caller first deletes all others. It fails with [ClassNotFound] if the draft does not exist (any
	// more). After [ClassAmbiguous], look with NoteDrafts and Notes, because a host may have made the
	// comment and kept the draft. A nil error is only the host's word: Notes shows whether the comment
	// exists.
	PublishNote(ctx context.Context, repo Repo, number int, id domain.HostID) error
	// EditNoteDraft replaces the text of a conversation draft. It fails with [ClassNotFound] if the draft
	// does not exist (any more).
	EditNoteDraft(ctx context.Context, repo Repo, number int, id domain.HostID, body markdown.Text) error
	// DeleteNoteDraft deletes a draft. A missing draft is not an error. It cannot delete a visible comment,
	// because drafts and comments have separate ids.
	DeleteNoteDraft(ctx context.Context, repo Repo, number int, id domain.HostID) error
	// Notes lists the visible comments of the account, inline and in the conversation, oldest first. If all
	// accounts together have more than [MaxNotes], it fails with [ClassTooLarge].
	Notes(ctx context.Context, repo Repo, number int) ([]Comment, error)
}

// NotesOf returns the NoteByNote of a host, or nil if the host has another protocol.
func NotesOf(p Publisher) NoteByNote {
	n, _ := optionalInterface[NoteByNote](p, p.Capabilities().Protocol() == ProtocolNotes)
	return n
}
