package github

import (
	"context"

	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/patch"
)

// placement is the place of a comment in the present diff of its pull request. Zero lines mean that it is
// outdated.
type placement struct {
	Line, StartLine, Position int
	CommitID                  string
}

// pullDiff returns the diff of a pull request from its merge base, for a given head.
func (s *Server) pullDiff(ctx context.Context, r *repository, baseSHA, head string) (*gitrepo.Diff, string, error) {
	base, err := r.git.MergeBase(ctx, baseSHA, head)
	if err != nil {
		return nil, "", err
	}
	d, err := r.git.Diff(ctx, base, head)
	return d, base, err
}

// stats computes the figures of a pull request. Server.Mu is not held.
func (s *Server) stats(ctx context.Context, r *repository, baseSHA, head string) (pullStats, error) {
	d, base, err := s.pullDiff(ctx, r, baseSHA, head)
	if err != nil {
		return pullStats{}, err
	}
	n := pullStats{MergeBase: base, Files: len(d.Files)}
	for _, f := range d.Files {
		n.Additions += f.Additions
		n.Deletions += f.Deletions
	}
	n.Commits, err = r.git.Count(ctx, base, head)
	return n, err
}

// place returns the present places of comments. The comments must be copies or stay unchanged; Server.Mu is
// not held.
func (s *Server) place(ctx context.Context, r *repository, baseSHA, head string, comments []*reviewComment) map[int64]placement {
	out := make(map[int64]placement, len(comments))
	now, base, err := s.pullDiff(ctx, r, baseSHA, head)
	for _, c := range comments {
		if err != nil {
			out[c.ID] = placement{CommitID: c.CommitID}
			continue
		}
		out[c.ID] = s.placeOne(ctx, r, c, now, base, head)
	}
	return out
}

func (s *Server) placeOne(ctx context.Context, r *repository, c *reviewComment, now *gitrepo.Diff, base, head string) placement {
	if c.CommitID == head {
		return placement{Line: c.Line, StartLine: c.StartLine, Position: c.Position, CommitID: head}
	}
	outdated := placement{CommitID: c.CommitID}
	f := now.Find(c.Path)
	if f == nil {
		return outdated
	}
	if c.SubjectType == "file" {
		return placement{CommitID: head}
	}
	from, to, path := c.CommitID, head, c.Path
	if c.Side == patch.Left {
		from, to = c.BaseSHA, base
		if c.OldPath != "" {
			path = c.OldPath
		}
	}
	line, start, ok := s.mapLines(ctx, r, from, to, path, c.Line, c.StartLine)
	if !ok {
		return outdated
	}
	h, i, shown := patch.Find(f.Hunks, c.Side, line)
	if !shown {
		return outdated
	}
	return placement{Line: line, StartLine: start, Position: f.Hunks[h].Lines[i].Position, CommitID: head}
}

// mapLines follows a range of lines from one commit to another; ok is false if any of them changed.
func (s *Server) mapLines(ctx context.Context, r *repository, from, to, path string, line, start int) (newLine, newStart int, ok bool) {
	if from == to {
		return line, start, true
	}
	d, err := r.git.Diff(ctx, from, to)
	if err != nil {
		return 0, 0, false
	}
	f := d.Find(path)
	if f == nil {
		return line, start, true // untouched
	}
	if f.Status == "removed" || f.Binary {
		return 0, 0, false
	}
	first := line
	if start != 0 {
		first = start
	}
	for l := first; l <= line; l++ {
		n, same := patch.MapLine(f.Hunks, l)
		if !same || (l > first && n != newLine+1) {
			return 0, 0, false
		}
		newLine = n
		if l == start {
			newStart = n
		}
	}
	return newLine, newStart, true
}
