package bitbucket

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/patch"
)

// maxComment bounds the text of a comment. No source names a bound of the cloud; that of the server is 32,768.
const maxComment = 32_768

type commentInput struct {
	Content struct {
		Raw *string `json:"raw"`
	} `json:"content"`
	Inline *struct {
		Path      string `json:"path"`
		From      int    `json:"from"`
		To        int    `json:"to"`
		StartFrom int    `json:"start_from"`
		StartTo   int    `json:"start_to"`
	} `json:"inline"`
	Parent *struct {
		ID int64 `json:"id"`
	} `json:"parent"`
	Pending *bool `json:"pending"`
}

// text returns the checked text of a request.
func (c *call) text(in commentInput) (string, *reply) {
	switch {
	case in.Content.Raw == nil || strings.TrimSpace(*in.Content.Raw) == "":
		return "", invalid("content: raw: This field is required.")
	case utf8.RuneCountInString(*in.Content.Raw) > maxComment && !c.s.Has(simapi.LongComments):
		return "", invalid("content: raw: The comment is too long.")
	}
	return *in.Content.Raw, nil
}

// hidden reports whether a list or the caller must not see a comment; Server.Mu is held.
func (c *call) hidden(x *comment) bool {
	mine := c.actor != nil && x.User == c.actor.user.ID
	return x.Pending && !mine && c.s.On(simapi.PendingPrivate)
}

func listComments(c *call, p *pull) *reply {
	c.s.Mu.Lock()
	list := host.Without(p.Comments, func(x *comment) bool {
		return c.hidden(x) || c.s.Faults.Lagging(x.Lag) || x.Deleted && c.s.On(simapi.DeletedVanish)
	})
	out := host.RenderAll(list, func(x *comment) any { return c.view().comment(c.repo, p, x) })
	c.s.Mu.Unlock()
	return c.list(out)
}

// findPlace checks the place of a new inline comment and looks for it in the diff. Server.Mu is not held.
func (s *Server) findPlace(ctx context.Context, r *repository, p *pull, at place) (*place, bool, error) {
	now := s.snapshot(p)
	at.Head, at.MergeBase = now.head, now.mergeBase
	d, err := r.git.Diff(ctx, now.mergeBase, now.head)
	if err != nil {
		return nil, false, err
	}
	side, line := patch.Right, at.To
	if at.To == 0 {
		side, line = patch.Left, at.From
	}
	f := d.Find(at.Path)
	if f == nil || line == 0 {
		return &at, f != nil, nil
	}
	h, i, shown := patch.Find(f.Hunks, side, line)
	if shown {
		at.DiffHunk = patch.Excerpt(f.Hunks[h], i)
	}
	return &at, shown, nil
}

func createComment(c *call, p *pull, in commentInput) *reply {
	text, bad := c.text(in)
	if bad != nil {
		return bad
	}
	x := &comment{Body: text, Lag: c.Lag}
	host.Set(&x.Pending, in.Pending)
	if at := in.Inline; at != nil {
		if at.Path == "" || at.From < 0 || at.To < 0 || at.StartTo > at.To || at.StartFrom > at.From {
			return invalid("inline: path: This field is required.")
		}
		found, shown, err := c.s.findPlace(c.Ctx, c.repo, p, place{Path: at.Path, From: at.From, To: at.To, StartFrom: at.StartFrom,
			StartTo: at.StartTo})
		if err != nil {
			return c.broken(err)
		}
		if !shown && c.s.Has(simapi.OutsideDiff) {
			return invalid("inline: The line is not part of the diff.")
		}
		x.Place = found
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if in.Parent != nil {
		parent := p.comment(in.Parent.ID)
		if parent == nil || c.hidden(parent) {
			return invalid("parent: The parent comment does not exist.")
		}
		x.Parent, x.Place = parent.ID, parent.Place
	}
	c.s.addComment(c.repo, p, c.actor.user.ID, x)
	c.wrote("comment", "create", x.ID, p.Number)
	return created(c.view().comment(c.repo, p, x))
}

// addComment adds a comment, with its event; Server.Mu is held.
func (s *Server) addComment(r *repository, p *pull, user int64, x *comment) {
	now := s.NowMicros()
	x.ID, x.User, x.Created, x.Updated = s.st.ID("comment"), user, now, now
	p.Comments, p.Updated = append(p.Comments, x), now
	p.participant(user).At = now
	s.emitComment(r, p, x, "created", user)
}

// note finds the comment of the path; Server.Mu is held.
func (c *call) note(p *pull) (*comment, *reply) {
	x := p.comment(c.Number("comment_id"))
	if x == nil || c.hidden(x) {
		return nil, fail(http.StatusNotFound, "Comment not found")
	}
	return x, nil
}

// onComment returns a handler that holds Server.Mu, for the comment that find returns.
func onComment(find func(*call, *pull) (*comment, *reply), h func(*call, *pull, *comment) *reply) func(*call, *pull) *reply {
	return func(c *call, p *pull) *reply {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		x, refused := find(c, p)
		if refused != nil {
			return refused
		}
		return h(c, p, x)
	}
}

func getComment(c *call, p *pull, x *comment) *reply {
	return ok(c.view().comment(c.repo, p, x))
}

// editComment changes a text, which only its author may. "pending": false makes a pending comment visible.
func editComment(c *call, p *pull, in commentInput) *reply {
	text, bad := c.text(in)
	if bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x, bad := c.note(p)
	switch {
	case bad != nil:
		return bad
	case c.actor == nil || x.User != c.actor.user.ID:
		return fail(http.StatusForbidden, "You do not have permission to edit this comment.")
	}
	key := "updated"
	if in.Pending != nil && x.Pending && !*in.Pending {
		x.Pending, key = false, "created"
	}
	c.s.changeComment(c.repo, p, x, text, key, c.actor.user.ID)
	c.wrote("comment", "update", x.ID, p.Number)
	return ok(c.view().comment(c.repo, p, x))
}

// changeComment changes a text, with an event; Server.Mu is held.
func (s *Server) changeComment(r *repository, p *pull, x *comment, text, key string, by int64) {
	x.Body, x.Updated = text, s.NowMicros()
	s.emitComment(r, p, x, key, by)
}

func deleteComment(c *call, p *pull, x *comment) *reply {
	if c.actor == nil || x.User != c.actor.user.ID && c.s.st.roleOf(c.actor, c.repo) != "admin" {
		return fail(http.StatusForbidden, "You do not have permission to delete this comment.")
	}
	c.s.dropComment(c.repo, p, x, c.actor.user.ID)
	c.wrote("comment", "delete", x.ID, p.Number)
	return host.NoContent()
}

// dropComment deletes a comment, with its event. It stays in the list without its text. Server.Mu is held.
func (s *Server) dropComment(r *repository, p *pull, x *comment, by int64) {
	s.emitComment(r, p, x, "deleted", by)
	x.Deleted, x.Body, x.Updated = true, "", s.NowMicros()
}

// thread finds the comment of the path if it begins a thread on the diff; Server.Mu is held.
func (c *call) thread(p *pull) (*comment, *reply) {
	x, bad := c.note(p)
	if bad == nil && (x.Parent != 0 || x.Place == nil || c.actor == nil) {
		bad = fail(http.StatusForbidden, "Only top-level comments on the diff can be resolved.")
	}
	return x, bad
}

func resolve(c *call, p *pull, x *comment) *reply {
	if x.ResolvedBy != 0 {
		return fail(http.StatusConflict, "This comment has already been resolved.")
	}
	c.s.settle(c.repo, p, x, c.actor.user.ID, true)
	c.wrote("comment.resolve", "create", x.ID, p.Number)
	return ok(c.view().resolution(x))
}

func reopen(c *call, p *pull, x *comment) *reply {
	if x.ResolvedBy == 0 {
		return fail(http.StatusNotFound, "This comment has not been resolved.")
	}
	c.s.settle(c.repo, p, x, c.actor.user.ID, false)
	c.wrote("comment.resolve", "delete", x.ID, p.Number)
	return host.NoContent()
}

// settle resolves or reopens a thread, with its event; Server.Mu is held.
func (s *Server) settle(r *repository, p *pull, x *comment, by int64, done bool) {
	x.ResolvedBy, x.ResolvedAt = 0, 0
	key := "reopened"
	if done {
		x.ResolvedBy, x.ResolvedAt, key = by, s.NowMicros(), "resolved"
	}
	s.emitComment(r, p, x, key, by)
}
