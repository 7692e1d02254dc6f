package gitlab

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Reply answers a note in its discussion, like a person on the page.
func (s *Server) Reply(_ context.Context, fullPath string, iid int, in shared.ReplySpec) (shared.Comment, error) {
	if in.Body == "" || in.Author == "" {
		return shared.Comment{}, errors.New("author, body: must not be empty")
	}
	return host.OnPull(&s.Lookup, fullPath, iid, func(p *project, m *mergeRequest) (shared.Comment, error) {
		d, answered := m.note(in.Comment)
		if answered == nil {
			return shared.Comment{}, errNoNote
		}
		n := s.note(p, m, writing{user: s.st.addUser(in.Author, "", s.NowMicros()), body: in.Body, in: d, thread: true}, "")
		s.Touch()
		return s.describeNote(d, n), nil
	})
}

var errNoNote = errors.New("comment: no note has this id")

// EditComment changes or removes a note, or closes or reopens its discussion, like a person on the page.
func (s *Server) EditComment(_ context.Context, fullPath string, id int64, in shared.EditSpec) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	p := s.st.project(fullPath)
	if p == nil {
		return errNoProject
	}
	for _, m := range p.MRs {
		if d, n := m.note(id); n != nil {
			return s.editAs(p, m, d, n, in)
		}
	}
	return errNoNote
}

// editAs changes a note as a person. Server.Mu is held.
func (s *Server) editAs(p *project, m *mergeRequest, d *discussion, n *note, in shared.EditSpec) error {
	switch {
	case in.Delete:
		m.drop(d, n)
		return nil
	case in.Body != "":
		n.Body, n.Updated = in.Body, s.NowMicros()
		s.emitNote(p, m, d, n, "update")
	}
	if in.Resolve == nil {
		return nil
	}
	actor := s.st.user(host.OrElse(in.Actor, s.st.login(m.Author)))
	switch {
	case actor == nil:
		return errors.New("actor: no account has this login")
	case *in.Resolve:
		d.resolve(actor.ID)
	default:
		d.resolve(0)
	}
	return nil
}
