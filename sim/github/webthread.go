package github

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
)

// threads returns the visible threads of a pull request.
func (v *visit) threads(ctx context.Context, p *pull) (out []browse.Talk) {
	v.s.Mu.Lock()
	base, head := p.BaseSHA, p.HeadSHA
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
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, root := range roots {
		now := places[root.ID]
		t := browse.Talk{Review: root.ReviewID, ClosedBy: p.ResolvedThreads[root.ID], Place: &browse.Place{Path: root.Path, Side: root.Side,
			First: root.Line, Last: root.Line, From: root.BaseSHA, At: root.CommitID, Outdated: now.Line == 0 && root.SubjectType == "line"}}
		if root.StartLine != 0 && root.StartSide == root.Side {
			t.Place.First = root.StartLine
		}
		if now.Line != 0 {
			t.Place.Now = [2]int{host.StatusOr(now.StartLine, now.Line), now.Line}
		}
		t.Suggests = !t.Place.Outdated && root.suggests()
		for _, c := range append([]*reviewComment{root}, replies[root.ID]...) {
			t.Said = append(t.Said, v.said(fmt.Sprintf("discussion_r%d", c.ID), c.ID, c.User, c.Body, c.Created, c.Updated, c.Reactions))
		}
		out = append(out, t)
	}
	return out
}
