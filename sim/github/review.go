package github

import (
	"net/http"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/host"
)

// maxBodyLen is the longest body of a review or comment, in characters.
const maxBodyLen = 65536

func tooLong(resource, body string) *reply {
	if utf8.RuneCountInString(body) <= maxBodyLen {
		return nil
	}
	return invalid(resource, "body", "custom", "body is too long (maximum is 65536 characters)")
}

const onePending = "User can only have one pending review per pull request"

var reviewStates = map[string]string{"APPROVE": stateApproved, "REQUEST_CHANGES": stateChanges, "COMMENT": stateCommented}

// visible reports whether the caller may see a review. Only their author sees pending ones.
func (c *call) visible(rv *review) bool {
	return rv.State != statePending || (c.actor != nil && rv.User == c.actor.login)
}

// lagging reports whether a list lag hides an object.
func (c *call) lagging(lag string) bool { return c.s.Faults.Lagging(lag) }

func listReviews(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	v := c.view()
	out := []any{}
	for _, rv := range p.Reviews {
		if c.visible(rv) && !c.lagging(rv.Lag) {
			out = append(out, v.review(c.repo, p, rv))
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

// reviewOf finds the review of the path; Server.Mu is held.
func (c *call) reviewOf(p *pull) *review {
	if rv := p.review(c.Number("review_id")); rv != nil && c.visible(rv) {
		return rv
	}
	return nil
}

func getReview(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFound()
	}
	return ok(c.view().review(c.repo, p, rv))
}

// createReview is POST …/pulls/{n}/reviews. It is atomic: a comment that cannot be placed leaves nothing
// behind.
func createReview(c *call) *reply {
	var in struct {
		CommitID string         `json:"commit_id"`
		Body     string         `json:"body"`
		Event    string         `json:"event"`
		Comments []draftComment `json:"comments"`
	}
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if bad := tooLong("PullRequestReview", in.Body); bad != nil {
		return bad
	}
	state, known := reviewStates[in.Event]
	if in.Event == "" || in.Event == "PENDING" {
		state = statePending
	} else if !known {
		return unprocessable("Variable $event of type PullRequestReviewEvent was provided invalid value")
	}
	if in.Body == "" && (state == stateChanges || (state == stateCommented && len(in.Comments) == 0)) {
		return unprocessable("Body can't be blank")
	}
	// A second review is refused before the comments are checked.
	c.s.Mu.Lock()
	bad := c.slot(p, state)
	c.s.Mu.Unlock()
	if bad != nil {
		return bad
	}
	at, bad := c.anchorAt(p, base, head, in.CommitID)
	if bad != nil {
		return bad
	}
	var comments []*reviewComment
	for _, d := range in.Comments {
		cm, bad := at.anchor(d, false)
		if bad != nil {
			return bad
		}
		comments = append(comments, cm)
	}
	return c.storeReview(p, at.commit, in.Body, state, comments)
}

// slot refuses a second pending review of one user, and a review that its author may not give. Server.Mu is held.
func (c *call) slot(p *pull, state string) *reply {
	for _, rv := range p.Reviews {
		if rv.State == statePending && rv.User == c.actor.login {
			return unprocessable(onePending)
		}
	}
	if p.Author == c.actor.login {
		switch state {
		case stateApproved:
			return unprocessable("Can not approve your own pull request")
		case stateChanges:
			return unprocessable("Can not request changes on your own pull request")
		}
	}
	return nil
}

func (c *call) storeReview(p *pull, commit, body, state string, comments []*reviewComment) *reply {
	now := c.s.NowMicros()
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if bad := c.slot(p, state); bad != nil { // again under the lock, because two creates may race
		return bad
	}
	st := c.s.st
	rv := &review{ID: st.ID("review"), User: c.actor.login, Body: body, State: state, CommitID: commit, Created: now, Lag: c.Lag}
	for _, cm := range comments {
		cm.ID, cm.ReviewID, cm.User, cm.Created, cm.Updated, cm.Lag = st.ID("review_comment"), rv.ID, c.actor.login, now, now, c.Lag
		p.Comments = append(p.Comments, cm)
	}
	p.Reviews = append(p.Reviews, rv)
	c.wrote("review", "create", rv.ID, p.Number)
	if state != statePending {
		c.submitted(p, rv)
	}
	return ok(c.view().review(c.repo, p, rv))
}

// submitted completes a review that becomes visible, with its events. Server.Mu is held.
func (c *call) submitted(p *pull, rv *review) {
	rv.Submitted = c.s.NowMicros()
	p.Updated = rv.Submitted
	c.wrote("review.submit", "update", rv.ID, p.Number)
	c.s.emitReview(c.repo, p, rv, "submitted", c.actor.login)
	for _, cm := range p.Comments {
		if cm.ReviewID == rv.ID {
			c.s.emitReviewComment(c.repo, p, cm, "created", c.actor.login)
		}
	}
}

// submitReview is POST …/reviews/{id}/events.
func submitReview(c *call) *reply {
	var in struct {
		Body  *string `json:"body"`
		Event string  `json:"event"`
	}
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	state, known := reviewStates[in.Event]
	if !known {
		return unprocessable("Event can't be blank and must be one of APPROVE, REQUEST_CHANGES, COMMENT")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFound()
	}
	if rv.User != c.actor.login {
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	if rv.State != statePending {
		return unprocessable("Can not submit a non-pending pull request review")
	}
	body := rv.Body
	if in.Body != nil && *in.Body != "" {
		body = *in.Body
	}
	if bad := tooLong("PullRequestReview", body); bad != nil {
		return bad
	}
	if p.Author == c.actor.login && state != stateCommented {
		return unprocessable("Can not approve or request changes on your own pull request")
	}
	comments := 0
	for _, cm := range p.Comments {
		if cm.ReviewID == rv.ID {
			comments++
		}
	}
	if body == "" && (state == stateChanges || (state == stateCommented && comments == 0)) {
		return unprocessable("Body can't be blank")
	}
	rv.Body, rv.State = body, state
	c.submitted(p, rv)
	return ok(c.view().review(c.repo, p, rv))
}

// updateReview is PUT …/reviews/{id}: a new body for the caller's own review, also a submitted one.
func updateReview(c *call) *reply {
	var in struct {
		Body *string `json:"body"`
	}
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.Body == nil {
		return invalid("PullRequestReview", "body", "missing_field", "")
	}
	if bad := tooLong("PullRequestReview", *in.Body); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFound()
	}
	if rv.User != c.actor.login {
		return noAccess()
	}
	if *in.Body == "" && rv.State != statePending {
		return unprocessable("Body can't be blank")
	}
	if rv.Body != *in.Body {
		before := rv.Body
		rv.Body, rv.Edited = *in.Body, c.s.NowMicros()
		if rv.State != statePending {
			c.s.emitReviewEdited(c.repo, p, rv, before, c.actor.login)
		}
	}
	c.wrote("review", "update", rv.ID, p.Number)
	return ok(c.view().review(c.repo, p, rv))
}

// deleteReview is DELETE …/reviews/{id}: pending ones only.
func deleteReview(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFound()
	}
	if rv.State != statePending {
		return unprocessable("Can not delete a non-pending pull request review")
	}
	gone := c.view().review(c.repo, p, rv)
	p.removeReview(rv.ID)
	c.wrote("review", "delete", rv.ID, p.Number)
	return ok(gone)
}

func (p *pull) removeReview(id int64) {
	p.Reviews = host.Without(p.Reviews, func(r *review) bool { return r.ID == id })
	p.Comments = host.Without(p.Comments, func(cm *reviewComment) bool { return cm.ReviewID == id })
}

// dismissReview is PUT …/reviews/{id}/dismissals, for reviews that approve or request changes.
func dismissReview(c *call) *reply {
	var in struct {
		Message string `json:"message"`
	}
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.Message == "" {
		return invalid("PullRequestReview", "message", "missing_field", "")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rv := c.reviewOf(p)
	if rv == nil {
		return notFound()
	}
	if rv.State != stateApproved && rv.State != stateChanges {
		return unprocessable("Can not dismiss a commented pull request review")
	}
	rv.State = stateDismissed
	c.wrote("review", "update", rv.ID, p.Number)
	c.s.emitReview(c.repo, p, rv, "dismissed", c.actor.login)
	return ok(c.view().review(c.repo, p, rv))
}

func listCommentsOfReview(c *call) *reply {
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	rv := c.reviewOf(p)
	var list []*reviewComment
	if rv != nil {
		for _, cm := range p.Comments {
			if cm.ReviewID == rv.ID && !c.lagging(cm.Lag) {
				list = append(list, cm)
			}
		}
	}
	c.s.Mu.Unlock()
	if rv == nil {
		return notFound()
	}
	return c.commentPage(p, base, head, list)
}

// commentPage answers one page of inline comments with their present places.
func (c *call) commentPage(p *pull, base, head string, list []*reviewComment) *reply {
	pg := c.paging()
	from, to := pg.Slice(len(list))
	places := c.s.place(c.Ctx, c.repo, base, head, list[from:to])
	c.s.Mu.Lock()
	v := c.view()
	out := []any{}
	for _, cm := range list[from:to] {
		out = append(out, v.reviewComment(c.repo, p, cm, places[cm.ID]))
	}
	c.s.Mu.Unlock()
	return c.link(ok(out), pg, len(list))
}
