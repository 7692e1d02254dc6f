package snapshot

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A split index continues in a file beside it. Staged and unstaged changes are told apart as with a
// complete index, in the first checkout and in a linked one.
func TestASplitIndexIsFollowed(t *testing.T) {
	t.Parallel()
	for name, linked := range map[string]bool{"first checkout": false, "linked checkout": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _, _ := newRepo(t)
			testkit.Git(t, dir, "config", "core.splitIndex", "true")
			if linked {
				other := filepath.Join(t.TempDir(), "other")
				testkit.Git(t, dir, "worktree", "add", "-q", "--detach", other)
				dir = other
			}
			testkit.Git(t, dir, "update-index", "--split-index")
			write(t, dir, "staged.go", "package main\n\nvar staged = 1\n")
			testkit.Git(t, dir, "add", "staged.go")
			write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(3)\n}\n")
			write(t, dir, "fresh.go", "package main\n\nvar fresh = 1\n")
			if found, err := filepath.Glob(filepath.Join(gitDirOf(t, dir), "sharedindex.*")); err != nil || len(found) == 0 {
				t.Fatalf("the index is not split: %v, %v", found, err)
			}
			l, err := OpenLocal(t.Context(), dir, LocalOptions{})
			testkit.OK(t, err)
			defer l.Close()
			for _, tt := range []struct {
				of         func(ctx context.Context, base string, paths ...string) (*Change, error)
				has, lacks []string
			}{
				{l.Staged, []string{"staged.go"}, []string{"main.go", "fresh.go", "crlf.txt"}},
				{l.Worktree, []string{"staged.go", "main.go", "fresh.go"}, []string{"crlf.txt"}},
			} {
				c, err := tt.of(t.Context(), "")
				testkit.OK(t, err)
				for _, path := range tt.has {
					if !bytes.Contains(c.Raw, []byte("b/"+path)) {
						t.Errorf("%s is not in the change:\n%s", path, c.Raw)
					}
				}
				for _, path := range tt.lacks {
					if bytes.Contains(c.Raw, []byte("b/"+path)) {
						t.Errorf("%s is in the change:\n%s", path, c.Raw)
					}
				}
			}
		})
	}
}

func gitDirOf(t *testing.T, dir string) string {
	t.Helper()
	return testkit.Git(t, dir, "rev-parse", "--absolute-git-dir")
}
