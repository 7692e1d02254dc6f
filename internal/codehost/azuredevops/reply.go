package azuredevops

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Reply implements [codehost.Publisher]. An answer in a thread keeps its mark in the text, because only threads have properties.
func (h *Host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	const op = "reply"
	if err := checkPull(op, repo, at.Number); err != nil {
		return codehost.Comment{}, err
	}
	if err := wire.CheckText(op, body.String(), h.Capabilities().MaxComment); err != nil {
		return codehost.Comment{}, err
	}
	if at.Thread == "" {
		return h.begin(ctx, op, repo, at.Number, newThreadOf(body))
	}
	to, err := commentOf(op, at.Number, at.Thread)
	if err != nil {
		return codehost.Comment{}, err
	}
	var made commentRef
	err = h.write(ctx, op, request{method: http.MethodPost, path: to.threadPath(repo) + "/comments",
		body: newComment{Parent: to.comment, Content: body.String(), Type: "text"}}, &made)
	switch {
	case err != nil:
		return codehost.Comment{}, err
	case made.ID <= 0:
		return codehost.Comment{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	out := h.comment(account{}, repo, at.Number, threadRef{ID: to.thread}, made)
	out.Mine = true
	return out, nil
}

// Replies implements [codehost.Publisher].
func (h *Host) Replies(ctx context.Context, repo codehost.Repo, at codehost.Spot, since time.Time) (out []codehost.Comment, err error) {
	const op = "list replies"
	if err := checkPull(op, repo, at.Number); err != nil {
		return nil, err
	}
	recent := func(c commentRef) bool {
		written := timeOf(c.Published)
		return c.isShown() && (written.IsZero() || !written.Before(since.Truncate(time.Second)))
	}
	if at.Thread == "" {
		self, list, err := h.ownThreads(ctx, op, repo, at.Number)
		for _, t := range list {
			if t.Place == nil && recent(t.Comments[0]) {
				out = append(out, h.comment(self, repo, at.Number, t, t.Comments[0]))
			}
		}
		return out, err
	}
	to, err := commentOf(op, at.Number, at.Thread)
	if err != nil {
		return nil, err
	}
	var t threadRef
	if err := h.read(ctx, op, request{path: to.threadPath(repo)}, &t); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx, repo.Owner)
	for i, c := range t.Comments {
		if i > 0 && recent(c) {
			out = append(out, h.comment(self, repo, at.Number, t, c))
		}
	}
	return out, err
}

// Comment implements [codehost.Reader].
func (h *Host) Comment(ctx context.Context, repo codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	const op = "read back comment"
	if err := checkPull(op, repo, told.Number); err != nil {
		return codehost.EventComment{}, err
	}
	at, err := commentOf(op, told.Number, told.ID)
	if err != nil {
		return codehost.EventComment{}, codehost.NoComment(op)
	}
	t, c, err := h.thread(ctx, op, repo, at)
	if err != nil {
		return codehost.EventComment{}, err
	}
	out := codehost.EventComment{ID: told.ID, Body: c.Content, Author: c.Author.UniqueName, AuthorID: guid(c.Author.ID),
		AuthorIsBot: c.Author.isBot(), OnPullRequest: true, Number: at.number, Inline: t.Place != nil,
		Edited: codehost.IsEdited(timeOf(c.Published), timeOf(c.Changed))}
	if first := t.Comments[0]; first.ID != c.ID {
		out.InReplyTo, out.Threaded = commentID{at.number, t.ID, first.ID}.id(), t.Place == nil
	}
	return out, nil
}

// Threads implements [codehost.Reader]. The host moves places to the newest iteration.
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Thread, err error) {
	const op = "list threads"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	list, err := h.iterations(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	threads, err := h.threads(ctx, op, repo, number, list[len(list)-1].ID)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx, repo.Owner)
	if err != nil {
		return nil, err
	}
	for _, t := range slices.Backward(threads) {
		c, ok := t.begins()
		if !ok || t.Place == nil || !t.open() || len(out) == codehost.MaxThreads {
			continue
		}
		path, side, first, last := t.Place.span()
		if last <= 0 {
			continue
		}
		x := codehost.Thread{Path: path, Side: side, StartLine: first, Line: last, Author: c.Author.UniqueName, Body: c.Content,
			Mine: guid(c.Author.ID) == self.id}
		x.Bot = x.Mine || c.Author.isBot()
		if x, fits := x.Bounded(); fits {
			out = append(out, x)
		}
	}
	return out, nil
}

// ClosedThreads implements [codehost.Reader]. The interface does not tell who closed a thread.
func (*Host) ClosedThreads(context.Context, codehost.Repo, int, []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	return nil, nil
}

// SetResolved implements [codehost.Resolver].
func (h *Host) SetResolved(ctx context.Context, repo codehost.Repo, number int, comment domain.HostID, resolved bool) error {
	const op = "resolve thread"
	if err := checkPull(op, repo, number); err != nil {
		return err
	}
	at, err := commentOf(op, number, comment)
	if err != nil {
		return err
	}
	status := "active"
	if resolved {
		status = "fixed"
	}
	return h.write(ctx, op, request{method: http.MethodPatch, path: at.threadPath(repo), body: map[string]string{"status": status}}, nil)
}
