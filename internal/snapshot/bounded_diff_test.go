package snapshot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/testkit"
)

// fileDiff is a file of a diff that adds lines of ten bytes.
func fileDiff(path string, lines int) string {
	head := fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n", path, lines)
	return head + strings.Repeat("+diff it\n", lines)
}

// A line from a stranger costs at most the bound of a line: its file is named without its hunks, and
// the held part is released.
func TestKeeperLetsGoOfALongLine(t *testing.T) {
	t.Parallel()
	k := &boundedDiff{maxBytes: defaultMaxDiff, maxFiles: 10}
	part := []byte(strings.Repeat("a", 64<<10))
	write := func(b []byte) {
		if _, err := k.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte(fileDiff("a", 5) + strings.Split(fileDiff("long", 1), "+diff it")[0] + "+"))
	most := 0
	for range 60 << 20 / len(part) {
		write(part)
		most = max(most, cap(k.files[1].hunks))
	}
	write([]byte("\n" + fileDiff("b", 5)))
	raw := k.diff()
	set, err := diff.Parse(raw)
	if err != nil || len(set.Files) != 3 || set.Files[1].Omitted != diff.OmittedLarge || len(set.Files[0].Hunks) != 1 || len(set.Files[2].Hunks) != 1 {
		t.Fatalf("%v: %d bytes of diff", err, len(raw))
	}
	if most > 2*maxLine || k.bytes > 4096 || len(raw) > 4096 || cap(k.files[1].hunks) > 0 {
		t.Errorf("at most %d bytes of a line were held, %d are counted, the diff has %d", most, k.bytes, len(raw))
	}
}

func TestKeeper(t *testing.T) {
	t.Parallel()
	mode := "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
	for name, tt := range map[string]struct {
		raw             string
		bytes, files    int
		omitted, listed string
		lacks           bool
	}{
		"all of it":           {fileDiff("a", 5) + mode + fileDiff("b", 5), 1000, 10, "", "a run.sh b", false},
		"the largest is left": {fileDiff("a", 5) + fileDiff("big", 90) + fileDiff("b", 5), 200, 10, "big", "a big b", false},
		"the first as well":   {fileDiff("big", 90) + fileDiff("a", 5) + mode, 200, 10, "big", "big a run.sh", false},
		"several":             {fileDiff("big", 90) + fileDiff("a", 5) + fileDiff("large", 40) + fileDiff("b", 5), 200, 10, "big large", "big a large b", false},
		"the later of two":    {fileDiff("a", 10) + fileDiff("b", 10) + fileDiff("c", 9), 240, 10, "b", "a b c", false},
		"not one fits":        {fileDiff("a", 10) + fileDiff("b", 10), 20, 10, "a b", "a b", false},
		"too many files":      {fileDiff("a", 5) + fileDiff("b", 5) + fileDiff("c", 5), 1000, 2, "", "a b", true},
		"nothing":             {"", 100, 10, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first string
			for _, step := range []int{1, 3, 11, 12, 4096} { // however the bytes are split
				k := &boundedDiff{maxBytes: tt.bytes, maxFiles: tt.files}
				for at := 0; at < len(tt.raw); at += step {
					if _, err := k.Write([]byte(tt.raw[at:min(at+step, len(tt.raw))])); err != nil {
						t.Fatal(err)
					}
				}
				got := string(k.diff())
				if first == "" {
					first = got
				}
				if got != first {
					t.Fatalf("in steps of %d:\n%s\nelse:\n%s", step, got, first)
				}
			}
			set, err := diff.Parse([]byte(first))
			if err != nil {
				t.Fatal(err)
			}
			var omitted, listed []string
			for _, f := range set.Files {
				listed = append(listed, f.Path)
				if f.Omitted != "" {
					omitted = append(omitted, f.Path)
				}
				if f.Omitted != "" && (f.Omitted != diff.OmittedLarge || len(f.Hunks) != 0) {
					t.Errorf("%s: %q, %d hunks", f.Path, f.Omitted, len(f.Hunks))
				}
				if f.Omitted == "" && f.Path != "run.sh" && len(f.Hunks) != 1 {
					t.Errorf("%s lost its hunk", f.Path)
				}
			}
			if o, l := strings.Join(omitted, " "), strings.Join(listed, " "); o != tt.omitted || l != tt.listed || (set.Lacks != "") != tt.lacks {
				t.Errorf("omitted %q, listed %q, lacks %q", o, l, set.Lacks)
			}
		})
	}
}

// If a change is above the bound, its largest file is named without hunks, and the others are kept.
func TestDiffAboveTheBound(t *testing.T) {
	t.Parallel()
	dir, _, _ := newRepo(t)
	base := testkit.Git(t, dir, "rev-parse", "HEAD")
	write(t, dir, "big.go", "package main\n\n"+strings.Repeat("var _ = 1\n", 2000))
	write(t, dir, "zero.go", "package main\n\nvar zero = 1 / len(\"\")\n")
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "more")
	l, err := OpenLocal(t.Context(), dir, LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	raw, err := l.store.diff(t.Context(), &boundedDiff{maxBytes: 4096, maxFiles: 10}, base, testkit.Git(t, dir, "rev-parse", "HEAD"), nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if f := set.File("big.go"); f == nil || f.Omitted != diff.OmittedLarge {
		t.Errorf("%+v", f)
	}
	if f := set.File("zero.go"); f == nil || f.Omitted != "" || f.Additions != 3 {
		t.Errorf("%+v", f)
	}
}
