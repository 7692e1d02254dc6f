package github

import "github.com/assay-dev/assay/sim/host"

func listIssueComments(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	v := c.view()
	out := []any{}
	for _, cm := range p.IssueComments {
		if !c.lagging(cm.Lag) {
			out = append(out, v.issueComment(c.repo, p, cm))
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

func createIssueComment(c *call) *reply {
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
	if in.Body == "" {
		return invalid("IssueComment", "body", "missing_field", "")
	}
	if bad := tooLong("IssueComment", in.Body); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	cm := &issueComment{User: c.actor.login, Body: in.Body, Lag: c.Lag}
	if c.actor.app != nil {
		cm.AppID = c.actor.app.ID
	}
	c.s.addIssueComment(c.repo, p, cm)
	c.wrote("issue_comment", "create", cm.ID, p.Number)
	return created(c.view().issueComment(c.repo, p, cm))
}

// addIssueComment stores a comment and sends its event. Server.Mu is held.
func (s *Server) addIssueComment(r *repository, p *pull, cm *issueComment) {
	cm.ID, cm.Created = s.st.ID("issue_comment"), s.NowMicros()
	cm.Updated, p.Updated = cm.Created, cm.Created
	p.IssueComments = append(p.IssueComments, cm)
	s.emitIssueComment(r, p, cm, "created", nil, cm.User)
}

// issueComment finds the comment of the path. Server.Mu is held.
func (c *call) issueComment() (*pull, *issueComment) {
	id := c.Number("comment_id")
	for _, p := range c.repo.Pulls {
		for _, cm := range p.IssueComments {
			if cm.ID == id {
				return p, cm
			}
		}
	}
	return nil, nil
}

func (c *call) lockedIssueComment() (*pull, *issueComment) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return c.issueComment()
}

func getIssueComment(c *call) *reply {
	p, cm := c.issueComment()
	if p == nil {
		return notFound()
	}
	return ok(c.view().issueComment(c.repo, p, cm))
}

func updateIssueComment(c *call) *reply {
	var in struct {
		Body *string `json:"body"`
	}
	p, cm := c.lockedIssueComment()
	if p == nil {
		return notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.Body == nil || *in.Body == "" {
		return invalid("IssueComment", "body", "missing_field", "")
	}
	if bad := tooLong("IssueComment", *in.Body); bad != nil {
		return bad
	}
	if refused := c.mayEdit(cm.User); refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	before := cm.Body
	cm.Body, cm.Updated = *in.Body, c.s.NowMicros()
	c.wrote("issue_comment", "update", cm.ID, p.Number)
	c.s.emitIssueComment(c.repo, p, cm, "edited", &before, c.actor.login)
	return ok(c.view().issueComment(c.repo, p, cm))
}

func deleteIssueComment(c *call) *reply {
	p, cm := c.lockedIssueComment()
	if p == nil {
		return notFound()
	}
	if refused := c.mayEdit(cm.User); refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	p.IssueComments = host.Without(p.IssueComments, func(x *issueComment) bool { return x.ID == cm.ID })
	c.wrote("issue_comment", "delete", cm.ID, p.Number)
	c.s.emitIssueComment(c.repo, p, cm, "deleted", nil, c.actor.login)
	return host.NoContent()
}

func reactIssueComment(c *call) *reply {
	p, cm := c.lockedIssueComment()
	if p == nil {
		return notFound()
	}
	return c.react(&cm.Reactions, p)
}

func listIssueCommentReactions(c *call) *reply {
	p, cm := c.lockedIssueComment()
	if p == nil {
		return notFound()
	}
	return c.reactionPage(&cm.Reactions)
}

func reactIssue(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	return c.react(&p.Reactions, p)
}
