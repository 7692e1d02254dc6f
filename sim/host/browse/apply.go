package browse

import (
	"context"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// Apply makes the commit that a person makes by hand on a host without suggestions: the only change that a comment on lines of the newest
// commit shows as a diff. [host.ErrNoSuggestion] means that the comment shows none, [host.ErrOutdated] that the file lacks the lines.
func (p *Pull) Apply(ctx context.Context, git *gitrepo.Repo, by People, repo string, in simapi.SuggestionSpec) (simapi.Commit, error) {
	if !p.IsOpen() {
		return simapi.Commit{}, host.ErrNotOpen
	}
	for _, t := range p.Talk(ctx).Talks {
		for _, s := range t.Said {
			if s.ID != in.Comment || t.Place == nil || t.Place.Side != patch.Right || t.Place.Last == 0 {
				continue
			}
			path := t.Place.Path
			before, after := page.Changed(s.Text)
			if len(before) == 0 {
				return simapi.Commit{}, host.ErrNoSuggestion
			}
			data, _ := Repo{Git: git}.File(ctx, p.HeadSHA, path) // a file that is gone lacks the lines
			first := host.Occurrence(string(data), before, t.Place.Last)
			text, err := host.ReplaceLines(string(data), first, first+len(before)-1, after)
			if err != nil {
				return simapi.Commit{}, err
			}
			return by.Commit(ctx, repo, simapi.CommitSpec{Branch: p.Branch, Files: map[string]string{path: text}, Message: "Update " + path,
				Author: in.Author})
		}
	}
	return simapi.Commit{}, host.ErrNoSuggestion
}

// Suggests reports whether a comment shows exactly one change as a diff, for hosts without suggestions.
func Suggests(text string) bool {
	before, _ := page.Changed(text)
	return len(before) > 0
}
