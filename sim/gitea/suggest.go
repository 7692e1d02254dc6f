package gitea

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// ApplySuggestion implements [host.CodeHost]: it makes the commit that a person makes by hand, because the host has no suggestions.
// The comment shows its change as the only block of code with the info word "diff".
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in simapi.SuggestionSpec) (simapi.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	var c inline
	var branch, head, state string
	if err == nil {
		branch, head, state = p.Head, p.HeadSHA, p.State
		if i := slices.IndexFunc(p.Comments, func(x *inline) bool { return x.ID == in.Comment && !p.pending(x) }); i >= 0 {
			c = *p.Comments[i]
		}
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return simapi.Commit{}, err
	case state != "open":
		return simapi.Commit{}, host.ErrNotOpen
	}
	before, after := c.change()
	if len(before) == 0 {
		return simapi.Commit{}, host.ErrNoSuggestion
	}
	data, _ := browse.Repo{Git: r.git}.File(ctx, head, c.Path) // a file that is gone lacks the lines
	first := host.Occurrence(string(data), before, c.Line)
	text, err := host.ReplaceLines(string(data), first, first+len(before)-1, after)
	if err != nil {
		return simapi.Commit{}, err
	}
	return s.Commit(ctx, fullName, simapi.CommitSpec{Branch: branch, Files: map[string]string{c.Path: text}, Message: "Update " + c.Path,
		Author: in.Author})
}

// change returns the lines that the comment proposes to replace, and the new ones; nothing unless it shows one change.
func (c *inline) change() (before, after []string) {
	blocks := slices.DeleteFunc(page.Fenced(c.Body), func(b page.Block) bool { return b.Info != "diff" })
	if len(blocks) != 1 || c.Line < 0 {
		return nil, nil
	}
	for _, l := range blocks[0].Lines {
		if text, removed := strings.CutPrefix(l, "-"); removed {
			before = append(before, text)
		} else if text, added := strings.CutPrefix(l, "+"); added {
			after = append(after, text)
		}
	}
	return before, after
}
