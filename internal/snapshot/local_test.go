package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// hostile makes a checkout whose configuration, hooks and attributes would each leave a mark if they
// were run.
func hostile(t *testing.T) (dir, base, marks string) {
	t.Helper()
	dir, base, _ = newRepo(t)
	marks = t.TempDir()
	touch := func(name string) string { return "touch '" + filepath.Join(marks, name) + "'; cat" }
	for key, value := range map[string]string{
		"filter.evil.clean": touch("clean"), "filter.evil.smudge": touch("smudge"), "filter.evil.process": touch("process"), "filter.evil.required": "true",
		"diff.evil.textconv": touch("textconv"), "diff.evil.command": touch("command"), "diff.external": touch("external"), "core.fsmonitor": touch("fsmonitor"),
		"core.pager": touch("pager"), "core.sshCommand": touch("ssh"), "core.hooksPath": filepath.Join(dir, "hooks"), "core.askPass": touch("askpass"),
		"gpg.program": touch("gpg"), "log.showSignature": "true", "core.alternateRefsCommand": touch("refs"), "credential.helper": "!" + touch("credential"),
		"core.gitProxy": touch("proxy"), "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "core.quotePath": "true", "color.ui": "always",
		"alias.diff": "!" + touch("alias"), "interactive.diffFilter": touch("filter"), "uploadpack.packObjectsHook": touch("pack"),
	} {
		testkit.Git(t, dir, "config", key, value)
	}
	for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction", "pre-commit", "fsmonitor-watchman", "query-watchman"} {
		write(t, dir, "hooks/"+hook, "#!/bin/sh\n"+touch("hook-"+hook)+"\n")
		_ = os.Chmod(filepath.Join(dir, "hooks", hook), 0o755)
	}
	write(t, dir, ".git/info/attributes", "* filter=evil diff=evil\n")
	write(t, dir, ".git/info/exclude", "hooks/\nignored-here\n")
	return dir, base, marks
}

func nothingRan(t *testing.T, marks string) {
	t.Helper()
	entries, _ := os.ReadDir(marks)
	for _, e := range entries {
		t.Errorf("the repository's %s ran", e.Name())
	}
}

func TestLocalWorktree(t *testing.T) {
	t.Parallel()
	dir, base, marks := hostile(t)
	write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(3)\n}\n")
	write(t, dir, "untracked.go", "package main\n")
	write(t, dir, "sub/ignored.log", "x")
	write(t, dir, "sub/.gitignore", "*.log\n")
	write(t, dir, "ignored-here", "x")
	_ = os.Remove(filepath.Join(dir, "crlf.txt"))
	_ = os.Symlink("/etc/shadow", filepath.Join(dir, "link2"))
	indexBefore, _ := os.ReadFile(filepath.Join(dir, ".git", "index"))

	l, err := OpenLocal(t.Context(), filepath.Join(dir, "sub"), LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Worktree(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(c.Raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Raw)
	}
	var got []string
	for _, f := range set.Files {
		got = append(got, string(f.Status)+" "+f.Path)
	}
	want := "added .gitattributes, deleted crlf.txt, added link, added link2, modified main.go, added new\nline.txt, renamed new name.go, added sub/.gitignore, added untracked.go"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %q\nwant %q", s, want)
	}
	if c.MergeBase != base {
		t.Errorf("merge base %s", c.MergeBase)
	}
	for path, text := range map[string]string{"main.go": "println(3)", "untracked.go": "package", "link2": "/etc/shadow", "ünï.txt": "x"} {
		if b, err := c.Blob(t.Context(), domain.Right, path); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%s: %q %v", path, b, err)
		}
	}
	if b, err := c.Blob(t.Context(), domain.Left, "main.go"); err != nil || !strings.Contains(string(b), "println(1)") {
		t.Errorf("%q %v", b, err)
	}
	if _, err := c.Blob(t.Context(), domain.Right, "crlf.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	only, err := l.Worktree(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := diff.Parse(only.Raw); s.File("new name.go") != nil || s.File("main.go") == nil {
		t.Errorf("without a base only what is not committed counts: %s", only.Raw)
	}
	nothingRan(t, marks)
	indexAfter, _ := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if string(indexBefore) != string(indexAfter) {
		t.Error("the checkout's index was changed")
	}
	tmp := l.tmp
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(tmp); err == nil {
		t.Error("the temporary store was left")
	}
}

// TestTrapsWork proves that the traps of hostile would be seen.
func TestTrapsWork(t *testing.T) {
	t.Parallel()
	dir, _, marks := hostile(t)
	write(t, dir, "main.go", "package main\n")
	cmd := exec.Command("git", "diff-files", "-p")
	cmd.Dir = dir
	_, _ = cmd.CombinedOutput()
	if entries, _ := os.ReadDir(marks); len(entries) == 0 {
		t.Error("an ordinary git ran nothing of the hostile configuration")
	}
}

func TestLocalRange(t *testing.T) {
	t.Parallel()
	dir, base, marks := hostile(t)
	l := local(t, dir)
	c, err := l.Range(t.Context(), "HEAD~1", "")
	if err != nil || c.MergeBase != base {
		t.Fatalf("%v", err)
	}
	if set, err := diff.Parse(c.Raw); err != nil || set.File("main.go") == nil || set.File("main.go").Binary || len(set.Files) != 5 {
		t.Errorf("%v %s", err, c.Raw)
	}
	for _, bad := range []string{"nowhere", "--help", "", "a\nb", "HEAD:main.go"} {
		if _, err := l.Range(t.Context(), bad, ""); !errs.Is(err, errs.NotFound) && !errs.Is(err, errs.Malformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	nothingRan(t, marks)
}

// names lists the files that a diff changes.
func names(t *testing.T, c *Change, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(c.Raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Raw)
	}
	var got []string
	for _, f := range set.Files {
		got = append(got, string(f.Status)+" "+f.Path)
	}
	return strings.Join(got, ", ")
}

func TestLocalStaged(t *testing.T) {
	t.Parallel()
	dir, base, marks := hostile(t)
	write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(\"staged\")\n}\n")
	oid := testkit.Git(t, dir, "hash-object", "-w", "--no-filters", "main.go")
	testkit.Git(t, dir, "-c", "filter.evil.required=false", "-c", "filter.evil.clean=", "-c", "filter.evil.process=", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "update-index", "--cacheinfo", "100644,"+oid+",main.go")
	write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(\"later\")\n}\n")
	nothingRan(t, marks)
	l := local(t, dir)
	c, err := l.Staged(t.Context(), "")
	if got := names(t, c, err); got != "modified main.go" {
		t.Errorf("against HEAD: %s", got)
	}
	if b, err := c.Blob(t.Context(), domain.Right, "main.go"); err != nil || !strings.Contains(string(b), `"staged"`) {
		t.Errorf("%q %v", b, err)
	}
	c, err = l.Staged(t.Context(), base, "main.go", "ünï.txt")
	if got := names(t, c, err); got != "modified main.go" || c.MergeBase != base {
		t.Errorf("some paths against the base: %s", got)
	}
	nothingRan(t, marks)
}

// Files that are deliberately not checked out do not count as deleted. Files that were only touched do
// not count as changed.
func TestLocalSparseAndTouched(t *testing.T) {
	t.Parallel()
	dir, _, _ := newRepo(t)
	testkit.Git(t, dir, "update-index", "--skip-worktree", "crlf.txt")
	for _, name := range []string{"crlf.txt", "ünï.txt"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, "main.go"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	l := local(t, dir)
	c, err := l.Worktree(t.Context(), "")
	if got := names(t, c, err); got != "deleted ünï.txt" {
		t.Errorf("%s", got)
	}
}

// A file that was added to the index with intent to add is in the working tree only.
func TestLocalIntentToAdd(t *testing.T) {
	t.Parallel()
	dir, _, _ := newRepo(t)
	write(t, dir, "later.go", "package main\n")
	testkit.Git(t, dir, "add", "-N", "later.go")
	l := local(t, dir)
	c, err := l.Staged(t.Context(), "")
	if got := names(t, c, err); got != "" {
		t.Errorf("staged: %s", got)
	}
	c, err = l.Worktree(t.Context(), "")
	if got := names(t, c, err); got != "added later.go" {
		t.Errorf("working tree: %s", got)
	}
}

// TestLocalStagedDuringAMerge opens an index with a conflict: Local refuses it and names the files.
func TestLocalStagedDuringAMerge(t *testing.T) {
	t.Parallel()
	dir, base, _ := newRepo(t)
	testkit.Git(t, dir, "switch", "-q", "-c", "other", base)
	write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(\"theirs\")\n}\n")
	testkit.Git(t, dir, "commit", "-qam", "theirs")
	testkit.Git(t, dir, "switch", "-q", "main")
	cmd := exec.Command("git", "merge", "-q", "other")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@example.org", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@example.org"}
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("the merge had no conflict: %s", out)
	}
	l := local(t, dir)
	if _, err := l.Staged(t.Context(), ""); !errs.Is(err, errs.Conflict) || !strings.Contains(err.Error(), "main.go") {
		t.Errorf("an index with a conflict: %v", err)
	}
	c, err := l.Worktree(t.Context(), "")
	if got := names(t, c, err); got != "modified main.go" {
		t.Errorf("%s", got)
	}
	testkit.Git(t, dir, "add", "main.go")
	c, err = l.Staged(t.Context(), "")
	if got := names(t, c, err); got != "modified main.go" {
		t.Errorf("after git add: %s", got)
	}
}

func TestLocalCountsNewFilesBeyondTheBounds(t *testing.T) {
	t.Parallel()
	dir, _, _ := newRepo(t)
	write(t, dir, "a-big.txt", strings.Repeat("x", MaxNewSize+1))
	for i := range MaxNew + 2 {
		write(t, dir, fmt.Sprintf("new/%04d.txt", i), "x")
	}
	l, err := OpenLocal(t.Context(), filepath.Join(dir, "new"), LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Prefix != "new/" {
		t.Errorf("prefix %q", l.Prefix)
	}
	c, err := l.Worktree(t.Context(), "")
	if got := names(t, c, err); strings.Count(got, "added") != MaxNew || strings.Contains(got, "a-big.txt") || len(c.LeftOut) != 3 {
		t.Errorf("left out %v: %s", c.LeftOut, got)
	}
	c, err = l.Worktree(t.Context(), "", "new/0001.txt", "new/0002.txt")
	if got := names(t, c, err); got != "added new/0001.txt, added new/0002.txt" || len(c.LeftOut) != 0 {
		t.Errorf("left out %v: %s", c.LeftOut, got)
	}
}

func TestOpenLocalOutside(t *testing.T) {
	t.Parallel()
	if _, err := OpenLocal(t.Context(), t.TempDir(), LocalOptions{}); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
}

// local opens a checkout until the test ends.
func local(t *testing.T, dir string) *Local {
	t.Helper()
	l, err := OpenLocal(t.Context(), dir, LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
