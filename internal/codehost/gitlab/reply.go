package gitlab

import (
	"context"
	"slices"
	"time"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// discussionOf returns the discussion of a spot, or "" for the conversation.
func discussionOf(op string, at codehost.Spot) (string, error) {
	if at.Thread == "" {
		return "", nil
	}
	n, err := parseNote(op, at.Thread)
	if err != nil {
		return "", err
	}
	if n.number != at.Number {
		return "", &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the thread is of another merge request"}
	}
	return n.discussion, nil // "" for a note of the conversation, where the answer goes, too
}

// Reply implements [codehost.Publisher].
func (h *Host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	const op = "reply"
	if err := checkPull(op, repo, at.Number); err != nil {
		return codehost.Comment{}, err
	}
	discussion, err := discussionOf(op, at)
	if err != nil {
		return codehost.Comment{}, err
	}
	text := body.String()
	if err := wire.CheckText(op, text, h.Capabilities().MaxComment); err != nil {
		return codehost.Comment{}, err
	}
	var made *sdk.Note
	err = h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		if discussion == "" {
			made, _, err = c.Notes.CreateMergeRequestNote(repo.FullName(), int64(at.Number), &sdk.CreateMergeRequestNoteOptions{Body: &text}, with)
		} else {
			made, _, err = c.Discussions.AddMergeRequestDiscussionNote(repo.FullName(), int64(at.Number), discussion,
				&sdk.AddMergeRequestDiscussionNoteOptions{Body: &text}, with)
		}
		return err
	})
	switch {
	case err != nil:
		return codehost.Comment{}, err
	case made.ID <= 0: // a text with quick actions only leaves no comment
		return codehost.Comment{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	out := account{}.comment(at.Number, discussion, made, h.pullURL(repo, at.Number))
	out.Mine = true
	return out, nil
}

// Replies implements [codehost.Publisher]. The comments of the conversation come newest first, so that
// older ones are not read.
func (h *Host) Replies(ctx context.Context, repo codehost.Repo, at codehost.Spot, since time.Time) ([]codehost.Comment, error) {
	const op = "list replies"
	if err := checkPull(op, repo, at.Number); err != nil {
		return nil, err
	}
	discussion, err := discussionOf(op, at)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	var notes []*sdk.Note
	if discussion == "" {
		notes, err = h.notesSince(ctx, op, repo, at.Number, since)
	} else {
		var d *sdk.Discussion
		err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
			d, _, err = c.Discussions.GetMergeRequestDiscussion(repo.FullName(), int64(at.Number), discussion, with)
			return err
		})
		if err == nil && len(d.Notes) > 0 {
			notes = d.Notes[1:]
		}
	}
	if err != nil {
		return nil, err
	}
	var out []codehost.Comment
	for _, n := range notes {
		if n != nil && !n.System && (n.CreatedAt == nil || !n.CreatedAt.Before(since)) && (discussion != "" || n.Position == nil) {
			out = append(out, self.comment(at.Number, discussion, n, h.pullURL(repo, at.Number)))
		}
	}
	return out, nil
}

// notesSince lists the notes of the conversation since a time, oldest first.
func (h *Host) notesSince(ctx context.Context, op string, repo codehost.Repo, number int, since time.Time) ([]*sdk.Note, error) {
	list, whole, err := listAll(ctx, h, op, codehost.MaxNotes, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.Note, *sdk.Response, error) {
		list, resp, err := c.Notes.ListMergeRequestNotes(repo.FullName(), int64(number),
			&sdk.ListMergeRequestNotesOptions{ListOptions: page, OrderBy: sdk.Ptr("created_at"), Sort: sdk.Ptr("desc")}, with)
		if n := len(list); err == nil && n > 0 && list[n-1] != nil && list[n-1].CreatedAt != nil && list[n-1].CreatedAt.Before(since) {
			resp = nil // later pages are older
		}
		return list, resp, err
	}, func(n *sdk.Note) (*sdk.Note, bool) { return n, n != nil && string(n.Type) == "" })
	if err == nil && !whole {
		err = tooMany(op)
	}
	slices.Reverse(list)
	return list, err
}

// EditReply implements [codehost.Publisher]. The host numbers all comments of a pull request together.
func (h *Host) EditReply(ctx context.Context, repo codehost.Repo, _ codehost.Spot, id domain.HostID, body markdown.Text) error {
	return h.EditComment(ctx, repo, id, body)
}
