package diff

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestParseGolden(t *testing.T) {
	t.Parallel()
	inputs, err := filepath.Glob("testdata/*.diff")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, in := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(in), ".diff"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			set, err := Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			checkInvariants(t, set)
			got, _ := json.MarshalIndent(set, "", " ")
			golden := strings.TrimSuffix(in, ".diff") + ".json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(want)) != string(got) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// checkInvariants checks the invariants of every set that Parse returns.
func checkInvariants(t *testing.T, set *Set) {
	t.Helper()
	for _, f := range set.Files {
		if err := CheckPath(f.Path); err != nil && f.Omitted != OmittedPath {
			t.Errorf("path: %v", err)
		}
		add, del := 0, 0
		for _, h := range f.Hunks {
			oldNo, newNo := h.OldStart, h.NewStart
			for _, l := range h.Lines {
				switch l.Op {
				case Add:
					add++
				case Delete:
					del++
				}
				if (l.Op == Add) != (l.Old == 0) || (l.Op == Delete) != (l.New == 0) {
					t.Errorf("line %+v has a number on the wrong side", l)
				}
				if l.Old != 0 {
					if l.Old != oldNo {
						t.Errorf("old numbers jump: %+v", l)
					}
					oldNo++
				}
				if l.New != 0 {
					if l.New != newNo {
						t.Errorf("new numbers jump: %+v", l)
					}
					newNo++
				}
				if strings.Contains(l.Text, "\n") {
					t.Errorf("text holds a newline")
				}
			}
			if len(h.ID) != 64 {
				t.Errorf("hunk id %q", h.ID)
			}
		}
		if add != f.Additions || del != f.Deletions {
			t.Errorf("counts %d/%d, want %d/%d", f.Additions, f.Deletions, add, del)
		}
		for n := range 40 {
			if line, ok := f.MapLine(n + 1); line < 1 {
				t.Errorf("MapLine(%d) = %d, %v", n+1, line, ok)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"NUL":                 "diff --git \"a/x\\000y\" \"b/x\\000y\"\nnew file mode 100644\n",
		"wrong counts":        "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-a\n+b\n",
		"cut in a hunk":       "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n",
		"fragment alone":      "@@ -1 +1 @@\n-a\n+b\n",
		"no number":           "--- a/x\n+++ b/x\n@@ -a,b +c,d @@\n-a\n+b\n",
		"huge number":         "--- a/x\n+++ b/x\n@@ -9223372036854775807 +1 @@\n-a\n+b\n",
		"number out of range": "--- a/x\n+++ b/x\n@@ -1999999999 +1 @@\n-a\n+b\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := Parse([]byte(in))
			if err == nil {
				t.Fatalf("accepted: %+v", set.Files)
			}
			if !errs.Is(err, errs.Malformed) {
				t.Errorf("kind: %v", err)
			}
		})
	}
}

// A path that a checkout cannot have costs the review only that file.
func TestPathsOutsideTheTree(t *testing.T) {
	t.Parallel()
	file := func(path string) string {
		return "diff --git a/" + path + " b/" + path + "\nindex 1..2 100644\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-a\n+b\n"
	}
	for name, in := range map[string]string{
		"parent folder":        file("x/../../etc/passwd"),
		"git folder":           file(".git/config"),
		"git folder by case":   file("sub/.GIT/hooks/x"),
		"dot":                  file("./x"),
		"absolute":             "diff --git a//etc/x b//etc/y\nrename from /etc/x\nrename to /etc/y\n",
		"renamed from outside": "diff --git a/../x b/y\nsimilarity index 50%\nrename from ../x\nrename to y\n--- a/../x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := Parse([]byte(in + file("good")))
			if err != nil || len(set.Files) != 2 {
				t.Fatalf("%v: %+v", err, set)
			}
			bad, good := set.Files[0], set.Files[1]
			if bad.Omitted != OmittedPath || len(bad.Hunks) != 0 || bad.Additions != 0 {
				t.Errorf("%+v", bad)
			}
			if good.Omitted != "" || len(good.Hunks) != 1 {
				t.Errorf("%+v", good)
			}
		})
	}
}

func TestParseEmpty(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "\n", "some words\n"} {
		if set, err := Parse([]byte(in)); err != nil || len(set.Files) != 0 {
			t.Errorf("%q: %v, %v", in, set, err)
		}
	}
}

func TestHunkIDIgnoresPlace(t *testing.T) {
	t.Parallel()
	at := func(header, path string) *Hunk {
		s, err := Parse([]byte("--- a/" + path + "\n+++ b/" + path + "\n@@ " + header + " @@ func f()\n x\n-a\n+b\n"))
		if err != nil {
			t.Fatal(err)
		}
		return s.Files[0].Hunks[0]
	}
	a, b, c := at("-1,2 +1,2", "x.go"), at("-91,2 +97,2", "x.go"), at("-1,2 +1,2", "y.go")
	if a.ID != b.ID {
		t.Error("the identifier depends on line numbers")
	}
	if a.ID == c.ID {
		t.Error("the identifier does not depend on the path")
	}
	if a.Section != "func f()" {
		t.Errorf("section %q", a.Section)
	}
}

func TestFindAndComment(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/mixed.diff")
	if err != nil {
		t.Fatal(err)
	}
	set, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	f := set.File("old name.go")
	if f == nil || f.Path != "new name.go" {
		t.Fatalf("rename not found by its old path: %+v", f)
	}
	if set.File("link") == nil || set.File("link").Status != Added {
		t.Error("a change of type must give the added file")
	}
	if set.File("absent") != nil {
		t.Error("found an absent file")
	}
	for _, tt := range []struct {
		side domain.Side
		line int
		want bool
	}{{domain.Right, 2, true}, {domain.Right, 5, true}, {domain.Right, 6, false}, {domain.Right, 1, true}, {domain.Left, 4, true},
		{domain.Left, 5, true}, {domain.Left, 6, false}, {domain.Right, 0, false}, {domain.Right, -3, false}} {
		if _, ok := f.Commentable(tt.side, tt.line); ok != tt.want {
			t.Errorf("%s %d: %v", tt.side, tt.line, ok)
		}
	}
	if _, ok := set.File("logo.png").Commentable(domain.Right, 1); ok {
		t.Error("a binary file is not commentable")
	}
}

func TestMapLine(t *testing.T) {
	t.Parallel()
	set, err := Parse([]byte("--- a/x\n+++ b/x\n@@ -2,3 +2,4 @@\n b\n-c\n+C\n+C2\n d\n@@ -10,0 +12,1 @@\n+new\n@@ -20,2 +21,0 @@\n-y\n-z\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := set.Files[0]
	for _, tt := range []struct {
		old, want int
		ok        bool
	}{{1, 1, true}, {2, 2, true}, {3, 2, false}, {4, 5, true}, {10, 11, true}, {11, 13, true}, {19, 21, true}, {20, 21, false}, {22, 22, true}} {
		if got, ok := f.MapLine(tt.old); got != tt.want || ok != tt.ok {
			t.Errorf("MapLine(%d) = %d, %v; want %d, %v", tt.old, got, ok, tt.want, tt.ok)
		}
	}
	if p, l, ok := set.MapLine("other", 7); p != "other" || l != 7 || !ok {
		t.Error("a file outside the diff is unchanged")
	}
}

func TestFromPatches(t *testing.T) {
	t.Parallel()
	set, err := FromPatches([]Patch{
		{Path: "a.go", Text: "@@ -1,2 +1,2 @@ package a\n x\n-y\n+z\n\\ No newline at end of file"},
		{Path: "weird\n\"name", OldPath: "b", Status: Renamed, Text: "@@ -1 +1 @@\n-y\n+z"},
		{Path: "big.bin", Status: Added, Binary: true},
		{Path: "gone", Status: Deleted, Text: "@@ -1 +0,0 @@\n-y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, set)
	if f := set.File("b"); f == nil || f.Status != Renamed || f.Hunks[0].Lines[1].Text != "z" {
		t.Errorf("rename: %+v", f)
	}
	if !set.Files[0].Hunks[0].Lines[2].NoEOL {
		t.Error("missing newline at the end was not seen")
	}
	for name, p := range map[string]Patch{
		"not a patch": {Path: "x", Text: "hello"}, "two files": {Path: "x", Text: "@@ -1 +1 @@\n-y\n+z\ndiff --git a/q b/q\nnew file mode 100644\n"},
		"NUL": {Path: "x\x00"}, "empty path": {},
	} {
		if _, err := FromPatches([]Patch{p}); !errs.Is(err, errs.Malformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.diff")
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		set, err := Parse(raw)
		if err != nil {
			return
		}
		checkInvariants(t, set)
	})
}
