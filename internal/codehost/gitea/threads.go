package gitea

import (
	"cmp"
	"context"
	"slices"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
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

// openThreads are the threads of one review, the newest first. A thread is resolved where its
// first comment is (templates/repo/diff/conversation.tmpl of go-gitea/gitea).
func openThreads(self account, comments []*sdk.PullReviewComment) []codehost.Thread {
	type place struct {
		path, side string
		line       int
	}
	firsts := map[place]*sdk.PullReviewComment{}
	for _, c := range comments { // the oldest first
		side, line := spot(c)
		at := place{c.Path, side, line}
		if line > 0 && firsts[at] == nil {
			firsts[at] = c
		}
	}
	var out []codehost.Thread
	for _, c := range slices.Backward(comments) {
		side, line := spot(c)
		at := place{c.Path, side, line}
		if firsts[at] != c || userID(c.Resolver) != 0 {
			continue
		}
		mine := self.is(c.Reviewer)
		t, fits := codehost.Thread{Path: c.Path, Side: side, StartLine: line, Line: line, Author: login(c.Reviewer),
			Bot: mine || systemUser(c.Reviewer), Mine: mine, Body: c.Body}.Bounded()
		if fits {
			out = append(out, t)
		}
	}
	return out
}

// SetResolved implements [codehost.Resolver], from Gitea 1.26 on: an older one answers
// [codehost.ClassNotFound]. Who may write, an official reviewer and the author of the pull request
// may (models/issues/review.go of go-gitea/gitea, CanMarkConversation). A thread is closed where its
// first comment is; ours begin theirs.
func (h *Host) SetResolved(ctx context.Context, repo codehost.Repo, number int, comment domain.HostID, resolved bool) error {
	const op = "resolve thread"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	id, err := wire.NumberOfID(op, comment)
	if err != nil {
		return err
	}
	return h.write(ctx, op, func(c *sdk.Client) error {
		set := c.UnresolvePullReviewComment
		if resolved {
			set = c.ResolvePullReviewComment
		}
		_, err := set(repo.Owner, repo.Name, id)
		return err
	})
}
