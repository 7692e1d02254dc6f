package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// maxThreadReviews bounds the reviews of a pull request whose comments are read for threads, newest first.
const maxThreadReviews = 30

// threads groups our comments by thread, on hosts where a thread can hold several.
func (r *reflection) threads(ctx context.Context) (map[domain.HostID][]domain.HostID, error) {
	if _, ok := codehost.ResolverOf(r.host); !ok || !r.host.Capabilities().LineThreads {
		return nil, nil
	}
	pubs, err := r.Store.PublicationsOfPull(ctx, r.run.Owner(), r.run.PullRequest, maxThreadReviews)
	if err != nil {
		return nil, err
	}
	out := map[domain.HostID][]domain.HostID{}
	for _, pub := range pubs {
		if pub.ReviewID == "" {
			continue
		}
		comments, err := r.host.ReviewComments(ctx, r.repo, r.run.Number, pub.ReviewID)
		if err != nil && !codehost.IsAccessLost(err) {
			return nil, err
		}
		for _, c := range comments {
			for _, o := range comments {
				if c.Mine && o.Mine && c.SamePlace(o) {
					out[c.ID] = append(out[c.ID], o.ID)
				}
			}
		}
	}
	return out, nil
}

// resolve closes the thread of a resolved finding if the host permits it. A thread with several of our
// findings closes once all of them are resolved.
func (r *reflection) resolve(ctx context.Context, gone store.KnownFinding, known []store.KnownFinding, thread []domain.HostID) error {
	host, ok := codehost.ResolverOf(r.host)
	if !ok || slices.ContainsFunc(known, func(k store.KnownFinding) bool {
		return k.State == domain.FindingOpen && slices.Contains(thread, k.CommentID)
	}) {
		return nil
	}
	if len(thread) == 0 {
		thread = []domain.HostID{gone.CommentID}
	}
	for _, comment := range thread {
		if err := r.setResolved(ctx, host, comment, true); err != nil {
			return err
		}
	}
	return nil
}

// reopen opens the thread of a finding's earlier comment.
func (r *reflection) reopen(ctx context.Context, earlier domain.HostID) error {
	host, ok := codehost.ResolverOf(r.host)
	if !ok {
		return nil
	}
	return r.setResolved(ctx, host, earlier, false)
}

// setResolved closes or opens a thread. If the host refuses, the text of the comment alone shows the state.
func (r *reflection) setResolved(ctx context.Context, host codehost.Resolver, comment domain.HostID, resolved bool) error {
	verb := "reopen thread"
	if resolved {
		verb = "resolve thread"
	}
	err := r.write(ctx, verb, fmt.Sprint(comment), func(ctx context.Context) error {
		return host.SetResolved(ctx, r.repo, r.run.Number, comment, resolved)
	})
	if isRefused(err) {
		r.Logger.WarnContext(ctx, "a thread could not be resolved or opened; its comment says what became of the finding", "run",
			r.run.ID, "resolved", resolved, "error", err)
		return nil
	}
	return err
}
