package cases

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/snapshot"
)

// repositoryName matches owner/name as on GitHub, with room for other hosts.
var repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._][A-Za-z0-9._-]*$`)

// copyOf finds the git copy of a repository in a folder of copies: owner+name/repo, owner+name.git,
// owner+name, owner/name.git or owner/name, bare or checked out.
func copyOf(folder, repository string) (string, error) {
	owner, name, ok := strings.Cut(repository, "/")
	if !ok || !repositoryName.MatchString(repository) || name == "." || name == ".." {
		return "", fmt.Errorf("the repository must be written as owner/name")
	}
	if folder != "" {
		both := owner + "+" + name
		for _, at := range []string{filepath.Join(both, "repo"), both + ".git", both, filepath.Join(owner, name+".git"),
			filepath.Join(owner, name)} {
			if dir := filepath.Join(folder, at); holdsGit(dir) {
				return dir, nil
			}
		}
	}
	return "", noCodeError("a git copy of %s is needed in the folder of copies, as %s+%s.git or %s/%s", repository, owner, name, owner, name)
}

// holdsGit reports whether a folder is a checkout or a bare repository.
func holdsGit(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return true
	}
	_, noHead := os.Stat(filepath.Join(dir, "HEAD"))
	_, noObjects := os.Stat(filepath.Join(dir, "objects"))
	return noHead == nil && noObjects == nil
}

// resolveCommit resolves a commit of a copy.
func resolveCommit(ctx context.Context, s *snapshot.Scratch, name string) (string, error) {
	sha, err := s.Resolve(ctx, name)
	if errs.Is(err, errs.NotFound) {
		return "", noCodeError("the git copy lacks the commit %s: fetch more of the repository", name)
	}
	return sha, err
}

// isSource reports whether a changed path is source code. Tests, documents, generated and vendored files
// are not.
func isSource(p string) bool {
	class, _ := diff.Classify(p, nil)
	return class == diff.ClassSource
}

// isCode reports whether a changed path is source code or a test.
func isCode(p string) bool {
	class, _ := diff.Classify(p, nil)
	return class == diff.ClassSource || class == diff.ClassTest
}

// openSwapped opens a change whose head is a commit. The base has the same files, but with those files of another
// commit that taken accepts.
func openSwapped(ctx context.Context, dir, head, other string, taken func(path string) bool) ([]eval.Change, func(), error) {
	return inScratch(ctx, dir, func(s *snapshot.Scratch) ([]eval.Change, error) {
		base, top, err := swappedBase(ctx, s, head, other, taken)
		if err != nil {
			return nil, err
		}
		return between(ctx, s, base, top)
	})
}

// swappedBase makes the base of such a change.
func swappedBase(ctx context.Context, s *snapshot.Scratch, head, other string, taken func(path string) bool) (base, top string, err error) {
	if top, err = resolveCommit(ctx, s, head); err != nil {
		return "", "", err
	}
	from, err := resolveCommit(ctx, s, other)
	if err != nil {
		return "", "", err
	}
	deltas, err := s.Deltas(ctx, from, top)
	if err != nil {
		return "", "", err
	}
	var take []snapshot.Entry
	source := false
	for _, d := range deltas {
		source = source || isSource(d.Path)
		if taken(d.Path) {
			take = append(take, d.Old)
		}
	}
	if !source {
		return "", "", fmt.Errorf("the two commits of the case differ in no source file")
	}
	commits, err := s.Commit(ctx, snapshot.Version{From: top, Take: take})
	if errs.Is(err, errs.NotFound) {
		return "", "", noCodeError("the git copy lacks files of the commit %s", other)
	}
	if err != nil {
		return "", "", err
	}
	return commits[0], top, nil
}

// openTo opens the change between two commits of a copy.
func openTo(ctx context.Context, dir, base, head string) ([]eval.Change, func(), error) {
	return inScratch(ctx, dir, func(s *snapshot.Scratch) ([]eval.Change, error) {
		from, err := resolveCommit(ctx, s, base)
		if err != nil {
			return nil, err
		}
		to, err := resolveCommit(ctx, s, head)
		if err != nil {
			return nil, err
		}
		return between(ctx, s, from, to)
	})
}

// openForked opens the change from the merge base of two commits of a copy.
func openForked(ctx context.Context, dir, base, head string) ([]eval.Change, func(), error) {
	return inScratch(ctx, dir, func(s *snapshot.Scratch) ([]eval.Change, error) {
		from, err := resolveCommit(ctx, s, base)
		if err != nil {
			return nil, err
		}
		to, err := resolveCommit(ctx, s, head)
		if err != nil {
			return nil, err
		}
		fork, err := s.MergeBase(ctx, from, to)
		if errs.Is(err, errs.NotFound) {
			return nil, noCodeError("the git copy has no commit from which %s and %s parted: fetch more of the history", base, head)
		}
		if err != nil {
			return nil, err
		}
		return between(ctx, s, fork, to)
	})
}
