package diff

import (
	"slices"
	"strings"
)

// Bounds of comparisons. Beyond maxEdits changed lines the middle of a file counts as replaced, which is
// correct but less precise.
const (
	maxEdits     = 1000
	contextLines = 3 // lines of context, as in git
)

// Compare returns the hunks between two versions of a text, as git makes them, with three lines of context.
func Compare(before, after []byte) []*Hunk {
	a, b := textLines(before), textLines(after)
	var all []Line
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for i := range start {
		all = append(all, newLine(Context, i+1, i+1, a[i]))
	}
	all = append(all, edits(a[start:len(a)-end], b[start:len(b)-end], start)...)
	for i := range end {
		all = append(all, newLine(Context, len(a)-end+i+1, len(b)-end+i+1, a[len(a)-end+i]))
	}
	return cutHunks(all)
}

// textLines splits a text into lines with their line endings.
func textLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func newLine(op Op, before, after int, raw string) Line {
	body, ended := strings.CutSuffix(raw, "\n")
	l := Line{Op: op, Text: strings.TrimSuffix(body, "\r"), NoEOL: !ended}
	if op != Add {
		l.Old = before
	}
	if op != Delete {
		l.New = after
	}
	return l
}

// edits returns the lines of the difference between two texts that share neither their first nor their last
// line. It uses Myers' algorithm ("An O(ND) Difference Algorithm", 1986).
func edits(a, b []string, offset int) []Line {
	steps := shortest(a, b)
	var out []Line
	i, j := 0, 0
	for _, op := range steps {
		switch op {
		case Delete:
			out = append(out, newLine(Delete, offset+i+1, 0, a[i]))
			i++
		case Add:
			out = append(out, newLine(Add, 0, offset+j+1, b[j]))
			j++
		default:
			out = append(out, newLine(Context, offset+i+1, offset+j+1, a[i]))
			i, j = i+1, j+1
		}
	}
	return out
}

// shortest returns the shortest edit script from a to b. Beyond maxEdits it deletes all of a and adds all
// of b.
func shortest(a, b []string) []Op {
	n, m := len(a), len(b)
	most := min(n+m, maxEdits)
	at := make([]int, 2*most+2) // the furthest line of a on each diagonal, from -most to most
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), at[most-d:most+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && at[most+k-1] < at[most+k+1]:
				x = at[most+k+1]
			default:
				x = at[most+k-1] + 1
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			at[most+k] = x
			if x >= n && x-k >= m {
				return backtrack(trace, d, n, m)
			}
		}
	}
	return slices.Concat(slices.Repeat([]Op{Delete}, n), slices.Repeat([]Op{Add}, m))
}

// backtrack reconstructs the edit script from the furthest lines of each round.
func backtrack(trace [][]int, d, x, y int) []Op {
	var back []Op
	for ; d > 0; d-- {
		before := func(k int) int { return trace[d][k+d] } // at the end of the previous round
		k := x - y
		op, from := Delete, k-1
		if k == -d || k != d && before(k-1) < before(k+1) {
			op, from = Add, k+1
		}
		fromX := before(from)
		for x > fromX && y > fromX-from {
			back, x, y = append(back, Context), x-1, y-1
		}
		if back = append(back, op); op == Add {
			y--
		} else {
			x--
		}
	}
	back = append(back, slices.Repeat([]Op{Context}, x)...)
	slices.Reverse(back)
	return back
}

// cutHunks groups the changed lines and their context into hunks.
func cutHunks(all []Line) []*Hunk {
	var out []*Hunk
	for i := 0; i < len(all); i++ {
		if all[i].Op == Context {
			continue
		}
		first := max(i-contextLines, 0)
		last := i
		for j := i; j < len(all) && j <= last+2*contextLines+1; j++ {
			if all[j].Op != Context {
				last = j
			}
		}
		end := min(last+contextLines+1, len(all))
		h := &Hunk{Lines: all[first:end:end]}
		for _, l := range h.Lines {
			if l.Old > 0 {
				if h.OldLines++; h.OldStart == 0 {
					h.OldStart = l.Old
				}
			}
			if l.New > 0 {
				if h.NewLines++; h.NewStart == 0 {
					h.NewStart = l.New
				}
			}
		}
		out = append(out, h)
		i = end - 1
	}
	return out
}

// Rewrite replaces the hunks of a file by those between two texts. If the host treats the file as binary, it
// shows no lines, so that comments on them are impossible.
func (f *File) Rewrite(before, after []byte) {
	f.Hunks, f.Additions, f.Deletions = Compare(before, after), 0, 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case Add:
				f.Additions++
			case Delete:
				f.Deletions++
			}
		}
	}
}
