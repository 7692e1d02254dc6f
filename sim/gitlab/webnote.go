package gitlab

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// thread is a snapshot of a discussion, so that git does not run while Server.Mu is held.
type thread struct {
	page.Thread
	at    position
	notes []note
	users []page.User
}

// discussions returns the threads on lines or files, and the notes of the conversation, system notes included.
func (v *visit) discussions(m *mergeRequest) (threads []thread, talk []thread) {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, d := range m.Discussions {
		if len(d.Notes) == 0 {
			continue
		}
		t := thread{}
		for _, n := range d.Notes {
			t.notes, t.users = append(t.notes, *n), append(t.users, v.person(n.User))
		}
		first := d.Notes[0]
		t.First = first.ID
		if first.ResolvedBy != 0 {
			t.ResolvedBy = v.s.st.login(first.ResolvedBy)
		}
		if first.Position == nil {
			talk = append(talk, t)
			continue
		}
		t.at = *first.Position
		t.Path, t.Line, t.StartLine, t.Outdated = t.at.NewPath, t.at.line(), t.at.first(), t.at.Head != m.now().Head
		if _, _, _, found := first.suggestion(); found && m.State == "opened" && !t.Outdated {
			t.Applies = first.ID
		}
		t.Link = v.link(m) + "/diffs#" + browse.Anchor(t.Path)
		threads = append(threads, t)
	}
	return threads, talk
}

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

// covers returns a function that reports whether a line is one of the note's; for a note on a file it is
// always false.
func (at *position) covers() func(page.DiffLine) bool {
	switch {
	case at.Type != "text":
		return func(page.DiffLine) bool { return false }
	case at.NewLine == 0:
		return browse.Covers(patch.Left, at.first(), at.OldLine)
	}
	return browse.Covers(patch.Right, at.first(), at.NewLine)
}

// fill adds the comments, and the lines of the thread's version.
func (v *visit) fill(ctx context.Context, t *thread) {
	if d, err := v.project.git.Diff(ctx, t.at.Base, t.at.Head); err == nil { // a thread is shown without its lines, too
		side, line := patch.Right, t.at.NewLine
		if line == 0 {
			side, line = patch.Left, t.at.OldLine
		}
		if f := d.Find(t.at.NewPath); f != nil {
			if h, _, shown := patch.Find(f.Hunks, side, line); shown {
				t.Excerpt = browse.Excerpt(browse.HunkLines(f.Path, f.Hunks[h].Lines), t.at.covers())
			}
		}
	}
	var text []string
	if data, found := (browse.Repo{Git: v.project.git}).File(ctx, t.at.Head, t.at.NewPath); found && t.at.NewLine != 0 {
		text = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	old := func(info string) ([]page.DiffLine, bool) { return suggested(info, t.at.NewPath, text, t.at.NewLine) }
	for i, n := range t.notes {
		t.Comments = append(t.Comments, comment(n, t.users[i], page.Suggesting(n.Body, t.at.NewPath, old)))
	}
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

func comment(n note, by page.User, body []page.Part) page.Comment {
	return page.Comment{Anchor: fmt.Sprintf("note_%d", n.ID), User: by, At: n.Created.Time(), Edited: n.Updated != n.Created, Body: body}
}

// items returns the conversation in the order of time.
func (v *visit) items(m *mergeRequest) []page.Item {
	var list browse.Timeline
	v.s.Mu.Lock()
	if m.Body != "" {
		c := page.Comment{Anchor: "description", User: v.person(m.Author), At: m.Created.Time(), Body: page.Body(m.Body, "", nil)}
		list.Add(m.Created.Time(), page.Item{Comment: &c})
	}
	v.s.Mu.Unlock()
	threads, talk := v.discussions(m)
	for _, t := range talk {
		for i, n := range t.notes {
			if n.System {
				what, _, _ := strings.Cut(n.Body, "\n")
				list.Add(n.Created.Time(), page.Item{Event: &page.Event{User: t.users[i], Text: what, At: n.Created.Time()}})
				continue
			}
			c := comment(n, t.users[i], page.Body(n.Body, "", nil))
			list.Add(n.Created.Time(), page.Item{Comment: &c})
		}
	}
	for i := range threads {
		v.fill(v.ctx, &threads[i])
		list.Add(threads[i].notes[0].Created.Time(), page.Item{Thread: &threads[i].Thread})
	}
	return list.Items()
}

// placed puts threads below the lines of the present diff.
func (v *visit) placed(files []gitrepo.File, m *mergeRequest) []page.FileDiff {
	out := browse.FileDiffs(files)
	threads, _ := v.discussions(m)
	for i := range threads {
		t := &threads[i]
		v.fill(v.ctx, t)
		at := slices.IndexFunc(out, func(f page.FileDiff) bool { return f.Path == t.Path })
		if at < 0 {
			continue // its file is no longer changed; the conversation shows it
		}
		covers := t.at.covers()
		browse.Place(&out[at], t.Thread, func(l page.DiffLine) bool { return !t.Outdated && covers(l) })
	}
	return out
}
