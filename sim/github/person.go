package github

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Reply answers a comment on lines in its thread, like a person on the page.
func (s *Server) Reply(_ context.Context, fullName string, number int, in shared.ReplySpec) (simapi.Comment, error) {
	if in.Body == "" || in.Author == "" {
		return simapi.Comment{}, errors.New("author, body: must not be empty")
	}
	return host.OnPull(&s.Lookup, fullName, number, func(r *repository, p *pull) (simapi.Comment, error) {
		cm := p.answerTo(in.Comment, in.Body)
		if cm == nil {
			return simapi.Comment{}, errNoComment
		}
		cm.User, cm.Lag = s.st.addUser(in.Author, "", "User", s.NowMicros()).Login, ""
		s.addReviewComment(r, p, cm)
		s.Touch()
		return p.describe(cm), nil
	})
}

var errNoComment = errors.New("comment: no visible comment has this id")

// EditComment changes or removes a comment, or closes or reopens its thread, like a person on the page. If a comment on lines and one
// of the conversation have the same id, it is the one on lines.
func (s *Server) EditComment(_ context.Context, fullName string, id int64, in shared.EditSpec) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	for _, p := range r.Pulls {
		if cm := p.comment(id); cm != nil && !p.pending(cm) {
			return s.editReviewComment(r, p, cm, in)
		}
	}
	for _, p := range r.Pulls {
		for _, cm := range p.IssueComments {
			if cm.ID == id {
				s.editIssueComment(r, p, cm, in)
				return nil
			}
		}
	}
	return errNoComment
}

// editReviewComment changes a comment on lines, or closes its thread. Server.Mu is held.
func (s *Server) editReviewComment(r *repository, p *pull, cm *reviewComment, in shared.EditSpec) error {
	switch {
	case in.Delete:
		p.Comments = host.Without(p.Comments, func(x *reviewComment) bool { return x == cm })
		s.emitReviewComment(r, p, cm, "deleted", host.OrElse(in.Actor, cm.User))
		return nil
	case in.Body != "":
		before := cm.Body
		cm.Body, cm.Updated = in.Body, s.NowMicros()
		s.emitReviewCommentEdited(r, p, cm, before, host.OrElse(in.Actor, cm.User))
	}
	if in.Resolve == nil {
		return nil
	}
	if cm.InReplyTo != 0 {
		return errors.New("comment: no thread begins with it")
	}
	s.setResolved(r, p, cm, *in.Resolve, host.OrElse(in.Actor, p.Author))
	return nil
}

// setResolved closes or reopens a thread and sends the event. It returns false if the thread is in that state. Server.Mu is held.
func (s *Server) setResolved(r *repository, p *pull, root *reviewComment, resolved bool, by string) bool {
	if resolved == (p.ResolvedThreads[root.ID] != "") {
		return false
	}
	action := "unresolved"
	delete(p.ResolvedThreads, root.ID)
	if resolved {
		if p.ResolvedThreads == nil {
			p.ResolvedThreads = map[int64]string{}
		}
		action, p.ResolvedThreads[root.ID] = "resolved", by
	}
	s.emitThread(r, p, root, action, by)
	return true
}

// editIssueComment changes or removes a comment of the conversation. Server.Mu is held.
func (s *Server) editIssueComment(r *repository, p *pull, cm *issueComment, in shared.EditSpec) {
	actor, before := host.OrElse(in.Actor, cm.User), cm.Body
	switch {
	case in.Delete:
		p.IssueComments = host.Without(p.IssueComments, func(x *issueComment) bool { return x == cm })
		s.emitIssueComment(r, p, cm, "deleted", nil, actor)
	case in.Body != "":
		cm.Body, cm.Updated = in.Body, s.NowMicros()
		s.emitIssueComment(r, p, cm, "edited", &before, actor)
	}
}
