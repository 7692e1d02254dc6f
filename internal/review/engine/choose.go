package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of looking for what refers to the files of a change that is too large to be
// reviewed whole.
const (
	maxRanked  = 2 * manyFiles // files whose symbols are looked at, the riskiest by themselves first
	rankTime   = 5 * time.Second
	userWeight = 0.25 // of a file that uses what a file changes, see [risk]
	maxUserOf  = 8    // files that count
)

// choose leaves of the files that are due in the deepest review the riskiest ones, up
// to its lines, and names the others. Beside what a file is and how much of it changed
// it counts how many other files use what the change alters or takes away in it.
func (w *work) choose(ctx context.Context) {
	if w.plan.tier != tierT4 {
		return
	}
	w.plan.keep(selectedLines, whyNotSelected, w.referring(ctx))
}

// referring counts for the files of the plan the other files that use what the change
// alters or takes away in them, as far as the code can be searched.
func (w *work) referring(ctx context.Context) map[string]int {
	src, ok := w.bounds.Source.(snapshot.Searcher)
	if !ok || w.in.Context != "" && w.in.Context != ContextRepository {
		return nil
	}
	targets := slices.Clone(w.plan.model)
	slices.SortStableFunc(targets, func(a, b *change.Target) int { return cmp.Compare(risk(b.File), risk(a.File)) })
	inner, cancel := context.WithTimeout(ctx, rankTime)
	defer cancel()
	related := w.relations(inner, &lookup{src: src, log: w.deps.Logger}, targets[:min(len(targets), maxRanked)])
	users := map[string]map[string]bool{}
	for _, s := range related.symbols {
		for _, m := range related.uses[s] {
			if m.path == s.file.Path {
				continue
			}
			if users[s.file.Path] == nil {
				users[s.file.Path] = map[string]bool{}
			}
			users[s.file.Path][m.path] = true
		}
	}
	out := map[string]int{}
	for path, by := range users {
		out[path] = len(by)
	}
	return out
}
