package local

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// New files beyond a bound are named with their reasons in every format. Files that a person may have
// written make the review incomplete.
func TestNewFilesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	large := snapshot.MaxNewSize + 1
	for name, c := range map[string]struct {
		files map[string]string
		make  func(dir string)
		code  int
		says  []string
	}{
		"a large text":       {files: map[string]string{"sub/big.js": strings.Repeat("let a = 1\n", large/8)}, code: report.ExitError, says: []string{"sub/big.js (larger than 1 MiB)"}},
		"a text in UTF-16":   {files: map[string]string{"big.cs": "\xff\xfe" + strings.Repeat("a\x00", large/2+1)}, code: report.ExitError, says: []string{"big.cs (larger than 1 MiB)"}},
		"a large binary":     {files: map[string]string{"film.bin": strings.Repeat("\x00\x01\x02\xff\x03", large/4)}, says: []string{"film.bin (larger than 1 MiB)"}},
		"a hidden character": {files: map[string]string{"a\u202e.js": strings.Repeat("let a = 1\n", large/8)}, code: report.ExitError, says: []string{"larger than 1 MiB"}},
		"a repository inside": {make: func(dir string) {
			testkit.Git(t, dir, "init", "-q", filepath.Join(dir, "inside"))
			write(t, dir, "inside/x.go", conflict("X"))
		}, says: []string{"inside/ (a repository of its own)"}},
		"too many": {make: func(dir string) {
			for i := range snapshot.MaxNew + 12 {
				write(t, dir, fmt.Sprintf("new/%04d.txt", i), "x")
			}
		}, code: report.ExitError, says: []string{"new/0200.txt (beyond the first 200 new files)", "new/0209.txt", "and 2 more"}},
		"both": {files: map[string]string{"big.js": strings.Repeat("let a = 1\n", large/8)}, make: func(dir string) {
			testkit.Git(t, dir, "init", "-q", filepath.Join(dir, "inside"))
		}, code: report.ExitError, says: []string{"big.js (larger than 1 MiB)", "inside/ (a repository of its own)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			for f, content := range c.files {
				write(t, dir, f, content)
			}
			if c.make != nil {
				c.make(dir)
			}
			r, err := Run(t.Context(), Options{Dir: dir, Checks: checker})
			if err != nil {
				t.Fatal(err)
			}
			high := domain.High
			if code := r.ExitCode(&high); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, format := range report.Formats() {
				var b bytes.Buffer
				if err := report.Write(&b, r, report.Options{Format: format}); err != nil {
					t.Fatal(err)
				}
				got := b.String()
				for _, want := range c.says {
					if !strings.Contains(strings.NewReplacer("\\", "", "`", "").Replace(got), want) {
						t.Errorf("%s lacks %q:\n%s", format, want, got)
					}
				}
				if n := strings.Count(got, c.says[0]); n > 1 && format != "json" {
					t.Errorf("%s says it %d times:\n%s", format, n, got)
				}
				if c.code == report.ExitError && strings.Contains(got, "Nothing to review") {
					t.Errorf("%s says that there is nothing to review:\n%s", format, got)
				}
				if strings.Contains(got, "\u202e") && format != "json" { // paths in JSON are data
					t.Errorf("%s has a hidden character", format)
				}
			}
		})
	}
}

// A range without a beginning is refused with the reason.
func TestARangeWithoutABeginning(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	for _, r := range []string{"..HEAD", "...HEAD", ".."} {
		if _, err := Run(t.Context(), Options{Dir: dir, Checks: checker, Range: r}); err == nil || !strings.Contains(err.Error(), "has no beginning") {
			t.Errorf("%s: %v", r, err)
		}
	}
}
