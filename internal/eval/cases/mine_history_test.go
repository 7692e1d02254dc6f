package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// grown makes a repository with repairs, features, and commits that are not cases.
func grown(t *testing.T) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "grown")
	repaired(t, repo)
	step := func(subject string, files map[string]string) {
		for name, content := range files {
			put(t, repo, name, content)
		}
		commit(t, repo, subject)
	}
	body := func(lines ...string) string {
		return "package sum\n\nfunc F(a, b int) int {\n\t" + strings.Join(lines, "\n\t") + "\n}\n"
	}
	step("feat: divide", map[string]string{"div.go": body("return a / b"), "quiet.go": "package sum\n\nfunc Quiet() int {\n\treturn 1\n}\n"})
	step("Make division round down", map[string]string{"div.go": body("c := a / b", "return c", "// rounded"), "div_test.go": "package sum\n"})                     // repaired later
	step("Say less", map[string]string{"quiet.go": "package sum\n\nfunc Quiet() int {\n\tn := 2\n\treturn n\n}\n"})                                                 // clean
	step("Fix panic when the divisor is 0", map[string]string{"div.go": body("if b == 0 {", "\treturn 0", "}", "c := a / b", "return c"), "div_test.go": "// 2\n"}) // a case
	step("fix: negative divisors", map[string]string{"div.go": body("if b <= 0 {", "\treturn 0", "}", "c := a / b", "return c")})
	step("fix: typo in a comment", map[string]string{"div_test.go": "// 3\n"})
	step("fix: a new file", map[string]string{"more.go": body("return 3", "// x"), "div_test.go": "// 4\n"})
	step("fix: generated code", map[string]string{"x.pb.go": "package sum\n\n//\n", "div.go": body("return 7", "// y"), "div_test.go": "// 5\n"})
	step("fix: wrong words", map[string]string{"quiet.go": "package sum\n\n// Quiet is\n// quiet.\nfunc Quiet() int {\n\tn := 2\n\treturn n\n}\n", "div_test.go": "// 6\n"})
	step(`Revert "fix: negative divisors"`, map[string]string{"div.go": body("return 8"), "div_test.go": "// 7\n"})
	testkit.Git(t, repo, "checkout", "-q", "-b", "side", "HEAD~1")
	step("fix: on a branch", map[string]string{"side.md": "x"})
	testkit.Git(t, repo, "checkout", "-q", "-")
	testkit.Git(t, repo, "merge", "-q", "--no-ff", "-m", "Merge branch side", "side")
	return repo
}

func find(t *testing.T, list []eval.Case, part string) eval.Case {
	t.Helper()
	i := slices.IndexFunc(list, func(c eval.Case) bool {
		return strings.Contains(c.Origin, part) || slices.ContainsFunc(c.Golden, func(g eval.Golden) bool { return strings.Contains(g.Text, part) })
	})
	if i < 0 {
		t.Fatalf("no case of %q in %+v", part, list)
	}
	return list[i]
}

func TestRepairsAreTurnedRound(t *testing.T) {
	t.Parallel()
	repo := grown(t)
	before := objects(t, repo)
	m, err := Mine(t.Context(), repo, MineOptions{Settled: 3, Licence: "MIT"})
	testkit.OK(t, err)
	list, err := m.Cases(t.Context())
	testkit.OK(t, err)
	if m.Report.Defects != 2 || m.Report.Looked != 14 {
		t.Errorf("%+v", m.Report)
	}
	for reason, want := range map[string]int{"merge": 1, "revert, merge or release": 1, "repair: no test in the same commit": 1, "repair: source files were added, deleted or renamed": 1,
		"repair: generated or vendored files changed": 1, "only comments, imports or blank lines changed": 1, "repair: no source file changed": 1, "clean: a later repair changed it": 1} {
		if m.Report.Left[reason] != want {
			t.Errorf("%q: %d, want %d: %v", reason, m.Report.Left[reason], want, m.Report.Left)
		}
	}

	c := find(t, list, "take the first number")
	same(t, c.Golden, []eval.Golden{ // the head is the parent of the repair
		{Path: "sum.go", Side: domain.Right, StartLine: 6, EndLine: 6, Defect: "d1", Category: "correctness", Text: "fix: take the first number too"},
		{Path: "sum.go", Side: domain.Left, StartLine: 12, EndLine: 12, Defect: "d1", Category: "correctness", Text: "fix: take the first number too"},
	})
	if c.Title != "Update sum.go" || c.Language != "Go" || c.Licence != "MIT" || c.Set != "mined" || c.Repository != "grown" || c.Kind != eval.Defect {
		t.Errorf("%+v", c)
	}
	heads := opened(t, m, c)
	lines := changed(t, heads[0].Diff)
	for i, want := range []string{"\tfor i := 1; i < len(n); i++ {", "\tlog.Print(fmt.Sprint(s))"} {
		if g := c.Golden[i]; lines[key(g.Side, g.Path, g.StartLine)] != want {
			t.Errorf("golden %d is at %q, want %q", i, lines[key(g.Side, g.Path, g.StartLine)], want)
		}
	}
	if strings.Contains(string(heads[0].Diff), "_test.go") || strings.Contains(string(heads[0].Diff), "README") {
		t.Errorf("tests or documents give the defect away:\n%s", heads[0].Diff)
	}
	same(t, find(t, list, "divisor").Golden, []eval.Golden{{Path: "div.go", Side: domain.Left, StartLine: 4, EndLine: 5, Defect: "d1", Category: "correctness", Text: "Fix panic when the divisor is 0"}})
	if objects(t, repo) != before {
		t.Error("the repository was written to")
	}
}

func TestCleanCasesAreWhatNoRepairTouched(t *testing.T) {
	t.Parallel()
	repo := grown(t)
	m, err := Mine(t.Context(), repo, MineOptions{Settled: 3})
	testkit.OK(t, err)
	list, err := m.Cases(t.Context())
	testkit.OK(t, err)
	var clean []eval.Case
	for _, c := range list {
		if c.Kind == eval.Clean {
			clean = append(clean, c)
		}
	}
	quiet := testkit.Git(t, repo, "log", "--format=%H", "--grep=Say less")
	if len(clean) != 1 || clean[0].Origin != "commit "+quiet || len(clean[0].Golden) != 0 || m.Report.Clean != 1 {
		t.Fatalf("%+v, of which %s is clean", clean, quiet)
	}
	heads := opened(t, m, clean[0])
	if got := changed(t, heads[0].Diff)["RIGHT quiet.go:4"]; got != "\tn := 2" {
		t.Errorf("the change is reversed: %q", got)
	}
	for name, c := range map[string]struct {
		o      MineOptions
		reason string
	}{
		"too young":    {MineOptions{Settled: 40}, "clean: too young"},
		"none wanted":  {MineOptions{Settled: 3, Clean: -1}, ""},
		"no time left": {MineOptions{Settled: 3, Time: 1}, "clean: a later repair of its files was not traced"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Mine(t.Context(), repo, c.o)
			testkit.OK(t, err)
			if m.Report.Clean != 0 || c.reason != "" && m.Report.Left[c.reason] == 0 {
				t.Errorf("%+v", m.Report)
			}
		})
	}
}

func TestEveryFourthCleanCaseIsTurnedRound(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	testkit.Git(t, repo, "init", "-q")
	text := func(i, n int) string {
		return fmt.Sprintf("package p\n\nfunc F%d() int {\n\tn := %d\n\treturn n\n}\n", i, n)
	}
	for i := range 9 {
		put(t, repo, fmt.Sprintf("f%d.go", i), text(i, 0))
	}
	commit(t, repo, "Begin")
	for i := range 9 {
		put(t, repo, fmt.Sprintf("f%d.go", i), text(i, 1))
		commit(t, repo, "Count more")
	}
	m, err := Mine(t.Context(), repo, MineOptions{Settled: 1, Seed: 3, Name: "p q"})
	testkit.OK(t, err)
	if m.Report.Clean != 8 || m.Report.Reversed != 2 {
		t.Errorf("%+v", m.Report)
	}
	list, _ := m.Cases(t.Context())
	turned := 0
	for _, c := range list {
		want := "\tn := 1"
		if strings.HasSuffix(c.Origin, "turned round") {
			turned++
			want = "\tn := 0"
		}
		if !strings.Contains(string(opened(t, m, c)[0].Diff), "+"+want) || !strings.HasPrefix(c.ID, "p-q-") {
			t.Errorf("%s is reversed", c.ID)
		}
	}
	if turned != 2 {
		t.Errorf("%d cases are turned round", turned)
	}
	// The same seed gives the same cases, and another seed gives others.
	ids := func(seed uint64) (out []string) {
		m, err := Mine(t.Context(), repo, MineOptions{Settled: 1, Seed: seed, Clean: 3})
		testkit.OK(t, err)
		list, _ := m.Cases(t.Context())
		for _, c := range list {
			out = append(out, c.ID)
		}
		return out
	}
	one := ids(1)
	if !slices.Equal(one, ids(1)) || len(one) != 3 {
		t.Errorf("%v, then %v", one, ids(1))
	}
	if slices.Equal(one, ids(2)) && slices.Equal(one, ids(5)) && slices.Equal(one, ids(4)) {
		t.Errorf("the seed makes no difference: %v", one)
	}
}

func TestMinedCasesAreWrittenAsBundles(t *testing.T) {
	t.Parallel()
	m, err := Mine(t.Context(), grown(t), MineOptions{Settled: 3})
	testkit.OK(t, err)
	dir := t.TempDir()
	testkit.OK(t, m.Write(t.Context(), dir))
	want, _ := m.Cases(t.Context())
	set := Folder(dir)
	got, err := set.Cases(t.Context())
	testkit.OK(t, err)
	same(t, got, want)
	for _, c := range got {
		a, b := opened(t, set, c), opened(t, m, c)
		if string(a[0].Diff) != string(b[0].Diff) || len(a[0].Diff) == 0 {
			t.Errorf("%s is another change:\n%s\nwas\n%s", c.ID, a[0].Diff, b[0].Diff)
		}
		if _, err := a[0].Source.Blob(t.Context(), domain.Right, "sum.go"); err != nil {
			t.Errorf("%s lacks a file that the change does not touch: %v", c.ID, err)
		}
	}
}

// A case with too much code is left out, and does not affect other cases.
func TestALargeCaseIsNotWritten(t *testing.T) {
	t.Parallel()
	m, err := Mine(t.Context(), grown(t), MineOptions{Settled: 3})
	testkit.OK(t, err)
	m.maxBundle = 10
	before := m.Report.Defects + m.Report.Clean
	dir := t.TempDir()
	testkit.OK(t, m.Write(t.Context(), dir))
	if m.Report.Defects != 0 || m.Report.Clean != 0 || m.Report.Reversed != 0 || before == 0 || m.Report.Left["its code or case.json is too large to be written"] != before {
		t.Errorf("%d cases were: %+v", before, m.Report)
	}
	empty(t, dir)
}

// A second run continues where the first ended. A folder with other content is not changed.
func TestMinedCasesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	m, err := Mine(t.Context(), grown(t), MineOptions{Settled: 3})
	testkit.OK(t, err)
	dir := t.TempDir()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Write(ended, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	empty(t, dir)
	list, _ := m.Cases(t.Context())
	testkit.OK(t, m.save[list[1].ID](t.Context(), dir, list[1]))
	testkit.OK(t, m.Write(t.Context(), dir))
	testkit.OK(t, m.Write(t.Context(), dir))
	testkit.OK(t, os.Remove(filepath.Join(dir, list[1].ID, bundleFile)))
	if err := m.Write(t.Context(), dir); err == nil || !strings.Contains(err.Error(), list[1].ID) {
		t.Errorf("a case without code counts as written: %v", err)
	}
}

// Unusual names and subjects in a history never make a case that cannot be written.
func TestOddHistories(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	testkit.Git(t, repo, "init", "-q")
	step := func(subject, n string) {
		for _, name := range []string{"a.go", "b_test.go", "--output=x.go", "line\nbreak \"q\".go"} {
			put(t, repo, name, "package p\n\nfunc F() int {\n\tn := "+n+"\n\treturn n + "+n+"\n}\n")
		}
		commit(t, repo, subject)
	}
	step("Begin", "1")
	step("fix: "+strings.Repeat("very ", 14_000)+"long", "2")
	step("fix: \xff\xfe is no text", "3")
	put(t, repo, "bad\xff.go", "package p\n\nfunc G() int { return 1 }\n")
	step("Add one", "4")
	put(t, repo, "bad\xff.go", "package p\n\nfunc G() int {\n\treturn 2\n}\n")
	step("fix: the name", "5")
	m, err := Mine(t.Context(), repo, MineOptions{Settled: 1})
	testkit.OK(t, err)
	if m.Report.Defects != 2 || m.Report.Left["repair: a path is not UTF-8"] != 1 {
		t.Errorf("%+v", m.Report)
	}
	dir := t.TempDir()
	testkit.OK(t, m.Write(t.Context(), dir))
	list, err := Folder(dir).Cases(t.Context())
	testkit.OK(t, err)
	for _, c := range list {
		lines := changed(t, opened(t, Folder(dir), c)[0].Diff)
		for _, g := range c.Golden {
			if !strings.Contains(lines[key(g.Side, g.Path, g.StartLine)], "n := ") || len(g.Text) > maxSubject || !utf8.ValidString(g.Text) {
				t.Errorf("%q at %+v", lines[key(g.Side, g.Path, g.StartLine)], g)
			}
		}
	}
}

func TestMineRefuses(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	testkit.Git(t, empty, "init", "-q")
	for name, c := range map[string]struct{ dir, want string }{
		"no repository": {t.TempDir(), "The folder is not the top of a git checkout or a bare repository."},
		"no commit":     {empty, "The checkout has no commit of that name."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Mine(t.Context(), c.dir, MineOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Mine(ctx, grown(t), MineOptions{}); err == nil {
		t.Error("an ended context does not end mining")
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]subjectKind{
		"fix: handle nil": repairSubject, "fix(router)!: handle nil": repairSubject, "Fixes a panic in Mount": repairSubject, "middleware: bug fix for headers": repairSubject,
		"Avoid data race in the pool": repairSubject, "Off-by-one in Slice": repairSubject, "CVE-2024-1234: check the path": repairSubject,
		"fix typo": otherSubject, "fix(ci): cache": otherSubject, "fix: lint": otherSubject, "test: fix flaky": otherSubject, "docs: wrong example": otherSubject,
		"feat: retry after a crash": otherSubject, "refactor: remove broken abstraction": otherSubject, "Add prefix": otherSubject, "Trace requests": otherSubject, "": otherSubject,
		`Revert "fix: handle nil"`: revertSubject, "Merge pull request #1 from x/fix-bug": revertSubject, "v1.2.3 fixes": revertSubject, "revert: fix": revertSubject, "Bump x from 1 to 2": revertSubject,
	} {
		if got := classify(subject); got != want {
			t.Errorf("%q: %d, want %d", subject, got, want)
		}
	}
}

// Mining and writing report their progress from the first unit of each step on.
func TestMiningTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	steps := map[string]int{}
	m, err := Mine(t.Context(), grown(t), MineOptions{Settled: 3, Progress: func(step string, done, total int) {
		if done >= total || done < 0 {
			t.Errorf("%s: %d of %d", step, done, total)
		}
		steps[step]++
	}})
	testkit.OK(t, err)
	testkit.OK(t, m.Write(t.Context(), t.TempDir()))
	for _, step := range []string{"commits read", "repairs looked at", "commits searched for repairs to trace", "other commits looked at", "cases written"} {
		if steps[step] == 0 {
			t.Errorf("no progress is reported for %s: %v", step, steps)
		}
	}
}
