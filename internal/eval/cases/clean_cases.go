package cases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/snapshot"
)

// clean makes cases of commits whose lines no later repair or revert changed.
func (m *miner) clean(ctx context.Context) error {
	traced, err := m.trace(ctx)
	if err != nil {
		return err
	}
	var list []candidate
	for i, r := range m.log {
		if len(r.Parents) != 1 || m.deltas[r.SHA] == nil || classify(r.Subject) != otherSubject {
			continue
		}
		s := m.shape(m.deltas[r.SHA])
		switch {
		case s.exclusion != "":
			m.mined.Report.Left["clean: "+s.exclusion]++
		case i < m.o.Settled:
			m.mined.Report.Left["clean: too young"]++
		case s.testLines > maxTestLines:
			m.mined.Report.Left[fmt.Sprintf("clean: more than %d lines of tests", maxTestLines)]++
		case traced.blamed[r.SHA]:
			m.mined.Report.Left["clean: a later repair changed it"]++
		case touchesUntraced(s, traced.untraced, i):
			m.mined.Report.Left["clean: a later repair of its files was not traced"]++
		default:
			list = append(list, candidate{r, s, i})
		}
	}
	for i, c := range m.shuffled(list) {
		m.o.Progress.report("other commits looked at", i, len(list))
		if m.mined.Report.Clean == m.o.Clean {
			m.mined.Report.Left["clean: more than wanted"]++
			continue
		}
		restored, err := m.restored(ctx, c, traced.added)
		if err != nil {
			return err
		}
		if restored {
			m.mined.Report.Left["clean: a later repair put back what it removed"]++
			continue
		}
		w := cleanAsIs
		if m.mined.Report.Clean%4 == 3 {
			w = cleanTurned
		}
		added, err := m.add(ctx, c, w)
		if err != nil {
			return err
		}
		if added {
			m.mined.Report.Clean++
			if w.reverse {
				m.mined.Report.Reversed++
			}
		}
	}
	return nil
}

// touchesUntraced reports whether a later untraced repair changes a file of the commit at a position of the log.
func touchesUntraced(s shape, untraced map[string]int, at int) bool {
	for _, d := range s.source {
		if youngest, ok := untraced[d.Path]; ok && youngest < at {
			return true
		}
	}
	return false
}

// maxTestLines is the most changed lines of tests of a clean case, which its diff shows (design choice).
const maxTestLines = 5 * maxLines

// traces are the results of tracing repairs and reverts.
type traces struct {
	blamed map[string]bool // commits that wrote or moved the lines that they changed
	// untraced maps each file of an untraced repair to the position of its newest repair in the log, and added each
	// line of a file that a traced one added to the position of the newest.
	untraced map[string]int
	added    map[fileLine]int
}

// fileLine is a line of a file, without spaces around it.
type fileLine struct{ path, text string }

// trace finds the commits that wrote the lines changed by repairs and reverts, and the lines that those added.
func (m *miner) trace(ctx context.Context) (out traces, err error) {
	out = traces{blamed: map[string]bool{}, untraced: map[string]int{}, added: map[fileLine]int{}}
	inner, cancel := context.WithTimeout(ctx, m.o.Time)
	defer cancel()
	for i, r := range m.log {
		m.o.Progress.report("commits searched for repairs to trace", i, len(m.log))
		if len(r.Parents) != 1 || classify(r.Subject) == otherSubject { // a reverted change was wrong, too
			continue
		}
		for _, d := range m.deltas[r.SHA] {
			if !isSource(d.Path) || d.Old.Mode == 0 || d.Added < 0 {
				continue
			}
			from, added, err := m.originCommits(inner, r, d)
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if err != nil {
				m.mined.Report.Untraced++
				if _, seen := out.untraced[d.Path]; !seen {
					out.untraced[d.Path] = i
				}
				continue
			}
			m.mined.Report.Traced++
			for sha := range from {
				out.blamed[sha] = true
			}
			for _, l := range added {
				if _, newer := out.added[l]; !newer {
					out.added[l] = i
				}
			}
		}
	}
	return out, nil
}

// restored reports whether a later repair added a line that a commit removed.
func (m *miner) restored(ctx context.Context, c candidate, added map[fileLine]int) (bool, error) {
	for _, d := range c.source {
		if d.Removed == 0 {
			continue
		}
		set, err := m.fileDiff(ctx, c.Record, d)
		if err != nil {
			return false, err
		}
		removed, kept := linesOf(set, diff.Delete), linesOf(set, diff.Add)
		for _, l := range removed {
			if at, ok := added[l]; ok && at < c.at && !slices.Contains(kept, l) {
				return true, nil
			}
		}
	}
	return false, nil
}

// linesOf returns the lines that a diff adds or removes. Lines without an effect do not count.
func linesOf(set *diff.Set, op diff.Op) (out []fileLine) {
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == op && !trivial(l.Text, f.Language) {
					out = append(out, fileLine{f.Path, strings.TrimSpace(l.Text)})
				}
			}
		}
	}
	return out
}

// fileDiff returns the change of one file by a commit.
func (m *miner) fileDiff(ctx context.Context, r snapshot.Record, d snapshot.Delta) (*diff.Set, error) {
	raw, err := m.Diff(ctx, r.Parents[0], r.SHA, d.Path)
	if err != nil {
		return nil, err
	}
	return diff.Parse(raw)
}

var errEnough = errors.New("as many files were traced as may be")

// maxRanges is the most traced ranges of one file. A repair with more of them rewrites the file.
const maxRanges = 100

// originCommits returns the commits that wrote or moved the lines that a repair removes, or the neighbours of lines
// that it adds, and the added lines.
func (m *miner) originCommits(ctx context.Context, r snapshot.Record,
	d snapshot.Delta) (from map[string]bool, added []fileLine, err error) {
	if m.mined.Report.Traced >= m.o.Traces {
		return nil, nil, errEnough
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	set, err := m.fileDiff(ctx, r, d)
	if err != nil {
		return nil, nil, err
	}
	var ranges [][2]int
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			ranges = append(ranges, oldRanges(h)...)
		}
	}
	if len(ranges) == 0 || len(ranges) > maxRanges {
		return nil, nil, errEnough
	}
	from, err = m.Blame(ctx, r.Parents[0], d.Path, ranges)
	return from, linesOf(set, diff.Add), err
}

// oldRanges returns the lines of the base that a hunk removes, and the context lines on both sides of pure
// additions.
func oldRanges(h *diff.Hunk) (out [][2]int) {
	first, last, ok := 0, 0, false // lines of the run
	before := 0                    // context line before the run
	adds := false
	end := func(after int) {
		switch {
		case ok:
			out = append(out, [2]int{first, last})
		case adds && before > 0:
			out = append(out, [2]int{before, max(before, after)})
		case adds && after > 0:
			out = append(out, [2]int{after, after})
		}
		ok, adds = false, false
	}
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Context:
			end(l.Old)
			before = l.Old
		case diff.Delete:
			if !ok {
				first, ok = l.Old, true
			}
			last = l.Old
		case diff.Add:
			adds = true
		}
	}
	end(0)
	return out
}
