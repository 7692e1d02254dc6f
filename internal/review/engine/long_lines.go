package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/wording"
)

// longLines says in which of the files a model sees only the beginning of changed
// lines, "" where it sees all.
func longLines(targets []*change.Target) string {
	var names []string
	for _, t := range targets {
		if t.HasLongLines() {
			names = append(names, change.CleanPath(t.File.Path))
		}
	}
	switch more := len(names) - maxNamed; {
	case len(names) == 0:
		return ""
	case more > 0:
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return wording.English(wording.NoticeLongLines, anchor.MaxLine, strings.Join(names, ", "))
}

// maxHead is how many lines of a function or type are repeated where a part of the
// change continues it; its parameters can take several.
const maxHead = 4

// continued returns the first lines of the symbol that a piece of a hunk continues,
// with the number of the first; none for a whole hunk, and where the piece begins
// with the symbol.
func (p prompts) continued(ctx context.Context, t *change.Target, h *diff.Hunk) (head []string, number int) {
	if slices.Contains(t.File.Hunks, h) || len(h.Lines) == 0 || h.NewLines == 0 {
		return nil, 0
	}
	begin, _, _ := h.Range(domain.Right)
	_, first, last := p.symbol(ctx, t.File.Path, begin)
	if first == 0 || first >= begin || last < begin {
		return nil, 0
	}
	blob, err := p.src.Blob(ctx, domain.Right, t.File.Path)
	if err != nil {
		return nil, 0
	}
	n := 0
	for l := range strings.Lines(string(blob)) {
		if n++; n < first {
			continue
		}
		if n >= begin || len(head) == maxHead {
			break
		}
		l = strings.TrimRight(l, "\r\n")
		head = append(head, l)
		if end := strings.TrimRight(l, " \t"); strings.HasSuffix(end, "{") || strings.HasSuffix(end, ":") {
			break
		}
	}
	return head, first
}
