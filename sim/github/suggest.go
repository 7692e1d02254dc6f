package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/page"
)

// ApplySuggestion presses "Commit suggestion" on an inline comment. The comment's only suggestion block
// replaces its lines, in a commit on the head branch. Lines end at line feeds.
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in simapi.SuggestionSpec) (simapi.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	var cm *reviewComment
	var branch, base, head string
	if err == nil {
		cm, branch, base, head = p.comment(in.Comment), p.Head, p.BaseSHA, p.HeadSHA
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return simapi.Commit{}, err
	case cm == nil || cm.Side != "RIGHT" || cm.SubjectType != "line":
		return simapi.Commit{}, errors.New("comment: there is no such comment on lines of the head")
	}
	blocks := page.Suggested(cm.Body)
	if len(blocks) != 1 {
		return simapi.Commit{}, fmt.Errorf("comment: it has %d suggestions, not one", len(blocks))
	}
	at := s.place(ctx, r, base, head, []*reviewComment{cm})[cm.ID]
	if at.Line == 0 {
		return simapi.Commit{}, errors.New("comment: it is outdated")
	}
	first := at.StartLine
	if first == 0 {
		first = at.Line
	}
	blob, err := r.file(ctx, head, cm.Path)
	if err != nil {
		return simapi.Commit{}, err
	}
	lines := strings.Split(string(blob), "\n")
	if at.Line > len(lines) {
		return simapi.Commit{}, errors.New("comment: the file has not so many lines")
	}
	lines = slices.Concat(lines[:first-1], blocks[0], lines[at.Line:])
	return s.Commit(ctx, fullName, simapi.CommitSpec{Branch: branch, Files: map[string]string{cm.Path: strings.Join(lines, "\n")},
		Message: "Update " + cm.Path, Author: in.Author})
}
