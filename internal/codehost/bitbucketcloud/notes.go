package bitbucketcloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

var _ codehost.MarkedNotes = (*Host)(nil)

var userRequest = wire.Request{Method: http.MethodGet, Address: "/user"}

// newComment is the body of a comment to write. The host also takes the field "pending". It keeps such a comment for its author until a
// person finishes the review on the page (gildas/bitbucket-cli#106). The interface has no call for that, so assay never sets the field.
type newComment struct {
	Content content `json:"content"`
	Inline  *place  `json:"inline,omitempty"`
	Parent  *parent `json:"parent,omitempty"`
}

// CreateNote implements [codehost.MarkedNotes]. The host places a comment in the present diff and takes any line, so CreateNote checks
// the place first; that error has no HTTP status.
func (h *Host) CreateNote(ctx context.Context, repo codehost.Repo, number int, commit string,
	note codehost.DraftComment) (codehost.Comment, error) {
	const op = "create comment"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return codehost.Comment{}, err
	}
	if err := wire.CheckNote(op, h.Capabilities(), commit, note); err != nil {
		return codehost.Comment{}, err
	}
	in := newComment{Content: content{note.Body.String()}}
	if note.Path != "" {
		if err := h.checkPlace(ctx, op, repo, number, commit, note); err != nil {
			return codehost.Comment{}, err
		}
		in.Inline = placeOf(note)
	}
	return h.post(ctx, op, repo, number, in)
}

// placeOf returns the place of a comment. A range has the number of its first line, too.
func placeOf(note codehost.DraftComment) *place {
	out := &place{Path: note.Path}
	line, start := &note.Line, &note.StartLine
	if note.StartLine == 0 || note.StartLine == note.Line {
		start = nil
	}
	if note.Side == string(domain.Left) {
		out.From, out.StartFrom = line, start
	} else {
		out.To, out.StartTo = line, start
	}
	return out
}

// post writes a comment.
func (h *Host) post(ctx context.Context, op string, repo codehost.Repo, number int, in newComment) (codehost.Comment, error) {
	var made comment
	if err := h.client.Send(ctx, op, http.MethodPost, pullPath(repo, number)+"/comments", in, &made); err != nil {
		return codehost.Comment{}, err
	}
	if made.ID <= 0 {
		return codehost.Comment{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	h.learnAccount(made.User)
	out := account{}.comment(number, &made)
	out.Mine = true
	return out, nil
}

// comments lists the comments that people see, oldest first.
func (h *Host) comments(ctx context.Context, op string, repo codehost.Repo, number int) ([]*comment, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	return all(ctx, h, op, pullPath(repo, number)+"/comments?pagelen=100", "comments", codehost.MaxNotes, func(c *comment) (*comment, bool) {
		return c, c != nil && c.isShown()
	})
}

// read reads a comment that people see.
func (h *Host) readComment(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID) (*comment, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	at, err := wire.NoteOf(op, number, id)
	if err != nil {
		return nil, err
	}
	var c comment
	if err := h.client.Get(ctx, op, commentPath(repo, at), &c); err != nil {
		return nil, err
	}
	switch {
	case c.ID != at.Note:
		return nil, unexpected(op, "the answer is not the comment")
	case !c.isShown() || c.Pull != nil && c.Pull.ID != number:
		return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the comment was deleted"}
	}
	return &c, nil
}

func commentPath(repo codehost.Repo, at wire.NoteID) string {
	return fmt.Sprintf("%s/comments/%d", pullPath(repo, at.Number), at.Note)
}

// Note implements [codehost.MarkedNotes].
func (h *Host) Note(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Comment, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Comment{}, err
	}
	c, err := h.readComment(ctx, "read comment", repo, number, id)
	if err != nil {
		return codehost.Comment{}, err
	}
	return self.comment(number, c), nil
}

// Notes implements [codehost.MarkedNotes].
func (h *Host) Notes(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Comment, err error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.comments(ctx, "list comments", repo, number)
	if err != nil {
		return nil, err
	}
	roots, answered := rootsOf(list), map[int64]bool{}
	for _, c := range list {
		if c.Parent != nil {
			answered[roots[c.ID]] = true
		}
	}
	for _, c := range list {
		if c.Parent == nil {
			note := self.comment(number, c)
			note.Answered = answered[c.ID]
			out = append(out, note)
		}
	}
	return out, nil
}

// rootsOf returns the first comment of the thread of each comment. An answer to an answer names the latter. If the list lacks a parent,
// as a deleted one, the thread begins with the id of that parent.
func rootsOf(list []*comment) map[int64]int64 {
	parents, roots := map[int64]int64{}, map[int64]int64{}
	for _, c := range list {
		if c.Parent != nil {
			parents[c.ID] = c.Parent.ID
		}
	}
	for _, c := range list {
		root := c.ID
		for range list { // a circle ends, too
			up, found := parents[root]
			if !found {
				break
			}
			if known, found := roots[up]; found {
				root = known
				break
			}
			root = up
		}
		roots[c.ID] = root
	}
	return roots
}

// DeleteNote implements [codehost.MarkedNotes]. It reads the comment first, because an administrator's token can delete the comments of
// other accounts.
func (h *Host) DeleteNote(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	const op = "delete comment"
	self, err := h.ownAccount(ctx)
	if err != nil {
		return err
	}
	c, err := h.readComment(ctx, op, repo, number, id)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return nil
	case err != nil:
		return err
	case !self.is(c.User):
		return codehost.Refused(op, "the comment is that of another account")
	}
	return gone(h.client.Send(ctx, op, http.MethodDelete, commentPath(repo, wire.NoteID{Number: number, Note: c.ID}), nil, nil))
}

// gone returns nil for an object that is not there.
func gone(err error) error {
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

func (a account) review(number int, c *comment) codehost.Review {
	note := a.comment(number, c)
	return codehost.Review{ID: note.ID, State: codehost.ReviewSubmitted, Body: note.Body, URL: note.URL, Mine: note.Mine}
}

// Reviews implements [codehost.Publisher] with the comments of the conversation, of all accounts, oldest first, without answers.
func (h *Host) Reviews(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Review, err error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.comments(ctx, "list comments", repo, number)
	for _, c := range list {
		if c.Parent == nil && c.Inline == nil {
			out = append(out, self.review(number, c))
		}
	}
	return out, err
}

// Review implements [codehost.Publisher] with a comment of the conversation.
func (h *Host) Review(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Review, error) {
	const op = "read comment"
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Review{}, err
	}
	c, err := h.readComment(ctx, op, repo, number, id)
	if err != nil {
		return codehost.Review{}, err
	}
	if c.Inline != nil || c.Parent != nil {
		return codehost.Review{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not a comment of the conversation"}
	}
	return self.review(number, c), nil
}

// ReviewComments implements [codehost.Publisher] with all inline comments of the account, because the host does not group comments.
func (h *Host) ReviewComments(ctx context.Context, repo codehost.Repo, number int, _ domain.HostID) (out []codehost.Comment, err error) {
	list, err := h.Notes(ctx, repo, number)
	for _, c := range list {
		if c.Mine && c.Path != "" {
			out = append(out, c)
		}
	}
	return out, err
}

// EditReview implements [codehost.Publisher].
func (h *Host) EditReview(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	return h.edit(ctx, "edit comment of the conversation", repo, number, id, body)
}

// EditComment implements [codehost.Publisher].
func (h *Host) EditComment(ctx context.Context, repo codehost.Repo, id domain.HostID, body markdown.Text) error {
	return h.edit(ctx, "edit comment", repo, 0, id, body)
}

// EditReply implements [codehost.Publisher].
func (h *Host) EditReply(ctx context.Context, repo codehost.Repo, at codehost.Spot, id domain.HostID, body markdown.Text) error {
	return h.edit(ctx, "edit reply", repo, at.Number, id, body)
}

// edit replaces the text of a comment of a pull request, or of any pull request if number is 0.
func (h *Host) edit(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	at, err := wire.NoteOf(op, number, id)
	if err = errors.Join(err, wire.CheckRepo(op, repo), wire.CheckText(op, body.String(), h.Capabilities().MaxBody)); err != nil {
		return err
	}
	return h.client.Send(ctx, op, http.MethodPut, commentPath(repo, at), newComment{Content: content{body.String()}}, nil)
}

// Reply implements [codehost.Publisher]. An answer in a thread names the first comment of the thread.
func (h *Host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	const op = "reply"
	if err := wire.CheckPull(op, repo, at.Number); err != nil {
		return codehost.Comment{}, err
	}
	in := newComment{Content: content{body.String()}}
	if at.Thread != "" {
		n, err := wire.NoteOf(op, at.Number, at.Thread)
		if err != nil {
			return codehost.Comment{}, err
		}
		in.Parent = &parent{n.Note}
	}
	if err := wire.CheckText(op, in.Content.Raw, h.Capabilities().MaxComment); err != nil {
		return codehost.Comment{}, err
	}
	return h.post(ctx, op, repo, at.Number, in)
}

// Replies implements [codehost.Publisher].
func (h *Host) Replies(ctx context.Context, repo codehost.Repo, at codehost.Spot, since time.Time) (out []codehost.Comment, err error) {
	const op = "list replies"
	var thread wire.NoteID
	if at.Thread != "" {
		if thread, err = wire.NoteOf(op, at.Number, at.Thread); err != nil {
			return nil, err
		}
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.comments(ctx, op, repo, at.Number)
	if err != nil {
		return nil, err
	}
	roots, inline := rootsOf(list), map[int64]bool{}
	for _, c := range list {
		inline[c.ID] = c.Inline != nil
	}
	for _, c := range list {
		here := roots[c.ID] == thread.Note || roots[thread.Note] != 0 && roots[c.ID] == roots[thread.Note]
		if thread.Note == 0 {
			here = !inline[roots[c.ID]] && c.Inline == nil
		}
		if here && c.ID != thread.Note && (c.CreatedOn == nil || !c.CreatedOn.Before(since)) {
			out = append(out, self.comment(at.Number, c))
		}
	}
	return out, nil
}
