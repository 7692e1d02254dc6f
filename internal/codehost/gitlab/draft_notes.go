package gitlab

import (
	"context"
	"fmt"
	"slices"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// DraftNote implements [codehost.NoteByNote] (docs.gitlab.com/api/draft_notes). It computes the place from
// the version with the commit as head, so that a comment on an older head has the intended place.
func (h *Host) DraftNote(ctx context.Context, repo codehost.Repo, number int, commit string,
	note codehost.DraftComment) (codehost.NoteDraft, error) {
	const op = "create draft note"
	if err := h.checkNote(op, repo, number, commit, note); err != nil {
		return codehost.NoteDraft{}, err
	}
	body := note.Body.String()
	opts := &sdk.CreateDraftNoteOptions{Note: &body}
	if note.Path != "" {
		at, err := h.placeOf(ctx, op, repo, number, commit, note)
		if err != nil {
			return codehost.NoteDraft{}, err
		}
		opts.Position = at
	}
	var made *sdk.DraftNote
	err := h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		made, _, err = c.DraftNotes.CreateDraftNote(repo.FullName(), int64(number), opts, with)
		return err
	})
	switch {
	case err != nil:
		return codehost.NoteDraft{}, err
	case made.ID <= 0:
		return codehost.NoteDraft{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no draft"}
	}
	return noteDraft(made), nil
}

func noteDraft(d *sdk.DraftNote) codehost.NoteDraft {
	out := codehost.NoteDraft{ID: wire.HostID(d.ID), Body: d.Note}
	if d.Position == nil || d.Position.NewPath == "" && d.Position.OldPath == "" {
		return out
	}
	out.Side, _, out.Line = spanOf(d.Position)
	out.Path, out.Commit = d.Position.NewPath, d.Position.HeadSHA
	if out.Side == string(domain.Left) {
		out.Path = d.Position.OldPath
	}
	return out
}

// NoteDrafts implements [codehost.NoteByNote]. GitLab shows drafts to their author only.
func (h *Host) NoteDrafts(ctx context.Context, repo codehost.Repo, number int) ([]codehost.NoteDraft, error) {
	const op = "list draft notes"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	out, whole, err := listAll(ctx, h, op, codehost.MaxNotes, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.DraftNote, *sdk.Response, error) {
		return c.DraftNotes.ListDraftNotes(repo.FullName(), int64(number), &sdk.ListDraftNotesOptions{ListOptions: page}, with)
	}, func(d *sdk.DraftNote) (out codehost.NoteDraft, wanted bool) {
		if d == nil || d.ID <= 0 {
			return out, false
		}
		return noteDraft(d), true
	})
	if err == nil && !whole {
		err = tooMany(op)
	}
	return out, err
}

func tooMany(op string) error { return wire.TooMany(op, codehost.MaxNotes, "comments") }

// PublishNote implements [codehost.NoteByNote]. It publishes one draft by its id, never all, because that
// would include drafts of a person with the same account (gitlab-org/gitlab#396965). GitLab creates a note
// with another id, which the answer omits, and deletes the draft
// (app/services/draft_notes/publish_service.rb of gitlab-org/gitlab).
func (h *Host) PublishNote(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	return h.onDraft(ctx, "publish draft note", repo, number, id, func(c *sdk.Client, n int64, with sdk.RequestOptionFunc) error {
		_, err := c.DraftNotes.PublishDraftNote(repo.FullName(), int64(number), n, with)
		return err
	})
}

// EditNoteDraft implements [codehost.NoteByNote]. It edits only conversation drafts, because an edit
// without a position removes the position of a draft (lib/api/draft_notes.rb of gitlab-org/gitlab).
func (h *Host) EditNoteDraft(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	const op = "edit draft note"
	text := body.String()
	if err := wire.CheckText(op, text, h.Capabilities().MaxBody); err != nil {
		return err
	}
	return h.onDraft(ctx, op, repo, number, id, func(c *sdk.Client, n int64, with sdk.RequestOptionFunc) error {
		_, _, err := c.DraftNotes.UpdateDraftNote(repo.FullName(), int64(number), n, &sdk.UpdateDraftNoteOptions{Note: &text}, with)
		return err
	})
}

// DeleteNoteDraft implements [codehost.NoteByNote].
func (h *Host) DeleteNoteDraft(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	err := h.onDraft(ctx, "delete draft note", repo, number, id, func(c *sdk.Client, n int64, with sdk.RequestOptionFunc) error {
		_, err := c.DraftNotes.DeleteDraftNote(repo.FullName(), int64(number), n, with)
		return err
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

func (h *Host) onDraft(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID,
	fn func(*sdk.Client, int64, sdk.RequestOptionFunc) error) error {
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	n, err := wire.NumberOfID(op, id)
	if err != nil {
		return err
	}
	return h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error { return fn(c, n, with) })
}

// discussions lists the discussions of a merge request, oldest first.
func (h *Host) discussions(ctx context.Context, op string, repo codehost.Repo, number int) ([]*sdk.Discussion, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	list, whole, err := listAll(ctx, h, op, codehost.MaxNotes, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.Discussion, *sdk.Response, error) {
		return c.Discussions.ListMergeRequestDiscussions(repo.FullName(), int64(number),
			&sdk.ListMergeRequestDiscussionsOptions{ListOptions: page}, with)
	}, func(d *sdk.Discussion) (*sdk.Discussion, bool) {
		if d == nil || len(d.Notes) == 0 {
			return d, false
		}
		d.Notes = append(d.Notes[:1], slices.DeleteFunc(d.Notes[1:], func(n *sdk.Note) bool { return n == nil || n.System })...)
		return d, true
	})
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, tooMany(op)
	}
	return list, nil
}

// Notes implements [codehost.NoteByNote].
func (h *Host) Notes(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Comment, error) {
	const op = "list notes"
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.discussions(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Comment
	for _, d := range list {
		if d == nil {
			continue
		}
		for _, n := range d.Notes {
			if n != nil && !n.System && n.Author.ID == self.id {
				out = append(out, self.comment(number, d.ID, n, h.pullURL(repo, number)))
			}
		}
	}
	return out, nil
}

// pullURL returns the page of a merge request.
func (h *Host) pullURL(repo codehost.Repo, number int) string {
	return fmt.Sprintf("%s/%s/-/merge_requests/%d", h.instance.Base, repo.FullName(), number)
}
