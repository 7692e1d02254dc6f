package browse

import (
	"context"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/page"
)

// Apply returns a file of a commit with the only change that a comment on a line shows as a diff, like a person who makes it
// by hand. [host.ErrNoSuggestion] means that the comment shows none, [host.ErrOutdated] that the file lacks the lines.
func (r Repo) Apply(ctx context.Context, commit, path string, line int, body string) (string, error) {
	before, after := page.Changed(body)
	if len(before) == 0 {
		return "", host.ErrNoSuggestion
	}
	data, _ := r.File(ctx, commit, path) // a file that is gone lacks the lines
	first := host.Occurrence(string(data), before, line)
	return host.ReplaceLines(string(data), first, first+len(before)-1, after)
}
