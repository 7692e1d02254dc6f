package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// maxDiff bounds the diff that a local review reads.
const maxDiff = 64 << 20

// errTooLarge is returned for output beyond a bound.
var errTooLarge = errors.New("too large")

// git runs git in a folder. The repository is the user's own, but what it holds
// may come from anyone: hooks, external diffs, file-system monitors, pagers and
// prompts are off, and nothing is written.
type git struct {
	path string // of the program
	dir  string // top of the working tree
}

func newGit(ctx context.Context, dir string) (*git, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("git is not installed: assay review reads the change with it")
	}
	g := &git{path: path, dir: dir}
	top, err := g.text(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is not inside a git working tree", dir)
	}
	g.dir = filepath.FromSlash(top)
	return g, nil
}

// run returns the output of a git command, at most limit bytes. codes are the
// exit codes that are no error, beside 0.
func (g *git) run(ctx context.Context, limit int64, args []string, codes ...int) ([]byte, error) {
	base := []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat", "-c", "color.ui=false",
		"-c", "diff.external=", "-c", "diff.mnemonicPrefix=false", "-c", "diff.noprefix=false", "-c", "protocol.allow=never", "-c", "submodule.recurse=false"}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.path, append(base, args...)...)
	cmd.Dir = g.dir
	cmd.Env = append(clean(os.Environ()), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	out, readErr := io.ReadAll(io.LimitReader(pipe, limit+1))
	if int64(len(out)) > limit {
		cancel()
	}
	err = cmd.Wait()
	if int64(len(out)) > limit {
		return nil, fmt.Errorf("git %s: the output is %w (more than %d MiB)", args[0], errTooLarge, limit>>20)
	}
	if readErr != nil {
		return nil, fmt.Errorf("read from git: %w", readErr)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		for _, c := range codes {
			if exit.ExitCode() == c {
				return out, nil
			}
		}
		line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("git %s: %s", args[0], line)
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

func (g *git) text(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, 1<<20, args)
	return strings.TrimSpace(string(out)), err
}

// commit resolves a revision to a commit id.
func (g *git) commit(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("%q is not a revision", rev)
	}
	id, err := g.text(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil || id == "" {
		return "", fmt.Errorf("there is no commit %q in this repository (a shallow clone may lack it: git fetch --unshallow)", rev)
	}
	return id, nil
}

// diff returns the unified diff of the given revisions or trees.
func (g *git) diff(ctx context.Context, args ...string) ([]byte, error) {
	return g.run(ctx, maxDiff, append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--unified=3", "--submodule=short",
		"--src-prefix=a/", "--dst-prefix=b/", "--full-index", "--ignore-submodules=dirty"}, args...))
}

// clean leaves out variables that would turn git to another repository or run
// a program of the environment's choice.
func clean(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_INDEX_FILE", name == "GIT_EXTERNAL_DIFF", name == "GIT_PAGER", name == "GIT_DIFF_OPTS", name == "LC_ALL",
			strings.HasPrefix(name, "GIT_CONFIG"), strings.HasPrefix(name, "GIT_TRACE"):
			continue
		}
		out = append(out, v)
	}
	return out
}
