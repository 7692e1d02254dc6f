package bitbucketserver

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// newComment is the body of a comment to make or change.
type newComment struct {
	Text   string     `json:"text,omitempty"`
	State  string     `json:"state,omitempty"`
	Anchor *newAnchor `json:"anchor,omitempty"`
	Parent *parent    `json:"parent,omitempty"`

	// These belong to a change.
	Version  *int  `json:"version,omitempty"`
	Resolved *bool `json:"threadResolved,omitempty"`
}

type parent struct {
	ID int64 `json:"id"`
}

// DraftNote implements [codehost.NoteByNote] with a pending comment (the description, POST Q/comments: "Add a
// pending comment"). A host that ignores the state makes the comment visible at once. Then NoteDrafts lacks it, so
// as long as no answer has shown that the host keeps comments pending, DraftNote first looks for our visible
// comment with this text and place.
func (h *Host) DraftNote(ctx context.Context, repo codehost.Repo, number int, commit string,
	note codehost.DraftComment) (codehost.NoteDraft, error) {
	const op = "create draft note"
	if err := checkPull(op, repo, number); err != nil {
		return codehost.NoteDraft{}, err
	}
	if err := wire.CheckNote(op, h.Capabilities(), commit, note); err != nil {
		return codehost.NoteDraft{}, err
	}
	in := newComment{Text: note.Body.String(), State: "PENDING"}
	if note.Path != "" {
		at, err := h.anchorOf(ctx, op, repo, number, commit, note)
		if err != nil {
			return codehost.NoteDraft{}, err
		}
		in.Anchor = at
	}
	out := codehost.NoteDraft{Body: in.Text, Path: note.Path, Side: note.Side, Line: note.Line}
	if note.Path != "" {
		out.Commit = commit
	}
	if !h.keepsPending() {
		visible, err := h.Notes(ctx, repo, number)
		if err != nil {
			return codehost.NoteDraft{}, err
		}
		for _, c := range visible {
			if c.Body == in.Text && c.Path == note.Path && c.Side == note.Side && c.Line == note.Line {
				out.ID = c.ID
				return out, nil
			}
		}
	}
	made, err := h.post(ctx, op, repo, number, in)
	if err != nil {
		return codehost.NoteDraft{}, err
	}
	pending := made.isPending()
	h.known.mu.Lock()
	h.known.pending = &pending
	h.known.mu.Unlock()
	out.ID = wire.JoinNumbers(number, made.ID)
	return out, nil
}

// keepsPending reports whether an answer has shown that the host keeps comments pending.
func (h *Host) keepsPending() bool {
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	return h.known.pending != nil && *h.known.pending
}

// post makes a comment.
func (h *Host) post(ctx context.Context, op string, repo codehost.Repo, number int, in newComment) (*comment, error) {
	var made comment
	if err := h.client.Send(ctx, op, http.MethodPost, pullPath(repo, number)+"/comments", in, &made); err != nil {
		return nil, err
	}
	if made.ID <= 0 {
		return nil, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	return &made, nil
}

// NoteDrafts implements [codehost.NoteByNote] with the pending comments, which the host shows to their author only
// (the description, GET Q/review). They have ascending ids.
func (h *Host) NoteDrafts(ctx context.Context, repo codehost.Repo, number int) ([]codehost.NoteDraft, error) {
	return h.pendingNotes(ctx, "list draft notes", repo, number)
}

func (h *Host) pendingNotes(ctx context.Context, op string, repo codehost.Repo, number int) ([]codehost.NoteDraft, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	threads, err := all(ctx, h, op, pullPath(repo, number)+"/review", "comments", codehost.MaxNotes, keepComment)
	if err != nil {
		return nil, err
	}
	var out []codehost.NoteDraft
	for _, root := range threads {
		for _, c := range flat(root) {
			if !c.isPending() {
				continue // a visible comment with a pending answer
			}
			d := codehost.NoteDraft{ID: wire.JoinNumbers(number, c.ID), Body: c.Text}
			if a := c.Anchor; a != nil && a.Line > 0 {
				d.Side, _, d.Line = a.side()
				d.Path, d.Commit = a.path(), a.ToHash
			}
			out = append(out, d)
		}
	}
	sortByNote(out)
	return out, nil
}

// PublishNote implements [codehost.NoteByNote]. The host has one call, which makes every pending comment of the
// account visible (the description, PUT Q/review), so callers delete leftovers first; see
// [codehost.Capabilities.AbsorbsDrafts]. The comments keep their ids.
func (h *Host) PublishNote(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	const op = "publish draft note"
	if _, err := wire.NoteOf(op, number, id); err != nil {
		return err
	}
	drafts, err := h.pendingNotes(ctx, op, repo, number)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if d.ID == id {
			return h.client.Send(ctx, op, http.MethodPut, pullPath(repo, number)+"/review", struct{}{}, nil)
		}
	}
	return notFound(op, "the comment is not pending")
}

// EditNoteDraft implements [codehost.NoteByNote].
func (h *Host) EditNoteDraft(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	const op = "edit draft note"
	if err := wire.CheckText(op, body.String(), h.Capabilities().MaxBody); err != nil {
		return err
	}
	return h.onDraft(ctx, op, repo, number, id, func(n wire.NoteID, version int) error {
		return h.client.Send(ctx, op, http.MethodPut, notePath(repo, n), newComment{Text: body.String(), Version: &version}, nil)
	})
}

// DeleteNoteDraft implements [codehost.NoteByNote].
func (h *Host) DeleteNoteDraft(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	const op = "delete draft note"
	err := h.onDraft(ctx, op, repo, number, id, func(n wire.NoteID, version int) error {
		return h.client.Send(ctx, op, http.MethodDelete, notePath(repo, n)+"?version="+itoa(version), nil, nil)
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// onDraft changes a pending comment. A comment that is visible is not found.
func (h *Host) onDraft(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID,
	change func(n wire.NoteID, version int) error) error {
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	n, err := wire.NoteOf(op, number, id)
	if err != nil {
		return err
	}
	return h.atVersion(ctx, op, repo, n, func(c *comment) error {
		if !c.isPending() {
			return notFound(op, "the comment is not pending")
		}
		return change(n, c.Version)
	})
}

// maxVersions is the most times that a change is tried whose version another change overtook.
const maxVersions = 3

// atVersion reads a comment and changes it. The host refuses a change of another version than the present one with
// 409, and has then done nothing, so atVersion reads the comment again.
func (h *Host) atVersion(ctx context.Context, op string, repo codehost.Repo, n wire.NoteID, change func(*comment) error) (err error) {
	for range maxVersions {
		var c *comment
		if c, err = h.readComment(ctx, op, repo, n); err != nil {
			return err
		}
		if err = change(c); codehost.ClassOf(err) != codehost.ClassStale {
			return err
		}
	}
	return err
}

// readComment reads a comment, pending or visible, with its answers.
func (h *Host) readComment(ctx context.Context, op string, repo codehost.Repo, n wire.NoteID) (*comment, error) {
	var c comment
	if err := h.client.Get(ctx, op, notePath(repo, n), &c); err != nil {
		return nil, err
	}
	if c.ID != n.Note {
		return nil, unexpected(op, "the answer is not the comment")
	}
	return &c, nil
}
