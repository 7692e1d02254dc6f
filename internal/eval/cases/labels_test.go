package cases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// history commits versions of files, by subject. A file without content is removed.
func history(t *testing.T, repo string, steps ...map[string]string) (commits []string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(repo, 0o755))
	testkit.Git(t, repo, "init", "-q")
	for i, files := range steps {
		subject := fmt.Sprint("Step ", i)
		for name, content := range files {
			switch {
			case name == "subject":
				subject = content
			case content == "":
				testkit.OK(t, os.Remove(filepath.Join(repo, name)))
			default:
				put(t, repo, name, content)
			}
		}
		commits = append(commits, commit(t, repo, subject))
	}
	return commits
}

const (
	plainLimit = "package p\n\nfunc Limit(size int) int {\n\treturn size\n}\n"
	boundLimit = "package p\n\nfunc Limit(size int) int {\n\tif size > maxSize {\n\t\treturn maxSize\n\t}\n\treturn size\n}\n"
	offLimit   = "package p\n\nfunc Limit(size int) int {\n\tif size >= maxSize+1 {\n\t\treturn maxSize + 1\n\t}\n\treturn size\n}\n"
	otherFunc  = "\nfunc Other() string {\n\treturn \"other things\"\n}\n"
)

// indented is offLimit with all lines of the function in a block.
var indented = strings.NewReplacer("\tif size", "\t{\n\t\tif size", "\t\treturn maxSize + 1\n\t}\n", "\t\t\treturn maxSize + 1\n\t\t}\n\t}\n").Replace(offLimit)

// TestCleanLabelsAreChecked: a commit is not clean whose lines a later repair changes, also where another commit has
// moved, indented or renamed them between, or whose removed lines a later repair puts back.
func TestCleanLabelsAreChecked(t *testing.T) {
	t.Parallel()
	begin := map[string]string{"a.go": plainLimit + otherFunc, "b.go": "package p\n"}
	suspect := map[string]string{"subject": "Bound sizes", "a.go": offLimit + otherFunc}
	for name, c := range map[string]struct {
		steps  []map[string]string
		clean  bool
		reason string
	}{
		"no repair": {[]map[string]string{begin, suspect, {"a.go": offLimit + strings.Replace(otherFunc, "other things", "things", 1)}}, true, ""},
		"a repair of other lines": {[]map[string]string{begin, suspect,
			{"subject": "fix: wrong name", "a.go": offLimit + strings.Replace(otherFunc, "other things", "things", 1)}}, true, ""},
		"a repair": {[]map[string]string{begin, suspect, {"subject": "fix: wrong bound", "a.go": boundLimit + otherFunc}}, false, "clean: a later repair changed it"},
		"moved within its file, and repaired": {[]map[string]string{begin, suspect, {"a.go": "package p\n" + otherFunc + strings.TrimPrefix(offLimit, "package p\n")},
			{"subject": "fix: wrong bound", "a.go": "package p\n" + otherFunc + strings.TrimPrefix(boundLimit, "package p\n")}}, false, "clean: a later repair changed it"},
		"moved to another file, and repaired": {[]map[string]string{begin, suspect, {"a.go": "package p\n" + otherFunc, "b.go": offLimit},
			{"subject": "fix: wrong bound", "b.go": boundLimit}}, false, "clean: a later repair changed it"},
		"renamed, and repaired": {[]map[string]string{begin, suspect, {"a.go": "", "c.go": offLimit + otherFunc},
			{"subject": "fix: wrong bound", "c.go": boundLimit + otherFunc}}, false, "clean: a later repair changed it"},
		"indented, and repaired": {[]map[string]string{begin, suspect, {"a.go": indented + otherFunc},
			{"subject": "fix: wrong bound", "a.go": strings.ReplaceAll(indented, "maxSize + 1", "maxSize") + otherFunc}}, false, "clean: a later repair changed it"},
		"a check is removed, and put back": {[]map[string]string{{"a.go": boundLimit + otherFunc}, {"subject": "Bound sizes", "a.go": plainLimit + otherFunc},
			{"subject": "fix: sizes without a bound", "a.go": strings.Replace(boundLimit, "return size\n", "return size // bounded\n", 1) + otherFunc}}, false, "clean: a later repair put back what it removed"},
		"a check is removed before a repair added the same": {[]map[string]string{{"a.go": plainLimit + otherFunc}, {"subject": "fix: no bound", "a.go": boundLimit + otherFunc},
			{"subject": "Bound sizes", "a.go": strings.Replace(plainLimit, "return size", "return min(size, maxSize)", 1) + otherFunc}}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := filepath.Join(t.TempDir(), "r")
			history(t, repo, append(c.steps, map[string]string{"b.md": "x"})...)
			suspect := testkit.Git(t, repo, "log", "--format=%H", "--grep=Bound sizes")
			m, err := Mine(t.Context(), repo, MineOptions{Settled: 1})
			testkit.OK(t, err)
			list, err := m.Cases(t.Context())
			testkit.OK(t, err)
			clean := false
			for _, one := range list {
				clean = clean || one.Kind == eval.Clean && strings.Contains(one.Origin, suspect)
			}
			if clean != c.clean || c.reason != "" && m.Report.Left[c.reason] == 0 {
				t.Errorf("clean is %v, want %v: %+v", clean, c.clean, m.Report)
			}
		})
	}
}

// TestTheBaseOfACleanCaseHasItsTests: a clean change shows what it did to tests, also to those that come and go.
func TestTheBaseOfACleanCaseHasItsTests(t *testing.T) {
	t.Parallel()
	repo := filepath.Join(t.TempDir(), "r")
	history(t, repo,
		map[string]string{"a.go": plainLimit, "a_test.go": "package p\n\n// one\n", "old_test.go": "package p\n\n// old\n", "same_test.go": "package p\n", "a.md": "one\n"},
		map[string]string{"subject": "Bound sizes", "a.go": boundLimit, "a_test.go": "package p\n\n// two\n", "old_test.go": "", "new_test.go": "package p\n\n// new\n", "a.md": "two\n"},
		map[string]string{"b.md": "x"})
	m, err := Mine(t.Context(), repo, MineOptions{Settled: 1})
	testkit.OK(t, err)
	list, err := m.Cases(t.Context())
	testkit.OK(t, err)
	if len(list) != 1 || list[0].Kind != eval.Clean {
		t.Fatalf("%+v", list)
	}
	dir := t.TempDir()
	testkit.OK(t, m.Write(t.Context(), dir))
	for name, set := range map[string]eval.Set{"mined": m, "written": Folder(dir)} {
		t.Run(name, func(t *testing.T) {
			source := opened(t, set, list[0])[0].Source
			for path, want := range map[string][2]string{
				"a_test.go": {"package p\n\n// one\n", "package p\n\n// two\n"}, "old_test.go": {"package p\n\n// old\n", ""},
				"new_test.go": {"", "package p\n\n// new\n"}, "same_test.go": {"package p\n", "package p\n"}, "a.md": {"two\n", "two\n"},
			} {
				for i, side := range []domain.Side{domain.Left, domain.Right} {
					b, err := source.Blob(t.Context(), side, path)
					if string(b) != want[i] || (err != nil) != (want[i] == "") {
						t.Errorf("%s %s: %q %v, want %q", side, path, b, err, want[i])
					}
				}
			}
		})
	}
}

// TestACleanCaseHasFewLinesOfTests: the diff of a clean case shows its tests, so they are bounded.
func TestACleanCaseHasFewLinesOfTests(t *testing.T) {
	t.Parallel()
	repo := filepath.Join(t.TempDir(), "r")
	history(t, repo, map[string]string{"a.go": plainLimit}, map[string]string{"a.go": boundLimit, "a_test.go": "package p\n" + strings.Repeat("// x\n", maxTestLines)},
		map[string]string{"b.md": "x"})
	m, err := Mine(t.Context(), repo, MineOptions{Settled: 1})
	testkit.OK(t, err)
	if m.Report.Clean != 0 || m.Report.Left["clean: more than 400 lines of tests"] != 1 {
		t.Errorf("%+v", m.Report)
	}
}

// TestMovedLinesAreNotIntroduced: an introducing case is skipped if its commit only moved the lines of a defect.
func TestMovedLinesAreNotIntroduced(t *testing.T) {
	t.Parallel()
	tail := strings.TrimPrefix(offLimit, "package p\n")
	for name, c := range map[string]struct {
		before, after map[string]string
		golden        []eval.Golden
		wrong         string // the named defect, "" if the label holds
	}{
		"written by it":          {map[string]string{"a.go": plainLimit}, map[string]string{"a.go": offLimit}, []eval.Golden{{Path: "a.go", StartLine: 4, EndLine: 5, Defect: "d1"}}, ""},
		"beside a removed check": {map[string]string{"a.go": boundLimit}, map[string]string{"a.go": plainLimit}, []eval.Golden{{Path: "a.go", StartLine: 4, EndLine: 4, Defect: "d1"}}, ""},
		"far from any change": {map[string]string{"a.go": offLimit + otherFunc}, map[string]string{"a.go": offLimit + strings.Replace(otherFunc, "other things", "things", 1)},
			[]eval.Golden{{Path: "a.go", StartLine: 4, EndLine: 4, Defect: "d1"}}, "d1"},
		"a place without an end": {map[string]string{"a.go": offLimit}, map[string]string{"a.go": offLimit + otherFunc},
			[]eval.Golden{{Path: "a.go", StartLine: 2, EndLine: 1 << 30, Defect: "d1"}}, ""},
		"moved within the file": {map[string]string{"a.go": offLimit + otherFunc}, map[string]string{"a.go": "package p\n" + otherFunc + tail},
			[]eval.Golden{{Path: "a.go", StartLine: 8, EndLine: 9, Defect: "d1"}}, "d1"},
		"moved to another file": {map[string]string{"a.go": offLimit + otherFunc, "b.go": "package p\n"}, map[string]string{"a.go": "package p\n" + otherFunc, "b.go": offLimit},
			[]eval.Golden{{Path: "b.go", StartLine: 4, EndLine: 6, Defect: "d1"}}, "d1"},
		"moved to a new file, indented": {map[string]string{"a.go": offLimit + otherFunc}, map[string]string{"a.go": "package p\n" + otherFunc, "b.go": indented},
			[]eval.Golden{{Path: "b.go", StartLine: 5, EndLine: 6}}, "golden[0]"},
		"moved and changed": {map[string]string{"a.go": boundLimit + otherFunc, "b.go": "package p\n"}, map[string]string{"a.go": "package p\n" + otherFunc, "b.go": offLimit},
			[]eval.Golden{{Path: "b.go", StartLine: 4, EndLine: 5, Defect: "d1"}}, ""},
		"one place moved, one written": {map[string]string{"a.go": offLimit + otherFunc, "b.go": "package p\n"},
			map[string]string{"a.go": "package p\n" + strings.Replace(otherFunc, "other things", "things", 1), "b.go": offLimit},
			[]eval.Golden{{Path: "b.go", StartLine: 4, EndLine: 4, Defect: "d1"}, {Path: "a.go", StartLine: 4, EndLine: 4, Defect: "d1"}}, ""},
		"a short line that is also elsewhere": {map[string]string{"a.go": plainLimit, "b.go": "package p\n\nfunc F() error {\n\treturn nil\n}\n"},
			map[string]string{"a.go": "package p\n\nfunc Limit(size int) error {\n\treturn nil\n}\n", "b.go": "package p\n\nfunc F() error {\n\treturn g()\n}\n"},
			[]eval.Golden{{Path: "a.go", StartLine: 4, EndLine: 4, Defect: "d1"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repos, dir := t.TempDir(), t.TempDir()
			commits := history(t, filepath.Join(repos, "o", "n"), c.before, c.after)
			var golden []any
			for _, g := range c.golden {
				golden = append(golden, map[string]any{"path": g.Path, "side": "RIGHT", "startLine": g.StartLine, "endLine": g.EndLine, "defect": g.Defect})
			}
			put(t, dir, "l.jsonl", line(t, map[string]any{"id": "x", "kind": "introducing", "direction": "forward", "repo": "o/n", "golden": golden,
				"source": map[string]any{"commit": commits[1], "headTreeOf": commits[1]}}))
			_, done, err := List(filepath.Join(dir, "l.jsonl"), repos).Open(t.Context(), eval.Case{ID: "x"})
			if err == nil {
				done()
			}
			if (c.wrong == "") != (err == nil) || err != nil && (!errors.Is(err, eval.ErrLabel) || !strings.Contains(err.Error(), "only moved the lines of "+c.wrong+",")) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
