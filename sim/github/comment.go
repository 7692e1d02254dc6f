package github

import (
	"net/http"
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

func listReviewComments(c *call) *reply {
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	var list []*reviewComment
	for _, cm := range p.Comments {
		if !p.pending(cm) && !c.lagging(cm.Lag) {
			list = append(list, cm)
		}
	}
	c.s.Mu.Unlock()
	return c.commentPage(p, base, head, list)
}

// comment finds the inline comment of the path and its pull request.
func (c *call) comment() (*pull, *reviewComment) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	id := c.Number("comment_id")
	for _, p := range c.repo.Pulls {
		if cm := p.comment(id); cm != nil {
			if p.pending(cm) && (c.actor == nil || cm.User != c.actor.login) {
				return nil, nil
			}
			return p, cm
		}
	}
	return nil, nil
}

func (c *call) commentReply(status int, p *pull, cm *reviewComment) *reply {
	c.s.Mu.Lock()
	base, head := p.BaseSHA, p.HeadSHA
	c.s.Mu.Unlock()
	at := c.s.place(c.Ctx, c.repo, base, head, []*reviewComment{cm})[cm.ID]
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return host.JSON(status, c.view().reviewComment(c.repo, p, cm, at))
}

func getReviewComment(c *call) *reply {
	p, cm := c.comment()
	if p == nil {
		return notFound()
	}
	return c.commentReply(http.StatusOK, p, cm)
}

// createReviewComment is POST …/pulls/{n}/comments: one comment, visible at once, in its own review.
func createReviewComment(c *call) *reply {
	var in draftComment
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.InReplyTo != 0 {
		return c.reply(p, in.InReplyTo, in.Body)
	}
	if in.CommitID == "" {
		return invalid("PullRequestReviewComment", "commit_id", "missing_field", "")
	}
	at, bad := c.anchorAt(p, base, head, in.CommitID)
	if bad != nil {
		return bad
	}
	cm, bad := at.anchor(in, true)
	if bad != nil {
		return bad
	}
	if rep := c.storeComment(p, cm); rep != nil {
		return rep
	}
	return c.commentReply(http.StatusCreated, p, cm)
}

// storeComment writes a single comment of the caller.
func (c *call) storeComment(p *pull, cm *reviewComment) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if bad := c.slot(p, stateCommented); bad != nil {
		return bad
	}
	cm.User, cm.Lag = c.actor.login, c.Lag
	c.s.addReviewComment(c.repo, p, cm)
	c.wrote("review_comment", "create", cm.ID, p.Number)
	return nil
}

// addReviewComment adds a single comment with a submitted review around it, like the real host. Server.Mu is held.
func (s *Server) addReviewComment(r *repository, p *pull, cm *reviewComment) {
	now := s.NowMicros()
	rv := &review{ID: s.st.ID("review"), User: cm.User, State: stateCommented, CommitID: cm.CommitID, Created: now, Submitted: now,
		Lag: cm.Lag}
	p.Reviews = append(p.Reviews, rv)
	cm.ID, cm.ReviewID, cm.Created, cm.Updated = s.st.ID("review_comment"), rv.ID, now, now
	p.Comments = append(p.Comments, cm)
	p.Updated = now
	s.emitReview(r, p, rv, "submitted", cm.User)
	s.emitReviewComment(r, p, cm, "created", cm.User)
}

func replyToComment(c *call) *reply {
	var in struct {
		Body string `json:"body"`
	}
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	return c.reply(p, c.Number("comment_id"), in.Body)
}

// reply answers a thread. Replies always refer to the first comment.
func (c *call) reply(p *pull, to int64, body string) *reply {
	if body == "" {
		return invalid("PullRequestReviewComment", "body", "missing_field", "")
	}
	if bad := tooLong("PullRequestReviewComment", body); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	cm := p.answerTo(to, body)
	c.s.Mu.Unlock()
	if cm == nil {
		return notFound()
	}
	if rep := c.storeComment(p, cm); rep != nil {
		return rep
	}
	return c.commentReply(http.StatusCreated, p, cm)
}

// answerTo returns a new comment in the thread of a visible comment; nil if no visible comment has the id. Server.Mu is held.
func (p *pull) answerTo(id int64, body string) *reviewComment {
	root := p.comment(id)
	if root == nil || p.pending(root) {
		return nil
	}
	if root.InReplyTo != 0 {
		if root = p.comment(root.InReplyTo); root == nil {
			return nil
		}
	}
	cm := *root
	cm.InReplyTo, cm.Body, cm.Reactions = root.ID, body, nil
	return &cm
}

func updateReviewComment(c *call) *reply {
	var in struct {
		Body *string `json:"body"`
	}
	p, cm := c.comment()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.Body == nil || *in.Body == "" {
		return invalid("PullRequestReviewComment", "body", "missing_field", "")
	}
	if bad := tooLong("PullRequestReviewComment", *in.Body); bad != nil {
		return bad
	}
	if refused := c.mayEdit(cm.User); refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	before := cm.Body
	cm.Body, cm.Updated = *in.Body, c.s.NowMicros()
	c.wrote("review_comment", "update", cm.ID, p.Number)
	if before != cm.Body && !p.pending(cm) {
		c.s.emitReviewCommentEdited(c.repo, p, cm, before, c.actor.login)
	}
	c.s.Mu.Unlock()
	return c.commentReply(http.StatusOK, p, cm)
}

// mayEdit refuses a change of a comment unless the caller is the author or has write access.
func (c *call) mayEdit(author string) *reply {
	if author == c.actor.login {
		return nil
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if c.actor.instID == 0 && roleRank[c.s.st.role(c.actor.user, c.repo)] >= roleRank["write"] {
		return nil
	}
	return noAccess()
}

func deleteReviewComment(c *call) *reply {
	p, cm := c.comment()
	if p == nil {
		return notFound()
	}
	if refused := c.mayEdit(cm.User); refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	p.Comments = host.Without(p.Comments, func(x *reviewComment) bool { return x.ID == cm.ID })
	c.wrote("review_comment", "delete", cm.ID, p.Number)
	return host.NoContent()
}

var reactionKinds = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

// react adds a reaction; it answers an existing one with 200, like the host.
func (c *call) react(list *host.Reactions, p *pull) *reply {
	var in struct {
		Content string `json:"content"`
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if !slices.Contains(reactionKinds, in.Content) {
		return invalid("Reaction", "content", "invalid", "")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, x := range *list {
		if x.User == c.actor.login && x.Content == in.Content {
			return ok(c.view().reaction(x))
		}
	}
	x := &reaction{ID: c.s.st.ID("reaction"), User: c.actor.login, Content: in.Content, Created: c.s.NowMicros()}
	*list = append(*list, x)
	c.wrote("reaction", "create", x.ID, p.Number)
	return created(c.view().reaction(x))
}

func (v view) reaction(x *reaction) obj {
	return obj{"id": x.ID, "node_id": nodeID("REA", x.ID), "user": v.user(x.User), "content": x.Content, "created_at": x.Created.RFC3339()}
}

// reactionPage lists reactions, of one kind if the request names it (docs.github.com/rest/reactions, parameter "content").
func (c *call) reactionPage(list *host.Reactions) *reply {
	c.s.Mu.Lock()
	v := c.view()
	out := []any{}
	kind := c.R.URL.Query().Get("content")
	for _, x := range *list {
		if kind == "" || x.Content == kind {
			out = append(out, v.reaction(x))
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

func reactReviewComment(c *call) *reply {
	p, cm := c.comment()
	if p == nil {
		return notFound()
	}
	return c.react(&cm.Reactions, p)
}

func listReviewCommentReactions(c *call) *reply {
	p, cm := c.comment()
	if p == nil {
		return notFound()
	}
	return c.reactionPage(&cm.Reactions)
}
