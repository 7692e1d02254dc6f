package codehosttest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// Branches holds a fixture's tools for commits on branches.
type Branches struct {
	Head, Base string // the branches of the pull request
	// Push commits files on a branch as the author, and returns the commit.
	Push func(branch string, files map[string]string) string
	// Protect forbids every account to push to a branch.
	Protect func(branch string)
	// Fork creates a fork of the repository that we cannot write to.
	Fork func() codehost.Repo
	// Fault affects the next write that moves a branch.
	Fault func(Fault)
	// Meanwhile calls f once, before the next write that moves a branch is sent.
	Meanwhile func(f func())
}

var commitTests = map[string]func(*testing.T, *Fixture){
	"commits":                         testCommit,
	"invalid commits":                 testCommitRefused,
	"commits beyond the bounds":       testCommitBounds,
	"a concurrent push":               testCommitRaces,
	"commits and their lost answers":  testCommitFaults,
	"branches and their pull request": testBranches,
}

// offered returns the interface of a capability. It skips the test on a host without the capability, and
// fails if the host has the capability but not the methods.
func offered[T any](t *testing.T, able bool, of func(codehost.Host) (T, bool), h codehost.Host) T {
	t.Helper()
	v, ok := of(h)
	switch {
	case ok:
	case able:
		t.Fatalf("the host has the capability, but not the methods of %T", &v)
	default:
		t.Skipf("the host does not have the capability for %T", &v)
	}
	return v
}

func committer(t *testing.T, f *Fixture) codehost.Committer {
	t.Helper()
	return offered(t, f.Host.Capabilities().Commits, codehost.CommitterOf, f.Host)
}

func (f *Fixture) commit(files ...codehost.FileChange) codehost.NewCommit {
	return codehost.NewCommit{Branch: f.Branches.Head, Head: f.Head,
		Message: "Halve with care\n\nCo-authored-by: Ann <ann@example.org>", Files: files}
}

func write(path, text string) codehost.FileChange {
	return codehost.FileChange{Path: path, Content: []byte(text)}
}

// isClass fails the test if an error is not of a class.
func isClass(t *testing.T, what string, err error, want codehost.Class) {
	t.Helper()
	if codehost.ClassOf(err) != want {
		t.Errorf("%s: %v, want class %s", what, err, want)
	}
}

// pointsTo fails the test if a branch does not point to a commit.
func (f *Fixture) pointsTo(t *testing.T, c codehost.Committer, branch, want string) {
	t.Helper()
	if got := must[string](t)(c.BranchHead(t.Context(), f.Repo, branch)); got != want {
		t.Errorf("%s points to %s, want %s", branch, got, want)
	}
}

// testCommit writes and deletes several files in one commit on the head.
func testCommit(t *testing.T, f *Fixture) {
	c, ctx := committer(t, f), t.Context()
	binary := []byte{0xff, 0xfe, 0, 1, 2, '\n'}
	first := must[codehost.MadeCommit](t)(c.Commit(ctx, f.Repo, f.commit(write(f.Path, f.Text+
		"// more\n"), write("new/deep/ü.txt", ""), codehost.FileChange{Path: "new/b.bin", Content: binary})))
	if first.Parent != f.Head || !codehost.IsCommit(first.ID) {
		t.Fatalf("made %+v", first)
	}
	f.pointsTo(t, c, f.Branches.Head, first.ID)
	for path, want := range map[string]string{f.Path: f.Text + "// more\n", "new/deep/ü.txt": "", "new/b.bin": string(binary)} {
		if got := must[[]byte](t)(f.Host.Content(ctx, f.Repo, path, first.ID)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	next := f.commit(codehost.FileChange{Path: "new/b.bin", Delete: true}, write("new/deep/ü.txt", "text\n"))
	next.Head = first.ID
	second := must[codehost.MadeCommit](t)(c.Commit(ctx, f.Repo, next))
	_, err := f.Host.Content(ctx, f.Repo, "new/b.bin", second.ID)
	isClass(t, "a deleted file", err, codehost.ClassNotFound)
	if cmp := must[codehost.Comparison](t)(f.Host.Compare(ctx, f.Repo, f.Head, second.ID)); cmp.AheadBy != 2 || cmp.MergeBase != f.Head {
		t.Errorf("two commits: %+v", cmp)
	}
	if p := must[codehost.PullRequest](t)(f.Host.PullRequest(ctx, f.Repo, f.Number)); p.HeadSHA != second.ID {
		t.Errorf("the pull request has the head %s", p.HeadSHA)
	}
}

func testCommitRefused(t *testing.T, f *Fixture) {
	c, ctx := committer(t, f), t.Context()
	with := func(change func(*codehost.NewCommit), files ...codehost.FileChange) error {
		n := f.commit(files...)
		if change != nil {
			change(&n)
		}
		_, err := c.Commit(ctx, f.Repo, n)
		return err
	}
	good := write(f.Path, "x\n")
	isClass(t, "an unknown branch", with(func(n *codehost.NewCommit) { n.Branch = "nowhere/at-all" }, good), codehost.ClassNotFound)
	isClass(t, "an old head", with(func(n *codehost.NewCommit) { n.Head = f.Base }, good), codehost.ClassStale)
	isClass(t, "a commit that is not there", with(func(n *codehost.NewCommit) { n.Head = strings.Repeat("0", 39) + "1" }, good),
		codehost.ClassStale)
	isClass(t, "a file to delete that is not there", with(nil, codehost.FileChange{Path: "none.go", Delete: true}), codehost.ClassNotFound)
	isClass(t, "a file as a folder", with(nil, write(f.Path+"/more.go", "x\n")), codehost.ClassInvalid)
	isClass(t, "a fork", func() error { _, err := c.Commit(ctx, f.Branches.Fork(), f.commit(good)); return forbidden(err) }(),
		codehost.ClassForbidden)
	f.pointsTo(t, c, f.Branches.Head, f.Head)
	pushed := f.Branches.Push(f.Branches.Head, map[string]string{"other.go": "package demo\n"})
	isClass(t, "a moved head", with(nil, good), codehost.ClassStale)
	f.pointsTo(t, c, f.Branches.Head, pushed)
	f.Branches.Protect(f.Branches.Head)
	isClass(t, "a protected branch", with(func(n *codehost.NewCommit) { n.Head = pushed }, good), codehost.ClassForbidden)
	f.pointsTo(t, c, f.Branches.Head, pushed)
	isClass(t, "a protected branch to delete", c.DeleteBranch(ctx, f.Repo, f.Branches.Head, pushed), codehost.ClassForbidden)
	isClass(t, "a folder as a file", with(func(n *codehost.NewCommit) {
		n.Head = f.Branches.Push("other", map[string]string{"dir/x": "x"})
		n.Branch = "other"
	}, write("dir", "x\n")), codehost.ClassInvalid)
}

// forbidden maps the two classes of missing access to one, because hosts hide things from accounts without
// access.
func forbidden(err error) error {
	if codehost.IsAccessLost(err) {
		return &codehost.Error{Class: codehost.ClassForbidden, Cause: err}
	}
	return err
}

// testCommitBounds checks that invalid commits are refused before the host is asked.
func testCommitBounds(t *testing.T, f *Fixture) {
	c := committer(t, f)
	many := func(n, size int) (files []codehost.FileChange) {
		for i := range n {
			files = append(files, codehost.FileChange{Path: fmt.Sprint("many/", i), Content: bytes.Repeat([]byte("x"), size)})
		}
		return files
	}
	changed := func(change func(*codehost.NewCommit)) codehost.NewCommit {
		n := f.commit(write(f.Path, "x"))
		change(&n)
		return n
	}
	f.Gate.Reset()
	for name, tc := range map[string]struct {
		commit codehost.NewCommit
		want   codehost.Class
	}{
		"too many files":   {f.commit(many(codehost.MaxCommitFiles+1, 1)...), codehost.ClassTooLarge},
		"too large a file": {f.commit(many(1, codehost.MaxCommitFile+1)...), codehost.ClassTooLarge},
		"too much":         {f.commit(many(11, codehost.MaxCommitFile)...), codehost.ClassTooLarge},
		"too long a message": {changed(func(n *codehost.NewCommit) { n.Message = strings.Repeat("m", codehost.MaxCommitMessage+1) }),
			codehost.ClassTooLarge},
		"nothing":            {f.commit(), codehost.ClassInvalid},
		"no message":         {changed(func(n *codehost.NewCommit) { n.Message = " \n" }), codehost.ClassInvalid},
		"a message with NUL": {changed(func(n *codehost.NewCommit) { n.Message = "a\x00b" }), codehost.ClassInvalid},
		"half a commit id":   {changed(func(n *codehost.NewCommit) { n.Head = f.Head[:12] }), codehost.ClassInvalid},
		"a long branch": {changed(func(n *codehost.NewCommit) { n.Branch = strings.Repeat("b", codehost.MaxBranchName+1) }),
			codehost.ClassInvalid},
		"a branch that climbs": {changed(func(n *codehost.NewCommit) { n.Branch = "a/../b" }), codehost.ClassInvalid},
		"a path that climbs":   {f.commit(write("../x", "x")), codehost.ClassInvalid},
		"git's own":            {f.commit(write("a/.GIT/config", "x")), codehost.ClassInvalid},
		"a long path":          {f.commit(write(strings.Repeat("p", codehost.MaxPath+1), "x")), codehost.ClassInvalid},
		"a path with a break":  {f.commit(write("a\nb", "x")), codehost.ClassInvalid},
		"a path twice":         {f.commit(write("a", "x"), write("a", "y")), codehost.ClassInvalid},
		"a file in a file":     {f.commit(write("a", "x"), write("a.b", "x"), write("a/b", "y")), codehost.ClassInvalid},
		"deleted content":      {f.commit(codehost.FileChange{Path: "a", Content: []byte("x"), Delete: true}), codehost.ClassInvalid},
	} {
		_, err := c.Commit(t.Context(), f.Repo, tc.commit)
		isClass(t, name, err, tc.want)
	}
	if events := f.Gate.Events(); len(events) != 0 {
		t.Errorf("the host got requests: %+v", events)
	}
}

// testCommitRaces pushes between the look at the head and the commit.
func testCommitRaces(t *testing.T, f *Fixture) {
	c, ctx := committer(t, f), t.Context()
	var pushed string
	f.Branches.Meanwhile(func() { pushed = f.Branches.Push(f.Branches.Head, map[string]string{f.Path: f.Text + "// theirs\n"}) })
	_, err := c.Commit(ctx, f.Repo, f.commit(write(f.Path, f.Text+"// ours\n")))
	isClass(t, "a push of the same file", err, codehost.ClassStale)
	f.pointsTo(t, c, f.Branches.Head, pushed)

	n := f.commit(write(f.Path, f.Text+"// ours\n"))
	n.Head = pushed
	f.Branches.Meanwhile(func() { pushed = f.Branches.Push(f.Branches.Head, map[string]string{"other.go": "package demo\n"}) })
	made, err := c.Commit(ctx, f.Repo, n)
	if f.Host.Capabilities().ExactHead {
		isClass(t, "a push of another file", err, codehost.ClassStale)
		f.pointsTo(t, c, f.Branches.Head, pushed)
		return
	}
	if err != nil || made.Parent != pushed {
		t.Errorf("a push of another file: %+v, %v: want the parent %s", made, err, pushed)
	}
	if got := must[[]byte](t)(f.Host.Content(ctx, f.Repo, "other.go", made.ID)); string(got) != "package demo\n" {
		t.Errorf("the other push is lost: %q", got)
	}
}

func testCommitFaults(t *testing.T, f *Fixture) {
	c, ctx := committer(t, f), t.Context()
	head := f.Head
	for _, tc := range []struct {
		fault   Fault
		want    codehost.Class
		applied bool
	}{
		{ApplyThen500, codehost.ClassAmbiguous, true}, {ApplyThenReset, codehost.ClassAmbiguous, true}, {Refuse, codehost.ClassAmbiguous, false},
		{LimitHeader, codehost.ClassLimited, false}, {LimitText, codehost.ClassLimited, false}, {Deny, codehost.ClassForbidden, false},
	} {
		n := f.commit(write(f.Path, string(tc.fault)))
		n.Head = head
		f.Branches.Fault(tc.fault)
		_, err := c.Commit(ctx, f.Repo, n)
		isClass(t, string(tc.fault), err, tc.want)
		now := must[string](t)(c.BranchHead(ctx, f.Repo, f.Branches.Head))
		if (now != head) != tc.applied {
			t.Errorf("%s: the branch went from %s to %s", tc.fault, head, now)
		}
		head = now
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	n := f.commit(write(f.Path, "late"))
	n.Head = head
	_, err := c.Commit(ended, f.Repo, n)
	isClass(t, "cancelled", err, codehost.ClassUnavailable)
}

// testBranches checks that a branch and its pull request are made once: existing ones are found before, and
// a second one is refused.
func testBranches(t *testing.T, f *Fixture) {
	c, ctx := committer(t, f), t.Context()
	const branch = "assay/fix-1"
	pull := codehost.NewPull{Title: markdown.Const("Fix half"), Body: markdown.Const("One file."), Branch: branch, Base: f.Branches.Head}
	_, err := c.BranchHead(ctx, f.Repo, branch)
	isClass(t, "no branch yet", err, codehost.ClassNotFound)
	_, err = c.OpenPull(ctx, f.Repo, pull)
	isClass(t, "a pull request of no branch", err, codehost.ClassNotFound)
	isClass(t, "a branch of no commit", c.CreateBranch(ctx, f.Repo, branch, strings.Repeat("0", 39)+"1"), codehost.ClassNotFound)
	isClass(t, "a branch without a name", c.CreateBranch(ctx, f.Repo, "-f", f.Head), codehost.ClassInvalid)
	f.Branches.Fault(Refuse)
	isClass(t, "a branch that was not made", c.CreateBranch(ctx, f.Repo, branch, f.Head), codehost.ClassAmbiguous)
	_, err = c.BranchHead(ctx, f.Repo, branch)
	isClass(t, "the branch that was not made", err, codehost.ClassNotFound)
	f.Fault(ApplyThen500)
	isClass(t, "a branch whose answer was lost", c.CreateBranch(ctx, f.Repo, branch, f.Head), codehost.ClassAmbiguous)
	f.pointsTo(t, c, branch, f.Head)
	isClass(t, "a branch that is there", c.CreateBranch(ctx, f.Repo, branch, f.Base), codehost.ClassExists)
	f.pointsTo(t, c, branch, f.Head)
	isClass(t, "a deletion at another head", c.DeleteBranch(ctx, f.Repo, branch, f.Base), codehost.ClassStale)
	f.pointsTo(t, c, branch, f.Head)
	isClass(t, "a deletion", c.DeleteBranch(ctx, f.Repo, branch, f.Head), "")
	_, err = c.BranchHead(ctx, f.Repo, branch)
	isClass(t, "the deleted branch", err, codehost.ClassNotFound)
	isClass(t, "a deletion without a branch", c.DeleteBranch(ctx, f.Repo, branch, f.Head), codehost.ClassNotFound)
	isClass(t, "the branch once more", c.CreateBranch(ctx, f.Repo, branch, f.Head), "")
	n := f.commit(write(f.Path, "package demo\n"))
	n.Branch = branch
	made := must[codehost.MadeCommit](t)(c.Commit(ctx, f.Repo, n))
	info := must[codehost.CommitInfo](t)(c.CommitAt(ctx, f.Repo, made.ID))
	if trimmed(info.Message) != n.Message || len(info.Parents) != 1 || info.Parents[0] != f.Head {
		t.Errorf("the commit reads %+v", info)
	}
	_, err = c.CommitAt(ctx, f.Repo, strings.Repeat("0", 39)+"1")
	isClass(t, "a commit that is not there", err, codehost.ClassNotFound)
	if open := must[[]codehost.PullRequest](t)(c.PullsFrom(ctx, f.Repo, branch)); len(open) != 0 {
		t.Errorf("listed before it was opened: %+v", open)
	}
	f.Fault(ApplyThenReset)
	_, err = c.OpenPull(ctx, f.Repo, pull)
	isClass(t, "a pull request whose answer was lost", err, codehost.ClassAmbiguous)
	open := must[[]codehost.PullRequest](t)(c.PullsFrom(ctx, f.Repo, branch))
	if len(open) != 1 || open[0].Title != "Fix half" || open[0].HeadSHA != made.ID || open[0].BaseRef != f.Branches.Head || open[0].FromFork {
		t.Fatalf("open %+v", open)
	}
	_, err = c.OpenPull(ctx, f.Repo, pull)
	isClass(t, "a pull request that is open", err, codehost.ClassExists)
	pull.Base = f.Branches.Base
	second := must[codehost.PullRequest](t)(c.OpenPull(ctx, f.Repo, pull))
	if second.Number == open[0].Number || !second.Open || second.Body != "One file." || second.BaseRef != pull.Base {
		t.Errorf("opened %+v", second)
	}
	f.Gate.Reset()
	for what, change := range map[string]func(*codehost.NewPull){
		"a title that is too long": func(p *codehost.NewPull) { p.Title = markdown.Stored(strings.Repeat("é", codehost.MaxPullTitle+1)) },
		"a text that is too long": func(p *codehost.NewPull) {
			p.Body = markdown.Stored(strings.Repeat("é", f.Host.Capabilities().MaxBody+1))
		},
	} {
		p := pull
		change(&p)
		_, err = c.OpenPull(ctx, f.Repo, p)
		isClass(t, what, err, codehost.ClassTooLarge)
	}
	if events := f.Gate.Events(); len(events) != 0 {
		t.Errorf("the host got requests: %+v", events)
	}
}
