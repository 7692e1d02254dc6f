package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// report is a report of a model of [telling] about lines that begin at a line of a file.
type report struct {
	path  string
	line  int
	quote string
	key   string
	title string
}

// telling is a model that makes reports. It confirms an earlier finding if it is shown the line holds,
// if there is one.
func telling(holds string, reports ...report) *scripted {
	m := atLine(0, "", holds)
	m.generate = func(int, string) (llm.Response, error) {
		var list []candidate
		for _, r := range reports {
			list = append(list, candidate{Path: r.path, Side: "RIGHT", Start: r.line, End: r.line + strings.Count(r.quote, "\n"), Quote: r.quote, Category: "bug",
				RuleKey: r.key, Severity: "high", Title: r.title, Explanation: r.title + ".", Trigger: "always"})
		}
		return findings(list...)(0, "")
	}
	return m
}

// A finding covers all lines between its remaining neighbours. An edit of a line or of its neighbours
// neither shrinks the finding nor makes it another one.
func TestTheLinesOfAFindingAreEdited(t *testing.T) {
	t.Parallel()
	const weak = "The check of the mode is too weak"
	text := func(body ...string) string {
		return "package x\n\nfunc first(mode Mode) error {\n\t" + strings.Join(body, "\n\t") + "\n}\n"
	}
	lines := []string{"prepare(mode)", "open(mode, name)", "check(mode, strictly)", "publish(mode, everybody, now)", "shut(mode, name)", "return leave(mode)"}
	with := func(at int, by ...string) []string {
		return slices.Replace(slices.Clone(lines), at, at+1, by...)
	}
	both := lines[2] + "\n\t" + lines[3]
	renamed := slices.Clone(lines)
	for i := range renamed {
		renamed[i] = strings.ReplaceAll(renamed[i], "mode", "mode7")
	}
	swapped := slices.Clone(lines)
	swapped[1], swapped[2] = swapped[2], swapped[1]
	for name, c := range map[string]struct {
		quote       string
		heads       [][]string // after the first head
		models      []*scripted
		first, last int // where it is at the end
	}{
		"the first of two, reported under another rule": {both, [][]string{with(2, "check(mode, strictly) // see 5")},
			[]*scripted{telling("", report{"x.go", 6, "check(mode, strictly) // see 5", "missing-case", weak})}, 6, 6},
		"the first of two, in silence": {both, [][]string{with(2, "check(mode9, strictly)")}, []*scripted{telling("check(mode9, strictly)")}, 6, 7},
		"in silence, then reported": {both, [][]string{with(2, "check(mode9, strictly)"), append(with(2, "check(mode9, strictly)"), "return nil")},
			[]*scripted{telling("check(mode9, strictly)"), telling("", report{"x.go", 6, "check(mode9, strictly)", "missing-case", weak})}, 6, 6},
		"the second of two, in silence": {both, [][]string{with(3, "publish(mode, nobody, now)")}, []*scripted{telling("check(mode, strictly)")}, 6, 7},
		"a name in all of them, in silence, then replaced": {lines[2], [][]string{renamed, with(2, "unlike(all, of, them)")},
			[]*scripted{telling("check(mode7, strictly)"), telling("unlike(all, of, them)")}, 6, 6},
		"a name in all of them, reported": {both, [][]string{renamed}, []*scripted{telling("", report{"x.go", 6, renamed[2], "missing-case", weak})}, 6, 6},
		"the line before it goes between them": {both, [][]string{swapped},
			[]*scripted{telling("", report{"x.go", 5, lines[2], "missing-case", weak})}, 5, 5},
		"one more line between them": {both, [][]string{with(2, "check(mode, strictly)", "log(mode)", "trace(mode)")},
			[]*scripted{telling("", report{"x.go", 6, "check(mode, strictly)", "missing-case", weak})}, 6, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks, in.Models = map[string]bool{}, models(telling("", report{"x.go", 6, c.quote, "wrong-argument", weak}))
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(lines...)}, nil)
			res := review(t, in, Deps{})
			if len(res.Open()) != 1 {
				t.Fatalf("first: %+v", res.Findings)
			}
			id := res.Open()[0].ID
			in.publish(res)
			for i, head := range c.heads {
				in.Models = models(c.models[i])
				in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(head...)}, nil)
				res = review(t, in, Deps{})
				if open := res.Open(); len(open) != 1 || open[0].ID != id || len(res.Resolved) > 0 {
					t.Fatalf("head %d: want %s alone: %+v, resolved %v", i+1, id, open, res.Resolved)
				}
				in.publish(res)
			}
			if a := res.Open()[0].Anchor; a.StartLine != c.first || a.EndLine != c.last {
				t.Errorf("it is at %d-%d, want %d-%d: %q", a.StartLine, a.EndLine, c.first, c.last, a.Quote)
			}
		})
	}
}

// The lines of a finding part: one moves to another function, the other stays. The finding may be at
// either line, and moves with the first if no model says more.
func TestTheLinesOfAFindingPart(t *testing.T) {
	t.Parallel()
	const weak, check, tell = "The check of the mode is too weak", "check(mode, strictly)", "publish(mode, everybody)"
	text := func(first, second []string) enginetest.Tree {
		return enginetest.Tree{"x.go": "package x\n\nfunc first(mode Mode) error {\n\topen(mode, name)\n\tread(mode, all)\n\t" + strings.Join(append(first, "shut(mode, name)", "return leave(mode)"), "\n\t") +
			"\n}\n\nfunc second() {\n\tprepare(now)\n\tcall(them)\n\t" + strings.Join(append(second, "hide(away)", "sleep(long)"), "\n\t") + "\n}\n"}
	}
	left, right := text([]string{check}, []string{tell}), text([]string{tell}, []string{check})
	for name, c := range map[string]struct {
		after enginetest.Tree
		model *scripted
		at    int
	}{
		"the first goes, and is reported":            {right, telling("", report{"x.go", 14, check, "missing-case", weak}), 14},
		"the first goes, in silence":                 {right, telling(check), 14},
		"the second goes, and the first is reported": {left, telling("", report{"x.go", 6, check, "missing-case", weak}), 6},
		"the second goes, in silence":                {left, telling(check), 6},
		"the first goes, and the second is reported": {right, telling("", report{"x.go", 6, tell, "missing-case", weak}), 6},
		"the first goes, and the second still holds": {right, telling(tell), 14},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks, in.Models = map[string]bool{}, models(telling("", report{"x.go", 6, check + "\n\t" + tell, "wrong-argument", weak}))
			in.shows(enginetest.Tree{}, text([]string{check, tell}, nil), nil)
			res := review(t, in, Deps{})
			if len(res.Open()) != 1 {
				t.Fatalf("first: %+v", res.Findings)
			}
			id := res.Open()[0].ID
			in.publish(res)
			in.Models = models(c.model)
			in.shows(enginetest.Tree{}, c.after, nil)
			res = review(t, in, Deps{})
			if open := res.Open(); len(open) != 1 || open[0].ID != id || open[0].Anchor.StartLine != c.at || len(res.Resolved) > 0 {
				t.Fatalf("want %s at %d: %+v, resolved %v", id, c.at, open, res.Resolved)
			}
		})
	}
}
