package analysers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/sandbox"
)

var launcher *sandbox.Launcher

func TestMain(m *testing.M) {
	launcher = sandbox.Enter(map[string]sandbox.Work{ReadWork: Serve})
	os.Exit(m.Run())
}

// script makes a program from lines of a shell, in a folder that other users may read. It reports version 1.2.3.
func script(t *testing.T, lines string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "assay-script-")
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	at := filepath.Join(folder, "analyser")
	text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo \"fake analyser 1.2.3\"; exit 0; fi\n" + lines + "\n"
	if err := os.WriteFile(at, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return at
}

// fake is an analyser of shell scripts whose program is one itself.
func fake(program string) Analyser {
	return Analyser{Name: "fake", Path: program, Profile: Profile{Command: []string{placeFiles}, Format: FormatJSON, Paths: []string{"**"},
		Time: 20 * time.Second, Memory: 512 << 20}}
}

// files are the files of a head.
type files map[string]string

func (f files) read(_ context.Context, path string) ([]byte, error) {
	s, ok := f[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(s), nil
}

func (f files) request(names ...string) Request {
	q := Request{Names: names, Read: f.read}
	for p := range f {
		q.Files = append(q.Files, File{Path: p})
	}
	slices.SortFunc(q.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return q
}

// runOne runs one analyser. It skips the test on a kernel without a sandbox for programs.
func runOne(t *testing.T, a Analyser, q Request) Outcome {
	t.Helper()
	q.Names = []string{a.Name}
	out, err := (&Runner{Launcher: launcher, Analysers: []Analyser{a}}).Run(t.Context(), q)
	if err != nil || len(out) != 1 {
		t.Fatalf("%v, %v", out, err)
	}
	if out[0].Failure == Sandbox {
		t.Skip("the kernel offers no sandbox for programs")
	}
	return out[0]
}

func TestResultsOfAnAnalyser(t *testing.T) {
	t.Parallel()
	report := `{"tool":"t","results":[{"rule":"r1","level":"error","message":"m","path":"./a/b.sh","line":2,"help":"https://example.com/r1"},` +
		`{"rule":"r2","path":"/etc/passwd","line":1},{"rule":"r2","path":"../out","line":1},{"rule":"r2","path":"other.go","line":1}]}`
	a := fake(script(t, `printf '%s' '`+report+`'; [ "$*" = "./-x.sh ./a/b.sh" ] || exit 9; [ -z "$ASSAY_SECRET" ] || exit 8`))
	out := runOne(t, a, files{"a/b.sh": "a\nb\n", "-x.sh": "x"}.request())
	if out.Failure != "" || out.Version != "1.2.3" || out.Grade == "" || out.Foreign != 3 || len(out.Files) != 2 {
		t.Fatalf("%+v", out)
	}
	run := out.Document.Runs[0]
	if len(run.Results) != 1 || run.Results[0].Path != "a/b.sh" || run.Results[0].StartLine != 2 || run.Version != "1.2.3" || run.Duration <= 0 ||
		run.Rules["r1"].Help != "https://example.com/r1" || !run.Successful {
		t.Errorf("%+v", run)
	}
}

// Each way to fail is an outcome of its own, and never an error of the review.
func TestFailuresOfAnAnalyser(t *testing.T) {
	t.Setenv("ASSAY_SECRET", "PRIVATE")
	for name, tc := range map[string]struct {
		script string
		change func(*Analyser)
		want   Reason
	}{
		"exit code":          {"echo '{}'; exit 3", nil, Exit},
		"a known exit code":  {"echo '{}'; exit 1", func(a *Analyser) { a.Codes = []int{1} }, ""},
		"broken JSON":        {"echo '{'", nil, Report},
		"no output":          {":", nil, Report},
		"broken SARIF":       {"echo '{}'", func(a *Analyser) { a.Format = FormatSARIF }, Report},
		"too slow":           {"while :; do :; done", func(a *Analyser) { a.Time = time.Second }, Time},
		"too much output":    {"x=0123456789012345678901234567890123456789012345678901234567890123; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; while :; do echo $x$x$x$x; done", nil, Output},
		"another version":    {"echo '{}'", func(a *Analyser) { a.Version = "1.3" }, Version},
		"part of a version":  {"echo '{}'", func(a *Analyser) { a.Version = "1.2" }, ""},
		"part of a number":   {"echo '{}'", func(a *Analyser) { a.Version = "1.2.30" }, Version},
		"a missing program":  {"", func(a *Analyser) { a.Path += "-missing" }, NoProgram},
		"a folder":           {"", func(a *Analyser) { a.Path = filepath.Dir(a.Path) }, NoProgram},
		"a second process":   {"/bin/true || exit 7; echo '{}'", nil, Exit},
		"killed by a signal": {"kill -KILL $$; kill -SEGV $$; exit 5", nil, Exit},
	} {
		t.Run(name, func(t *testing.T) {
			a := fake(script(t, tc.script))
			if tc.change != nil {
				tc.change(&a)
			}
			out := runOne(t, a, files{"a.sh": "x\n"}.request())
			if out.Failure != tc.want && (name != "killed by a signal" || out.Failure != Memory && out.Failure != Crash) {
				t.Errorf("%+v", out)
			}
		})
	}
	out, err := (&Runner{Launcher: launcher}).Run(t.Context(), files{"a.sh": "x"}.request("other"))
	if err != nil || len(out) != 1 || out[0].Failure != Absent {
		t.Errorf("an analyser that is not configured: %+v, %v", out, err)
	}
	failed := errors.New("the database is away")
	_, err = (&Runner{Launcher: launcher, Analysers: []Analyser{fake(script(t, ""))}}).Run(t.Context(), Request{Names: []string{"fake"},
		Files: []File{{Path: "a.sh"}}, Read: func(context.Context, string) ([]byte, error) { return nil, failed }})
	if !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
}

// A program that fails for one file keeps its results for the others.
func TestResultsOfAFailedAnalyser(t *testing.T) {
	t.Parallel()
	out := runOne(t, fake(script(t, `echo '{"results":[{"rule":"r1","message":"m","path":"a.sh","line":1}]}'; exit 2`)), files{"a.sh": "x\n"}.request())
	if out.Failure != Exit || out.Code != 2 || !out.Reported() || len(out.Document.Runs) != 1 || out.Document.Runs[0].Successful ||
		len(out.Document.Runs[0].Results) != 1 || out.Document.Runs[0].Notes[0] != "exit code 2" {
		t.Errorf("%+v", out)
	}
}

func TestFilesThatAnAnalyserDoesNotGet(t *testing.T) {
	t.Parallel()
	f := files{"good.sh": "x", "large.sh": strings.Repeat("x", maxFile+1), ".git/config": "x", "a/.GIT/hooks/x": "x", "../out.sh": "x", "/abs.sh": "x",
		"a//b.sh": "x", "new\nline.sh": "x", "a/.eslintrc.json": "x", "sub/sgconfig.yml": "x", "PyProject.toml": "x", ".env.local": "x", "good.sh/below": "x",
		"\xff\xfe.sh": "x", strings.Repeat("a", 256): "x", strings.Repeat("a/", 600) + "x": "x"}
	q := f.request()
	q.Files = append(q.Files, File{Path: "absent.sh"})
	w, err := newWorkspace(t.Context(), Analyser{}, q.Files, q)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if len(w.given) != 1 || w.given[0] != "good.sh" || len(w.left) != len(f) {
		t.Errorf("given %q, left %q", w.given, w.left)
	}
	if err := filepath.WalkDir(w.tree, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && p != filepath.Join(w.tree, "good.sh") {
			t.Errorf("%s was written", p)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	many := files{}
	for i := range maxFiles + 5 {
		many[fmt.Sprintf("%05d.sh", i)] = ""
	}
	q = many.request()
	w, err = newWorkspace(t.Context(), Analyser{}, q.Files, q)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if len(w.given) != maxFiles || len(w.left) != 5 || w.left[0].Why != whyMany {
		t.Errorf("given %d, left %q", len(w.given), w.left)
	}
}
