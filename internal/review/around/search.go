package around

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of all searches of a review together.
const (
	MaxTime     = 15 * time.Second
	maxExprName = 340 // characters of names in one expression, without its form
)

// Search searches all files of the head. If a search fails or its time ends, its missing results are not
// shown and the review continues. A Search is not safe for concurrent use.
type Search struct {
	Source snapshot.Searcher
	Logger *slog.Logger
	Cut    bool // a part was not searched
}

// Find runs one search and returns at most limit lines. It returns false if there is no time for further
// searches.
func (l *Search) Find(ctx context.Context, q snapshot.Query, limit int) ([]snapshot.Match, bool) {
	hits, err := l.Source.Search(ctx, q, limit)
	switch {
	case ctx.Err() != nil:
		l.Cut = true
		return nil, false
	case err != nil:
		l.Logger.WarnContext(ctx, "a search of the repository failed", slog.Any("error", err))
		l.Cut = true
	}
	return hits, true
}

// NewSearch returns a search of the head.
func (h *Head) NewSearch() *Search { return &Search{Source: h.Searcher, Logger: h.Logger} }

// Around holds the relations of a change to other files.
type Around struct {
	Definitions
	Relations
	searched bool          // the head could be searched
	policy   domain.Policy // which paths it excludes
}

// Look finds the names that the targets use, and the uses of the targets' symbols, in all files of the
// head, within [MaxTime]. The error is the context's.
func (h *Head) Look(ctx context.Context, targets []*change.Target) (Around, error) {
	out := Around{Definitions: NewDefinitions()}
	if h.Searcher == nil {
		return out, nil
	}
	inner, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	l := h.NewSearch()
	h.FindDefinitions(inner, l, targets, &out.Definitions)
	out.Relations = h.Relate(inner, l, targets)
	out.Cut, out.searched, out.policy = l.Cut, true, h.Policy
	return out, ctx.Err()
}

// Expressions combines forms and names into as few expressions as their length allows. The names replace
// NAMES in a form.
func Expressions(forms, names []string) (out []string) {
	for len(names) > 0 {
		n, length := 0, 0
		for n < len(names) && (n == 0 || length+len(names[n])+1 <= maxExprName) {
			length += len(names[n]) + 1
			n++
		}
		if length <= maxExprName+1 { // people do not define longer names
			for _, form := range forms {
				out = append(out, strings.Replace(form, "NAMES", strings.Join(names[:n], "|"), 1))
			}
		}
		names = names[n:]
	}
	return out
}

// batches splits expressions into one batch for each search.
func batches(expressions []string) [][]string {
	return slices.Collect(slices.Chunk(expressions, snapshot.MaxExpressions))
}
