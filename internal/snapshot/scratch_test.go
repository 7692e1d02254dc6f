package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

func scratch(t *testing.T, repository string) *Scratch {
	t.Helper()
	s, err := NewScratch(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// inGit lists the files of a checkout's git directory.
func inGit(t *testing.T, dir string) (out []string) {
	t.Helper()
	testkit.OK(t, filepath.WalkDir(filepath.Join(dir, ".git"), func(p string, _ fs.DirEntry, err error) error {
		out = append(out, p)
		return err
	}))
	return out
}

func TestAVersionThatNoRepositoryHas(t *testing.T) {
	t.Parallel()
	dir, base, marks := hostile(t)
	before := inGit(t, dir)
	s := scratch(t, dir)
	head, err := s.Resolve(t.Context(), "HEAD")
	testkit.OK(t, err)
	main := testkit.Git(t, dir, "rev-parse", base+":main.go")
	odd := "odd \"name\"\\\n.txt"
	commits, err := s.Commit(t.Context(),
		Version{From: head, Take: []Entry{{Path: "main.go", Mode: 0o100755, OID: main}, {Path: "link"}}, Files: map[string]string{odd: "x", "a/b.txt": "y\n"}},
		Version{Files: map[string]string{"only.txt": "z\n"}})
	testkit.OK(t, err)
	for path, want := range map[string]string{"main.go": "println(1)", odd: "x", "a/b.txt": "y\n", "new name.go": "package"} {
		if b, err := s.Blob(t.Context(), commits[0], path); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%q: %q %v", path, b, err)
		}
	}
	if _, err := s.Blob(t.Context(), commits[0], "link"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed file is there: %v", err)
	}
	tree, err := s.Tree(t.Context(), commits[1])
	if err != nil || len(tree) != 1 || tree[0].Path != "only.txt" {
		t.Errorf("the second version has files of the first: %+v %v", tree, err)
	}
	c, err := s.Between(t.Context(), commits[0], head)
	testkit.OK(t, err)
	set, err := diff.Parse(c.Raw)
	testkit.OK(t, err)
	if f := set.File("main.go"); f == nil || set.File("a/b.txt") == nil || set.File("link") == nil {
		t.Errorf("%s", c.Raw)
	}
	if b, err := c.Blob(t.Context(), domain.Right, "main.go"); err != nil || !strings.Contains(string(b), "println(2)") {
		t.Errorf("%q %v", b, err)
	}
	other := scratch(t, "")
	again, err := other.Commit(t.Context(), Version{}, Version{Files: map[string]string{"only.txt": "z\n"}})
	testkit.OK(t, err)
	third, err := scratch(t, "").Commit(t.Context(), Version{}, Version{Files: map[string]string{"only.txt": "z\n"}})
	if err != nil || !slices.Equal(again, third) {
		t.Errorf("the same versions have other names: %v %v %v", again, third, err)
	}
	nothingRan(t, marks)
	if after := inGit(t, dir); !slices.Equal(before, after) {
		t.Errorf("the repository was written to: %v", after)
	}
	tmp := s.tmp
	testkit.OK(t, s.Close())
	if _, err := os.Stat(tmp); err == nil {
		t.Error("the temporary store was left")
	}
}

func TestVersionsAreRefused(t *testing.T) {
	t.Parallel()
	s := scratch(t, "")
	absent := strings.Repeat("a", 40)
	for name, c := range map[string]struct {
		v    Version
		kind errs.Kind
	}{
		"a path that leaves":       {Version{Files: map[string]string{"../x": ""}}, errs.Malformed},
		"git's own folder":         {Version{Take: []Entry{{Path: ".git/hooks/x"}}}, errs.Malformed},
		"an object of no name":     {Version{Take: []Entry{{Path: "x", Mode: 0o100644, OID: "inline"}}}, errs.Malformed},
		"an object that is absent": {Version{Take: []Entry{{Path: "x", Mode: 0o100644, OID: absent}}}, errs.NotFound},
		"a commit that is absent":  {Version{From: absent}, errs.NotFound},
		"an option for a commit":   {Version{From: "--all"}, errs.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.Commit(t.Context(), c.v); !errs.Is(err, c.kind) {
				t.Errorf("the error is %v, want one of kind %v", err, c.kind)
			}
		})
	}
	for name, dir := range map[string]string{"no repository": t.TempDir(), "no folder": "/nonexistent/x"} {
		if _, err := NewScratch(t.Context(), dir); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	outer, _, _ := newRepo(t)
	write(t, outer, "inner/x", "x")
	if _, err := NewScratch(t.Context(), filepath.Join(outer, "inner")); !errs.Is(err, errs.NotFound) {
		t.Errorf("a folder inside a checkout is accepted as its top: %v", err)
	}
}

func TestBundles(t *testing.T) {
	t.Parallel()
	s := scratch(t, "")
	commits, err := s.Commit(t.Context(), Version{Files: map[string]string{"a": "1\n"}}, Version{Files: map[string]string{"a": "2\n"}})
	testkit.OK(t, err)
	file := filepath.Join(t.TempDir(), "x.bundle")
	testkit.OK(t, s.Bundle(t.Context(), file, map[string]string{"base": commits[0], "head": commits[1]}))
	other := scratch(t, "")
	refs, err := other.Unbundle(t.Context(), file)
	if err != nil || refs["refs/heads/base"] != commits[0] || refs["refs/heads/head"] != commits[1] || len(refs) != 2 {
		t.Fatalf("%v %v", refs, err)
	}
	if fork, err := other.MergeBase(t.Context(), commits[0], commits[1]); err != nil || fork != commits[0] {
		t.Errorf("%s %v", fork, err)
	}
	whole, err := os.ReadFile(file)
	testkit.OK(t, err)
	dir, _, _ := newRepo(t)
	needs := filepath.Join(t.TempDir(), "needs.bundle")
	testkit.Git(t, dir, "bundle", "create", "-q", needs, "HEAD~1..HEAD")
	part, err := os.ReadFile(needs)
	testkit.OK(t, err)
	for name, content := range map[string][]byte{"half": whole[:len(whole)/2], "nothing": nil, "text": []byte("# v2 git bundle\nx\n"), "one commit is elsewhere": part} {
		t.Run(name, func(t *testing.T) {
			f := filepath.Join(t.TempDir(), "x.bundle")
			testkit.OK(t, os.WriteFile(f, content, 0o600))
			if _, err := scratch(t, "").Unbundle(t.Context(), f); !errs.Is(err, errs.Malformed) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	// An object that is far larger than its few kilobytes in the bundle is refused.
	made, err := s.Commit(t.Context(), Version{Files: map[string]string{"a": strings.Repeat(" ", 3<<20)}})
	testkit.OK(t, err)
	bomb := filepath.Join(t.TempDir(), "x.bundle")
	testkit.OK(t, s.Bundle(t.Context(), bomb, map[string]string{"head": made[0]}))
	for limit, kind := range map[string]errs.Kind{"1m": errs.Malformed, maxAlloc: 0} {
		b := scratch(t, "")
		b.alloc = limit
		if _, err := b.Unbundle(t.Context(), bomb); kind == 0 && err != nil || kind != 0 && !errs.Is(err, kind) {
			t.Errorf("within %s: %v", limit, err)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	step := func(subject, name, content string) string {
		write(t, dir, name, content)
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-qm", subject+"\n\nbody")
		return testkit.Git(t, dir, "rev-parse", "HEAD")
	}
	first := step("One: ünï", "a.txt", "1\n2\n3\n")
	second := step("Two", "a.txt", "1\nzwei\n3\n")
	third := step("Three", "b\tc.bin", "\x00\x01")
	testkit.Git(t, dir, "checkout", "-q", "-b", "side", second)
	step("Side", "d.txt", "x\n")
	testkit.Git(t, dir, "checkout", "-q", "main")
	testkit.Git(t, dir, "merge", "-q", "--no-ff", "-m", "Merge", "side")
	s := scratch(t, dir)
	head, err := s.Resolve(t.Context(), "main")
	testkit.OK(t, err)
	log, err := s.Log(t.Context(), head, 10)
	testkit.OK(t, err)
	if len(log) != 5 || len(log[0].Parents) != 2 || log[4].SHA != first || log[4].Subject != "One: ünï" || log[4].Time.IsZero() {
		t.Errorf("%+v", log)
	}
	if log, _ := s.Log(t.Context(), head, 2); len(log) != 2 {
		t.Errorf("%d commits, want 2", len(log))
	}
	deltas, err := s.DeltasOf(t.Context(), []string{head, third, second, first})
	testkit.OK(t, err)
	if d := deltas[second]; len(deltas) != 2 || len(d) != 1 || d[0].Path != "a.txt" || d[0].Added != 1 || d[0].Removed != 1 || d[0].Old.Mode != 0o100644 || d[0].Old.OID == d[0].New.OID {
		t.Errorf("%+v", deltas)
	}
	if d := deltas[third]; len(d) != 1 || d[0].Path != "b\tc.bin" || d[0].Added != -1 || d[0].Old.Mode != 0 {
		t.Errorf("%+v", d)
	}
	both, err := s.Deltas(t.Context(), first, head)
	if err != nil || len(both) != 3 {
		t.Errorf("%+v %v", both, err)
	}
	for _, tt := range []struct {
		lines [2]int
		want  string
	}{{[2]int{1, 1}, first}, {[2]int{2, 2}, second}} {
		if from, err := s.Blame(t.Context(), head, "a.txt", [][2]int{tt.lines}); err != nil || len(from) != 1 || !from[tt.want] {
			t.Errorf("lines %v come from %v, want %s: %v", tt.lines, from, tt.want, err)
		}
	}
	if _, err := s.Blame(t.Context(), head, "../x", [][2]int{{1, 1}}); !errs.Is(err, errs.Malformed) {
		t.Errorf("the error is %v", err)
	}
}

// A commit whose files are missing in the store does not hide the others.
func TestHistoryOfAPartOfARepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q")
	var commits []string
	for _, content := range []string{"1\n", "2\n", "3\n", "4\n"} {
		write(t, dir, "a.txt", content)
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-qm", "x")
		commits = append(commits, testkit.Git(t, dir, "rev-parse", "HEAD"))
	}
	blob := testkit.Git(t, dir, "rev-parse", commits[1]+":a.txt")
	testkit.OK(t, os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])))
	deltas, err := scratch(t, dir).DeltasOf(t.Context(), commits)
	if err != nil || len(deltas) != 1 || len(deltas[commits[3]]) != 1 {
		t.Errorf("%v %v", deltas, err)
	}
}
