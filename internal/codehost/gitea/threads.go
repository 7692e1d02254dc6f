package gitea

import (
	"cmp"
	"context"
	"slices"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// threadReviews bounds the reviews whose comments are read for threads: the host
// lists comments by review only.
const threadReviews = 250

// Threads implements [codehost.Reader]. A thread is what was said in one review on
// one line, its replies included. The host tells which are resolved, and not which
// are outdated: those are listed too, at the line where they were made.
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Thread, error) {
	const op = "list threads"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.self(ctx)
	if err != nil {
		return nil, err
	}
	reviews, err := h.reviews(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(reviews, func(a, b *sdk.PullReview) int { return cmp.Compare(b.ID, a.ID) })
	var out []codehost.Thread
	asked := 0
	for _, r := range reviews {
		if r.State == sdk.ReviewStatePending || r.CodeCommentsCount == 0 {
			continue
		}
		if asked++; asked > threadReviews || len(out) == codehost.MaxThreads {
			break
		}
		comments, err := h.comments(ctx, op, repo, number, r.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range openThreads(self, comments) {
			if len(out) < codehost.MaxThreads {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// openThreads are the threads of one review, the newest first.
func openThreads(self account, comments []*sdk.PullReviewComment) []codehost.Thread {
	type place struct {
		path, side string
		line       int
	}
	firsts := map[place]*sdk.PullReviewComment{}
	settled := map[place]bool{}
	for _, c := range comments { // the oldest first
		side, line := spot(c)
		at := place{c.Path, side, line}
		if line <= 0 {
			continue
		}
		settled[at] = settled[at] || userID(c.Resolver) != 0
		if firsts[at] == nil {
			firsts[at] = c
		}
	}
	var out []codehost.Thread
	for _, c := range slices.Backward(comments) {
		side, line := spot(c)
		at := place{c.Path, side, line}
		if firsts[at] != c || settled[at] {
			continue
		}
		mine := self.is(c.Reviewer)
		out = append(out, codehost.Thread{Path: c.Path, Side: side, StartLine: line, Line: line, Author: login(c.Reviewer),
			Bot: mine || systemUser(c.Reviewer), Mine: mine, Body: c.Body})
	}
	return out
}
