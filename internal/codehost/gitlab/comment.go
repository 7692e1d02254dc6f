package gitlab

import (
	"context"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Comment implements [codehost.Reader]. A note does not contain its place, so it is read with the
// discussion that the event names. The body of an event may name the discussion or omit it, so the note
// alone identifies the comment.
func (h *Host) Comment(ctx context.Context, repo codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	const op = "read back comment"
	if err := checkPull(op, repo, told.Number); err != nil {
		return codehost.EventComment{}, err
	}
	at, err := parseNote(op, told.ID)
	if err != nil {
		return codehost.EventComment{}, err
	}
	if at.number != told.Number {
		return codehost.EventComment{}, codehost.NoComment(op)
	}
	var n *sdk.Note
	var first domain.HostID // comment of the discussion, if the note answers it
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		if at.discussion == "" {
			n, _, err = c.Notes.GetMergeRequestNote(repo.FullName(), int64(at.number), at.note, with)
			return err
		}
		d, _, err := c.Discussions.GetMergeRequestDiscussion(repo.FullName(), int64(at.number), at.discussion, with)
		if err != nil {
			return err
		}
		for i, one := range d.Notes {
			if one != nil && one.ID == at.note {
				n = one
				if i > 0 && d.Notes[0] != nil {
					first = noteID{number: at.number, note: d.Notes[0].ID, discussion: at.discussion}.id()
				}
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return codehost.EventComment{}, err
	case n == nil || n.ID != at.note || n.System || n.NoteableIID != 0 && n.NoteableIID != int64(at.number):
		return codehost.EventComment{}, codehost.NoComment(op)
	}
	inline := string(n.Type) == noteOnLines
	return codehost.EventComment{ID: told.ID, Body: n.Body, Author: n.Author.Username, AuthorID: wire.HostID(n.Author.ID),
		AuthorIsBot:   isRobot(n.Author.Username),
		OnPullRequest: true, Number: at.number, Inline: inline, Threaded: !inline && at.discussion != "",
		InReplyTo: first,
		Once:      noteID{number: at.number, note: at.note}.id(), Edited: codehost.IsEdited(codehost.TimeOrZero(n.CreatedAt),
			codehost.TimeOrZero(n.UpdatedAt))}, nil
}
