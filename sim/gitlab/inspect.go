package gitlab

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/patch"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Comment writes a note in the conversation of a merge request as a person.
func (s *Server) Comment(_ context.Context, fullPath string, iid int, in shared.CommentSpec) (shared.Comment, error) {
	if in.Body == "" || in.Author == "" {
		return shared.Comment{}, errors.New("author, body: must not be empty")
	}
	return host.OnPull(&s.Lookup, fullPath, iid, func(p *project, m *mergeRequest) (shared.Comment, error) {
		n := s.note(p, m, writing{user: s.st.addUser(in.Author, "", s.NowMicros()), body: in.Body}, "")
		s.Touch()
		d, _ := m.note(n.ID)
		return s.describeNote(d, n), nil
	})
}

// Note writes a note on lines of the newest version as a person, in the form of the page: an unchanged line
// has the numbers of both sides. Without a path it begins a thread of the conversation.
func (s *Server) Note(ctx context.Context, fullPath string, iid int, in simapi.NoteSpec) (simapi.Note, error) {
	if in.Body == "" || in.Author == "" {
		return simapi.Note{}, errors.New("author, body: must not be empty")
	}
	s.Mu.Lock()
	p, m, err := s.st.find(fullPath, iid)
	var now version
	if err == nil {
		now = *m.now()
	}
	s.Mu.Unlock()
	if err != nil {
		return simapi.Note{}, err
	}
	if in.Path == "" {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		defer s.Touch()
		answered, _ := m.note(in.Answers)
		if in.Answers != 0 && answered == nil {
			return simapi.Note{}, errors.New("answers: the merge request has no such note")
		}
		n := s.note(p, m, writing{user: s.st.addUser(in.Author, "", s.NowMicros()), body: in.Body, in: answered, thread: true}, "")
		thread, _ := m.note(n.ID)
		return simapi.Note{ID: n.ID, Discussion: thread.ID}, nil
	}
	d, err := p.git.Diff(ctx, now.Base, now.Head)
	if err != nil {
		return simapi.Note{}, err
	}
	f := d.Find(in.Path)
	if f == nil {
		return simapi.Note{}, errors.New("path: the merge request does not change it")
	}
	at := &position{Base: now.Base, Start: now.Start, Head: now.Head, Type: "text", OldPath: host.OrElse(f.OldPath, f.Path), NewPath: f.Path}
	end := func(line int) rangeEnd {
		e := rangeEnd{OldLine: in.OldLine, NewLine: line, Type: "new"}
		if in.NewLine == 0 {
			return rangeEnd{OldLine: line, Type: "old", LineCode: lineCode(f.Path, f.Hunks, line, 0)}
		}
		if h, i, shown := patch.Find(f.Hunks, patch.Right, line); shown {
			e.OldLine = f.Hunks[h].Lines[i].Old
		}
		e.LineCode = lineCode(f.Path, f.Hunks, e.OldLine, line)
		return e
	}
	last := end(max(in.NewLine, in.OldLine))
	at.OldLine, at.NewLine, at.Code = last.OldLine, last.NewLine, last.LineCode
	if in.FirstLine != 0 {
		at.Range = &lineRange{Start: end(in.FirstLine), End: last}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	u := s.st.addUser(in.Author, "", s.NowMicros())
	if in.Draft {
		x := &draft{ID: s.st.ID("draft"), User: u.ID, Body: in.Body, Position: at}
		m.Drafts = append(m.Drafts, x)
		return simapi.Note{ID: x.ID}, nil
	}
	n := s.note(p, m, writing{user: u, body: in.Body, at: at}, "")
	thread, _ := m.note(n.ID)
	if in.Resolved {
		thread.resolve(u.ID)
	}
	return simapi.Note{ID: n.ID, Discussion: thread.ID}, nil
}

func (s *Server) describeNote(d *discussion, n *note) shared.Comment {
	o := shared.Comment{ID: n.ID, User: s.st.login(n.User), Body: n.Body, CreatedUS: int64(n.Created), Resolved: n.ResolvedBy != 0,
		Reactions: n.Reactions.Describe()}
	if n.Updated != n.Created {
		o.EditedUS = int64(n.Updated)
	}
	if d.Notes[0] != n {
		o.InReplyTo = d.Notes[0].ID
	}
	if at := n.Position; at != nil {
		o.Path, o.Side, o.Line = at.NewPath, patch.Right, at.NewLine
		if at.NewLine == 0 {
			o.Side, o.Line = patch.Left, at.OldLine
		}
		if at.Range != nil {
			o.StartLine = max(at.Range.Start.NewLine, at.Range.Start.OldLine)
			if o.Side == patch.Right {
				o.StartLine = at.Range.Start.NewLine
			}
		}
	}
	return o
}

// Notes returns the visible notes of a merge request, except system notes.
func (s *Server) Notes(fullPath string, iid int) ([]shared.Comment, error) {
	return host.OnPull(&s.Lookup, fullPath, iid, func(_ *project, m *mergeRequest) ([]shared.Comment, error) {
		out := []shared.Comment{}
		for _, d := range m.Discussions {
			for _, n := range d.Notes {
				if !n.System {
					out = append(out, s.describeNote(d, n))
				}
			}
		}
		return out, nil
	})
}

// Drafts returns the draft notes of all people.
func (s *Server) Drafts(fullPath string, iid int) ([]simapi.Draft, error) {
	return host.OnPull(&s.Lookup, fullPath, iid, func(_ *project, m *mergeRequest) ([]simapi.Draft, error) {
		out := []simapi.Draft{}
		for _, d := range m.Drafts {
			o := simapi.Draft{ID: d.ID, User: s.st.login(d.User), Body: d.Body}
			if d.Position != nil {
				o.Path = d.Position.NewPath
			}
			out = append(out, o)
		}
		return out, nil
	})
}

// Statuses returns all commit statuses of a project, oldest first.
func (s *Server) Statuses(fullPath string) ([]simapi.Status, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.st.project(fullPath)
	if p == nil {
		return nil, errNoProject
	}
	out := []simapi.Status{}
	for _, x := range p.Statuses {
		out = append(out, simapi.Status{ID: x.ID, SHA: x.SHA, Ref: x.Ref, State: x.State, Name: x.Name, Description: x.Description,
			TargetURL: x.TargetURL, Creator: s.st.login(x.Creator)})
	}
	return out, nil
}

// Comments returns the notes of the conversation of a merge request.
func (s *Server) Comments(fullPath string, iid int) ([]shared.Comment, error) {
	list, err := s.Notes(fullPath, iid)
	return host.Without(list, func(x shared.Comment) bool { return x.Path != "" }), err
}
