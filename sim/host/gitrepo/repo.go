// Package gitrepo makes and reads real bare git repositories with the git command line: commits from file
// maps, diffs, comparisons, trees and blobs. It has no pull requests, users or HTTP. Hooks, filters, aliases
// and configuration outside the repository have no effect.
package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNotFound means that a revision, a commit or a path does not exist.
var ErrNotFound = errors.New("not found in the repository")

// ZeroSHA is the object name that means "no commit".
const ZeroSHA = "0000000000000000000000000000000000000000"

// Repo is a bare repository. Its methods may be called concurrently, except for commits to the same branch.
type Repo struct {
	dir     string
	cache   *diffCache
	answers *answers
}

// Env returns the environment in which every git command runs: no system or global configuration, no prompts.
func Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
	}
}

// Init makes a bare repository at dir, or opens an existing one. Clients may fetch any object by its name
// (uploadpack.allowAnySHA1InWant), as on GitHub.
func Init(dir, defaultBranch string) (*Repo, error) {
	r := Open(dir)
	if !ValidBranch(defaultBranch) {
		return nil, errors.New("default branch: not a valid branch name")
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return r, nil
	}
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, fmt.Errorf("make the repository: %w", err)
		}
	}
	err := os.WriteFile(filepath.Join(dir, "config"), []byte(settings), 0o644)
	if err == nil { // last, because this file marks a repository
		err = os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/"+defaultBranch+"\n"), 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("make the repository: %w", err)
	}
	return r, nil
}

// settings is the configuration of a repository. The files are written without git, because a process would be
// the main cost (gitrepository-layout(5)).
const settings = `[core]
	repositoryFormatVersion = 0
	fileMode = true
	bare = true
	quotePath = false
[uploadpack]
	allowReachableSHA1InWant = true
	allowAnySHA1InWant = true
	allowFilter = true
[gc]
	auto = 0
`

// Open returns the repository at dir without checking it.
func Open(dir string) *Repo { return &Repo{dir: dir, cache: newDiffCache(), answers: newAnswers()} }

// Dir returns the path of the bare repository.
func (r *Repo) Dir() string { return r.dir }

// git runs one git command in the repository and returns its standard output.
func (r *Repo) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + r.dir}, args...)...)
	cmd.Env = Env()
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// Resolve returns the full object name of the commit that a branch, tag or (abbreviated) object name stands
// for.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, " ~^:?*[\\\x00\n") || strings.Contains(rev, "..") ||
		strings.Contains(rev, "@{") {
		return "", ErrNotFound
	}
	if sha := r.branch(rev); sha != "" {
		return sha, nil
	}
	if fullName.MatchString(rev) {
		if kind, err := r.ObjectType(ctx, rev); err == nil && kind == "commit" {
			return rev, nil
		}
	}
	var candidates strings.Builder
	for _, prefix := range places {
		candidates.WriteString(prefix + rev + "^{commit}\n")
	}
	out, err := r.git(ctx, []byte(candidates.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	for line := range strings.Lines(string(out)) { // git repeats the name of a missing revision
		if name, ok := strings.CutSuffix(line, " commit\n"); ok && err == nil {
			return name, nil
		}
	}
	return "", ErrNotFound
}

// SetRef points a reference (full name, "refs/…") at a commit.
func (r *Repo) SetRef(ctx context.Context, ref, sha string) error {
	_, err := r.git(ctx, nil, "update-ref", ref, sha)
	return err
}

// DeleteRef removes a reference (full name).
func (r *Repo) DeleteRef(ctx context.Context, ref string) error {
	_, err := r.git(ctx, nil, "update-ref", "-d", ref)
	return err
}

// Branch is a branch and the commit it points at.
type Branch struct{ Name, SHA string }

// Branches lists all branches by name.
func (r *Repo) Branches(ctx context.Context) ([]Branch, error) {
	out, err := r.git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads/")
	if err != nil {
		return nil, err
	}
	var list []Branch
	for line := range strings.Lines(string(out)) {
		sha, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, Branch{Name: name, SHA: sha})
	}
	return list, nil
}

// MergeBase returns the best common ancestor of two commits, or ErrNotFound if they share no history.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.read(ctx, []string{a, b}, "merge-base", a, b)
	if err != nil {
		return "", ErrNotFound
	}
	return strings.TrimSpace(string(out)), nil
}

// IsAncestor reports whether commit a, a full object name, is reachable from commit b.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) bool {
	base, err := r.MergeBase(ctx, a, b)
	return err == nil && base == a
}
