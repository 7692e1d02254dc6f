package gitrepo

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T) *Repo {
	t.Helper()
	r, err := Init(t.TempDir()+"/r.git", "main")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func commit(t *testing.T, r *Repo, c Change) string {
	t.Helper()
	c.Name, c.Email, c.At = "Ada", "ada@example.com", time.Unix(1_700_000_000, 0)
	if c.Message == "" {
		c.Message = "message"
	}
	sha, err := r.Commit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return sha
}

func TestCommits(t *testing.T) {
	t.Parallel()
	r := open(t)
	ctx := t.Context()
	first := commit(t, r, Change{Branch: "main", Files: map[string]string{"a b.txt": "one\n", "dir/ü": "x", "gone": "y"}, Message: "first\n\nbody <&>"})
	second := commit(t, r, Change{Branch: "main", Files: map[string]string{"a b.txt": "two\n"}, Delete: []string{"gone"}})
	again := open(t)
	if commit(t, again, Change{Branch: "main", Files: map[string]string{"a b.txt": "one\n", "dir/ü": "x", "gone": "y"}, Message: "first\n\nbody <&>"}) != first {
		t.Error("the same commit got another name")
	}
	k, err := r.Lookup(ctx, second)
	if err != nil || len(k.Parents) != 1 || k.Parents[0] != first || k.AuthorName != "Ada" || k.AuthoredAt.Unix() != 1_700_000_000 {
		t.Errorf("commit: %+v %v", k, err)
	}
	if k, _ := r.Lookup(ctx, first); k.Message != "first\n\nbody <&>" {
		t.Errorf("message: %q", k.Message)
	}
	if list, err := r.Between(ctx, first, second); err != nil || len(list) != 1 || list[0].SHA != second {
		t.Errorf("between: %v %v", list, err)
	}
	d, err := r.Diff(ctx, first, second)
	if err != nil || len(d.Files) != 2 || d.Find("a b.txt").Additions != 1 || d.Find("gone").Status != "removed" || d.Find("none") != nil {
		t.Errorf("diff: %+v %v", d, err)
	}
	if list, err := r.List(ctx, second, ""); err != nil || len(list) != 2 {
		t.Errorf("root: %v %v", list, err)
	}
	e, err := r.Entry(ctx, second, "dir/ü")
	if data, err2 := r.Blob(ctx, e.SHA); err != nil || err2 != nil || string(data) != "x" || e.Name != "ü" || e.Size != 1 {
		t.Errorf("entry: %+v %v %v", e, err, err2)
	}
	side := commit(t, r, Change{Branch: "side/x", From: first, Files: map[string]string{"z": "z\n"}})
	if base, err := r.MergeBase(ctx, side, second); err != nil || base != first || !r.IsAncestor(ctx, first, side) || r.IsAncestor(ctx, second, side) {
		t.Errorf("merge base: %s %v", base, err)
	}
	if list, err := r.Branches(ctx); err != nil || len(list) != 2 || list[1].Name != "side/x" || list[1].SHA != side {
		t.Errorf("branches: %v %v", list, err)
	}
	for _, rev := range []string{"side/x", "heads/side/x", "refs/heads/side/x", side, side[:9]} {
		if got, err := r.Resolve(ctx, rev); err != nil || got != side {
			t.Errorf("resolve %s: %s %v", rev, got, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	r := open(t)
	ctx := t.Context()
	commit(t, r, Change{Branch: "main", Files: map[string]string{"a": "a"}})
	for _, rev := range []string{"", "-x", "--all", "main..main", "main^", "HEAD~1", "@{u}", "a b", "none", strings.Repeat("0", 40), "main\n"} {
		if _, err := r.Resolve(ctx, rev); !errors.Is(err, ErrNotFound) {
			t.Errorf("resolve %q: %v", rev, err)
		}
	}
	for _, path := range []string{"", "/etc/passwd", "../x", "a/../b", ".git/config", "x/.GIT/y", "a//b", "a\nb", "a\x00"} {
		if _, err := r.Commit(ctx, Change{Branch: "main", Files: map[string]string{path: "x"}, At: time.Unix(1, 0)}); err == nil {
			t.Errorf("committed %q", path)
		}
	}
	for _, name := range []string{"", "-x", "a..b", "a b", "x.lock", "/a", "a/", "a~1", "@{x}"} {
		if ValidBranch(name) {
			t.Errorf("%q is not a branch name", name)
		}
	}
	for _, path := range []string{"none", "a/b", "../a", ":(top)a", "*"} {
		if _, err := r.Entry(ctx, "main", path); !errors.Is(err, ErrNotFound) {
			t.Errorf("entry %q: %v", path, err)
		}
	}
	if _, err := r.Commit(ctx, Change{Branch: "x", From: "none", At: time.Unix(1, 0)}); err == nil {
		t.Error("committed on a parent that does not exist")
	}
	if _, err := r.Blob(ctx, "main"); err == nil {
		t.Error("read a commit as a blob")
	}
}

// A tree is changed and a commit made without a branch.
func TestObjects(t *testing.T) {
	t.Parallel()
	r, ctx := open(t), t.Context()
	first := commit(t, r, Change{Branch: "main", Files: map[string]string{"run.sh": "x", "dir/gone": "y"}})
	blob, err := r.WriteBlob(ctx, []byte("#!/bin/sh\n"))
	if err != nil {
		t.Fatal(err)
	}
	k, _ := r.Lookup(ctx, first)
	tree, err := r.ChangeTree(ctx, k.Tree, []TreeChange{{Path: "run.sh", Mode: "100755", SHA: blob}, {Path: "dir/gone"}, {Path: "a/b", Mode: "100644", SHA: blob}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Tree(ctx, tree)
	if err != nil || len(list) != 2 || list[0].Path != "a" || list[0].Type != "tree" || list[1].Mode != "100755" || list[1].SHA != blob || list[1].Size != 10 {
		t.Errorf("tree: %+v %v", list, err)
	}
	sha, err := r.CommitTree(ctx, tree, []string{first}, "second", Identity{Name: "Bob", Email: "bob@example.com", At: time.Unix(1_700_000_000, 0)})
	if err != nil || !r.IsAncestor(ctx, first, sha) {
		t.Errorf("commit: %s %v", sha, err)
	}
	if tip, _ := r.Resolve(ctx, "heads/main"); tip != first {
		t.Errorf("the branch went to %s", tip)
	}
	for _, bad := range []string{strings.Repeat("1", 40), "--all", "main~1"} {
		if kind, err := r.ObjectType(ctx, bad); err == nil {
			t.Errorf("%s is a %s", bad, kind)
		}
	}
}

// Cached answers never hide a branch that moved, an object that arrived, or a deleted branch.
func TestKeptAnswers(t *testing.T) {
	t.Parallel()
	r, ctx := open(t), t.Context()
	first := commit(t, r, Change{Branch: "main", Files: map[string]string{"a": "1"}})
	resolves := func(rev, want string) {
		t.Helper()
		if got, err := r.Resolve(ctx, rev); got != want || (err != nil) != (want == "") {
			t.Errorf("resolve %s: %q %v, want %q", rev, got, err, want)
		}
	}
	resolves("main", first)
	other := open(t)
	commit(t, other, Change{Branch: "main", Files: map[string]string{"a": "1"}})
	second := commit(t, other, Change{Branch: "main", Files: map[string]string{"a": "2"}})
	resolves(second, "")
	if again := commit(t, r, Change{Branch: "main", Files: map[string]string{"a": "2"}}); again != second {
		t.Fatalf("%s, want %s", again, second)
	}
	resolves(second, second)
	resolves("main", second)
	if _, err := r.git(ctx, nil, "pack-refs", "--all"); err != nil {
		t.Fatal(err)
	}
	resolves("main", second)
	for range 2 {
		if data, err := r.Blob(ctx, "none"); err == nil {
			t.Errorf("read %q", data)
		}
		if list, err := r.Log(ctx, "main", 1); err != nil || len(list) != 1 || list[0].SHA != second {
			t.Errorf("log: %v %v", list, err)
		}
		third := commit(t, r, Change{Branch: "main", Files: map[string]string{"a": "3"}})
		if list, err := r.Log(ctx, "main", 1); err != nil || list[0].SHA != third {
			t.Errorf("log after a commit: %v %v", list, err)
		}
		if err := r.SetRef(ctx, "refs/heads/main", second); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.DeleteRef(ctx, "refs/heads/main"); err != nil {
		t.Fatal(err)
	}
	resolves("main", "")
}
