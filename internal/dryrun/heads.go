package dryrun

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// maxHeads is the maximum number of heads whose checks what-if computes again.
const maxHeads = 50

// WhatIfHeads shows which of the newest heads the check would block under the other settings, if the host requires it.
// It reads stored data only. A head that is under way or was superseded does not count.
type WhatIfHeads struct {
	Heads         int           `json:"heads" doc:"Heads whose newest run has ended, newest first, at most 50"`
	BlockedBefore int           `json:"blockedBefore" doc:"Of those, heads whose check fails now"`
	BlockedAfter  int           `json:"blockedAfter" doc:"Of those, heads whose check would fail"`
	Changed       []WhatIfBlock `json:"changed" doc:"Heads that would be blocked and are not, or the reverse"`
}

// WhatIfBlock is a head whose check would block, or no longer block.
type WhatIfBlock struct {
	RunID        string `json:"runId"`
	RepositoryID string `json:"repositoryId"`
	Number       int    `json:"number" doc:"Of the pull request"`
	HeadSHA      string `json:"headSha"`
	State        string `json:"state" enum:"completed,failed,cancelled,skipped" doc:"Of the run"`
	Blocks       bool   `json:"blocks" doc:"Whether the check would fail under the other settings"`
}

// changesCheck reports whether a change of the policy changes a setting of the check.
func (q policyChange) changesCheck() bool {
	for _, s := range q.would {
		if strings.HasPrefix(s.Name, "check.") {
			return true
		}
	}
	return false
}

// heads computes the checks of the newest heads again, for the repositories where a setting of the check changes. It
// returns nil if no setting of the check changes.
func (s *Service) heads(ctx context.Context, t domain.Tenant, repository string,
	ask func(repository string) (policyChange, error)) (*WhatIfHeads, error) {
	runs, err := s.Store.EndedHeads(ctx, t, repository, maxHeads)
	if err != nil {
		return nil, err
	}
	out, any := &WhatIfHeads{Changed: []WhatIfBlock{}}, false
	if repository != "" {
		q, err := ask(repository)
		if err != nil {
			return nil, err
		}
		any = q.changesCheck()
	}
	for _, run := range runs {
		q, err := ask(run.Repository)
		if err != nil {
			return nil, err
		}
		if any = any || q.changesCheck(); !q.changesCheck() {
			continue
		}
		before, after, err := s.blocks(ctx, t, run, q)
		if err != nil {
			return nil, err
		}
		out.Heads++
		if before {
			out.BlockedBefore++
		}
		if after {
			out.BlockedAfter++
		}
		if before != after {
			out.Changed = append(out.Changed, WhatIfBlock{RunID: run.ID, RepositoryID: run.Repository, Number: run.Number,
				HeadSHA: run.HeadSHA, State: string(run.State), Blocks: after})
		}
	}
	if !any {
		return nil, nil
	}
	return out, nil
}

// blocks reports whether the check of a run's head fails, before and after the change of the policy. A completed review keeps
// the conclusion that it was published with until the head is reviewed again, so that this is the one before.
func (s *Service) blocks(ctx context.Context, t domain.Tenant, run store.Run, q policyChange) (before, after bool, err error) {
	end, usual := domain.UnreviewedEndOf(run.State, run.Depth)
	hidden, err := s.isHidden(ctx, t, run)
	if err != nil {
		return false, false, err
	}
	if hidden {
		end, usual = domain.UnreviewedHidden()
	}
	if run.State != domain.RunCompleted || hidden {
		earlier, err := s.Store.PublishedOnto(ctx, t, run)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return false, false, err
		}
		fails := func(p domain.Policy) bool {
			return earlier.Verdict == domain.CheckFailure ||
				p.Check.Unreviewed.Conclusion(end, usual) == domain.CheckFailure
		}
		return fails(q.before), fails(q.after), nil
	}
	var summary storedSummary
	if err := json.Unmarshal([]byte(run.Summary), &summary); err != nil { // a run of an old version
		return run.Verdict == domain.CheckFailure, run.Verdict == domain.CheckFailure, nil
	}
	found, err := s.Store.RunFindings(ctx, t, run.ID)
	if err != nil {
		return false, false, err
	}
	found = slices.DeleteFunc(found, func(f domain.Finding) bool { return f.State != domain.FindingOpen })
	result := engine.Result{Coverage: summary.Coverage, ModelState: run.ModelState, ModelNote: summary.ModelNote}
	for _, f := range found {
		blocks := f.Secret() || f.Basis != nil && f.Basis.Mandatory
		if !blocks && f.Basis == nil && f.Verdict == domain.VerdictConfirmed { // an earlier review found it
			if blocks, err = policy.MandatoryRule(ctx, s.Store, t, run.Repository, f); err != nil {
				return false, false, err
			}
		}
		if blocks {
			result.Blocking = append(result.Blocking, f.ID)
		}
	}
	fails := func(p domain.Policy) bool {
		var open []domain.Finding
		for i, placed := range engine.Reroute(found, summary.Additions+summary.Deletions, p) {
			if placed.Route == domain.RouteInline || placed.Route == domain.RouteSummary {
				open = append(open, found[i])
			}
		}
		return result.Conclude(open, p) == domain.CheckFailure
	}
	if run.Verdict != "" {
		return run.Verdict == domain.CheckFailure, fails(q.after), nil
	}
	return fails(q.before), fails(q.after), nil
}

// isHidden reports whether a silent policy kept a completed review off the host.
func (s *Service) isHidden(ctx context.Context, t domain.Tenant, run store.Run) (bool, error) {
	if run.State != domain.RunCompleted || run.Verdict != "" {
		return false, nil
	}
	pub, err := s.Store.PublicationOf(ctx, t, run.ID)
	return err == nil && pub.Kind == publish.KindNone, errs.IgnoreAbsent(err)
}

// checkOnly reports whether a completed review would have been only a check under the policy p. shown counts the findings
// that it would show.
func (s *Service) checkOnly(ctx context.Context, t domain.Tenant, run store.Run, summary storedSummary, shown WhatIfCounts,
	p domain.Policy) (bool, error) {
	result := engine.Result{Coverage: summary.Coverage, ModelState: run.ModelState, ModelNote: summary.ModelNote, Notices: summary.Notices}
	if p.CleanReview != domain.CleanCheck || p.PublishMode == domain.PublishSilent || shown.Inline+shown.Summary > 0 ||
		summary.Earlier > summary.EarlierResolved || !result.Clean(nil) {
		return false, nil
	}
	pub, err := s.Store.PublicationOf(ctx, t, run.ID)
	if err != nil {
		return false, errs.IgnoreAbsent(err)
	}
	var payload struct {
		Issues *struct{} `json:"issues"`
	}
	err = json.Unmarshal([]byte(pub.Payload), &payload)
	return err == nil && payload.Issues == nil, err
}
