package engine

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of all searches of a review together.
const (
	searchTime  = 15 * time.Second
	maxExprName = 340 // characters of names in one expression; the rest of it is its form
)

// lookup searches the head of a change in all its files. What a search does not
// bring, because it fails or the time is over, costs the review nothing but what it
// would have shown.
type lookup struct {
	src snapshot.Searcher
	log *slog.Logger
	cut bool // something was not looked for
}

// find runs one search and returns at most limit lines. It is false when no further
// search has any time.
func (l *lookup) find(ctx context.Context, q snapshot.Query, limit int) ([]snapshot.Match, bool) {
	hits, err := l.src.Search(ctx, q, limit)
	switch {
	case ctx.Err() != nil:
		l.cut = true
		return nil, false
	case err != nil:
		l.log.WarnContext(ctx, "a search of the repository failed", slog.Any("error", err))
		l.cut = true
	}
	return hits, true
}

// related is what files that a change need not touch have to do with it.
type related struct {
	elsewhere
	relations
}

// look finds what the targets use and what uses them, in all files of the head,
// within the time that a review has for it. The error is the context's.
func (w *work) look(ctx context.Context, targets []*change.Target) (related, error) {
	out := related{elsewhere: newElsewhere()}
	src, ok := w.bounds.Source.(snapshot.Searcher)
	if !ok || w.in.Context != "" && w.in.Context != ContextRepository {
		return out, nil
	}
	inner, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	l := &lookup{src: src, log: w.deps.Logger}
	w.definitions(inner, l, targets, &out.elsewhere)
	out.relations = w.relations(inner, l, targets)
	out.cut = l.cut
	return out, ctx.Err()
}

// expressions makes expressions of forms for names, as few as their length allows.
func expressions(forms, names []string) (out []string) {
	for len(names) > 0 {
		n, length := 0, 0
		for n < len(names) && (n == 0 || length+len(names[n])+1 <= maxExprName) {
			length += len(names[n]) + 1
			n++
		}
		if length <= maxExprName+1 { // a longer name is none that people define
			for _, form := range forms {
				out = append(out, strings.Replace(form, "NAMES", strings.Join(names[:n], "|"), 1))
			}
		}
		names = names[n:]
	}
	return out
}

// batches cuts expressions into those of one search each.
func batches(expressions []string) [][]string {
	return slices.Collect(slices.Chunk(expressions, snapshot.MaxExpressions))
}
