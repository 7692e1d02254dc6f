package gitlab

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// ApplySuggestion implements [host.CodeHost]: it presses "Apply suggestion" at a note. The note's only suggestion replaces its lines,
// in a commit on the source branch, and its thread is resolved. A suggestion is outdated if its lines have changed since
// (docs.gitlab.com/user/project/merge_requests/reviews/suggestions).
func (s *Server) ApplySuggestion(ctx context.Context, fullPath string, iid int, in shared.SuggestionSpec) (shared.Commit, error) {
	s.Mu.Lock()
	p, m, err := s.st.find(fullPath, iid)
	var n note
	var branch, head, state string
	if err == nil {
		branch, head, state = m.Source, m.now().Head, m.State
		if _, found := m.note(in.Comment); found != nil {
			n = *found
		}
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return shared.Commit{}, err
	case state != "opened":
		return shared.Commit{}, host.ErrNotOpen
	}
	above, below, lines, found := n.suggestion()
	if !found {
		return shared.Commit{}, host.ErrNoSuggestion
	}
	now, written := n.Position, n.Position
	if n.Written != nil {
		written = n.Written
	}
	code := browse.Repo{Git: p.git}
	data, _ := code.File(ctx, head, now.NewPath) // a file that is gone lacks the lines
	then, _ := code.File(ctx, written.Head, written.NewPath)
	if now.Head != head || !slices.Equal(linesOf(then, written.NewLine-above, written.NewLine+below),
		linesOf(data, now.NewLine-above, now.NewLine+below)) {
		return shared.Commit{}, host.ErrOutdated
	}
	text, err := host.ReplaceLines(string(data), now.NewLine-above, now.NewLine+below, lines)
	if err != nil {
		return shared.Commit{}, err
	}
	made, err := s.Commit(ctx, fullPath, shared.CommitSpec{Branch: branch, Files: map[string]string{now.NewPath: text},
		Message: "Apply 1 suggestion(s) to 1 file(s)", Author: in.Author})
	if err != nil {
		return made, err
	}
	resolve := true
	return made, s.EditComment(ctx, fullPath, in.Comment, shared.EditSpec{Actor: in.Author, Resolve: &resolve})
}

// suggestion returns the only suggestion of a note on a line of the new side: how many lines above and below the note's line it
// replaces, and by which.
func (n *note) suggestion() (above, below int, lines []string, found bool) {
	if n.Position == nil || n.Position.Type != "text" || n.Position.NewLine == 0 {
		return 0, 0, nil, false
	}
	for _, b := range page.Fenced(n.Body) {
		m := suggestionForm.FindStringSubmatch(b.Info)
		if m == nil {
			continue
		}
		if found {
			return 0, 0, nil, false
		}
		above, _ = strconv.Atoi(m[1]) // digits or nothing
		below, _ = strconv.Atoi(m[2])
		lines, found = b.Lines, true
	}
	return above, below, lines, found
}

// linesOf returns the lines of a file from first to last, counted from 1; nothing if it lacks them.
func linesOf(file []byte, first, last int) []string {
	lines := strings.Split(string(file), "\n")
	if first < 1 || last > len(lines) || last < first {
		return nil
	}
	return lines[first-1 : last]
}
