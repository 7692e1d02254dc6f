package engine

import (
	"context"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
)

// prepared is the change as the stages read it.
type prepared struct {
	given    *diff.Set     // as the host gave it, with its secrets: for counts and notices only
	set      *diff.Set     // without secrets
	src      *anchor.Files // without secrets
	redact   func(string) string
	redacted *check.RedactedSource
	bounds   *change.BoundedSource
	outputs  map[string]bool     // paths of notebooks with changed outputs that no model is shown
	unread   map[string]string   // path to the reason why a check did not read all of the file
	long     map[*diff.File]bool // files whose hunks are too long for a model
}

// symbol is the enclosing symbol of a line at the head.
func (p *prepared) symbol(ctx context.Context, path string, line int) (name string, first, last int) {
	f := p.set.File(path)
	if f == nil {
		return "", 0, 0
	}
	o, err := p.src.Outline(ctx, domain.Right, path, f.Language)
	if err != nil {
		return "", 0, 0
	}
	s, ok := o.Enclosing(line)
	if !ok {
		return "", 0, 0
	}
	return s.Name, s.Start, s.End
}

// unseen reports whether a change of the file, or the file itself, was beyond a
// bound: that something is not found there says nothing.
func (p *prepared) unseen(path string) bool {
	f := p.set.File(path)
	return f != nil && (f.Omitted != "" || p.long[f] || p.refused(f) != "")
}

// refused says why a version of the file was not read whole, "" where it was.
func (p *prepared) refused(f *diff.File) string {
	if why := p.bounds.Refused(f); why != "" {
		return why
	}
	if p.redacted.Refused(f.Path) || p.redacted.Refused(f.BasePath()) {
		return change.WhyLargeFile
	}
	return ""
}
