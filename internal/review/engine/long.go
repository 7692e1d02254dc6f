package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/wording"
)

// showLine is a line of code as prompts show it: of a long one the beginning, with
// a word on the rest.
func showLine(text string) string {
	visible, hidden := anchor.Shown(text)
	if hidden == 0 {
		return ShowInvisible(visible)
	}
	return fmt.Sprintf("%s [… %d more characters]", ShowInvisible(visible), hidden)
}

// lineBytes is how much room a line takes in a prompt, with its number.
func lineBytes(text string) int {
	if visible, hidden := anchor.Shown(text); hidden > 0 {
		return len(visible) + 32
	}
	return len(text) + 9
}

// restMark is what [showLine] writes behind a line that it shortens.
var restMark = regexp.MustCompile(`(?m) ?\[… \d+ more characters\]\r?$`)

// fenced is a quotation in a code fence, and lineMark a number before a line.
var (
	fenced   = regexp.MustCompile("(?s)^\\s*(?:```|~~~)[\\w+-]*\r?\n(.*?)\\s*(?:```|~~~)\\s*$")
	lineMark = regexp.MustCompile(`(?m)^\s*L(\d+)\s*[|:]`)
)

// bareQuote takes marks off a quotation that are not code.
func bareQuote(q string) string {
	if m := fenced.FindStringSubmatch(q); m != nil {
		q = m[1]
	}
	return lineMark.ReplaceAllString(restMark.ReplaceAllString(q, ""), "$1:")
}

// shortened reports whether a line of a text is longer than what models see of it.
func shortened(text string) bool {
	for l := range strings.Lines(text) {
		if _, hidden := anchor.Shown(strings.TrimRight(l, "\r\n")); hidden > 0 {
			return true
		}
	}
	return false
}

// shortened reports whether a model sees only the beginning of a changed line.
func (t *target) shortened() bool {
	return slices.ContainsFunc(t.hunks, func(h *diff.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l diff.Line) bool { return l.Op != diff.Context && shortened(l.Text) })
	})
}

// cutCode reports whether what a model does not see of a changed line may be anything but data.
func (t *target) cutCode() bool {
	return slices.ContainsFunc(t.hunks, func(h *diff.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l diff.Line) bool {
			visible, hidden := anchor.Shown(l.Text)
			return l.Op != diff.Context && hidden > 0 && !diff.DataLine(t.file.Path, l.Text, len(visible))
		})
	})
}

// longLines says in which of the files a model sees only the beginning of changed
// lines, "" where it sees all.
func longLines(targets []*target) string {
	var names []string
	for _, t := range targets {
		if t.shortened() {
			names = append(names, cleanPath(t.file.Path))
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
func (p prompts) continued(ctx context.Context, t *target, h *diff.Hunk) (head []string, number int) {
	if slices.Contains(t.file.Hunks, h) || len(h.Lines) == 0 || h.NewLines == 0 {
		return nil, 0
	}
	begin, _, _ := h.Range(domain.Right)
	_, first, last := p.symbol(ctx, t.file.Path, begin)
	if first == 0 || first >= begin || last < begin {
		return nil, 0
	}
	blob, err := p.src.Blob(ctx, domain.Right, t.file.Path)
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
