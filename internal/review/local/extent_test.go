package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// absent is a model that is down.
type absent struct{ llm.Client }

func (absent) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "down"}
}

// document is a report as JSON, and the extents and reasons of its files.
func document(t *testing.T, r report.Report) (doc report.Document, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, r, report.Options{Format: "json"}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, n := range slices.Concat(doc.Coverage.Reviewed, doc.Coverage.Skimmed, doc.Coverage.Skipped) {
		if files[n.Path] != "" {
			t.Errorf("%s is there twice", n.Path)
		}
		files[n.Path] = strings.TrimSuffix(n.Extent+": "+n.Why, ": ")
	}
	return doc, files
}

// If a routed model does not answer, its files are unread, and the rest is checked with a reason.
func TestFilesOfAModelThatIsDown(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "gone.go", "package shop\n\nfunc Gone() string { return \"no file of the change is like this one\" }\n")
	write(t, dir, "old.go", "package shop\n\nvar Moved = 2\n// more\n")
	commit(t, dir, "more")
	testkit.Git(t, dir, "rm", "-q", "gone.go")
	testkit.Git(t, dir, "mv", "old.go", "new.go")
	write(t, dir, "code.go", "package shop\n\nvar A = 1\n")
	write(t, dir, "README.md", "# Words\n")
	write(t, dir, "x.pb.go", "package shop\n\nvar B = 1\n")
	write(t, dir, "huge.go", "package shop\n"+strings.Repeat("// a line of a huge file\n", 250_000))
	testkit.Git(t, dir, "add", "huge.go")
	route := ask.Route{Client: absent{}, Model: "m"}
	for name, o := range map[string]Options{
		"down": {Models: &ask.Models{Fast: route, Standard: route, Strong: route}}, "too slow": {ModelNote: "the model took longer than 2m0s"},
	} {
		o.Dir, o.Base, o.Checks = dir, "HEAD", checker
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		doc, files := document(t, r)
		for path, want := range map[string]string{"code.go": "unread: the model did not read it", "README.md": "checked: docs", "gone.go": "checked: deleted", "new.go": "checked: no line changed", "x.pb.go": "unread: ", "huge.go": "unread: "} {
			if got := files[path]; !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q, want %q", name, path, got, want)
			}
		}
		if doc.Files.String() != "0 read, 0 in part, 3 checked, 3 unread" || r.ExitCode(nil) != report.ExitError {
			t.Errorf("%s: %s, exit code %d", name, doc.Files, r.ExitCode(nil))
		}
	}
	r, err := Run(t.Context(), Options{Dir: dir, Base: "HEAD", Checks: checker})
	if err != nil || r.Files().Unread > 0 || r.ExitCode(nil) != report.ExitClean {
		t.Errorf("no model was asked for: %s, %v", r.Files(), err)
	}
}

// New files that were left out count as unread, each once, and are in the coverage up to a bound.
func TestLeftOutFilesAreUnread(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "big.js", strings.Repeat("let a = 1\n", snapshot.MaxNewSize/8))
	write(t, dir, "film.bin", strings.Repeat("\x00\x01\x02\xff\x03", snapshot.MaxNewSize/4))
	testkit.Git(t, dir, "init", "-q", filepath.Join(dir, "inside"))
	r, err := Run(t.Context(), Options{Dir: dir, Base: "HEAD", Checks: checker})
	if err != nil {
		t.Fatal(err)
	}
	if doc, files := document(t, r); doc.Files.Unread != 2 || !maps.Equal(files, map[string]string{"big.js": "unread: larger than 1 MiB", "film.bin": "unread: larger than 1 MiB"}) {
		t.Errorf("%s: %v", doc.Files, files)
	}
	for i := range snapshot.MaxNew + maxLeft + 7 {
		write(t, dir, fmt.Sprintf("new/%05d.txt", i), "")
	}
	if r, err = Run(t.Context(), Options{Dir: dir, Base: "HEAD", Checks: checker}); err != nil {
		t.Fatal(err)
	}
	doc, files := document(t, r)
	if doc.Files.Unread != maxLeft+9 || len(files) != snapshot.MaxNew+maxLeft || files["new/00200.txt"] != "unread: beyond the first 200 new files" || !strings.Contains(strings.Join(doc.Notices, "\n"), "9 files more that count as unread are not named") {
		t.Errorf("%s, %d files, %q", doc.Files, len(files), doc.Notices)
	}
}

// Paths that are not UTF-8 are distinct in every format, and their findings have lines and code.
func TestPathsThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	if err := os.WriteFile(filepath.Join(dir, "\xff"), nil, 0o600); err != nil {
		t.Skip("the file system takes UTF-8 alone")
	}
	names := map[string]string{"\xff\xfe.py": `"\377\376.py"`, "\xff\xfd.py": `"\377\375.py"`, `"\377\376.py"`: `"\"\\377\\376.py\""`, "ü.py": "ü.py"}
	for name := range names {
		write(t, dir, name, strings.TrimPrefix(conflict("X"), "package shop\n"))
	}
	r, err := Run(t.Context(), Options{Dir: dir, Base: "HEAD", Checks: checker})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := report.Write(&b, r, report.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for name, shown := range names {
			switch format {
			case "sarif": // its URIs encode the bytes
				shown = map[string]string{"\xff\xfe.py": "%FF%FE.py", "\xff\xfd.py": "%FF%FD.py", `"\377\376.py"`: "%22%5C377%5C376.py%22", "ü.py": "%C3%BC.py"}[name]
			case "json", "code-quality":
				raw, _ := json.Marshal(shown)
				shown = string(raw)
			default:
				shown += ":2"
			}
			if !strings.Contains(got, shown) {
				t.Errorf("%s lacks %s:\n%s", format, shown, got)
			}
		}
		if strings.Contains(got, "\xff") || strings.Contains(got, `\ufffd`) || strings.Contains(got, "\ufffd") {
			t.Errorf("%s has bytes that are not UTF-8:\n%s", format, got)
		}
		if lines := map[string]string{"terminal": "> 2 | <<<<<<< HEAD", "agent": "2|<<<<<<< HEAD", "markdown": "\n<<<<<<< HEAD", "json": `"startLine": 2`, "code-quality": `"begin": 2`, "sarif": `"startLine": 2`}[format]; strings.Count(got, lines) < len(names) {
			t.Errorf("%s: findings lack their lines:\n%s", format, got)
		}
	}
	if _, err := Run(t.Context(), Options{Dir: dir, Base: "HEAD", Checks: checker, Paths: []string{"\xfa"}}); err == nil || !strings.Contains(err.Error(), `"\372"`) {
		t.Errorf("a path that is not there: %v", err)
	}
}
