package analysers

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// head is the whole tree of a request.
func (f files) head() *Tree {
	return &Tree{Read: f.read, Hidden: map[string]bool{}, Files: func(_ context.Context, limit int) (out []TreeFile, err error) {
		for p, text := range f {
			if len(out) < limit {
				out = append(out, TreeFile{p, int64(len(text))})
			}
		}
		return out, nil
	}}
}

// treeOf is an analyser of the whole tree.
func treeOf(program string) Analyser {
	a := fake(program)
	a.Input, a.Command = InputTree, []string{"check"}
	return a
}

// The program sees all files of the head but configuration, and its results in unchanged files belong to the tree.
func TestAnalyserOfTheWholeTree(t *testing.T) {
	t.Parallel()
	report := `{"results":[{"rule":"r1","message":"m","path":"a.sh","line":1},{"rule":"r2","message":"m","path":"lib/old.sh","line":1},` +
		`{"rule":"r3","message":"m","path":"left/out.sh","line":1},{"rule":"r4","message":"m","path":"other.sh","line":1}]}`
	a := treeOf(script(t, `[ "$*" = check ] && [ -f lib/old.sh ] && [ -f left/out.sh ] && [ ! -e .git ] && [ ! -e .eslintrc.json ] || exit 9
[ ! -w lib ] || exit 8
printf '%s' '`+report+`'`))
	q := files{"a.sh": "x"}.request()
	q.Tree = files{"a.sh": "x", "lib/old.sh": "x", "left/out.sh": "x", ".git/config": "x", ".eslintrc.json": "{}", "big.sh": strings.Repeat("x", maxFile+1),
		"a/\nb.sh": "x"}.head()
	q.Tree.Hidden["left/out.sh"] = true
	out := runOne(t, a, q)
	if out.Failure != "" || out.Foreign != 2 || !slices.Equal(out.Files, []string{"a.sh"}) || len(out.Left) != 3 {
		t.Fatalf("%+v", out)
	}
	if found := out.Document.Runs[0].Results; len(found) != 2 || found[1].Path != "lib/old.sh" {
		t.Errorf("%+v", found)
	}
}

// Each bound is a failure of the analyser, and leaves no folder.
func TestBoundsOfTheTree(t *testing.T) {
	t.Parallel()
	many := func(n int, size int64) *Tree {
		return &Tree{Read: func(context.Context, string) ([]byte, error) { return nil, fs.ErrInvalid },
			Files: func(_ context.Context, limit int) (out []TreeFile, err error) {
				for i := range min(n, limit) {
					out = append(out, TreeFile{fmt.Sprintf("x/%d.go", i), size})
				}
				return out, nil
			}}
	}
	for name, tc := range map[string]struct {
		tree *Tree
		want Reason
	}{
		"no tree":       {nil, NoTree},
		"no list":       {&Tree{Files: func(context.Context, int) ([]TreeFile, error) { return nil, fs.ErrNotExist }}, NoTree},
		"many files":    {many(maxTreeFiles+1, 1), TreeFiles},
		"many bytes":    {many(maxTreeBytes>>20+1, 1<<20), TreeBytes},
		"a deep folder": {files{strings.Repeat("a/", maxTreeDepth+1) + "x": ""}.head(), TreeDepth},
	} {
		q := files{"a.sh": "x"}.request()
		q.Tree = tc.tree
		w, err := newWorkspace(t.Context(), treeOf("/bin/true"), q.Files, q)
		if err != nil || w.failure != tc.want {
			t.Errorf("%s: %+v, %v", name, w, err)
			continue
		}
		w.close()
		if _, err := os.Stat(w.folder); err == nil {
			t.Errorf("%s: the folder stays", name)
		}
	}
	q := files{"a.sh": "x"}.request()
	q.Tree = many(1, 1)
	if _, err := newWorkspace(t.Context(), treeOf("/bin/true"), q.Files, q); err == nil {
		t.Error("an error of the store is not reported")
	}
}

// An analyser gets no file of a folder for which it is off, and is named if no file is left.
func TestAnalysersThatAreOffForFolders(t *testing.T) {
	t.Parallel()
	q := files{"a.sh": "x", "old/b.sh": "x"}.request()
	q.Off = func(name, path string) bool { return name == "fake" && strings.HasPrefix(path, "old/") }
	out := runOne(t, fake(script(t, `[ "$*" = ./a.sh ] || exit 9; echo '{}'`)), q)
	if out.Failure != "" || !slices.Equal(out.Off, []string{"old/b.sh"}) {
		t.Errorf("%+v", out)
	}
	q.Off = func(string, string) bool { return true }
	out = runOne(t, fake("/does/not/run"), q)
	if out.Failure != "" || len(out.Off) != 2 || len(out.Files) != 0 {
		t.Errorf("%+v", out)
	}
}
