package cases

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// numbered returns a file whose lines all differ.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString("line " + strings.Repeat("x", i) + "\n")
	}
	return b.String()
}

// opened opens heads and closes them when the test ends.
func opened(t *testing.T, set eval.Set, c eval.Case) []eval.Change {
	t.Helper()
	heads, done, err := set.Open(t.Context(), c)
	testkit.OK(t, err)
	t.Cleanup(done)
	return heads
}

// changed returns the text of a diff's changed lines, by "path:line".
func changed(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	set, err := diff.Parse(raw)
	testkit.OK(t, err)
	out := map[string]string{}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				switch l.Op {
				case diff.Add:
					out[key(domain.Right, f.Path, l.New)] = l.Text
				case diff.Delete:
					out[key(domain.Left, f.BasePath(), l.Old)] = l.Text
				}
			}
		}
	}
	return out
}

func key(side domain.Side, path string, line int) string {
	return string(side) + " " + path + ":" + strconv.Itoa(line)
}

func TestOpenFilesComparesEachHeadWithTheBase(t *testing.T) {
	t.Parallel()
	base := Files{"a.go": "package a\n\nfunc A() int { return 1 }\n", "old/name.txt": numbered(1, 30), "other.go": "package a\n\nfunc Helper() {}\n", "ünï \"x\"\n.txt": "x\n"}
	first := Files{"a.go": "package a\n\nfunc A() int { return 2 }\n", "new/name.txt": numbered(1, 30), "other.go": base["other.go"], "ünï \"x\"\n.txt": "x\n"}
	second := Files{"a.go": "package a\n\nfunc A() int { return 3 }\n", "old/name.txt": numbered(1, 30), "other.go": base["other.go"], "ünï \"x\"\n.txt": "x\n"}
	heads, done, err := OpenFiles(t.Context(), base, first, second)
	testkit.OK(t, err)
	if len(heads) != 2 || heads[0].BaseSHA != heads[1].BaseSHA || heads[0].HeadSHA == heads[1].HeadSHA {
		t.Fatalf("%d heads: %+v", len(heads), heads)
	}
	set, err := diff.Parse(heads[0].Diff)
	testkit.OK(t, err)
	if f := set.File("new/name.txt"); f == nil || f.Status != diff.Renamed || f.OldPath != "old/name.txt" || len(set.Files) != 2 {
		t.Errorf("the rename is not seen as one:\n%s", heads[0].Diff)
	}
	if set, _ := diff.Parse(heads[1].Diff); len(set.Files) != 1 || !strings.Contains(string(heads[1].Diff), "+func A() int { return 3 }") {
		t.Errorf("the second head is not compared with the base:\n%s", heads[1].Diff)
	}
	for side, want := range map[domain.Side]string{domain.Left: "return 1", domain.Right: "return 2"} {
		if b, err := heads[0].Source.Blob(t.Context(), side, "a.go"); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q %v", side, b, err)
		}
	}
	if _, err := heads[0].Source.Blob(t.Context(), domain.Right, "none.go"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	found, err := heads[0].Source.(snapshot.Searcher).Search(t.Context(), snapshot.Query{Expressions: []string{"func Helper"}}, 10)
	if err != nil || len(found) != 1 || found[0].Path != "other.go" || found[0].Line != 3 {
		t.Errorf("a file that the change does not touch: %v %v", found, err)
	}
	sha := heads[0].HeadSHA
	done()
	again, done, err := OpenFiles(t.Context(), base, first)
	testkit.OK(t, err)
	defer done()
	if again[0].HeadSHA != sha {
		t.Errorf("the same versions have another name: %s, %s", again[0].HeadSHA, sha)
	}
}

func TestOpenFilesRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		versions []Files
		want     string
	}{
		"one version":         {[]Files{{"a": "x"}}, "a case needs a base and 1 to 50 heads"},
		"a path that climbs":  {[]Files{{}, {"../a": "x"}}, `file "../a": a path must not have an empty element`},
		"an absolute path":    {[]Files{{}, {"/a": "x"}}, `file "/a": a path must be relative`},
		"the folder of git":   {[]Files{{}, {"a/.git/config": "x"}}, `".git"`},
		"a file and a folder": {[]Files{{}, {"a": "x", "a/b/c": "y"}}, `"a" is a file and a folder`},
		"too large a file":    {[]Files{{}, {"a": strings.Repeat("x", maxFileBytes+1)}}, `file "a": must have at most 4194304 bytes`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := OpenFiles(t.Context(), c.versions...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}
