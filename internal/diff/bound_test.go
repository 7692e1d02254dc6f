package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
)

// addition writes a git section that adds n lines to a new file.
func addition(path string, n int) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n%[3]s", path, n, strings.Repeat("+\n", n))
}

// A diff of very many lines loses the hunks of its largest files and says so, because a parsed line takes
// much more memory than its bytes.
func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	const half = 1000
	const most = 2 * half * (lineWeight + 2)
	sections, err := bound(split([]byte(addition("small.txt", 10)+addition("large.txt", half+half/2)+addition("other.txt", half))), most)
	if err != nil {
		t.Fatal(err)
	}
	set, err := Parse(slices.Concat(sections...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range set.Files {
		got = append(got, fmt.Sprintf("%s %d %q", f.Path, f.Additions, f.Omitted))
	}
	want := []string{`small.txt 10 ""`, fmt.Sprintf("large.txt 0 %q", OmittedLarge), fmt.Sprintf(`other.txt %d ""`, half)}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	plain := "--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n" + strings.Repeat("+\n", 3*half)
	if _, err := bound(split([]byte(plain)), most); !errs.Is(err, errs.TooLarge) {
		t.Errorf("a diff that cannot list its missing files: %v", err)
	}
}

// Only removed hunks count as removed. The data of a binary patch is never parsed and does not count.
func TestWhatIsLeftIsBoundedToo(t *testing.T) {
	t.Parallel()
	header := func(i int) string {
		return fmt.Sprintf("diff --git a/%[1]d b/%[2]d\nsimilarity index 100%%\nrename from %[1]d\nrename to %[2]d\n", i, i+1)
	}
	var headers strings.Builder
	for i := range 1000 {
		headers.WriteString(header(i))
	}
	const most = 50_000
	binary := "diff --git a/x.png b/x.png\nnew file mode 100644\nGIT binary patch\nliteral 9\n" + strings.Repeat("zcmZ\n", 200)
	mode := "diff --git a/long b/long\n" + strings.Repeat("old mode 100644\nnew mode 100755\n", 400) + "--- a/long\n+++ b/long\n@@ -0,0 +1,1 @@\n+a\n"
	said := string(Omit([]byte("diff --git a/b b/b\nnew file mode 100644\n"), OmittedByHost)) + "--- /dev/null\n+++ b/b\n@@ -0,0 +1,2000 @@\n" + strings.Repeat("+\n", 2000)
	for name, tt := range map[string]struct {
		raw   string
		left  string // numbers of the sections that still have hunks
		large bool
	}{
		"headers alone":                  {headers.String(), "", true},
		"headers and a change":           {headers.String() + addition("a", 1), "", true},
		"long headers of changes":        {mode + mode + addition("a", 10), "", true},
		"data of a binary patch":         {binary + addition("a", 600), "1", false},
		"a file that already lost hunks": {said + addition("a", 100), "1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sections, err := bound(split([]byte(tt.raw)), most)
			if tt.large != errs.Is(err, errs.TooLarge) || !tt.large && err != nil {
				t.Fatalf("error %v, too large: %v", err, tt.large)
			}
			var left []string
			for i, s := range sections {
				if bytes.Contains(s, []byte("\n@@ ")) {
					left = append(left, fmt.Sprint(i))
				}
			}
			if got := strings.Join(left, " "); got != tt.left {
				t.Errorf("hunks are in the sections %q, want %q", got, tt.left)
			}
		})
	}
}

func TestParseEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ParseContext(ctx, []byte(addition("a", 1))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The index of a set gives the same answers as a walk over its files.
func TestFilesAreFoundAsByAWalk(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	statuses := []Status{Added, Modified, Deleted, Renamed, Copied}
	for range 500 {
		set := &Set{}
		for range r.IntN(8) {
			f := &File{Path: string(rune('a' + r.IntN(4))), Status: statuses[r.IntN(len(statuses))]}
			if f.Status == Renamed || f.Status == Copied {
				f.OldPath = string(rune('a' + r.IntN(4)))
			}
			set.Files = append(set.Files, f)
		}
		for _, path := range []string{"a", "b", "c", "d", "e"} {
			if got, want := set.File(path), walk(set, path); got != want {
				t.Fatalf("%q in %+v: %+v, want %+v", path, set.Files, got, want)
			}
			if got, want := set.Order(path), slices.IndexFunc(set.Files, func(f *File) bool { return f.Path == path }); got != want && want >= 0 || want < 0 && got != len(set.Files) {
				t.Fatalf("order of %q is %d, want %d", path, got, want)
			}
		}
	}
}

func walk(s *Set, path string) *File {
	var deleted, old *File
	for _, f := range s.Files {
		switch {
		case f.Path == path && f.Status != Deleted:
			return f
		case f.Path == path:
			deleted = f
		case f.OldPath == path && f.Status == Renamed && old == nil:
			old = f
		}
	}
	if deleted != nil {
		return deleted
	}
	return old
}
