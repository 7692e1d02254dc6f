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

// threadReviews is the most reviews whose comments are read for threads, because the host lists comments by
// review only.
const threadReviews = 250

// Threads implements [codehost.Reader]. A thread is the comments of one review on one line, with replies.
// The host reports which threads are resolved, but not which are outdated. Outdated ones are listed at
// their original line.
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Thread, error) {
	const op = "list threads"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
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

// ClosedThreads implements [codehost.Reader]. The host does not report whether the lines
// have changed since. The comments of a review on one line form one thread.
func (h *Host) ClosedThreads(ctx context.Context, repo codehost.Repo, number int,
	reviews []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	const op = "list closed threads"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID]codehost.Sender{}
	for _, review := range reviews {
		n, err := wire.NumberOfID(op, review)
		if err != nil {
			return nil, err
		}
		comments, err := h.comments(ctx, op, repo, number, n)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			continue // the review is gone
		}
		if err != nil {
			return nil, err
		}
		for _, c := range comments {
			by := codehost.Sender{Login: login(c.Resolver), ID: wire.HostID(userID(c.Resolver)), IsBot: systemUser(c.Resolver)}
			if userID(c.Resolver) == 0 || self.is(c.Resolver) {
				continue
			}
			at := self.comment(c)
			for _, o := range comments {
				if ours := self.comment(o); ours.Mine && ours.SamePlace(at) {
					out[ours.ID] = by
				}
			}
		}
	}
	return out, nil
}

// openThreads returns the open threads of one review, newest first. The first comment of a thread decides
// whether it is resolved (templates/repo/diff/conversation.tmpl of go-gitea/gitea).
func openThreads(self account, comments []*sdk.PullReviewComment) []codehost.Thread {
	type place struct {
		path, side string
		line       int
	}
	firsts := map[place]*sdk.PullReviewComment{}
	for _, c := range comments { // oldest first
		side, line := sideAndLine(c)
		at := place{c.Path, side, line}
		if line > 0 && firsts[at] == nil {
			firsts[at] = c
		}
	}
	var out []codehost.Thread
	for _, c := range slices.Backward(comments) {
		side, line := sideAndLine(c)
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

// SetResolved implements [codehost.Resolver] on Gitea 1.26 and later; older versions answer
// [codehost.ClassNotFound]. It needs write access, an official review, or to be the author of the pull
// request (models/issues/review.go of go-gitea/gitea, CanMarkConversation). A thread is closed through its
// first comment, which ours are.
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
