//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A review that waits for a file that never ends, in git or by itself, ends with the first signal.
func TestASignalEndsAReviewThatWaits(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{".gitconfig": {"review"}, "ticket": {"review", "--ticket"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, home := t.TempDir(), t.TempDir()
			testkit.Git(t, dir, "init", "-q")
			if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			pipe := filepath.Join(home, name)
			testkit.OK(t, syscall.Mkfifo(pipe, 0o600))
			if len(args) > 1 {
				args = append(args, pipe)
			}
			cmd := exec.Command(testkit.Binary(t), args...)
			cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}
			testkit.OK(t, cmd.Start())
			writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens when a reader waits for the content
			testkit.OK(t, err)
			defer writer.Close()
			testkit.OK(t, cmd.Process.Signal(syscall.SIGTERM))
			if err := cmd.Wait(); err == nil {
				t.Error("the review was done")
			}
		})
	}
}
