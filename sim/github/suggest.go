package github

import (
	"context"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// ApplySuggestion implements [host.CodeHost]: it presses "Commit suggestion" on an inline comment. The comment's only suggestion block
// replaces its lines, in a commit on the head branch. Lines end at line feeds.
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in simapi.SuggestionSpec) (simapi.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	var cm *reviewComment
	var branch, base, head, state string
	if err == nil {
		cm, branch, base, head, state = p.comment(in.Comment), p.Head, p.BaseSHA, p.HeadSHA, p.State
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return simapi.Commit{}, err
	case state != "open":
		return simapi.Commit{}, host.ErrNotOpen
	case cm == nil || !cm.suggests():
		return simapi.Commit{}, host.ErrNoSuggestion
	}
	at := s.place(ctx, r, base, head, []*reviewComment{cm})[cm.ID]
	if at.Line == 0 {
		return simapi.Commit{}, host.ErrOutdated
	}
	first := at.StartLine
	if first == 0 {
		first = at.Line
	}
	blob, err := r.file(ctx, head, cm.Path)
	if err != nil {
		return simapi.Commit{}, err
	}
	text, err := host.ReplaceLines(string(blob), first, at.Line, page.Suggested(cm.Body)[0])
	if err != nil {
		return simapi.Commit{}, err
	}
	return s.Commit(ctx, fullName, simapi.CommitSpec{Branch: branch, Files: map[string]string{cm.Path: text},
		Message: "Update " + cm.Path, Author: in.Author})
}

// suggests reports whether a comment has one suggestion for lines of the head.
func (c *reviewComment) suggests() bool {
	return c.Side == patch.Right && c.SubjectType == "line" && len(page.Suggested(c.Body)) == 1
}
