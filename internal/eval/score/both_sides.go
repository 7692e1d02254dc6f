package score

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// span is a range of lines of one side.
type span struct{ first, last int }

// on returns the finding's lines on a side. known is false if they are lines of the other side, and the outcome does
// not tell which parts of the file changed.
func (f *found) on(side domain.Side) (at span, known bool) {
	own := span{f.StartLine, f.EndLine}
	if f.Side == side {
		return own, true
	}
	return across(f.runs, f.Side == domain.Left, own), len(f.runs) > 0
}

// runsOf returns the changed parts of a file under one of its names.
func runsOf(h *eval.Head, names []string) []eval.Run {
	for _, name := range names {
		if list := h.Runs[name]; len(list) > 0 {
			return list
		}
	}
	return nil
}

// across returns the lines of the other side at which a range stands.
func across(runs []eval.Run, fromOld bool, of span) span {
	return span{counterpart(runs, fromOld, of.first).first, counterpart(runs, fromOld, of.last).last}
}

// counterpart returns the lines of the other side at which a line stands. An unchanged line stands at itself, and a
// replaced one at the line that came in its place, counted from the beginning of the run. A line without a replacement
// stands at both neighbours of the gap, because a reviewer can name no other lines there.
func counterpart(runs []eval.Run, fromOld bool, n int) span {
	at := n
	for _, r := range runs {
		if !fromOld {
			r = eval.Run{Old: r.New, OldLines: r.NewLines, New: r.Old, NewLines: r.OldLines}
		}
		switch k := n - r.Old; {
		case k < 0:
			return span{at, at}
		case k >= r.OldLines:
			at = n + r.New + r.NewLines - r.Old - r.OldLines
		case r.NewLines == 0:
			return span{max(r.New-1, 1), r.New}
		default:
			at = r.New + min(k, r.NewLines-1)
			return span{at, at}
		}
	}
	return span{at, at}
}
