package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/report"
)

// The file of the report is never part of the change, in any size and under any name; other files are.
func TestTheReportIsNotPartOfTheChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out, file string // the file named by Output, and the one that has the content
		link      [2]string
	}{
		"new":                   {out: "assay.json", file: "assay.json"},
		"in a folder":           {out: "sub/../sub/assay.json", file: "sub/assay.json"},
		"tracked":               {out: "kept.json", file: "kept.json"},
		"through a folder link": {out: "way/assay.json", file: "sub/assay.json", link: [2]string{"sub", "way"}},
		"through a link":        {out: "way.json", file: "sub/assay.json", link: [2]string{"sub/assay.json", "way.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			write(t, dir, "kept.json", "{}\n")
			write(t, dir, "sub/x.go", "package sub\n")
			write(t, dir, ".gitignore", "way\n")
			commit(t, dir, "a report that is kept")
			if c.link[0] != "" {
				if err := os.Symlink(filepath.FromSlash(c.link[0]), filepath.Join(dir, c.link[1])); err != nil {
					t.Fatal(err)
				}
			}
			out := filepath.Join(dir, c.out)
			for _, content := range []string{conflict("R"), conflict("R") + strings.Repeat("x\n", 5<<20)} {
				write(t, dir, c.file, content)
				got, err := Run(t.Context(), Options{Dir: dir, Base: "HEAD", Output: out, Checks: checker})
				if err != nil || len(got.Result.Findings) > 0 || got.Gap != "" || len(got.Result.Notices) > 0 || len(got.Result.Diff.Files) > 0 || got.ExitCode(nil) != report.ExitClean {
					t.Errorf("%d bytes: %v, %q, %q, %v", len(content), got.Result.Findings, got.Gap, got.Result.Notices, err)
				}
			}
			if got, err := Run(t.Context(), Options{Dir: dir, Base: "HEAD", Output: filepath.Join(dir, "other.json"), Checks: checker}); err != nil || got.Gap == "" && len(got.Result.Diff.Files) == 0 {
				t.Errorf("another file is not left out: %v", err)
			}
		})
	}
}
