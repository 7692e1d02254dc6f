package review

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
)

// input collects everything that the engine judges.
func (w *work) input(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (engine.Input, Snapshot, error) {
	t := w.run.Owner()
	mergeBase, err := w.mergeBase(ctx, host, repo, pr)
	if err != nil {
		return engine.Input{}, nil, err
	}
	row, err := w.Store.Repository(ctx, t, w.run.Repository)
	if err != nil {
		return engine.Input{}, nil, err
	}
	levels, err := w.Store.PolicySources(ctx, t, w.run.Repository)
	if err != nil {
		return engine.Input{}, nil, err
	}
	wanted, _, err := policy.Resolve(levels)
	if err != nil {
		return engine.Input{}, nil, err
	}
	rules, err := policy.Rules(ctx, w.Store, t, w.run.Repository, wanted)
	if err != nil {
		return engine.Input{}, nil, err
	}
	known, err := w.known(ctx)
	if err != nil {
		return engine.Input{}, nil, err
	}
	hunks, err := w.Store.ReviewedHunks(ctx, t, w.run.PullRequest, w.run.BaseRef, w.run.Depth)
	if err != nil {
		return engine.Input{}, nil, err
	}
	before, err := w.Store.ReviewRounds(ctx, t, w.run.PullRequest, w.run.ID)
	if err != nil {
		return engine.Input{}, nil, err
	}
	w.round = before + 1
	previous, err := w.previousHead(ctx)
	if err != nil {
		return engine.Input{}, nil, err
	}
	synopsis, err := w.previousSynopsis(ctx)
	if err != nil {
		return engine.Input{}, nil, err
	}
	w.stage(ctx, "fetch", 10*time.Minute)
	in, snap, err := w.gatherer().Gather(ctx, host, repo, Subject{Tenant: t, Repository: w.run.Repository, PullRequest: pr,
		Previous: previous, Base: w.target.commit, MergeBase: mergeBase, Head: w.run.HeadSHA, Policy: wanted, Rules: rules, Depth: w.run.Depth,
		Levels: levels, KeepFile: w.keepFile})
	if err != nil {
		return in, snap, err
	}
	if in.Thresholds, err = w.Store.FreezeThresholds(ctx, t, w.run.ID, in.Thresholds); err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	if in.Analyses, err = w.uploadedAnalyses(ctx); err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	in.Public = !row.Private
	in.Known, in.ReviewedHunks, in.Full, in.Asked, in.Elsewhere = known, hunks, w.coversWholeChange(), runs.Asked(w.run), w.shownElsewhere
	in.Round, in.Synopsis = w.round, synopsis
	return in, snap, nil
}
