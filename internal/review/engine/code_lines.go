package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// codeLines holds the lines of a file at the head by their code, so that many quotations are found in one pass over the file.
type codeLines struct {
	path string
	at   map[string][]int // ascending numbers of lines, by their code as it is and with its invisible characters shown
}

// codeLines reads the lines of a file. The last file is kept, because the places of a finding are often in one file.
func (w *work) codeLines(ctx context.Context, path string) (*codeLines, error) {
	if w.lines != nil && w.lines.path == path {
		return w.lines, nil
	}
	blob, err := w.src.Blob(ctx, domain.Right, path)
	if err != nil {
		return nil, err
	}
	out := &codeLines{path: path, at: map[string][]int{}}
	for i, l := range change.Lines(blob) {
		code, shown := lineCode(l), lineCode(change.ShowInvisible(l))
		if out.at[code] = append(out.at[code], i+1); shown != code {
			out.at[shown] = append(out.at[shown], i+1)
		}
	}
	w.lines = out
	return out, nil
}

// lineCode returns the code of a line, which may be cut, without white space.
func lineCode(line string) string { return change.StripSpace(change.Cut(line, finding.MaxExplanation)) }

// find returns the numbers of the lines at which a quotation of whole lines begins.
func (c *codeLines) find(quote string) (out []int) {
	lines := strings.Split(quote, "\n")
	for _, n := range c.at[lineCode(lines[0])] {
		whole := true
		for i := 1; i < len(lines) && whole; i++ {
			_, whole = slices.BinarySearch(c.at[lineCode(lines[i])], n+i)
		}
		if whole {
			out = append(out, n)
		}
	}
	return out
}
