package bitbucketcloud

import (
	"context"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Threads implements [codehost.Reader] with the first comments on lines.
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Thread, err error) {
	self, list, err := h.onLines(ctx, "list threads", repo, number)
	for _, c := range slices.Backward(list) {
		side, first, last := c.Inline.lines()
		if c.Resolution != nil || last <= 0 || len(out) == codehost.MaxThreads {
			continue
		}
		t := codehost.Thread{Path: c.Inline.Path, Side: string(side), StartLine: first, Line: last, Author: c.User.login(),
			Mine: self.is(c.User), Body: c.Content.Raw}
		t.Bot = t.Mine || c.User.isApp()
		if t, fits := t.Bounded(); fits {
			out = append(out, t)
		}
	}
	return out, err
}

// onLines returns our account and the first comments of threads on lines that no push has changed, oldest first.
func (h *Host) onLines(ctx context.Context, op string, repo codehost.Repo, number int) (self account, out []*comment, err error) {
	if self, err = h.ownAccount(ctx); err != nil {
		return self, nil, err
	}
	list, err := h.comments(ctx, op, repo, number)
	if err != nil {
		return self, nil, err
	}
	return self, slices.DeleteFunc(list, func(c *comment) bool { return c.Inline == nil || c.Parent != nil || c.Inline.Outdated }), nil
}

// ClosedThreads implements [codehost.Reader]. The host names the person in the field "resolution" of the first comment (the description,
// comment_resolution).
func (h *Host) ClosedThreads(ctx context.Context, repo codehost.Repo, number int,
	_ []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	self, list, err := h.onLines(ctx, "list closed threads", repo, number)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID]codehost.Sender{}
	for _, c := range list {
		if c.Resolution != nil && self.is(c.User) && c.Resolution.User.id() != "" && !self.is(c.Resolution.User) {
			out[wire.JoinNumbers(number, c.ID)] = c.Resolution.User.sender()
		}
	}
	return out, nil
}

// SetResolved implements [codehost.Resolver]. The host answers 409 if the thread is closed already, and 404 if a thread to open again is
// not closed, so SetResolved then looks at the comment.
func (h *Host) SetResolved(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, resolved bool) error {
	const op = "resolve thread"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	at, err := wire.NoteOf(op, number, id)
	if err != nil {
		return err
	}
	method := http.MethodDelete
	if resolved {
		method = http.MethodPost
	}
	err = h.client.Send(ctx, op, method, commentPath(repo, at)+"/resolve", nil, nil)
	if class := codehost.ClassOf(err); class != codehost.ClassStale && class != codehost.ClassNotFound {
		return err
	}
	c, lookErr := h.readComment(ctx, op, repo, number, id)
	switch {
	case lookErr != nil:
		return lookErr
	case c.Inline == nil || c.Parent != nil:
		return codehost.Refused(op, "the comment does not begin a thread on lines")
	case (c.Resolution != nil) == resolved:
		return nil
	}
	return err
}
