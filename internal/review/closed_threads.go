package review

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// Decisions records people's decisions about findings on the code host.
type Decisions interface {
	// ByResolution dismisses a finding; false if it stays open.
	ByResolution(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.Resolution) (bool, error)
	// DismissByComment dismisses a finding as a comment decides whose author may write to the repository.
	DismissByComment(ctx context.Context, t domain.Tenant, repository store.Repository,
		c domain.DismissalByComment) (domain.DismissalOutcome, error)
	// ResolveByComment resolves an open finding after a verified reply that its defect is fixed; false if it is not open.
	ResolveByComment(ctx context.Context, t domain.Tenant, repository store.Repository, run string, c domain.DismissalByComment) (bool, error)
	// BarsCommenter reports whether another person than the commenter must decide on a finding.
	BarsCommenter(ctx context.Context, t domain.Tenant, repository store.Repository, f domain.Finding,
		c domain.DismissalByComment) (bool, error)
}

// closings returns, for the open findings of a result, which of their threads a person with write access closed on
// the host. It leaves out findings that the review did not judge or found mended, and those that have changed or came
// back since the comment of the thread. It asks only hosts that report who closed a thread, and only if a finding is
// left. A failure of the host is logged and returns none, so that it never holds up a review.
func (w *work) closings(ctx context.Context, result engine.Result) (out []domain.Resolution, err error) {
	if w.Decisions == nil || !w.can.TellsResolver {
		return nil, nil
	}
	known, err := w.Store.KnownFindings(ctx, w.run.Owner(), w.run.PullRequest)
	if err != nil {
		return nil, err
	}
	known = slices.DeleteFunc(known, func(k store.KnownFinding) bool {
		return k.State != domain.FindingOpen || !k.Known || k.CommentID == "" || k.ThreadOutdated || !slices.Contains(result.Standing, k.ID) ||
			!slices.ContainsFunc(result.Findings, func(f domain.Finding) bool { return isStill(f, k.Finding) })
	})
	if len(known) == 0 {
		return nil, nil
	}
	closed, err := w.closedThreads(ctx)
	if err != nil {
		w.log.WarnContext(ctx, "the host did not tell who closed threads: no finding is dismissed by that", "error", err)
		return nil, nil
	}
	may := map[codehost.Sender]bool{}
	for _, k := range known {
		by, is := closed[k.CommentID]
		if !is || by.Login == "" || by.IsBot {
			continue
		}
		if _, asked := may[by]; !asked {
			role, err := policy.CommenterRole(ctx, w.host, w.repo, codehost.EventComment{Author: by.Login, AuthorID: by.ID})
			if err != nil {
				w.log.WarnContext(ctx, "the host did not tell the role of a person who closed a thread", "error", err)
			}
			may[by] = err == nil && policy.MayWrite(role)
		}
		if may[by] {
			out = append(out, domain.Resolution{Finding: k.ID, Login: by.Login, Person: by.ID})
		}
	}
	return out, nil
}

// dismissClosed dismisses the findings of closed threads, and returns their ids. It is part of the transaction that
// stores the review, so that a review which a push has overtaken dismisses nothing.
func (w *work) dismissClosed(ctx context.Context, closings []domain.Resolution) (dismissed []string, err error) {
	if len(closings) == 0 {
		return nil, nil
	}
	if _, err := w.Store.PullRequestForUpdate(ctx, w.run.Owner(), w.run.PullRequest); err != nil { // before its findings
		return nil, err
	}
	repository, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
	if err != nil {
		return nil, err
	}
	for _, by := range closings {
		done, err := w.Decisions.ByResolution(ctx, w.run.Owner(), repository, by)
		if err != nil {
			return nil, err
		}
		if done {
			dismissed = append(dismissed, by.Finding)
		}
	}
	return dismissed, nil
}

// countOpen counts the findings of a list of ids that were open and shown before a run.
func countOpen(before []store.KnownFinding, ids []string) (n int) {
	for _, k := range before {
		if k.Known && k.Shown() && slices.Contains(ids, k.ID) {
			n++
		}
	}
	return n
}

// isStill reports whether a finding of this review is an earlier one that is as it was: open, with the same code, and
// not more severe.
func isStill(f, earlier domain.Finding) bool {
	return f.ID == earlier.ID && f.State == domain.FindingOpen && earlier.State == domain.FindingOpen &&
		f.Severity <= earlier.Severity && (earlier.HasCode(f.Fingerprints.Exact) ||
		change.StripSpace(f.Anchor.Quote) == change.StripSpace(earlier.Anchor.Quote))
}

// outdateThreads records which earlier findings have changed or came back with this review.
func (w *work) outdateThreads(ctx context.Context, before []store.KnownFinding, found []domain.Finding) error {
	var ids []string
	for _, k := range before {
		if slices.ContainsFunc(found, func(f domain.Finding) bool { return f.ID == k.ID && !isStill(f, k.Finding) }) {
			ids = append(ids, k.ID)
		}
	}
	return w.Store.SetThreadsOutdated(ctx, w.run.Owner(), ids)
}

// closedThreads returns, for each of our comments, who closed its thread.
func (w *work) closedThreads(ctx context.Context) (map[domain.HostID]codehost.Sender, error) {
	pubs, err := w.Store.PublicationsOfPull(ctx, w.run.Owner(), w.run.PullRequest, maxThreadReviews)
	if err != nil {
		return nil, err
	}
	var reviews []domain.HostID
	for _, pub := range pubs {
		if pub.ReviewID != "" {
			reviews = append(reviews, pub.ReviewID)
		}
	}
	return w.host.ClosedThreads(ctx, w.repo, w.run.Number, reviews)
}
