package bitbucketserver

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// newAnchor is the place of a comment to make (the description, POST Q/comments). The hashes are the two commits
// that the diff of the pull request compares.
type newAnchor struct {
	DiffType string `json:"diffType"`
	FromHash string `json:"fromHash"`
	ToHash   string `json:"toHash"`
	Path     string `json:"path"`
	SrcPath  string `json:"srcPath,omitempty"` // of a renamed file
	Line     int    `json:"line"`
	LineType string `json:"lineType"`
	FileType string `json:"fileType"`
}

// anchorOf returns the place of a comment, and refuses a place that the diff does not show: the host needs the
// type of the line, which only the hunk contains.
func (h *Host) anchorOf(ctx context.Context, op string, repo codehost.Repo, number int, commit string,
	c codehost.DraftComment) (*newAnchor, error) {
	d := h.keptDiff(repo, number, func(d *parsedDiff) bool { return d.head == commit })
	if d == nil {
		p, err := h.pull(ctx, op, repo, number)
		if err != nil {
			return nil, err
		}
		if p.From.Commit != commit {
			return nil, codehost.Refused(op, "the commit is not the head of the pull request")
		}
		if d, err = h.diffOf(ctx, op, repo, p); err != nil {
			return nil, err
		}
	}
	f := d.set.File(c.Path)
	if f == nil {
		return nil, codehost.Refused(op, "the change has no file %q", c.Path)
	}
	kind := lineType(f, c.Side, c.Line)
	if kind == "" {
		return nil, codehost.Refused(op, "line %d of %q (%s) is not in the change", c.Line, c.Path, c.Side)
	}
	out := &newAnchor{DiffType: "EFFECTIVE", FromHash: d.base, ToHash: d.head, Path: c.Path, SrcPath: f.OldPath, Line: c.Line,
		LineType: kind, FileType: "TO"}
	if c.Side == string(domain.Left) {
		out.FileType = "FROM"
	}
	return out, nil
}

// lineType returns the host's type of a line of one side, or "" if no hunk shows the line.
func lineType(f *diff.File, side string, line int) string {
	for _, h := range f.Hunks {
		old, now := h.OldStart, h.NewStart
		for _, l := range h.Lines {
			switch {
			case l.Op == diff.Add:
				if side == string(domain.Right) && now == line {
					return "ADDED"
				}
				now++
			case l.Op == diff.Delete:
				if side == string(domain.Left) && old == line {
					return "REMOVED"
				}
				old++
			default:
				if side == string(domain.Right) && now == line || side == string(domain.Left) && old == line {
					return "CONTEXT"
				}
				old, now = old+1, now+1
			}
		}
	}
	return ""
}
