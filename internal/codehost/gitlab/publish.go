package gitlab

import (
	"context"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// review converts a note of the conversation to a review.
func (a account) review(number int, discussion string, n *sdk.Note, url string) codehost.Review {
	c := a.comment(number, discussion, n, url)
	return codehost.Review{ID: c.ID, State: codehost.ReviewSubmitted, Body: c.Body, URL: c.URL, Mine: c.Mine}
}

// Reviews implements [codehost.Publisher] with the conversation comments of all accounts, oldest first,
// without commits. They include comments in threads of the conversation, because since 18.x a draft without
// a place becomes one (app/models/draft_note.rb of gitlab-org/gitlab, type).
func (h *Host) Reviews(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Review, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.discussions(ctx, "list comments", repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Review
	for _, d := range list {
		if d == nil || len(d.Notes) == 0 || d.Notes[0] == nil || d.Notes[0].System || d.Notes[0].Position != nil ||
			string(d.Notes[0].Type) == noteOnLines {
			continue
		}
		out = append(out, self.review(number, d.ID, d.Notes[0], h.pullURL(repo, number)))
	}
	return out, nil
}

// note reads one note.
func (h *Host) note(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID) (noteID, *sdk.Note, error) {
	if err := checkPull(op, repo, number); err != nil {
		return noteID{}, nil, err
	}
	at, err := parseNote(op, id)
	if err != nil {
		return noteID{}, nil, err
	}
	if at.number != number {
		return noteID{}, nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the comment is of another merge request"}
	}
	var n *sdk.Note
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		n, _, err = c.Notes.GetMergeRequestNote(repo.FullName(), int64(number), at.note, with)
		return err
	})
	if err != nil {
		return noteID{}, nil, err
	}
	if n.ID != at.note {
		return noteID{}, nil, unexpected(op, "the answer is not the comment")
	}
	return at, n, nil
}

// Review implements [codehost.Publisher] with a comment of the conversation.
func (h *Host) Review(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Review, error) {
	const op = "read comment"
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Review{}, err
	}
	at, n, err := h.note(ctx, op, repo, number, id)
	if err != nil {
		return codehost.Review{}, err
	}
	if n.System || n.Position != nil {
		return codehost.Review{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not a comment of the conversation"}
	}
	return self.review(number, at.discussion, n, h.pullURL(repo, number)), nil
}

// EditReview implements [codehost.Publisher].
func (h *Host) EditReview(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	const op = "edit comment of the conversation"
	at, err := parseNote(op, id)
	if err == nil && at.number != number {
		err = &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the comment is of another merge request"}
	}
	if err != nil {
		return err
	}
	return h.edit(ctx, op, repo, at, body, h.Capabilities().MaxBody)
}

// EditComment implements [codehost.Publisher].
func (h *Host) EditComment(ctx context.Context, repo codehost.Repo, id domain.HostID, body markdown.Text) error {
	const op = "edit comment"
	at, err := parseNote(op, id)
	if err != nil {
		return err
	}
	return h.edit(ctx, op, repo, at, body, h.Capabilities().MaxComment)
}

// edit replaces the text of a note.
func (h *Host) edit(ctx context.Context, op string, repo codehost.Repo, at noteID, body markdown.Text, most int) error {
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	text := body.String()
	if err := wire.CheckText(op, text, most); err != nil {
		return err
	}
	return h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		_, _, err := c.Notes.UpdateMergeRequestNote(repo.FullName(), int64(at.number), at.note,
			&sdk.UpdateMergeRequestNoteOptions{Body: &text}, with)
		return err
	})
}

// ReviewComments implements [codehost.Publisher] with all inline comments of the account. GitLab does not
// group comments by review; the marks in their texts do.
func (h *Host) ReviewComments(ctx context.Context, repo codehost.Repo, number int, _ domain.HostID) ([]codehost.Comment, error) {
	list, err := h.Notes(ctx, repo, number)
	if err != nil {
		return nil, err
	}
	var out []codehost.Comment
	for _, c := range list {
		if c.Path != "" {
			out = append(out, c)
		}
	}
	return out, nil
}
