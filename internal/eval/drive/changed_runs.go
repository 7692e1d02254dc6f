package drive

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
)

// runs returns the changed parts of the files with known places or published findings, by head path.
func runs(set *diff.Set, c eval.Case, published []eval.Finding) map[string][]eval.Run {
	named := map[string]bool{}
	for _, g := range c.Golden {
		named[g.Path] = true
	}
	for _, f := range published {
		named[f.Path] = true
	}
	out := map[string][]eval.Run{}
	for _, f := range set.Files {
		if !named[f.Path] && !named[f.OldPath] {
			continue
		}
		if list := runsOf(f); len(list) > 0 && len(list) <= eval.MaxRuns {
			out[f.Path] = list
		}
	}
	return out
}

// runsOf returns the changed parts of a file.
func runsOf(f *diff.File) (out []eval.Run) {
	for _, h := range f.Hunks {
		next := eval.Run{Old: h.OldStart, New: h.NewStart} // a run that begins at the next line
		if h.OldLines == 0 {
			next.Old++ // the header names the line before an empty side
		}
		if h.NewLines == 0 {
			next.New++
		}
		end := func() {
			if next.OldLines+next.NewLines > 0 {
				out = append(out, next)
			}
			next = eval.Run{Old: next.Old + next.OldLines, New: next.New + next.NewLines}
		}
		for _, l := range h.Lines {
			switch l.Op {
			case diff.Delete:
				next.OldLines++
			case diff.Add:
				next.NewLines++
			default:
				end()
				next.Old, next.New = next.Old+1, next.New+1
			}
		}
		end()
	}
	return out
}
