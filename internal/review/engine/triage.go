package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
)

// The depths of a review.
const (
	tierT0 = "T0" // no model work
	tierT1 = "T1" // one pass of the standard model
	tierT2 = "T2" // one pass of the strong model, and one for the rules
	tierT3 = "T3" // two general passes and one for each lens
	tierT4 = "T4" // as T3, on a selection of the files
)

// Borders between the depths, in changed lines and files.
const (
	trivialLines, lightLines, hugeLines = 10, 100, 1500
	fewFiles, manyFiles                 = 20, 60
	// selectedLines bounds the work on a T4 change; deeper limits are the budget's.
	selectedLines = 3000
	// reducedLines and reducedChunks bound the work on a change from outside, also
	// where it is one large file (design choice: five light changes).
	reducedLines, reducedChunks = 500, 3
)

// plan is what triage decided.
type plan struct {
	tier, why string
	model     []*change.Target // files for the model, in the order of the diff
	checks    []*diff.File     // files for deterministic checks
	skimmed   []FileNote       // checks only
	skipped   []FileNote       // nothing
	unchanged []FileNote       // reviewed by earlier runs
	whole     bool             // no hunk that a model could judge is left out as reviewed by earlier runs
}

// triage decides how deep the review goes and which lines are due, by the hunks that need no model again.
func (w *work) triage(ctx context.Context) error {
	w.ReportProgress("triage", 0, 0)
	reviewed, err := w.reconciler.Settled(ctx, w.in.Known)
	if err != nil {
		return err
	}
	w.plan = planned(w.set, w.in.Policy, w.in.Depth, reviewed, w.in.Full, w.in.Models != nil, w.in.Tier)
	w.result.Tier, w.result.TierWhy = w.plan.tier, w.plan.why
	if w.in.Depth == domain.DepthReduced {
		w.result.Depth = w.in.Depth
	}
	w.AllowConversations(w.conversationBound().all)
	w.measureReach(ctx)
	return nil
}

// planned is the decision of triage as a review takes it: with the depth that was
// asked for, "" for none, and less of it where the change comes from outside.
func planned(set *diff.Set, policy domain.Policy, depth domain.Depth, reviewed map[string]bool, full, haveModel bool, tier string) plan {
	p := triage(set, policy, reviewed, full, haveModel)
	p.force(tier)
	if depth == domain.DepthReduced {
		p.reduce()
	}
	return p
}

// Depth returns the depth (T0 to T4) that a review would choose for a change without reviewed parts, and the
// reason in words that may hold a path. Files are judged by their paths alone, without the marks of generated
// code in them.
func Depth(set *diff.Set, policy domain.Policy, depth domain.Depth, haveModel bool) (tier, why string) {
	p := planned(set, policy, depth, nil, true, haveModel, "")
	return p.tier, p.why
}

// triage decides what is reviewed and how deeply: a line pushed to a large pull
// request is a small review. It is a pure function.
func triage(set *diff.Set, policy domain.Policy, reviewed map[string]bool, full, haveModel bool) plan {
	var p plan
	var candidates []*diff.File
	for _, f := range set.Files {
		switch why := change.Excluded(f, policy); {
		case why != "":
			p.skipped = append(p.skipped, FileNote{Path: f.Path, Why: why})
		case f.Omitted != "":
			p.skipped = append(p.skipped, FileNote{Path: f.Path, Why: f.Omitted})
		case f.Class == diff.ClassBinary:
			p.checks = append(p.checks, f)
			p.skipped = append(p.skipped, FileNote{Path: f.Path, Why: cmp.Or(f.Note, whyBinary)})
		case FileNote{Why: f.Note}.unproven():
			p.checks = append(p.checks, f)
			p.skipped = append(p.skipped, FileNote{Path: f.Path, Why: f.Note})
		case f.Class == diff.ClassSubmodule, f.Class == diff.ClassSymlink:
			p.checks = append(p.checks, f)
			p.skimmed = append(p.skimmed, FileNote{Path: f.Path, Why: string(f.Class)})
		case f.Class.Ignored():
			p.checks = append(p.checks, f)
			p.skimmed = append(p.skimmed, FileNote{Path: f.Path, Why: cmp.Or(f.Note, string(f.Class))})
		case change.Overlong(f):
			p.checks = append(p.checks, f)
			p.skimmed = append(p.skimmed, FileNote{Path: f.Path, Why: whyLargeChange})
		default:
			p.checks = append(p.checks, f)
			candidates = append(candidates, f)
		}
	}
	if !haveModel {
		p.tier, p.why = depthOf(candidates, func(f *diff.File) int { return f.Additions + f.Deletions })
		for _, f := range candidates {
			p.skimmed = append(p.skimmed, FileNote{Path: f.Path, Why: checksOnly})
		}
		return p
	}
	fresh := freshHunks(set, reviewed, full)
	p.whole = !slices.ContainsFunc(candidates, func(f *diff.File) bool {
		return slices.ContainsFunc(f.Hunks, func(h *diff.Hunk) bool { return !fresh[h.ID] && reviewable(f, h) })
	})
	var due []*diff.File
	for _, f := range candidates {
		if len(freshOf(f, fresh)) > 0 {
			due = append(due, f)
		} else {
			p.unchanged = append(p.unchanged, FileNote{Path: f.Path})
		}
	}
	p.tier, p.why = depthOf(due, func(f *diff.File) int { return change.ChangedLines(freshOf(f, fresh)) })
	if len(due) == 0 && len(candidates) > 0 {
		p.tier, p.why = tierT1, "nothing that was not reviewed before"
	}
	for _, f := range due {
		p.model = append(p.model, &change.Target{File: f, Hunks: freshOf(f, fresh)})
	}
	return p
}

// depthOf returns the depth of a review of files with so many due lines each.
func depthOf(files []*diff.File, due func(*diff.File) int) (tier, why string) {
	lines, sensitive := 0, ""
	for _, f := range files {
		lines += due(f)
		if sensitive == "" && diff.Sensitive(f.Path) {
			sensitive = f.Path
		}
	}
	return depth(len(files), lines, sensitive)
}

// freshOf returns the hunks of a file that a model must look at.
func freshOf(f *diff.File, fresh map[string]bool) []*diff.Hunk {
	var out []*diff.Hunk
	for _, h := range f.Hunks {
		if fresh[h.ID] && reviewable(f, h) {
			out = append(out, h)
		}
	}
	return out
}

// reviewable reports whether a hunk holds something that a model can judge.
// Hunks that only delete a whole file say nothing that its name does not
// (PR-Agent's compression drops them too).
func reviewable(f *diff.File, h *diff.Hunk) bool {
	return f.Status != diff.Deleted && slices.ContainsFunc(h.Lines, func(l diff.Line) bool {
		return l.Op != diff.Context && strings.TrimSpace(l.Text) != ""
	})
}

func depth(files, lines int, sensitive string) (tier, why string) {
	switch {
	case files == 0:
		return tierT0, "no file that needs a model"
	case lines > hugeLines || files > manyFiles:
		return tierT4, fmt.Sprintf("%d lines in %d files", lines, files)
	case sensitive != "":
		return tierT3, "touches a sensitive path: " + change.CleanPath(sensitive)
	case lines <= trivialLines && files <= fewFiles:
		return tierT1, fmt.Sprintf("%d lines in %d files", lines, files)
	case lines <= lightLines && files <= fewFiles:
		return tierT2, fmt.Sprintf("%d lines in %d files", lines, files)
	}
	return tierT3, fmt.Sprintf("%d lines in %d files", lines, files)
}

// freshHunks returns the ids of the hunks that a model must look at: those no
// earlier run reviewed, and those that mention a symbol whose hunk is new.
func freshHunks(set *diff.Set, reviewed map[string]bool, full bool) map[string]bool {
	fresh := map[string]bool{}
	symbols := map[string]bool{}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			if full || !reviewed[h.ID] {
				fresh[h.ID] = true
				for _, name := range change.DeclaredNames(h) {
					symbols[name] = true
				}
			}
		}
	}
	if full || len(symbols) == 0 {
		return fresh
	}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			if !fresh[h.ID] && change.MentionsAny(h, symbols) {
				fresh[h.ID] = true
			}
		}
	}
	return fresh
}

// force gives a plan with work for a model another depth; "" leaves it as it is.
func (p *plan) force(tier string) {
	if tier != "" && p.tier != tierT0 {
		p.tier, p.why = tier, "a depth that was asked for"
	}
}

// reduce makes less of a plan: T2 at most, and of the files the riskiest ones.
func (p *plan) reduce() {
	if p.tier == tierT0 {
		return
	}
	p.tier, p.why = min(p.tier, tierT2), p.why+"; reduced, as it comes from outside"
	p.keep(reducedLines, whyReduced, nil)
}

// keep leaves the riskiest files of a plan up to a number of lines and notes the rest
// as skimmed. users counts the other files that use what is changed in a file.
func (p *plan) keep(most int, why string, users map[string]int) {
	risky := func(t *change.Target) float64 {
		return risk(t.File) + userWeight*float64(min(users[t.File.Path], maxUserOf))
	}
	ranked := slices.Clone(p.model)
	slices.SortStableFunc(ranked, func(a, b *change.Target) int { return cmp.Compare(risky(b), risky(a)) })
	keep := map[*diff.File]bool{}
	lines := 0
	for _, t := range ranked {
		f := t.File
		n := f.Additions + f.Deletions
		if len(keep) > 0 && (lines+n > most || len(keep) >= manyFiles) {
			p.skimmed = append(p.skimmed, FileNote{Path: f.Path, Why: why})
			continue
		}
		lines += n
		keep[f] = true
	}
	p.model = slices.DeleteFunc(slices.Clone(p.model), func(t *change.Target) bool { return !keep[t.File] })
}

// risk scores a file: sensitive paths first, tests and configuration last.
func risk(f *diff.File) float64 {
	score := min(float64(f.Additions)+0.5*float64(f.Deletions), 300) / 100
	if diff.Sensitive(f.Path) {
		score += 4
	}
	switch f.Class {
	case diff.ClassSource, diff.ClassMigration, diff.ClassCI:
		score += 2
	case diff.ClassTest:
		score--
	}
	if f.Status == diff.Modified || f.Status == diff.Renamed {
		score++
	}
	return score
}
