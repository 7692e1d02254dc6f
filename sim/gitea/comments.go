package gitea

import (
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// inlineComment finds an inline comment of the repository by an id in the path; Server.Mu is held. Only their
// author sees pending ones.
func (c *call) inlineComment(name string) (*pull, *inline) {
	id := c.Number(name)
	for _, p := range c.repo.Pulls {
		if x := p.comment(id); x != nil && (!p.pending(x) || c.actor != nil && x.User == c.actor.login) {
			return p, x
		}
	}
	return nil, nil
}

func resolveInline(c *call) *reply { return c.resolve(true) }

func unresolveInline(c *call) *reply { return c.resolve(false) }

// resolve resolves or reopens a thread, without an event. Gitea has it since 1.26.
func (c *call) resolve(done bool) *reply {
	if c.s.forgejo && !c.s.Has(simapi.ResolveForgejo) {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	p, x := c.inlineComment("id")
	if p == nil {
		return notFoundAt(c.s.Base)
	}
	if refused := c.mayEdit(p.Author); refused != nil {
		return refused
	}
	x.ResolvedBy = ""
	if done {
		x.ResolvedBy = c.actor.login
	}
	c.wrote("review_comment.resolve", "update", x.ID, p.Number)
	return host.NoContent()
}

// replyInline is POST …/pulls/{n}/comments/{id}/replies of Gitea 1.27.
func replyInline(c *call) *reply {
	var in struct {
		Body string `json:"body"`
	}
	if !c.s.Has(simapi.Replies) {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if strings.TrimSpace(in.Body) == "" {
		return c.invalid("[Body]: Required")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	p, root := c.inlineComment("id")
	if p == nil {
		return notFoundAt(c.s.Base)
	}
	x := c.s.reply(c.repo, p, root, c.actor.login, in.Body, c.Lag)
	c.wrote("review_comment", "create", x.ID, p.Number)
	return created(c.view().inline(c.repo, p, x))
}

// reply adds an answer to a thread. It belongs to the review of the comment that it answers, also by
// another author, and sends the event of a conversation comment; Server.Mu is held.
func (s *Server) reply(r *repository, p *pull, root *inline, login, body, lag string) *inline {
	now := s.NowMicros()
	x := &inline{ID: s.st.ID("comment"), ReviewID: root.ReviewID, User: login, Path: root.Path, Line: root.Line,
		DiffHunk: root.DiffHunk, Body: body,
		CommitID: root.CommitID, MergeBase: root.MergeBase, Reply: true, Created: now, Updated: now, Lag: lag}
	p.Comments, p.Updated = append(p.Comments, x), now
	s.emitComment(r, p, &issueComment{ID: x.ID, User: login, Body: body, Created: now, Updated: now}, "created", nil, login)
	return x
}

// addInline is Forgejo's POST …/reviews/{id}/comments.
func addInline(c *call) *reply {
	var in draftInline
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	rv := c.reviewOf(p)
	mine, commit := false, ""
	if rv != nil {
		mine, commit = rv.State == statePending && rv.User == c.actor.login, rv.CommitID
	}
	c.s.Mu.Unlock()
	if rv == nil {
		return c.notFound()
	}
	if !mine {
		return c.invalid("comments can be added to one's own pending review only")
	}
	at := c.s.snapshot(p)
	var made *inline
	if err := c.s.comment(c.Ctx, c.repo, p, c.actor.login, c.Lag, at, host.OrElse(commit, at.head), in,
		func(x *inline) { made = x }); err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("review_comment", "create", made.ID, p.Number)
	return ok(c.view().inline(c.repo, p, made))
}

func getInline(c *call) *reply {
	p, x := c.inlineComment("comment")
	if p == nil || x.ReviewID != c.Number("id") {
		return notFoundAt(c.s.Base)
	}
	return ok(c.view().inline(c.repo, p, x))
}

func deleteInline(c *call) *reply {
	p, x := c.inlineComment("comment")
	if p == nil || x.ReviewID != c.Number("id") {
		return notFoundAt(c.s.Base)
	}
	return c.dropInline(p, x)
}

// dropInline removes an inline comment; Server.Mu is held.
func (c *call) dropInline(p *pull, x *inline) *reply {
	if refused := c.mayEdit(x.User); refused != nil {
		return refused
	}
	p.Comments = host.Without(p.Comments, func(y *inline) bool { return y == x })
	c.wrote("review_comment", "delete", x.ID, p.Number)
	return host.NoContent()
}

func getIssue(c *call) *reply {
	p := c.pull()
	if p == nil {
		return getHostIssue(c)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return ok(c.view().issue(c.repo, p))
}

// listIssueComments lists the comments of the conversation, without reviews and inline comments. The list has
// no pages; since and before compare the time of the last change.
func listIssueComments(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	since, err1 := instant(c.Query.Get("since"))
	before, err2 := instant(c.Query.Get("before"))
	if err1 != nil || err2 != nil {
		return c.invalid("since, before: must be times")
	}
	c.s.Mu.Lock()
	v := c.view()
	out := []any{}
	for _, x := range p.IssueComments {
		at := x.Updated.Time().Truncate(time.Second)
		if c.s.Faults.Lagging(x.Lag) || !since.IsZero() && at.Before(since) || !before.IsZero() && !at.Before(before) {
			continue
		}
		out = append(out, v.issueComment(c.repo, p, x))
	}
	c.s.Mu.Unlock()
	rep := ok(out)
	return c.total(rep, len(out))
}

func (c *call) total(rep *reply, n int) *reply {
	c.links(rep, host.Span{Number: 1, Size: max(1, n)}, n)
	return rep
}

func instant(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, s)
}

func createIssueComment(c *call) *reply {
	var in struct {
		Body string `json:"body"`
	}
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.Body == "" {
		return c.invalid("[Body]: Required")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x := c.s.addComment(c.repo, p, c.actor.login, in.Body, c.Lag)
	c.wrote("issue_comment", "create", x.ID, p.Number)
	return created(c.view().issueComment(c.repo, p, x))
}

// addComment writes into the conversation; Server.Mu is held.
func (s *Server) addComment(r *repository, p *pull, login, body, lag string) *issueComment {
	now := s.NowMicros()
	x := &issueComment{ID: s.st.ID("comment"), User: login, Body: body, Created: now, Updated: now, Lag: lag}
	p.IssueComments, p.Updated = append(p.IssueComments, x), now
	s.emitComment(r, p, x, "created", nil, login)
	return x
}

// issueComment finds a comment of the conversation; Server.Mu is held.
func (c *call) issueComment() (*pull, *issueComment) {
	id := c.Number("id")
	for _, p := range c.repo.Pulls {
		for _, x := range p.IssueComments {
			if x.ID == id {
				return p, x
			}
		}
	}
	return nil, nil
}

func getIssueComment(c *call) *reply {
	p, x := c.issueComment()
	if p == nil {
		if p, _ := c.inlineComment("id"); p != nil {
			return host.NoContent()
		}
		return notFoundAt(c.s.Base)
	}
	return ok(c.view().issueComment(c.repo, p, x))
}

func editIssueComment(c *call, in struct {
	Body string `json:"body"`
}) *reply {
	if in.Body == "" {
		return c.invalid("[Body]: Required")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	p, x := c.issueComment()
	if p == nil {
		// The host keeps all comments in one table: those on lines can be changed here, too.
		if p, y := c.inlineComment("id"); p != nil {
			return c.editInline(p, y, in.Body)
		}
		if p, rv, y := c.shownComment(); p != nil {
			return c.editShown(p, rv, y, in.Body)
		}
		return notFoundAt(c.s.Base)
	}
	if refused := c.mayEdit(x.User); refused != nil {
		return refused
	}
	c.s.editComment(c.repo, p, x, in.Body, c.actor.login)
	c.wrote("issue_comment", "update", x.ID, p.Number)
	return ok(c.view().issueComment(c.repo, p, x))
}

func (c *call) editInline(p *pull, x *inline, body string) *reply {
	if refused := c.mayEdit(x.User); refused != nil {
		return refused
	}
	x.Body, x.Updated = body, c.s.NowMicros()
	c.wrote("review_comment", "update", x.ID, p.Number)
	return ok(c.view().issueComment(c.repo, p, &issueComment{ID: x.ID, User: x.User, Body: body, Created: x.Created, Updated: x.Updated}))
}

// editComment changes a comment of the conversation; Server.Mu is held.
func (s *Server) editComment(r *repository, p *pull, x *issueComment, body, by string) {
	if x.Body == body {
		return
	}
	before := x.Body
	x.Body, x.Updated = body, s.NowMicros()
	s.emitComment(r, p, x, "edited", &before, by)
}

func deleteIssueComment(c *call) *reply {
	p, x := c.issueComment()
	if p == nil {
		return c.deleteOther()
	}
	if refused := c.mayEdit(x.User); refused != nil {
		return refused
	}
	c.s.dropComment(c.repo, p, x, c.actor.login)
	c.wrote("issue_comment", "delete", x.ID, p.Number)
	return host.NoContent()
}

// deleteOther answers the deletion of a comment that is not one of the conversation. Gitea deletes any comment
// with text. Forgejo answers 204 and deletes nothing (deleteIssueComment, for comments of another type;
// measured in December 2024). Server.Mu is held.
func (c *call) deleteOther() *reply {
	p, rv, shown := c.shownComment()
	q, x := c.inlineComment("id")
	switch {
	case p == nil && q == nil:
		return notFoundAt(c.s.Base)
	case c.s.forgejo:
		return host.NoContent()
	case p != nil:
		return c.dropShown(p, rv, shown)
	}
	return c.dropInline(q, x)
}

// dropComment removes a comment of the conversation; Server.Mu is held.
func (s *Server) dropComment(r *repository, p *pull, x *issueComment, by string) {
	p.IssueComments = host.Without(p.IssueComments, func(y *issueComment) bool { return y == x })
	s.emitComment(r, p, x, "deleted", nil, by)
}
