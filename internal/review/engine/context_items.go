package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/review/around"
)

// maxContextItems is how many items of context a review keeps (design choice).
const maxContextItems = 400

// ContextItem is code beside the change that a prompt of generation showed, and why it was chosen.
type ContextItem struct {
	Path       string
	Start, End int    // lines of the head, both included
	Symbol     string // the definition that it belongs to; "" without one
	Why        around.Why
	About      string // names of the change that it was chosen for; "" if the reason says it
}

// contextLog collects the context of all prompts of a review, each item once. It is safe for concurrent use. A nil log keeps
// nothing.
type contextLog struct {
	mu   sync.Mutex
	seen map[ContextItem]bool
	list []ContextItem
}

// add adds items.
func (l *contextLog) add(items []ContextItem) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range items {
		if !l.seen[i] {
			if l.seen == nil {
				l.seen = map[ContextItem]bool{}
			}
			l.seen[i] = true
			l.list = append(l.list, i)
		}
	}
}

// items returns the first [maxContextItems] by reason, path and line, with their texts passed through redact.
func (l *contextLog) items(redact func(string) string) []ContextItem {
	l.mu.Lock()
	defer l.mu.Unlock()
	order := around.Whys()
	slices.SortFunc(l.list, func(a, b ContextItem) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Why), slices.Index(order, b.Why)), strings.Compare(a.Path, b.Path),
			cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.About, b.About))
	})
	out := slices.Clone(l.list[:min(len(l.list), maxContextItems)])
	for i := range out {
		out[i].Path, out[i].Symbol, out[i].About = redact(out[i].Path), redact(out[i].Symbol), redact(out[i].About)
	}
	return out
}
