package seeded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Files are the files of a version: paths with slashes, and contents.
type Files map[string]string

// openFiles commits versions to a temporary git repository and opens the change
// from the first one to each of the others, in their order.
func openFiles(ctx context.Context, versions ...Files) (heads []eval.Change, done func(), err error) {
	dir, err := os.MkdirTemp("", "assay-seeded-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	var local *snapshot.Local
	done = func() {
		if local != nil {
			_ = local.Close()
		}
		_ = os.RemoveAll(dir)
	}
	defer func() {
		if err != nil {
			done()
		}
	}()
	if err := git(ctx, dir, "init", "--quiet", "--initial-branch=main"); err != nil {
		return nil, nil, err
	}
	for i, v := range versions {
		if err := commit(ctx, dir, fmt.Sprintf("v%d", i), v); err != nil {
			return nil, nil, err
		}
	}
	if local, err = snapshot.OpenLocal(ctx, dir); err != nil {
		return nil, nil, fmt.Errorf("open the versions: %w", err)
	}
	for i := range versions[1:] {
		c, err := local.Range(ctx, "v0", fmt.Sprintf("v%d", i+1))
		if err != nil {
			return nil, nil, fmt.Errorf("compare the versions: %w", err)
		}
		heads = append(heads, eval.Change{BaseSHA: c.MergeBase, HeadSHA: c.Head, Diff: c.Raw, Source: c})
	}
	return heads, done, nil
}

// commit makes a version the content of the folder, and commits and tags it.
func commit(ctx context.Context, dir, tag string, files Files) error {
	if err := git(ctx, dir, "rm", "-r", "--quiet", "--force", "--ignore-unmatch", "."); err != nil {
		return err
	}
	if err := write(dir, files); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "--all", "--force"}, {"commit", "--quiet", "--allow-empty", "--no-verify", "--message", tag}, {"tag", tag}} {
		if err := git(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// write puts files below a folder.
func write(dir string, files Files) error {
	for path, text := range files {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("make a folder: %w", err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return fmt.Errorf("write a file: %w", err)
		}
	}
	return nil
}

// git runs git in a folder without the settings of the machine.
func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=assay", "GIT_AUTHOR_EMAIL=assay@localhost", "GIT_COMMITTER_NAME=assay", "GIT_COMMITTER_EMAIL=assay@localhost",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}
