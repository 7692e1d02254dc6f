package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of looking for what refers to the files of a change that is too large to be
// reviewed whole.
const (
	maxRanked  = 2 * manyFiles // files whose symbols are looked at, the riskiest by themselves first
	rankTime   = 5 * time.Second
	userWeight = 0.25 // of a file that uses what a file changes, see [risk]
	maxUserOf  = 8    // files that count
)

// selectRiskiest keeps the riskiest files of the deepest review, up to its lines, and names the others in the coverage.
// The risk includes how many other files use the symbols that the change alters or removes.
func (w *work) selectRiskiest(ctx context.Context) {
	if w.plan.tier != tierT4 {
		return
	}
	w.plan.keep(selectedLines, whyNotSelected, w.countUsers(ctx))
}

// countUsers returns for each file of the plan how many other files use the symbols that the change alters or removes
// in it, as far as the code can be searched.
func (w *work) countUsers(ctx context.Context) map[string]int {
	head := w.head()
	if head.Searcher == nil {
		return nil
	}
	targets := slices.Clone(w.plan.model)
	slices.SortStableFunc(targets, func(a, b *change.Target) int { return cmp.Compare(risk(b.File), risk(a.File)) })
	inner, cancel := context.WithTimeout(ctx, rankTime)
	defer cancel()
	related := head.Relate(inner, head.NewSearch(), targets[:min(len(targets), maxRanked)])
	users := map[string]map[string]bool{}
	for _, s := range related.Symbols {
		for _, m := range related.Uses[s] {
			if m.Path == s.File.Path {
				continue
			}
			if users[s.File.Path] == nil {
				users[s.File.Path] = map[string]bool{}
			}
			users[s.File.Path][m.Path] = true
		}
	}
	out := map[string]int{}
	for path, by := range users {
		out[path] = len(by)
	}
	return out
}
