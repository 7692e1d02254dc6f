package github

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// thread is a thread with the data for placing it.
type thread struct {
	page.Thread
	root *reviewComment
	now  placement
}

// threads collects the visible threads of a pull request.
func (v *visit) threads(ctx context.Context, p *pull, base, head string) []thread {
	v.s.Mu.Lock()
	var roots []*reviewComment
	replies := map[int64][]*reviewComment{}
	for _, c := range p.Comments {
		switch {
		case p.pending(c):
		case c.InReplyTo == 0:
			roots = append(roots, c)
		default:
			replies[c.InReplyTo] = append(replies[c.InReplyTo], c)
		}
	}
	v.s.Mu.Unlock()
	places := v.s.place(ctx, v.repo, base, head, roots)
	var out []thread
	for _, root := range roots {
		t := thread{root: root, now: places[root.ID]}
		original := v.original(ctx, root)
		t.First, t.Path, t.Line, t.StartLine = root.ID, root.Path, root.Line, root.StartLine
		if t.now.Line != 0 {
			t.Line, t.StartLine = t.now.Line, t.now.StartLine
		}
		t.Outdated = t.now.Line == 0 && root.SubjectType == "line"
		t.Link = pullLink(v.repo, p) + "/files#" + browse.Anchor(root.Path)
		t.Excerpt = excerpt(original, root)
		v.s.Mu.Lock()
		t.ResolvedBy = p.ResolvedThreads[root.ID]
		if p.State == "open" && !t.Outdated && root.suggests() {
			t.Applies = root.ID
		}
		for _, c := range append([]*reviewComment{root}, replies[root.ID]...) {
			t.Comments = append(t.Comments, v.inline(c, marked(original, root)))
		}
		v.s.Mu.Unlock()
		out = append(out, t)
	}
	return out
}

// original returns the lines of the hunk in which a comment was written.
func (v *visit) original(ctx context.Context, c *reviewComment) []page.DiffLine {
	d, err := v.repo.git.Diff(ctx, c.BaseSHA, c.CommitID)
	if err != nil || c.SubjectType == "file" {
		return nil
	}
	f := d.Find(c.Path)
	if f == nil {
		return nil
	}
	h, _, ok := patch.Find(f.Hunks, c.Side, c.Line)
	if !ok {
		return nil
	}
	return browse.HunkLines(c.Path, f.Hunks[h].Lines)
}

// covers reports whether a line is in the original range of a comment.
func covers(c *reviewComment, l page.DiffLine) bool {
	start := c.Line
	if c.StartLine != 0 && c.StartSide == c.Side {
		start = c.StartLine
	}
	n, kind := l.New, "del"
	if c.Side == patch.Left {
		n, kind = l.Old, "add"
	}
	return l.Kind != kind && n >= start && n <= c.Line && n != 0
}

// marked returns the lines that a suggestion of the comment would replace.
func marked(lines []page.DiffLine, c *reviewComment) []page.DiffLine {
	var out []page.DiffLine
	for _, l := range lines {
		if covers(c, l) {
			out = append(out, l)
		}
	}
	return out
}

// excerptLines is the number of lines above the comment that the conversation shows.
const excerptLines = 4

func excerpt(lines []page.DiffLine, c *reviewComment) []page.DiffLine {
	first, last := -1, -1
	for i := range lines {
		if covers(c, lines[i]) {
			if first < 0 {
				first = i
			}
			last = i
			lines[i].Marked = true
		}
	}
	if last < 0 {
		return nil
	}
	return slices.Clone(lines[max(0, first-excerptLines+1) : last+1])
}

// placeThreads puts threads below the lines of the present diff.
func placeThreads(files []gitrepo.File, threads []thread) []page.FileDiff {
	out := browse.FileDiffs(files)
	for i := range out {
		f := &out[i]
		for _, t := range threads {
			if t.Path != f.Path {
				continue
			}
			at := -1
			for j := range f.Lines {
				l := &f.Lines[j]
				moved := *t.root
				moved.Line, moved.StartLine = t.now.Line, t.now.StartLine
				if !t.Outdated && t.root.SubjectType == "line" && covers(&moved, *l) {
					l.Marked = true
					at = j
				}
			}
			if at < 0 {
				f.Threads = append(f.Threads, t.Thread)
				continue
			}
			f.Lines[at].Threads = append(f.Lines[at].Threads, t.Thread)
		}
	}
	return out
}
