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

// targetsAt returns the files of the change at a path with all hunks that a model sees in this review or saw in an earlier
// one. There are two if the file has a new type.
func (w *work) targetsAt(path string) (out []*change.Target) {
	for _, f := range w.set.Files {
		if f.Path == path {
			hunks := slices.DeleteFunc(slices.Clone(f.Hunks), func(h *diff.Hunk) bool { return !reviewable(f, h) })
			out = append(out, &change.Target{File: f, Hunks: hunks})
		}
	}
	return out
}

// longLines names the files with changed lines that a model saw cut in this review, or with lines of code that it saw cut in
// an earlier review. It returns "" if no line was cut.
func (w *work) longLines() string {
	var names []string
	for _, f := range w.set.Files {
		now := slices.ContainsFunc(w.plan.model, func(t *change.Target) bool { return t.File == f && t.HasLongLines() })
		before := slices.ContainsFunc(w.result.Coverage.Reviewed, func(n FileNote) bool { return n.Path == f.Path && n.cutsCode() })
		if name := change.CleanPath(f.Path); (now || before) && !slices.Contains(names, name) {
			names = append(names, name)
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
