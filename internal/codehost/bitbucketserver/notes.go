package bitbucketserver

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

func keepComment(c *comment) (*comment, bool) { return c, c != nil && c.ID > 0 }

// maxAnswers is the deepest nesting of answers that is read.
const maxAnswers = 50

// flat returns a comment and the answers below it.
func flat(root *comment) []*comment {
	out, level := []*comment{root}, []*comment{root}
	for range maxAnswers {
		var below []*comment
		for _, c := range level {
			for _, a := range c.Answers {
				if a != nil && a.ID > 0 {
					below = append(below, a)
				}
			}
		}
		if len(below) == 0 || len(out)+len(below) > codehost.MaxNotes {
			break
		}
		out, level = append(out, below...), below
	}
	return out
}

func sortByNote(list []codehost.NoteDraft) {
	slices.SortFunc(list, func(a, b codehost.NoteDraft) int {
		x, _ := wire.NoteOf("", 0, a.ID)
		y, _ := wire.NoteOf("", 0, b.ID)
		return int(x.Note - y.Note)
	})
}

// threads lists the first comments of the visible threads of a pull request, oldest first, with their answers. The
// host lists the whole history (the description, GET Q/activities), newest first.
func (h *Host) threads(ctx context.Context, op string, repo codehost.Repo, number int) ([]*comment, error) {
	out, whole, err := h.threadsWhile(ctx, op, repo, number, func(page[*activity]) bool { return true })
	if err == nil && !whole {
		err = wire.TooMany(op, codehost.MaxNotes, "comments")
	}
	return out, err
}

func (h *Host) threadsWhile(ctx context.Context, op string, repo codehost.Repo, number int,
	more func(page[*activity]) bool) (out []*comment, whole bool, err error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, false, err
	}
	seen := map[int64]bool{} // a list that moves between pages may name one twice
	out, whole, err = listWhile(ctx, h, op, pullPath(repo, number)+"/activities", codehost.MaxNotes, func(a *activity) (*comment, bool) {
		c := a.thread()
		if c == nil || c.isPending() || seen[c.ID] {
			return nil, false
		}
		seen[c.ID] = true
		return c, true
	}, more)
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(out, func(a, b *comment) int { return int(a.ID - b.ID) })
	return out, whole, nil
}

// shown converts a comment.
func (a account) shown(h *Host, repo codehost.Repo, number int, c *comment) codehost.Comment {
	at := wire.NoteID{Number: number, Note: c.ID}
	out := codehost.Comment{ID: at.ID(), Body: c.Text, Mine: a.id > 0 && c.Author.ID == a.id,
		URL: h.webRepo(repo) + "/pull-requests/" + itoa(number) + "/overview?commentId=" + string(domain.NumberID(c.ID))}
	if c.Anchor != nil && c.Anchor.Line > 0 {
		out.Side, _, out.Line = c.Anchor.side()
		out.Path, out.Open = c.Anchor.path(), !c.isClosed()
	}
	return out
}

// Notes implements [codehost.NoteByNote]. It leaves out answers in threads.
func (h *Host) Notes(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Comment, err error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.threads(ctx, "list notes", repo, number)
	for _, c := range list {
		if c.Author.ID == self.id {
			out = append(out, self.shown(h, repo, number, c))
		}
	}
	return out, err
}

func (a account) review(h *Host, repo codehost.Repo, number int, c *comment) codehost.Review {
	n := a.shown(h, repo, number, c)
	return codehost.Review{ID: n.ID, State: codehost.ReviewSubmitted, Body: n.Body, URL: n.URL, Mine: n.Mine}
}

// Reviews implements [codehost.Publisher] with the comments of the conversation of all accounts, oldest first,
// without answers and commits.
func (h *Host) Reviews(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Review, err error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.threads(ctx, "list comments", repo, number)
	for _, c := range list {
		if c.Anchor == nil {
			out = append(out, self.review(h, repo, number, c))
		}
	}
	return out, err
}

// Review implements [codehost.Publisher] with a comment of the conversation.
func (h *Host) Review(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Review, error) {
	const op = "read comment"
	if err := checkPull(op, repo, number); err != nil {
		return codehost.Review{}, err
	}
	at, err := wire.NoteOf(op, number, id)
	if err != nil {
		return codehost.Review{}, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Review{}, err
	}
	c, err := h.readComment(ctx, op, repo, at)
	if err != nil {
		return codehost.Review{}, err
	}
	if c.Anchor != nil || c.isPending() {
		return codehost.Review{}, notFound(op, "this is not a comment of the conversation")
	}
	return self.review(h, repo, number, c), nil
}

// ReviewComments implements [codehost.Publisher] with all inline comments of the account, because the host does not
// group comments.
func (h *Host) ReviewComments(ctx context.Context, repo codehost.Repo, number int, _ domain.HostID) ([]codehost.Comment, error) {
	list, err := h.Notes(ctx, repo, number)
	return slices.DeleteFunc(list, func(c codehost.Comment) bool { return c.Path == "" }), err
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
	if err = errors.Join(err, checkRepo(op, repo), wire.CheckText(op, body.String(), h.Capabilities().MaxBody)); err != nil {
		return err
	}
	return h.atVersion(ctx, op, repo, at, func(c *comment) error {
		return h.client.Send(ctx, op, http.MethodPut, notePath(repo, at), newComment{Text: body.String(), Version: &c.Version}, nil)
	})
}

// Reply implements [codehost.Publisher].
func (h *Host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	const op = "reply"
	if err := checkPull(op, repo, at.Number); err != nil {
		return codehost.Comment{}, err
	}
	in := newComment{Text: body.String()}
	if at.Thread != "" {
		n, err := wire.NoteOf(op, at.Number, at.Thread)
		if err != nil {
			return codehost.Comment{}, err
		}
		in.Parent = &parent{n.Note}
	}
	if err := wire.CheckText(op, in.Text, h.Capabilities().MaxComment); err != nil {
		return codehost.Comment{}, err
	}
	made, err := h.post(ctx, op, repo, at.Number, in)
	if err != nil {
		return codehost.Comment{}, err
	}
	out := account{}.shown(h, repo, at.Number, made)
	out.Mine = true
	return out, nil
}

// Replies implements [codehost.Publisher]. The conversation is read newest first, so that older pages are not read.
func (h *Host) Replies(ctx context.Context, repo codehost.Repo, at codehost.Spot, since time.Time) (out []codehost.Comment, err error) {
	const op = "list replies"
	if err := checkPull(op, repo, at.Number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	var list []*comment
	if at.Thread == "" {
		list, _, err = h.threadsWhile(ctx, op, repo, at.Number, func(p page[*activity]) bool {
			if len(p.Values) == 0 {
				return false
			}
			last := p.Values[len(p.Values)-1].thread()
			return last == nil || !timeOf(last.Created).Before(since)
		})
		list = slices.DeleteFunc(list, func(c *comment) bool { return c.Anchor != nil })
	} else {
		var root *comment
		var n wire.NoteID
		if n, err = wire.NoteOf(op, at.Number, at.Thread); err == nil {
			root, err = h.readComment(ctx, op, repo, n)
		}
		if err == nil {
			list = flat(root)[1:]
		}
	}
	for _, c := range list {
		if !c.isPending() && (c.Created <= 0 || !timeOf(c.Created).Before(since)) {
			out = append(out, self.shown(h, repo, at.Number, c))
		}
	}
	return out, err
}

// maxAncestors is the most comments that are read to find the first one of a thread.
const maxAncestors = 20

// Comment implements [codehost.Reader]. It reads the comments that the comment answers, to find the first one of its
// thread.
func (h *Host) Comment(ctx context.Context, repo codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	const op = "read back comment"
	if err := checkPull(op, repo, told.Number); err != nil {
		return codehost.EventComment{}, err
	}
	at, err := wire.NoteOf(op, told.Number, told.ID)
	if err != nil {
		return codehost.EventComment{}, err
	}
	c, err := h.readComment(ctx, op, repo, at)
	if err != nil {
		return codehost.EventComment{}, err
	}
	if c.isPending() {
		return codehost.EventComment{}, codehost.NoComment(op)
	}
	out := eventComment(told.Number, c)
	out.Edited = codehost.IsEdited(timeOf(c.Created), timeOf(c.Updated))
	first := c
	for range maxAncestors {
		if first.Parent == nil || first.Parent.ID <= 0 {
			break
		}
		up := wire.NoteID{Number: told.Number, Note: first.Parent.ID}
		out.InReplyTo = up.ID()
		if first, err = h.readComment(ctx, op, repo, up); codehost.ClassOf(err) == codehost.ClassNotFound {
			return out, nil // deleted
		}
		if err != nil {
			return codehost.EventComment{}, err
		}
	}
	out.Inline = first.Anchor != nil
	out.Threaded = c.Parent != nil && !out.Inline
	return out, nil
}

// eventComment converts a comment of an answer or a webhook.
func eventComment(number int, c *comment) codehost.EventComment {
	by := c.Author.sender()
	out := codehost.EventComment{ID: wire.JoinNumbers(number, c.ID), Body: c.Text, Author: by.Login, AuthorID: by.ID, AuthorIsBot: by.IsBot,
		OnPullRequest: true, Number: number, Inline: c.Anchor != nil}
	if c.Parent != nil && c.Parent.ID > 0 {
		out.InReplyTo = wire.JoinNumbers(number, c.Parent.ID)
	}
	return out
}

// Threads implements [codehost.Reader]. A push moves comments on unchanged lines; the anchors of others are orphaned.
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Thread, err error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.threads(ctx, "list threads", repo, number)
	for _, c := range slices.Backward(list) {
		if c.Anchor == nil || c.Anchor.Line <= 0 || c.Anchor.Orphaned || c.isClosed() || len(out) == codehost.MaxThreads {
			continue
		}
		side, first, last := c.Anchor.side()
		t := codehost.Thread{Path: c.Anchor.path(), Side: side, StartLine: first, Line: last, Author: c.Author.Name, Bot: c.Author.isBot(),
			Mine: c.Author.ID == self.id, Body: c.Text}
		t.Bot = t.Bot || t.Mine
		if t, fits := t.Bounded(); fits {
			out = append(out, t)
		}
	}
	return out, err
}

// ClosedThreads implements [codehost.Reader].
func (h *Host) ClosedThreads(ctx context.Context, repo codehost.Repo, number int,
	_ []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.threads(ctx, "list closed threads", repo, number)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID]codehost.Sender{}
	for _, c := range list {
		ours := c.Anchor != nil && !c.Anchor.Orphaned && c.Author.ID == self.id
		if by := c.Resolver; ours && c.Resolved && by != nil && by.ID > 0 && by.ID != self.id {
			out[wire.JoinNumbers(number, c.ID)] = by.sender()
		}
	}
	return out, nil
}

// SetResolved implements [codehost.Resolver] (the description, PUT Q/comments/{id}). The author of the comment or of
// the pull request, and administrators of the repository, may do it.
func (h *Host) SetResolved(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, resolved bool) error {
	const op = "resolve thread"
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	at, err := wire.NoteOf(op, number, id)
	if err != nil {
		return err
	}
	return h.atVersion(ctx, op, repo, at, func(c *comment) error {
		switch {
		case c.isPending():
			return notFound(op, "the comment is not visible")
		case c.Anchor == nil:
			return codehost.Refused(op, "a comment of the conversation is not a thread")
		case c.Resolved == resolved:
			return nil
		}
		return h.client.Send(ctx, op, http.MethodPut, notePath(repo, at), newComment{Version: &c.Version, Resolved: &resolved}, nil)
	})
}
