package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/patch"
)

// sees reports whether the caller may see a review. Only their author and administrators of the host see
// pending ones.
func (c *call) sees(rv *review) bool {
	return rv.State != statePending || c.actor != nil && (rv.User == c.actor.login || c.actor.user.Admin)
}

// listReviews counts the pending reviews of others, but does not show them, so pages may be short
// (services/convert/pull_review.go).
func listReviews(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	pg := c.paging()
	c.s.Mu.Lock()
	all := host.Without(p.Reviews, func(rv *review) bool { return c.s.Faults.Lagging(rv.Lag) })
	from, to := pg.Slice(len(all))
	out := []any{}
	for _, rv := range all[from:to] {
		if c.sees(rv) {
			out = append(out, c.view().review(c.repo, p, rv))
		}
	}
	c.s.Mu.Unlock()
	rep := c.links(ok(out), pg, len(all))
	rep.Header.Del("Link")
	return rep
}

// reviewOf finds the review of the path; Server.Mu is held.
func (c *call) reviewOf(p *pull) *review {
	if rv := p.review(c.Number("id")); rv != nil && c.sees(rv) {
		return rv
	}
	return nil
}

func getReview(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFoundAt(c.s.Base)
	}
	return ok(c.view().review(c.repo, p, rv))
}

func listInline(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFoundAt(c.s.Base)
	}
	list := host.Without(p.commentsOf(rv.ID), func(x *inline) bool { return c.s.Faults.Lagging(x.Lag) })
	if !c.s.On(simapi.SortedComments) {
		list = shuffled(list)
	}
	v := c.view()
	return ok(host.RenderAll(list, func(x *inline) any { return v.inline(c.repo, p, x) }))
}

// draftInline is an inline comment in a request. Positions are line numbers of the file; 0 means no line.
type draftInline struct {
	Path        string `json:"path"`
	Body        string `json:"body"`
	NewPosition int    `json:"new_position"`
	OldPosition int    `json:"old_position"`
}

func (d draftInline) line() int {
	if d.OldPosition > 0 {
		return -d.OldPosition
	}
	return d.NewPosition
}

// reviewType checks the event of a review, like the host's preparePullReviewType.
func (c *call) reviewType(p *pull, event, body string, hasComments bool) (string, *reply) {
	has := strings.TrimSpace(body) != ""
	c.s.Mu.Lock()
	own := p.Author == c.actor.login
	c.s.Mu.Unlock()
	needs := func() (string, *reply) {
		return "", c.invalid(fmt.Sprintf("review event %s requires a body", event))
	}
	switch event {
	case stateApproved:
		if own {
			return "", c.invalid("approve your own pull is not allowed")
		}
		return event, nil
	case stateChanges:
		if own {
			return "", c.invalid("reject your own pull is not allowed")
		}
		if !has {
			return needs()
		}
		return event, nil
	case stateComment:
		if !has && !hasComments {
			return "", c.invalid("review event COMMENT requires a body or a comment")
		}
		return event, nil
	}
	if !has {
		return needs()
	}
	return statePending, nil
}

// createReview is POST …/pulls/{n}/reviews. It is not atomic: each comment goes into the caller's pending
// review, which is made if necessary. Only then the review gets its body and state. A failure in between
// leaves the earlier parts.
func createReview(c *call) *reply {
	var in struct {
		CommitID string        `json:"commit_id"`
		Body     string        `json:"body"`
		Event    string        `json:"event"`
		Comments []draftInline `json:"comments"`
	}
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	state, bad := c.reviewType(p, in.Event, in.Body, len(in.Comments) > 0)
	if bad != nil {
		return bad
	}
	if c.s.Has(simapi.OneSlot) {
		c.s.Mu.Lock()
		taken := p.current(c.actor.login) != nil
		c.s.Mu.Unlock()
		if taken {
			return c.invalid("there is a pending review already")
		}
	}
	at := c.s.snapshot(p)
	commit := host.OrElse(in.CommitID, at.head)
	if c.s.Has(simapi.AtomicReview) {
		for _, d := range in.Comments {
			if _, err := c.s.place(c.Ctx, c.repo, at, commit, d); err != nil {
				return c.invalid(err.Error())
			}
		}
	}
	for _, d := range in.Comments {
		if err := c.s.comment(c.Ctx, c.repo, p, c.actor.login, c.Lag, at, commit, d,
			func(x *inline) { c.wrote("review_comment", "create", x.ID, p.Number) }); err != nil {
			return c.broken(err)
		}
	}
	rv, answer := c.submit(p, state, in.Body, commit)
	if rv != nil {
		c.wrote("review", "create", rv.ID, p.Number)
	}
	return answer
}

// Reasons why a comment cannot be placed.
var (
	errCommit = errors.New("no such commit")
	errPath   = errors.New("no such path at that commit")
	errLine   = errors.New("no such line at that commit")
)

// takes reports whether the host accepts a comment on a missing place. Gitea 1.26.4 accepts a path that the
// commit does not have, also the old side of a new file. A Forgejo of December 2024 also accepts a bad line
// and a bad commit.
func (s *Server) takes(err error) bool {
	return errors.Is(err, errPath) || s.forgejo && (errors.Is(err, errLine) || errors.Is(err, errCommit))
}

// place checks the place of a comment and returns the excerpt of the diff.
func (s *Server) place(ctx context.Context, r *repository, at snapshot, commit string, d draftInline) (hunk string, err error) {
	if full, err := r.git.Resolve(ctx, commit); err != nil || full != commit {
		return "", errCommit
	}
	side, in, line := patch.Right, commit, d.NewPosition
	if d.OldPosition > 0 {
		side, in, line = patch.Left, at.mergeBase, d.OldPosition
	}
	path := d.Path
	diff, err := r.git.Diff(ctx, at.mergeBase, commit)
	if err != nil {
		return "", err
	}
	f := diff.Find(d.Path)
	if f != nil && side == patch.Left && f.OldPath != "" {
		path = f.OldPath
	}
	e, err := r.git.Entry(ctx, in, path)
	if err != nil || e.Type != "file" {
		return "", errPath
	}
	data, err := r.git.Blob(ctx, e.SHA)
	if err != nil {
		return "", err
	}
	if lines := strings.Count(string(data), "\n"); line < 1 || line > lines && (line > lines+1 || strings.HasSuffix(string(data), "\n")) {
		return "", errLine
	}
	if f != nil {
		if h, i, found := patch.Find(f.Hunks, side, line); found {
			return patch.Excerpt(f.Hunks[h], i), nil
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.On(simapi.OutsideDiff) {
		return "", errLine
	}
	return "", nil
}

// pendingOf returns a person's pending review, and makes it if necessary; Server.Mu is held.
func (s *Server) pendingOf(p *pull, login, lag string) *review {
	if rv := p.current(login); rv != nil {
		return rv
	}
	now := s.NowMicros()
	rv := &review{ID: s.st.ID("review"), User: login, State: statePending, Created: now, Updated: now, Lag: lag}
	p.Reviews = append(p.Reviews, rv)
	return rv
}

// comment adds an inline comment to a person's pending review. It makes the review before it checks the place
// of the comment.
func (s *Server) comment(ctx context.Context, r *repository, p *pull, login, lag string, at snapshot, commit string, d draftInline,
	wrote func(*inline)) error {
	s.Mu.Lock()
	rv := s.pendingOf(p, login, lag)
	s.Mu.Unlock()
	hunk, err := s.place(ctx, r, at, commit, d)
	if err != nil && !s.takes(err) {
		return err
	}
	now := s.NowMicros()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	x := &inline{ID: s.st.ID("comment"), ReviewID: rv.ID, User: login, Path: d.Path, Line: d.line(), DiffHunk: hunk, Body: d.Body,
		CommitID:  commit,
		MergeBase: at.mergeBase, Created: now, Updated: now, Lag: lag}
	p.Comments = append(p.Comments, x)
	wrote(x)
	return nil
}

// submit submits the pending review, or a new one if there was no draft. If it returns no review, the reply
// has the reason.
func (c *call) submit(p *pull, state, body, commit string) (*review, *reply) {
	n, err := c.s.stats(c.Ctx, c.repo, c.s.snapshot(p))
	if err != nil {
		return nil, c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if p.State != "open" && (state == stateApproved || state == stateChanges) {
		return nil, host.JSON(http.StatusUnprocessableEntity, obj{"message": "can't submit review for a closed or merged PR",
			"url": c.s.Base + "/api/swagger"})
	}
	rv := c.s.submit(c.repo, p, n, c.actor.login, c.Lag, state, body, commit)
	if state != statePending {
		c.wrote("review.submit", "update", rv.ID, p.Number)
	}
	return rv, ok(c.view().review(c.repo, p, rv))
}

// submit gives the pending review its state, body and commit; Server.Mu is held.
func (s *Server) submit(r *repository, p *pull, n pullStats, login, lag, state, body, commit string) *review {
	rv := s.pendingOf(p, login, lag)
	rv.State, rv.Body, rv.CommitID, rv.Updated = state, body, commit, s.NowMicros()
	s.show(p, rv)
	if state == statePending {
		return rv
	}
	p.Reviews = host.Without(p.Reviews, func(x *review) bool { return x.State == stateRequest && x.User == login }) // the request is answered
	p.Updated = rv.Updated
	s.emitReview(r, p, n, rv)
	return rv
}

// submitReview is POST …/reviews/{id}. The review gets the body of this request and the current head.
func submitReview(c *call) *reply {
	var in struct {
		Body  string `json:"body"`
		Event string `json:"event"`
	}
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	rv := c.reviewOf(p)
	var own, pending bool
	head := p.HeadSHA
	if rv != nil {
		own, pending = rv.User == c.actor.login, rv.State == statePending
		if in.Body == "" && c.s.On(simapi.SubmitKeepsBody) {
			in.Body = rv.Body
		}
	}
	c.s.Mu.Unlock()
	switch {
	case rv == nil || !own:
		return c.notFound()
	case !pending:
		return c.invalid("only a pending review can be submitted")
	}
	state, bad := c.reviewType(p, in.Event, in.Body, false)
	if bad != nil {
		return bad
	}
	if state == statePending {
		return c.invalid("review stay pending")
	}
	_, answer := c.submit(p, state, in.Body, head)
	return answer
}

// deleteReview removes a review with its comments, also a submitted one.
func deleteReview(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFoundAt(c.s.Base)
	}
	if rv.User != c.actor.login && !c.actor.user.Admin {
		return host.JSON(http.StatusForbidden, obj{"message": "", "url": c.s.Base + "/api/swagger"})
	}
	p.Reviews = host.Without(p.Reviews, func(x *review) bool { return x == rv })
	p.Comments = host.Without(p.Comments, func(x *inline) bool { return x.ReviewID == rv.ID })
	c.wrote("review", "delete", rv.ID, p.Number)
	return host.NoContent()
}

func dismissReview(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFoundAt(c.s.Base)
	}
	if rv.State != stateApproved && rv.State != stateChanges {
		return host.JSON(http.StatusForbidden, obj{"message": "not need to dismiss this review because it's type is not Approve or " +
			"change request", "url": c.s.Base + "/api/swagger"})
	}
	rv.Dismissed = true
	c.wrote("review", "update", rv.ID, p.Number)
	return ok(c.view().review(c.repo, p, rv))
}
