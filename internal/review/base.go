package review

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
)

// tip is the newest commit of the target branch, where the host says so: what it says of a
// pull request may be an older one, which is none of the branch after that was rewritten.
func tip(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (string, error) {
	branches, ok := codehost.CommitterOf(host)
	if !ok {
		return pr.BaseSHA, nil
	}
	sha, err := branches.BranchHead(ctx, repo, pr.BaseRef)
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden, codehost.ClassInvalid:
		return pr.BaseSHA, nil
	}
	return sha, err
}

// mergeBase is the commit at which head and base parted, which stays the same for
// all attempts at a run. The error is of kind Invalid where they have none in
// common: hosts say then that there is nothing to compare, as they do for a head
// that has not reached all of their servers yet, so they are asked twice.
func (w *work) mergeBase(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (string, error) {
	if w.run.MergeBase != "" {
		return w.run.MergeBase, nil
	}
	cmp, err := host.Compare(ctx, repo, pr.BaseSHA, w.run.HeadSHA)
	none := err == nil && cmp.MergeBase == "" || codehost.ClassOf(err) == codehost.ClassNotFound && w.claim.Job.Attempts > 0
	if none {
		return "", errs.New(errs.Invalid, "no_merge_base", "The pull request and its base have no commit in common, so there is no change to review. Rebase it onto its base.")
	}
	if err != nil {
		return "", err
	}
	w.run.MergeBase = cmp.MergeBase
	return cmp.MergeBase, w.Store.SetRunBase(ctx, w.run.Owner(), w.run.ID, pr.BaseSHA, cmp.MergeBase, engineVersion, engine.PromptHash())
}

// pushesToFull is how many pushes it takes until one is reviewed as a whole again,
// as if nothing of it had been reviewed before (design choice).
const pushesToFull = 5

// everything reports whether what earlier runs have reviewed is reviewed again:
// where a person asked for it, and with every fifth push. A target that is back adds
// nothing to a published review of the same head against the same commit.
func (w *work) everything(ctx context.Context) (bool, error) {
	if runs.Asked(w.run) || w.run.Depth == domain.DepthReduced {
		return w.run.TriggerEvent == runs.EventFull || w.run.TriggerEvent == runs.EventRerun, nil
	}
	if same, err := w.readBefore(ctx); err != nil || same {
		return false, err
	}
	pushes, err := w.Store.ReviewedPushes(ctx, w.run.Owner(), w.run.PullRequest, w.run.ID)
	return pushes%pushesToFull == pushesToFull-1, err
}

// readBefore reports whether a published review is one of the same head against the same
// target branch and merge base, where no person asked for another one.
func (w *work) readBefore(ctx context.Context) (bool, error) {
	if runs.Asked(w.run) {
		return false, nil
	}
	before, err := w.Store.PublishedOnto(ctx, w.run.Owner(), w.run)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return err == nil && before.MergeBase == w.run.MergeBase, err
}
