package review

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// branchTip returns the newest commit of the target branch if the host can report it. The base commit of a pull
// request may be older, and may not be part of the branch any more after a rewrite.
func branchTip(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (string, error) {
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

// mergeBase returns the commit at which head and base parted. It stays the same for all attempts at a run.
// The error is of kind Invalid if they have no commit in common. Hosts report that as not found, as they do
// for a head that has not reached all of their servers yet, so the host is asked twice.
func (w *work) mergeBase(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (string, error) {
	if w.run.MergeBase != "" {
		return w.run.MergeBase, nil
	}
	cmp, err := host.Compare(ctx, repo, pr.BaseSHA, w.run.HeadSHA)
	none := err == nil && cmp.MergeBase == "" || codehost.ClassOf(err) == codehost.ClassNotFound && w.claim.Job.Attempts > 0
	if none {
		return "", errs.New(errs.Invalid, "no_merge_base", "The pull request and its base have no commit in common, so there is no "+
			"change to review. Rebase it onto its base.")
	}
	if err != nil {
		return "", err
	}
	w.run.MergeBase = cmp.MergeBase
	return cmp.MergeBase, w.Store.SetRunBase(ctx, w.run.Owner(), w.run.ID, pr.BaseSHA, cmp.MergeBase, engineVersion, engine.PromptHash())
}

// coversWholeChange reports whether the parts that earlier runs reviewed are reviewed again, which a person asks for.
func (w *work) coversWholeChange() bool {
	return w.run.TriggerEvent == runs.EventFull || w.run.TriggerEvent == runs.EventRerun
}

// previousHead returns the head of the last round if the run is a later round, which compares findings with it, else "".
func (w *work) previousHead(ctx context.Context) (string, error) {
	if w.round < engine.LaterRound || runs.Asked(w.run) {
		return "", nil
	}
	before, err := w.Store.LastRound(ctx, w.run.Owner(), w.run.PullRequest, w.run.ID)
	return before.HeadSHA, errs.IgnoreAbsent(err)
}

// previousSynopsis returns the synopsis of the last round. It returns the zero value without one, and if the whole change is
// reviewed again.
func (w *work) previousSynopsis(ctx context.Context) (engine.Synopsis, error) {
	if w.round < 2 || w.coversWholeChange() {
		return engine.Synopsis{}, nil
	}
	before, err := w.Store.LastRound(ctx, w.run.Owner(), w.run.PullRequest, w.run.ID)
	return store.FromJSON[engine.Synopsis](before.Summary), errs.IgnoreAbsent(err)
}

// alreadyReviewed reports whether a published review covers the same head, target branch and merge base, unless
// a person asked for another one.
func (w *work) alreadyReviewed(ctx context.Context) (bool, error) {
	if runs.Asked(w.run) {
		return false, nil
	}
	before, err := w.Store.PublishedOnto(ctx, w.run.Owner(), w.run)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return err == nil && before.MergeBase == w.run.MergeBase, err
}
