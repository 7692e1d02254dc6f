package check

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
)

// A binary file that is not searched to its end is named, whether its own texts, the files before it,
// or a source that does not read it stopped the search.
func TestBinaryBeyondTheBounds(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("some words of a table\x00", maxRuns/22+1)
	one := func(path string) *diff.File {
		return &diff.File{Path: path, Status: diff.Added, Class: diff.ClassBinary, Binary: true}
	}
	set := &diff.Set{Files: []*diff.File{one("near.bin"), one("far.bin"), one("huge.bin")}}
	src := files{"RIGHT:near.bin": "\x00" + ghToken() + "\x00", "RIGHT:far.bin": filler + ghToken()}
	for n := range maxAllRuns/maxRuns + 1 {
		path := "z" + strings.Repeat("z", n) + ".bin"
		set.Files, src["RIGHT:"+path] = append(set.Files, one(path)), filler[:maxRuns-100]
	}
	set.Files = append(set.Files, one("last.bin"))
	src["RIGHT:last.bin"] = "\x00" + ghToken() + "\x00"
	res, err := checker(t).Run(t.Context(), set, src, Options{Secrets: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(res); got != "gitleaks/github-pat@0-0/file/critical" {
		t.Errorf("found %q", got)
	}
	for path, want := range map[string]string{"near.bin": "", "far.bin": WhyBinary, "huge.bin": WhyBinary, "last.bin": WhyBinary} {
		if res.Unread[path] != want {
			t.Errorf("%s: %q", path, res.Unread[path])
		}
	}
}
