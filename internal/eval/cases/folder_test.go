package cases

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	testkit.OK(t, os.MkdirAll(filepath.Dir(full), 0o755))
	testkit.OK(t, os.WriteFile(full, []byte(content), 0o600))
}

// same compares values without secrets and without an order of their own.
func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// sumCase returns a case of two pushes: the first adds a defect, and the second adds another.
func sumCase() (eval.Case, []Files) {
	c := eval.Case{ID: "sum-1", Set: "seeded", Repository: "ours/sum", Language: "Go", Kind: eval.Defect, Title: "Update sum.go", Licence: "Apache-2.0",
		Golden: []eval.Golden{{Path: "sum.go", Side: domain.Right, StartLine: 5, EndLine: 5, Defect: "d1", Category: "correctness", Text: "the last number is left out"},
			{Path: "sum.go", Side: domain.Left, StartLine: 8, EndLine: 8, Head: 1}},
		Definitions: []eval.Definition{{Name: "add", Path: "add.go", Line: 3}}}
	text := func(bound, end string) string {
		return "package sum\n\nfunc Sum(n []int) (s int) {\n\t// all of them\n\tfor i := 0; i < len(n)" + bound + "; i++ {\n\t\ts = add(s, n[i])\n\t}\n" + end + "\treturn s\n}\n"
	}
	add := "package sum\n\nfunc add(a, b int) int { return a + b }\n"
	return c, []Files{{"sum.go": text("", "\tlog(s)\n"), "add.go": add}, {"sum.go": text("-1", "\tlog(s)\n"), "add.go": add}, {"sum.go": text("-1", ""), "add.go": add}}
}

func TestAWrittenCaseCanBeReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, versions := sumCase()
	testkit.OK(t, Write(dir, c, versions...))
	put(t, dir, "README.md", "passed over")
	put(t, dir, ".git/config", "passed over")
	set := Folder(dir)
	list, err := set.Cases(t.Context())
	testkit.OK(t, err)
	c.Heads = 2
	same(t, list, []eval.Case{c})
	heads := opened(t, set, list[0])
	if len(heads) != 2 {
		t.Fatalf("%d heads", len(heads))
	}
	for i, want := range []string{"\tfor i := 0; i < len(n)-1; i++ {", "\tlog(s)"} {
		g := c.Golden[i]
		if got := changed(t, heads[g.Head].Diff)[key(g.Side, g.Path, g.StartLine)]; got != want {
			t.Errorf("golden %d is at %q, want %q", i, got, want)
		}
	}
	if err := Write(dir, c, versions...); err == nil || !strings.Contains(err.Error(), "sum-1") {
		t.Errorf("a case was written over another: %v", err)
	}
	if _, _, err := set.Open(t.Context(), eval.Case{ID: "none"}); err == nil {
		t.Error("a case that the set does not have was opened")
	}
}

func TestACaseFromABundle(t *testing.T) {
	t.Parallel()
	repo, dir := t.TempDir(), t.TempDir()
	testkit.Git(t, repo, "init", "-q", "-b", "base")
	for i, text := range []string{"one\n", "one\ntwo\n", "one\ntwo\nthree\n"} {
		if i > 0 {
			testkit.Git(t, repo, "checkout", "-q", "-b", headName(i-1))
		}
		put(t, repo, "a.txt", text)
		testkit.Git(t, repo, "add", "-A")
		testkit.Git(t, repo, "commit", "-qm", "c")
	}
	testkit.Git(t, repo, "checkout", "-q", "base")
	put(t, repo, "b.txt", "the base moved on\n")
	testkit.Git(t, repo, "add", "-A")
	testkit.Git(t, repo, "commit", "-qm", "c")
	put(t, dir, "x/case.json", `{"kind":"clean","repository":"a/b","heads":2}`)
	testkit.Git(t, repo, "bundle", "create", "-q", filepath.Join(dir, "x", "change.bundle"), "base", "head", "head2")

	set := Folder(dir)
	list, err := set.Cases(t.Context())
	testkit.OK(t, err)
	same(t, list, []eval.Case{{ID: "x", Set: "folder", Repository: "a/b", Kind: eval.Clean, Heads: 2}})
	heads := opened(t, set, list[0])
	if len(heads) != 2 || !strings.Contains(string(heads[1].Diff), "+three") || strings.Contains(string(heads[1].Diff), "b.txt") {
		t.Errorf("%d heads, the last:\n%s", len(heads), heads[len(heads)-1].Diff)
	}

	put(t, dir, "x/case.json", `{"kind":"clean","heads":3}`)
	if _, _, err := Folder(dir).Open(t.Context(), eval.Case{ID: "x"}); err == nil || err.Error() != "x/change.bundle: a branch or tag head3 is missing, or names no commit" {
		t.Errorf("the error is %v", err)
	}
	put(t, dir, "x/change.bundle", "no bundle")
	if _, _, err := Folder(dir).Open(t.Context(), eval.Case{ID: "x"}); err == nil || !strings.Contains(err.Error(), "x/change.bundle: bad_bundle: The file is not a complete git bundle") {
		t.Errorf("the error is %v", err)
	}
}

// The example in the documentation is accepted.
func TestTheExampleOfTheDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/evaluation-cases.md")
	testkit.OK(t, err)
	_, rest, ok := strings.Cut(string(page), "## A folder\n")
	_, rest, json := strings.Cut(rest, "```json\n")
	example, _, end := strings.Cut(rest, "```")
	if !ok || !json || !end {
		t.Fatal("docs/evaluation-cases.md has no example of a case")
	}
	dir := t.TempDir()
	put(t, dir, "sum-last/case.json", example)
	put(t, dir, "sum-last/base/sum.go", "package sum\n")
	put(t, dir, "sum-last/head/sum.go", "package sum\n\n//\n")
	list, err := Folder(dir).Cases(t.Context())
	testkit.OK(t, err)
	if len(list) != 1 || len(list[0].Golden) != 1 || list[0].Golden[0].Path != "sum.go" || len(list[0].Definitions) != 1 {
		t.Errorf("%+v", list)
	}
}

const cleanCase = `{"kind":"clean"}`

func TestAFolderIsRefused(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, "case.json", cleanCase)
	for name, c := range map[string]struct {
		make func(dir string)
		want string // the whole error
	}{
		"an unknown field": {func(d string) { put(t, d, "x/case.json", `{"kind":"clean","golder":[]}`) },
			`x/case.json: unknown field "golder": allowed are id, set, repository, language, kind, title, body, golden, definitions, useful, heads, held, licence, origin`},
		"no JSON":               {func(d string) { put(t, d, "x/case.json", `{"kind":`) }, "x/case.json: it must be JSON: it ends too early"},
		"text that is not JSON": {func(d string) { put(t, d, "x/case.json", "{]") }, "x/case.json: it must be JSON: it is not at byte 2"},
		"two values":            {func(d string) { put(t, d, "x/case.json", cleanCase+cleanCase) }, "x/case.json: it must hold one JSON value, and more follows"},
		"a wrong type":          {func(d string) { put(t, d, "x/case.json", `{"kind":"clean","heads":"2"}`) }, "x/case.json: heads must be of type integer"},
		"an unknown kind":       {func(d string) { put(t, d, "x/case.json", `{"kind":"bug"}`) }, "x/case.json: kind must be defect or clean"},
		"another id":            {func(d string) { put(t, d, "x/case.json", `{"kind":"clean","id":"y"}`) }, "x/case.json: id must be the name of the folder"},
		"a wrong line": {func(d string) {
			put(t, d, "x/case.json", `{"kind":"defect","golden":[{"path":"a","side":"RIGHT","startLine":-1}]}`)
		}, "x/case.json: golden[0]: startLine and endLine must be lines from 1, the first before the last"},
		"a path that climbs": {func(d string) {
			put(t, d, "x/case.json", `{"kind":"defect","golden":[{"path":"../a","side":"RIGHT","startLine":1,"endLine":1}]}`)
		}, "x/case.json: golden[0]: path must stay inside the repository"},
		"a useful piece without lines": {func(d string) { put(t, d, "x/case.json", `{"kind":"clean","useful":[{"path":"a","startLine":3}]}`) },
			"x/case.json: useful[0]: path, startLine and endLine must be at most 10000 lines of the repository, from 1"},
		"a useful piece that is too long": {func(d string) {
			put(t, d, "x/case.json", `{"kind":"clean","useful":[{"path":"a","startLine":1,"endLine":10001}]}`)
		}, "x/case.json: useful[0]: path, startLine and endLine must be at most 10000 lines of the repository, from 1"},
		"too many useful pieces": {func(d string) {
			put(t, d, "x/case.json", `{"kind":"clean","useful":[`+strings.Repeat(`{"path":"a","startLine":1,"endLine":1},`, 1000)+`{"path":"a","startLine":1,"endLine":1}]}`)
		}, "x/case.json: useful must have at most 1000 entries"},
		"a missing head":     {func(d string) { put(t, d, "x/case.json", `{"kind":"clean","heads":2}`) }, "x/case.json: heads must be the number of the folders head, head2 …"},
		"no case.json":       {func(d string) { testkit.OK(t, os.Remove(filepath.Join(d, "x", "case.json"))) }, "x/case.json cannot be read: no such file or directory"},
		"a large case.json":  {func(d string) { put(t, d, "x/case.json", strings.Repeat(" ", maxCaseFile+1)) }, "x/case.json must have at most 1048576 bytes"},
		"no base":            {func(d string) { testkit.OK(t, os.RemoveAll(filepath.Join(d, "x", "base"))) }, "x must have the folders base and head, or change.bundle"},
		"a head too far":     {func(d string) { put(t, d, "x/head3/a.txt", "x") }, "x: the heads must be called head, head2, head3 and so on: head2 is missing"},
		"trees and a bundle": {func(d string) { put(t, d, "x/change.bundle", "x") }, "x must have base and head, or change.bundle, not both"},
		"a case by a link":   {func(d string) { testkit.OK(t, os.Symlink(outside, filepath.Join(d, "y"))) }, "y must be a folder: links and devices are not read"},
		"case.json by a link": {func(d string) {
			testkit.OK(t, os.Remove(filepath.Join(d, "x", "case.json")))
			testkit.OK(t, os.Symlink(filepath.Join(outside, "case.json"), filepath.Join(d, "x", "case.json")))
		}, "x/case.json must be a plain file: links and devices are not read"},
		"a tree by a link": {func(d string) {
			testkit.OK(t, os.RemoveAll(filepath.Join(d, "x", "head")))
			testkit.OK(t, os.Symlink(outside, filepath.Join(d, "x", "head")))
		}, "x/head must be a folder: links and files are not read"},
		"a link among the files":       {func(d string) { testkit.OK(t, os.Symlink("/etc/passwd", filepath.Join(d, "x", "head", "p"))) }, "x/head/p must be a plain file: links and devices are not read"},
		"a link that stays inside":     {func(d string) { testkit.OK(t, os.Symlink("a.txt", filepath.Join(d, "x", "head", "p"))) }, "x/head/p must be a plain file: links and devices are not read"},
		"a folder by a link":           {func(d string) { testkit.OK(t, os.Symlink(outside, filepath.Join(d, "x", "head", "p"))) }, "x/head/p must be a plain file: links and devices are not read"},
		"a large file":                 {func(d string) { put(t, d, "x/head/p", strings.Repeat("x", maxFileBytes+1)) }, "x/head/p must have at most 4194304 bytes"},
		"folders without an end":       {func(d string) { put(t, d, "x/head/"+strings.Repeat("d/", maxDepth+1)+"f", "x") }, "x/head: folders must be at most 64 deep"},
		"a name that moves the cursor": {func(d string) { put(t, d, "\x1b[2J/case.json", "{}") }, `"\x1b[2J" must have the folders base and head, or change.bundle`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, "x/case.json", cleanCase)
			put(t, dir, "x/base/a.txt", "one\n")
			put(t, dir, "x/head/a.txt", "two\n")
			c.make(dir)
			set := Folder(dir)
			_, err := set.Cases(t.Context())
			if err == nil {
				var done func()
				if _, done, err = set.Open(t.Context(), eval.Case{ID: "x"}); err == nil {
					done()
				}
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("the error is\n%v, want\n%s", err, c.want)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	two := []Files{{"a": "x"}, {"a": "y"}}
	for name, c := range map[string]struct {
		c        eval.Case
		versions []Files
		want     string
	}{
		"an id that is a path":    {eval.Case{ID: "../x", Kind: eval.Clean}, two, "id must be a name that a folder can have, without slashes and a leading dot"},
		"a hidden folder":         {eval.Case{ID: ".x", Kind: eval.Clean}, two, "id must be a name that a folder can have, without slashes and a leading dot"},
		"a wrong number of heads": {eval.Case{ID: "x", Kind: eval.Clean, Heads: 3}, two, "heads must be the number of versions behind the base"},
		"no kind":                 {eval.Case{ID: "x"}, two, "kind must be defect or clean"},
		"no head":                 {eval.Case{ID: "x", Kind: eval.Clean}, two[:1], "a case needs a base and 1 to 50 heads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := Write(dir, c.c, c.versions...); err == nil || err.Error() != c.want {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("something was written: %v", left)
			}
		})
	}
}

// empty checks that a folder has no entries, hidden or not.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("something is left: %v, %v", left, err)
	}
}

// A case that cannot be written completely does not appear at all. The remains of an interrupted process are
// skipped.
func TestACaseIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, versions := sumCase()
	broken := Files{strings.Repeat("n", 300): "no file system has such a name"}
	if err := Write(dir, c, versions[0], versions[1], broken); err == nil {
		t.Fatal("it was written")
	}
	empty(t, dir)
	put(t, dir, ".case-123/sum-1/case.json", "{")
	testkit.OK(t, Write(dir, c, versions...))
	list, err := Folder(dir).Cases(t.Context())
	if err != nil || len(list) != 1 {
		t.Errorf("%d cases, %v", len(list), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("a temporary folder is left: %v", left)
	}
}

func TestIDsAreUniqueAndInOrder(t *testing.T) {
	t.Parallel()
	list, err := sorted([]entry{{Case: eval.Case{ID: "b"}}, {Case: eval.Case{ID: "a"}}})
	testkit.OK(t, err)
	if !slices.IsSortedFunc(list, func(a, b entry) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("%v", list)
	}
	if _, err := sorted([]entry{{Case: eval.Case{ID: "b"}}, {Case: eval.Case{ID: "b"}}}); err == nil || err.Error() != `id must be unique: "b" is there twice` {
		t.Errorf("the error is %v", err)
	}
}
