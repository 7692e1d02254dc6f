//go:build unix

package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// A checkout of an archive may have files that never end, or that wait for a writer. Each is refused
// with its path.
func TestSpecialFilesOfACheckoutAreRefused(t *testing.T) {
	t.Parallel()
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	endless := func(path string) error { return os.Symlink("/dev/zero", path) }
	linked := func(path string) error {
		if err := syscall.Mkfifo(path+".pipe", 0o600); err != nil {
			return err
		}
		return os.Symlink(path+".pipe", path)
	}
	huge := func(path string) error {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 20<<30)
	}
	for name, tt := range map[string]struct {
		at    string
		as    func(path string) error
		prior func(t *testing.T, dir string)
	}{
		"a pipe as index": {".git/index", pipe, nil}, "an endless index": {".git/index", endless, nil}, "a huge index": {".git/index", huge, nil},
		"a link to a pipe as index": {".git/index", linked, nil},
		"a pipe as shallow":         {".git/shallow", pipe, nil}, "an endless shallow": {".git/shallow", endless, nil}, "a huge shallow": {".git/shallow", huge, nil},
		"a pipe as HEAD": {".git/HEAD", pipe, nil}, "an endless HEAD": {".git/HEAD", endless, nil}, "a huge HEAD": {".git/HEAD", huge, nil},
		"a pipe as config": {".git/config", pipe, nil}, "an endless config": {".git/config", endless, nil},
		"a pipe as packed-refs": {".git/packed-refs", pipe, nil}, "a pipe as exclude": {".git/info/exclude", pipe, nil},
		"a pipe as attributes": {".git/info/attributes", pipe, nil}, "a pipe as alternates": {".git/objects/info/alternates", pipe, nil},
		"a pipe as commondir":  {".git/commondir", pipe, nil},
		"a pipe as .gitignore": {".gitignore", pipe, nil}, "a pipe as .gitattributes": {".gitattributes", pipe, nil},
		"a pipe as .gitignore below": {"sub/.gitignore", pipe, nil},
		"a pipe as branch":           {".git/refs/heads/main", pipe, nil},
		"a pipe as HEAD of a repository inside": {"inner/.git/HEAD", pipe, func(t *testing.T, dir string) {
			testkit.Git(t, dir, "init", "-q", "inner")
		}},
		"a pipe that the configuration includes": {".git/more", pipe, func(t *testing.T, dir string) {
			testkit.Git(t, dir, "config", "include.path", "more")
		}},
		"a pipe as shared index": {".git/sharedindex.*", pipe, func(t *testing.T, dir string) {
			testkit.Git(t, dir, "update-index", "--split-index")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _, _ := newRepo(t)
			testkit.Git(t, dir, "rm", "-q", ".gitattributes")
			write(t, dir, "sub/new.go", "package sub\n")
			if tt.prior != nil {
				tt.prior(t, dir)
			}
			path := filepath.Join(dir, filepath.FromSlash(tt.at))
			if found, err := filepath.Glob(path); err == nil && len(found) == 1 {
				path = found[0]
			}
			testkit.OK(t, os.RemoveAll(path))
			testkit.OK(t, tt.as(path))
			err := worktreeOf(t.Context(), dir)
			if !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), filepath.Base(path)) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// Links between git directories, an empty socket of git and named pipes among the files are common and
// accepted.
func TestUsualSpecialFilesOfACheckout(t *testing.T) {
	t.Parallel()
	dir, _, _ := newRepo(t)
	for _, name := range []string{"config", "packed-refs"} {
		path := filepath.Join(dir, ".git", name)
		if name == "packed-refs" {
			testkit.Git(t, dir, "pack-refs", "--all")
		}
		testkit.OK(t, os.Rename(path, path+".real"))
		testkit.OK(t, os.Symlink(name+".real", path))
	}
	testkit.OK(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	testkit.OK(t, worktreeOf(t.Context(), dir))
}

func worktreeOf(ctx context.Context, dir string) error {
	l, err := OpenLocal(ctx, dir, LocalOptions{})
	if err != nil {
		return err
	}
	defer l.Close()
	_, err = l.Worktree(ctx, "")
	return err
}

// A configuration may include a file in forms that only git reads. Git commands that only read settings
// end in time.
func TestAConfigurationThatGitWaitsFor(t *testing.T) {
	t.Parallel()
	for name, include := range map[string]string{
		"on the next line": "[include]\n path = \\\n%s\n", "with a comment": "[include]\n path = \"%s\" ; x\n", "behind its section": "[include] path = %s\n",
		"on a condition": "[includeIf \"gitdir:/\"]\n path = \"%s\" # x\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			testkit.Git(t, dir, "init", "-q")
			pipe := filepath.Join(dir, "pipe")
			testkit.OK(t, syscall.Mkfifo(pipe, 0o600))
			f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
			testkit.OK(t, err)
			_, err = fmt.Fprintf(f, include, pipe)
			testkit.OK(t, errors.Join(err, f.Close()))
			git, err := findGit("")
			testkit.OK(t, err)
			git.brief = 100 * time.Millisecond // it would wait for ever
			for what, call := range map[string]func() error{
				"places": func() error { _, err := ask(t.Context(), git, dir, LocalOptions{}.person()); return err },
				"settings": func() error {
					_, err := LocalOptions{}.configuration(t.Context(), git, places{git: filepath.Join(dir, ".git"), root: dir})
					return err
				},
			} {
				if err := call(); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "named pipe") {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}
