package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// TreeEntry is one entry of a tree object.
type TreeEntry struct {
	Path, Mode string
	Type       string // blob, tree, commit
	SHA        string
	Size       int // of a blob
}

// TreeChange puts an object at a path; an empty SHA removes the object there.
type TreeChange struct{ Path, Mode, SHA string }

// ObjectType returns "blob", "tree", "commit" or "tag"; ErrNotFound if the object does not exist.
func (r *Repo) ObjectType(ctx context.Context, sha string) (string, error) {
	if strings.HasPrefix(sha, "-") || strings.ContainsAny(sha, " :^~\n") {
		return "", ErrNotFound
	}
	out, err := r.read(ctx, []string{sha}, "cat-file", "-t", sha)
	if err != nil {
		return "", ErrNotFound
	}
	return strings.TrimSpace(string(out)), nil
}

// WriteBlob writes an object that is not in a branch, and returns its name.
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (string, error) {
	out, err := r.git(ctx, data, "hash-object", "-w", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// Tree lists the entries of a tree or of a commit's tree, without the contents of its folders.
func (r *Repo) Tree(ctx context.Context, sha string) ([]TreeEntry, error) {
	if kind, err := r.ObjectType(ctx, sha); err != nil || kind != "tree" && kind != "commit" {
		return nil, ErrNotFound
	}
	out, err := r.read(ctx, []string{sha}, "ls-tree", "-z", "-l", sha)
	if err != nil {
		return nil, err
	}
	var list []TreeEntry
	for record := range strings.SplitSeq(string(out), "\x00") {
		meta, name, ok := strings.Cut(record, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 4 {
			continue
		}
		size, _ := strconv.Atoi(f[3]) // "-" if it has no size
		list = append(list, TreeEntry{Path: name, Mode: f[0], Type: f[1], SHA: f[2], Size: size})
	}
	return list, nil
}

// ChangeTree writes a tree that is a changed copy of another one, and returns its name. It moves no branch.
func (r *Repo) ChangeTree(ctx context.Context, base string, changes []TreeChange) (name string, err error) {
	dir, err := os.MkdirTemp("", "tree")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if base != "" {
		if _, err := r.with(ctx, env, nil, "read-tree", base); err != nil {
			return "", ErrNotFound
		}
	}
	var in bytes.Buffer
	for _, c := range changes {
		if !ValidPath(c.Path) {
			return "", fmt.Errorf("path: not a valid path")
		}
		if c.SHA == "" {
			fmt.Fprintf(&in, "0 %s\t%s\x00", ZeroSHA, c.Path)
			continue
		}
		fmt.Fprintf(&in, "%s %s\t%s\x00", c.Mode, c.SHA, c.Path)
	}
	if _, err := r.with(ctx, env, in.Bytes(), "update-index", "-z", "--add", "--remove", "--replace", "--index-info"); err != nil {
		return "", err
	}
	out, err := r.with(ctx, env, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

// Identity is a commit's author and time.
type Identity struct {
	Name, Email string
	At          time.Time
}

// CommitTree writes a commit that is not in a branch, and returns its name.
func (r *Repo) CommitTree(ctx context.Context, tree string, parents []string, message string, by Identity) (string, error) {
	at := fmt.Sprintf("%d +0000", by.At.Unix())
	env := []string{"GIT_AUTHOR_NAME=" + cleanIdent(by.Name), "GIT_AUTHOR_EMAIL=" + cleanIdent(by.Email), "GIT_AUTHOR_DATE=" + at,
		"GIT_COMMITTER_NAME=" + cleanIdent(by.Name), "GIT_COMMITTER_EMAIL=" + cleanIdent(by.Email), "GIT_COMMITTER_DATE=" + at}
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := r.with(ctx, env, []byte(message), args...)
	return strings.TrimSpace(string(out)), err
}

// with runs a git command in the repository with additional environment variables.
func (r *Repo) with(ctx context.Context, env []string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + r.dir}, args...)...)
	cmd.Env = append(Env(), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
