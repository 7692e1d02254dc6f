package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/review/change"
)

// maxReport is the most bytes of a report that a judge reads.
const maxReport = 2000

// pair is a finding and a known place to compare.
type pair struct {
	ref     score.Ref
	golden  int
	path    string // path of the finding; pairs of one file are asked together
	finding string
	known   string
	lines   [2]string // lines of both, "" if one has no lines
	reasons []string  // reasons of the two judges who differed, the first one's first
}

// pairsOf lists the pairs to compare: each published finding with each defect or rejected place of the same
// file and head, or without a file. It leaves out places without a text, because judges cannot compare
// them.
func pairsOf(o eval.Outcome) (out []pair) {
	for h := range o.Heads {
		for i, f := range o.Heads[h].Stages[eval.Published] {
			for _, g := range candidates(o.Case, h, f, o.Heads[h].Renames) {
				p := pair{ref: score.Ref{Head: h, Finding: i}, golden: g, path: f.Path, finding: promptLine(f.Title + ": " + f.Text),
					known: promptLine(wordsOf(o.Case, g))}
				if k := o.Case.Golden[g]; k.StartLine > 0 && f.StartLine > 0 {
					p.lines = [2]string{span(f.StartLine, f.EndLine), span(k.StartLine, k.EndLine)}
				}
				out = append(out, p)
			}
		}
	}
	return out
}

// candidates lists the nearest golden of each defect that a finding may match.
func candidates(c eval.Case, head int, f eval.Finding, renames map[string]string) (out []int) {
	at := map[string]int{} // index in out, by the name of a defect
	for i, g := range c.Golden {
		if g.Head != head || g.Path != "" && g.Path != f.Path && renames[f.Path] != g.Path && renames[g.Path] != f.Path ||
			strings.TrimSpace(wordsOf(c, i)) == "" {
			continue
		}
		name := fmt.Sprint(g.False, g.Defect)
		k, known := at[name]
		switch {
		case g.Defect == "" || !known:
			at[name] = len(out)
			out = append(out, i)
		case distance(f, g) < distance(f, c.Golden[out[k]]):
			out[k] = i
		}
	}
	return out
}

// distance returns the number of lines between the starts of a finding and a place.
func distance(f eval.Finding, g eval.Golden) int {
	if g.Side != f.Side || g.StartLine == 0 {
		return 1 << 30
	}
	return max(f.StartLine-g.StartLine, g.StartLine-f.StartLine)
}

// wordsOf returns the set's text on a golden, or on another place of its defect.
func wordsOf(c eval.Case, i int) string {
	g := c.Golden[i]
	if g.Text != "" || g.Defect == "" {
		return g.Text
	}
	k := slices.IndexFunc(c.Golden, func(x eval.Golden) bool { return x.Defect == g.Defect && x.False == g.False && x.Text != "" })
	if k < 0 {
		return ""
	}
	return c.Golden[k].Text
}

func span(from, to int) string { return fmt.Sprintf("lines %d to %d", from, cmp.Or(to, from)) }

// promptLine returns a text as one line of a prompt, so that it cannot imitate another part of the prompt.
func promptLine(s string) string {
	return clip.Bytes(strings.Join(strings.Fields(change.StripInvisible(s)), " "), maxReport)
}
