package suggestions

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/seeded"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// sampled is the step between the seeded cases that "make test" runs; ASSAY_SUGGESTIONS=all runs every
// one.
const sampled = 6

// An oracle's proposals for the seeded defects are applied by the host and by git with the same result
// as by the engine.
func TestSeeded(t *testing.T) {
	t.Parallel()
	set, err := seeded.New()
	testkit.OK(t, err)
	list, err := set.Cases(t.Context())
	testkit.OK(t, err)
	list = slices.DeleteFunc(list, func(c eval.Case) bool { return c.Kind != eval.Defect })
	h, seen, every := newHost(t), 0, sampled
	if os.Getenv("ASSAY_SUGGESTIONS") == "all" {
		every = 1
	}
	for i, c := range list {
		if i%every != 0 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			heads, done, err := set.Open(t.Context(), c)
			testkit.OK(t, err)
			defer done()
			change := heads[0]
			parsed, err := diff.ParseContext(t.Context(), change.Diff)
			testkit.OK(t, err)
			findings, comments := review(t, c, change, func(f prompt.Found) *prompt.Change { return undo(parsed, f) })
			base, head := cases.Files{"README": "demo\n"}, cases.Files{"README": "demo\n"}
			for _, f := range parsed.Files {
				for side, files := range map[domain.Side]cases.Files{domain.Left: base, domain.Right: head} {
					if blob, err := change.Source.Blob(t.Context(), side, f.Path); err == nil {
						files[f.Path] = string(blob)
					}
				}
			}
			seen += h.check(t, fmt.Sprint("case-", i), base, head, findings, comments)
		})
	}
	t.Logf("%d suggestions of %d defective changes were applied", seen, len(list)/every)
	if seen < len(list)/every/2 {
		t.Errorf("%d suggestions were applied: the test shows little", seen)
	}
}

// undo proposes the code before the change if the lines of a finding are whole runs of changed lines,
// and otherwise a remark at their end.
func undo(set *diff.Set, f prompt.Found) *prompt.Change {
	file := set.File(f.Path)
	if file == nil || f.Side != string(domain.Right) {
		return nil
	}
	for _, h := range file.Hunks {
		if before, ok := undone(h.Lines, f.Start, f.End); ok {
			return &prompt.Change{Old: f.Quote, New: before}
		}
	}
	remark := " // looked at"
	if strings.HasSuffix(f.Path, ".py") {
		remark = "  # looked at"
	}
	return &prompt.Change{Old: f.Quote, New: f.Quote + remark}
}

// undone returns the former lines from start to end, false if a run of changed lines extends beyond
// them.
func undone(lines []diff.Line, start, end int) (string, bool) {
	var out []string
	last, changed := start-1, false
	for i, l := range lines {
		inside := l.New >= start && l.New <= end
		switch {
		case l.Op == diff.Delete:
			next := i
			for next < len(lines) && lines[next].New == 0 {
				next++
			}
			if next < len(lines) && lines[next].New >= start && lines[next].New <= end+1 && (lines[next].New > start || lines[next].Op == diff.Add) {
				out, changed = append(out, l.Text), true
			}
		case !inside && l.Op == diff.Add && (l.New == start-1 || l.New == end+1):
			return "", false
		case inside:
			last = l.New
			if l.Op == diff.Context {
				out = append(out, l.Text)
			} else {
				changed = true
			}
		}
	}
	return strings.Join(out, "\n"), changed && last == end
}
