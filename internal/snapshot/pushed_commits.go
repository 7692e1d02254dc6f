package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of the other side's commits on which a pushed history is based (design choices): those from which
// a branch was updated, and those that need a merge.
const (
	maxBorders  = 10_000
	maxDistinct = 32
)

// Brought returns the change that a pushed commit brings to a repository with the known commits and
// everything that the checkout's remotes are known to have: from those commits, merged, to the pushed
// commit. Known commits that the checkout lacks are ignored. If the pushed commit is based on no known
// commit, the change begins with the empty tree. If all of it is known, its merge base is the commit
// itself. A file or folder that a tag or another reference names without a commit is brought as a whole.
func (l *Local) Brought(ctx context.Context, head string, known []string) (*Change, error) {
	object := head
	head, err := l.Commit(ctx, object)
	if errs.Is(err, errs.NotFound) {
		if head, err = l.wrapObject(ctx, object); err == nil {
			return l.change(ctx, l.EmptyTree(), head, head, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	has, err := l.excluded(ctx, known)
	if err != nil {
		return nil, err
	}
	walk := &boundaryReader{}
	if _, err := l.store.read(ctx, call{args: []string{"rev-list", "--boundary", "--ignore-missing", "--stdin"},
		stdin: []byte(head + "\n" + has),
		what:  "list of commits",
		into:  func(func()) io.Writer { return walk }}); err != nil {
		return nil, err
	}
	if walk.fresh == 0 {
		return l.change(ctx, head, head, head, nil)
	}
	base, err := l.mergeCommits(ctx, walk.known)
	if err != nil {
		return nil, err
	}
	return l.change(ctx, base, head, head, nil)
}

// wrapObject makes a commit, in the temporary store, of a file or folder that a pushed reference names.
func (l *Local) wrapObject(ctx context.Context, object string) (string, error) {
	if err := checkSHA(object); err != nil {
		return "", err
	}
	out, err := l.store.read(ctx, call{args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"},
		stdin: []byte(object + "^{}\n"),
		what:  "object"})
	if err != nil {
		return "", err
	}
	tree, kind, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	switch {
	case checkSHA(tree) != nil:
		return "", errs.New(errs.NotFound, "no_object", "The checkout does not have the object.")
	case kind == "blob":
		made, err := l.git.run(ctx, call{dir: l.store.dir, args: []string{"mktree"}, what: "object",
			stdin: []byte("100644 blob " + tree + "\tfile-" + tree[:12] + "\n")})
		if err != nil {
			return "", err
		}
		tree = strings.TrimSpace(string(made))
	case kind != "tree":
		return "", errs.New(errs.NotFound, "no_object", "The object is neither a commit, nor a folder, nor a file.")
	}
	return l.commitTree(ctx, tree)
}

// commitTree makes a commit in the temporary store.
func (l *Local) commitTree(ctx context.Context, tree string, parents ...string) (string, error) {
	if err := checkSHA(tree); err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	made, err := l.git.run(ctx, call{dir: l.store.dir, args: args, stdin: []byte{}, what: "merge", env: []string{"GIT_AUTHOR_NAME=assay",
		"GIT_AUTHOR_EMAIL=assay@example.invalid", "GIT_COMMITTER_NAME=assay", "GIT_COMMITTER_EMAIL=assay@example.invalid"}})
	if err != nil {
		return "", err
	}
	sha := strings.TrimSpace(string(made))
	return sha, checkSHA(sha)
}

// excluded returns the input for rev-list that excludes the commits that the other side and the checkout's
// remotes are known to have.
func (l *Local) excluded(ctx context.Context, known []string) (string, error) {
	refs, err := l.ask(ctx, call{
		args: []string{"for-each-ref", "--format=%(objectname)", "refs/remotes/"}, max: defaultMaxTree, what: "list of branches",
	})
	if err != nil {
		return "", err
	}
	var in strings.Builder
	for _, k := range append(strings.Fields(string(refs)), known...) {
		if checkSHA(k) == nil && len(k) == len(l.EmptyTree()) {
			in.WriteString("^" + k + "\n")
		}
	}
	return in.String(), nil
}

// News returns the pushed objects that bring a commit (see [Local.Brought]) or are not commits, in their
// order.
func (l *Local) News(ctx context.Context, heads, known []string) ([]string, error) {
	var ask strings.Builder
	for _, h := range heads {
		if err := checkSHA(h); err != nil {
			return nil, err
		}
		ask.WriteString(h + "^{commit}\n")
	}
	out, err := l.store.read(ctx, call{
		args: []string{"cat-file", "--batch-check=%(objectname)"}, stdin: []byte(ask.String()), max: defaultMaxTree, what: "list of commits",
	})
	if err != nil {
		return nil, err
	}
	commits := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") // a line for each, "… missing" for objects that are not commits
	exclusions, err := l.excluded(ctx, known)
	if err != nil || len(commits) != len(heads) {
		return heads, err
	}
	walk, in := &boundaryReader{wanted: map[string]bool{}}, ""
	for _, c := range commits {
		if checkSHA(c) == nil {
			walk.wanted[c] = false
			in += c + "\n"
		}
	}
	if _, err := l.store.read(ctx, call{
		args: []string{"rev-list", "--ignore-missing", "--stdin"}, stdin: []byte(in + exclusions), what: "list of commits",
		into: func(func()) io.Writer { return walk },
	}); err != nil {
		return nil, err
	}
	var news []string
	for i, c := range commits {
		if fresh, is := walk.wanted[c]; fresh || !is {
			news = append(news, heads[i])
		}
	}
	return news, nil
}

// mergeCommits returns a version that contains all of some commits: a single commit if the others lead to it,
// otherwise a merge of them, and the empty tree for no commits. A conflict appears in the merge with its
// marks, so its resolution counts as new.
func (l *Local) mergeCommits(ctx context.Context, commits []string) (string, error) {
	if len(commits) == 0 {
		return l.EmptyTree(), nil
	}
	many := func(limit int) error {
		return errs.New(errs.TooLarge, "many_borders", "The commit stands on %d commits of the other side, and at most %d are compared.",
			len(commits), limit)
	}
	if len(commits) > maxBorders {
		return "", many(maxBorders)
	}
	if len(commits) > 1 {
		out, err := l.store.read(ctx, call{args: append([]string{"merge-base", "--independent"}, commits...), what: "list of commits"})
		if err != nil {
			return "", err
		}
		commits = strings.Fields(string(out))
	}
	if len(commits) > maxDistinct {
		return "", many(maxDistinct)
	}
	base := commits[0]
	for _, next := range commits[1:] {
		out, err := l.git.run(ctx, call{dir: l.store.dir, args: []string{"merge-tree", "--write-tree", "--no-messages",
			"--allow-unrelated-histories", "-z", base, next}, max: defaultMaxTree, what: "merge"})
		switch failed, is := errors.AsType[*gitError](err); {
		case is && failed.code == 129: // wrong usage
			return "", errs.Wrap(failed, errs.Unavailable, "old_git",
				"The commit stands on several histories of the other side, which only git 2.38 or newer can merge for the comparison: install it.")
		case is && failed.code != 1: // 1: there are conflicts
			return "", l.withCloneAdvice(l.store.damaged(failed), base, next)
		case err != nil && !is:
			return "", err
		}
		tree, _, _ := strings.Cut(string(out), "\x00")
		if base, err = l.commitTree(ctx, tree, base, next); err != nil {
			return "", err
		}
	}
	return base, nil
}

// boundaryReader takes the output of rev-list: commits, and with --boundary the excluded ones behind a dash. It
// keeps the excluded ones, and marks the wanted ones that it saw.
type boundaryReader struct {
	fresh  int
	known  []string
	wanted map[string]bool
	rest   []byte
}

// Write implements [io.Writer].
func (b *boundaryReader) Write(p []byte) (int, error) {
	b.rest = append(b.rest, p...)
	for {
		line, after, ok := bytes.Cut(b.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		if name, is := bytes.CutPrefix(line, []byte("-")); is {
			b.known = append(b.known, string(name))
		} else {
			b.fresh++
			if _, is := b.wanted[string(line)]; is {
				b.wanted[string(line)] = true
			}
		}
		b.rest = after
	}
}
