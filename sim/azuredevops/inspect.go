package azuredevops

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Comment begins a thread of the conversation as a person.
func (s *Server) Comment(ctx context.Context, full string, number int, in shared.CommentSpec) (shared.Comment, error) {
	return s.Thread(ctx, full, number, simapi.ThreadSpec{Author: in.Author, Body: in.Body})
}

// Thread writes a comment on lines of the newest iteration, or begins a thread of the conversation, as a person.
func (s *Server) Thread(_ context.Context, full string, number int, in simapi.ThreadSpec) (shared.Comment, error) {
	if in.Body == "" || in.Author == "" {
		return shared.Comment{}, errors.New("author, body: must not be empty")
	}
	return host.OnPull(&s.Lookup, full, number, func(r *repository, p *pull) (shared.Comment, error) {
		var at *place
		if in.Path != "" {
			first, last := &point{max(1, in.FirstLine), 1}, &point{in.Line, 1}
			if in.FirstLine == 0 {
				first = &point{in.Line, 1}
			}
			at = &place{Path: "/" + in.Path, RightStart: first, RightEnd: last}
			if in.Left {
				at = &place{Path: "/" + in.Path, LeftStart: first, LeftEnd: last}
			}
		}
		u := s.st.addUser(in.Author, "", s.NowMicros())
		t := s.newThread(p, u, in.Body, at)
		if in.Resolved {
			t.Status, t.ResolvedBy = "fixed", u.ID
		}
		s.emitComment(r, p, t, t.Comments[0])
		s.Touch()
		return s.describe(t, t.Comments[0]), nil
	})
}

// describe renders a comment for the control interface. Server.Mu is held.
func (s *Server) describe(t *thread, k *comment) shared.Comment {
	o := shared.Comment{ID: t.commentID(k), User: s.st.login(k.User), Body: k.Body, CreatedUS: int64(k.Created), Resolved: t.resolved()}
	if k.Updated != k.Created {
		o.EditedUS = int64(k.Updated)
	}
	if k != t.Comments[0] {
		o.InReplyTo = t.commentID(t.Comments[0])
	}
	if t.Place != nil {
		left, first, last := t.Place.span()
		if o.Path, o.Side, o.Line = t.Place.Path[1:], patch.Right, last; left {
			o.Side = patch.Left
		}
		if first != last {
			o.StartLine = first
		}
	}
	return o
}

// Threads returns the threads of a pull request, deleted ones included.
func (s *Server) Threads(full string, number int) ([]simapi.Thread, error) {
	return host.OnPull(&s.Lookup, full, number, func(_ *repository, p *pull) ([]simapi.Thread, error) {
		out := []simapi.Thread{}
		for _, t := range p.Threads {
			o := simapi.Thread{ID: t.ID, Status: t.Status, Deleted: t.deleted(), Properties: t.Properties, Comments: []shared.Comment{}}
			for _, k := range t.Comments {
				if !k.System && !k.Deleted {
					o.Comments = append(o.Comments, s.describe(t, k))
				}
			}
			out = append(out, o)
		}
		return out, nil
	})
}

// Comments returns the comments of the conversation.
func (s *Server) Comments(full string, number int) (out []shared.Comment, err error) {
	list, err := s.Threads(full, number)
	for _, t := range list {
		for _, k := range t.Comments {
			if k.Path == "" {
				out = append(out, k)
			}
		}
	}
	return out, err
}

// Reply answers in a thread as a person.
func (s *Server) Reply(_ context.Context, full string, number int, in shared.ReplySpec) (shared.Comment, error) {
	return host.OnPull(&s.Lookup, full, number, func(r *repository, p *pull) (shared.Comment, error) {
		t, k := p.thread(in.Comment)
		if t == nil || in.Author == "" || in.Body == "" {
			return shared.Comment{}, errors.New("comment, author, body: must be a comment, a login and a text")
		}
		made := s.answer(t, s.st.addUser(in.Author, "", s.NowMicros()), in.Body, k.ID)
		s.emitComment(r, p, t, made)
		s.Touch()
		return s.describe(t, made), nil
	})
}

// EditComment changes or deletes a comment, or closes or reopens its thread.
func (s *Server) EditComment(_ context.Context, full string, id int64, in shared.EditSpec) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r := s.st.repo(full)
	if r == nil {
		return errNoRepo
	}
	for _, p := range r.Pulls {
		t, k := p.thread(id)
		if t == nil {
			continue
		}
		now := s.NowMicros()
		by := s.st.Users[k.User]
		if in.Actor != "" {
			by = s.st.addUser(in.Actor, "", now)
		}
		switch {
		case in.Resolve != nil && *in.Resolve:
			t.Status, t.ResolvedBy, t.Updated = "fixed", by.ID, now
		case in.Resolve != nil:
			t.Status, t.ResolvedBy, t.Updated = "active", 0, now
		case by.ID != k.User:
			return errors.New("actor: only the author of a comment changes it")
		case in.Delete:
			k.Deleted, k.Updated = true, now
		case in.Body == "":
			return errors.New("body: must not be empty")
		default:
			k.Body, k.Updated = in.Body, now
			s.emitComment(r, p, t, k)
		}
		return nil
	}
	return errors.New("comment: there is no such comment")
}

// Vote votes as a person and sends the event.
func (s *Server) Vote(_ context.Context, full string, number int, in simapi.Vote) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, p, err := s.st.find(full, number)
	if err != nil {
		return err
	}
	if !slices.Contains([]int{10, 5, 0, -5, -10}, in.Vote) {
		return errors.New("vote: must be 10, 5, 0, -5 or -10")
	}
	u := s.st.addUser(in.Actor, "", s.NowMicros())
	p.review(u.ID).Vote = in.Vote
	s.emitPull(r, p, eventUpdated, voted, u)
	s.Touch()
	return nil
}

// Statuses returns the statuses of pull requests and commits of a repository, oldest first.
func (s *Server) Statuses(full string) ([]simapi.Status, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(full)
	if r == nil {
		return nil, errNoRepo
	}
	out := []simapi.Status{}
	add := func(number int, list []*status) {
		for _, x := range list {
			out = append(out, simapi.Status{ID: x.ID, Number: number, Iteration: x.Iteration, SHA: x.SHA, State: x.State, Genre: x.Genre,
				Name: x.Name, Description: x.Text, TargetURL: x.Link, Creator: s.st.login(x.Creator)})
		}
	}
	for _, p := range host.ByKey(r.Pulls) {
		add(p.Number, p.Statuses)
	}
	add(0, r.Statuses)
	slices.SortFunc(out, func(a, b simapi.Status) int { return int(a.ID - b.ID) })
	return out, nil
}

// displayed returns a person's name for pages. Server.Mu is held.
func (s *Server) displayed(id int64) page.User {
	u := s.st.Users[id]
	if u == nil {
		return page.User{}
	}
	return page.User{Login: u.Login, Name: u.Name, ID: u.ID, Bot: u.App || strings.HasSuffix(u.Login, "-bot")}
}
