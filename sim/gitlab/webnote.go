package gitlab

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// first returns the first line of a note, on its side.
func (at *position) first() int {
	switch {
	case at.Range != nil && at.NewLine != 0 && at.Range.Start.NewLine != 0:
		return at.Range.Start.NewLine
	case at.Range != nil && at.NewLine == 0 && at.Range.Start.OldLine != 0:
		return at.Range.Start.OldLine
	}
	return at.line()
}

// line returns the line of a note, on the new side if it exists there.
func (at *position) line() int {
	if at.NewLine != 0 {
		return at.NewLine
	}
	return at.OldLine
}

var suggestionForm = regexp.MustCompile(`^suggestion(?::-(\d{1,3})\+(\d{1,3}))?$`)

// suggested returns the lines that a suggestion replaces: the note's line, and as many above and below as the
// block says (docs.gitlab.com/user/project/merge_requests/reviews/suggestions, "Multi-line suggestions").
func suggested(info, path string, text []string, line int) ([]page.DiffLine, bool) {
	m := suggestionForm.FindStringSubmatch(info)
	if m == nil {
		return nil, false
	}
	above, _ := strconv.Atoi(m[1]) // digits or nothing
	below, _ := strconv.Atoi(m[2])
	var out []page.DiffLine
	for n := max(1, line-above); n <= min(line+below, len(text)) && line > 0; n++ {
		out = append(out, page.DiffLine{New: n, Tokens: page.Colour(path, text[n-1])})
	}
	return out, true
}

// conversation returns the threads on lines or files, and the notes of the conversation; system notes are events.
func (s *Server) conversation(ctx context.Context, p *project, m *mergeRequest) browse.Conversation {
	out := s.talks(m)
	for i := range out.Talks { // git does not run while Server.Mu is held
		t := &out.Talks[i]
		if t.Place == nil {
			continue
		}
		var text []string
		if data, found := (browse.Repo{Git: p.git}).File(ctx, t.Place.At, t.Place.Path); found && t.Place.Side == patch.Right {
			text = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		}
		old := func(info string) ([]page.DiffLine, bool) { return suggested(info, t.Place.Path, text, t.Place.Last) }
		for j := range t.Said {
			t.Said[j].Body = page.Suggesting(t.Said[j].Text, t.Place.Path, old)
		}
	}
	return out
}

// talks returns a conversation without the texts of threads.
func (s *Server) talks(m *mergeRequest) (out browse.Conversation) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if m.Body != "" {
		out.Opening = &browse.Said{Text: m.Body, Comment: page.Comment{Anchor: "description", User: s.pageUser(m.Author), At: m.Created.Time()}}
	}
	for _, d := range m.Discussions {
		t := browse.Talk{}
		for _, n := range d.Notes {
			if n.System {
				what, _, _ := strings.Cut(n.Body, "\n")
				out.Events = append(out.Events, page.Event{User: s.pageUser(n.User), Text: what, At: n.Created.Time()})
				continue
			}
			t.Said = append(t.Said, browse.Said{ID: n.ID, Text: n.Body, Comment: page.Comment{Anchor: fmt.Sprintf("note_%d", n.ID),
				User: s.pageUser(n.User), At: n.Created.Time(), Edited: n.Updated != n.Created}})
		}
		if len(t.Said) == 0 {
			continue
		}
		first := d.Notes[0]
		if first.ResolvedBy != 0 {
			t.ClosedBy = s.st.login(first.ResolvedBy)
		}
		if at := first.Position; at != nil {
			t.Place = &browse.Place{Path: at.NewPath, Side: patch.Right, First: at.first(), Last: at.line(), From: at.Base, At: at.Head}
			if at.Type != "text" {
				t.Place.First, t.Place.Last = 0, 0
			} else if at.NewLine == 0 {
				t.Place.Side = patch.Left
			}
			t.Place.Stay(m.now().Head, at.Head)
			_, _, _, suggests := first.suggestion()
			t.Suggests = suggests && !t.Place.Outdated
		}
		out.Talks = append(out.Talks, t)
	}
	return out
}
