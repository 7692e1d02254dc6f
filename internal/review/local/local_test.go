package local

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/report"
)

const before = "package shop\n\nfunc One() int {\n\treturn 1\n}\n"

// repo makes a repository with one commit on main and returns its folder.
func repo(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run(t, dir, "init", "--quiet", "--initial-branch=main")
	write(t, dir, "shop.go", before)
	write(t, dir, ".gitignore", "ignored.go\n")
	commit(t, dir, "first")
	return dir
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(clean(os.Environ()), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, dir, message string) {
	t.Helper()
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "--quiet", "-m", message)
}

// conflict is content that a deterministic check reports.
func conflict(marker string) string {
	return "package shop\n\n" + strings.Repeat("<", 7) + " HEAD\nvar " + marker + " = 1\n" + strings.Repeat("=", 7) + "\nvar B = 2\n" + strings.Repeat(">", 7) + " other\n"
}

var checker = func() *check.Checker {
	s, err := check.NewScanner()
	if err != nil {
		panic(err)
	}
	return &check.Checker{Scanner: s}
}()

func paths(r report.Report) map[string]bool {
	out := map[string]bool{}
	for _, f := range r.Result.Findings {
		out[f.Anchor.Path] = true
	}
	return out
}

func TestWhatIsCompared(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	run(t, dir, "switch", "--quiet", "-c", "feature")
	write(t, dir, "committed.go", conflict("C"))
	commit(t, dir, "second")
	write(t, dir, "staged.go", conflict("S"))
	run(t, dir, "add", "staged.go")
	write(t, dir, "sub/new file.go", conflict("U"))
	write(t, dir, "ignored.go", conflict("I"))
	write(t, dir, "shop.go", before+conflict("W")[len("package shop\n"):])

	for name, tt := range map[string]struct {
		o    Options
		want []string
	}{
		"working tree against the default base": {Options{}, []string{"committed.go", "staged.go", "sub/new file.go", "shop.go"}},
		"working tree against the last commit":  {Options{Base: "HEAD"}, []string{"staged.go", "sub/new file.go", "shop.go"}},
		"staged":                                {Options{Staged: true}, []string{"staged.go"}},
		"range":                                 {Options{Range: "main..HEAD"}, []string{"committed.go"}},
		"three-dot range to a branch":           {Options{Range: "main...feature"}, []string{"committed.go"}},
		"open range":                            {Options{Range: "main.."}, []string{"committed.go"}},
		"empty range":                           {Options{Range: "HEAD..main"}, nil},
		"only some paths":                       {Options{Paths: []string{"sub"}}, []string{"sub/new file.go"}},
		"a path from a folder below":            {Options{Dir: "sub", Paths: []string{"new file.go"}}, []string{"sub/new file.go"}},
		"this folder":                           {Options{Dir: "sub", Paths: []string{"."}}, []string{"sub/new file.go"}},
		"from a folder below":                   {Options{Dir: "sub"}, []string{"committed.go", "staged.go", "sub/new file.go", "shop.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.o.Dir, tt.o.Checks = filepath.Join(dir, tt.o.Dir), checker
			got, err := Run(t.Context(), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			found := paths(got)
			if len(found) != len(tt.want) {
				t.Errorf("found %v, want %v", found, tt.want)
			}
			for _, p := range tt.want {
				if !found[p] {
					t.Errorf("nothing found in %s", p)
				}
				if len(got.Frames[p]) == 0 {
					t.Errorf("no code frame for %s", p)
				}
			}
		})
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	empty := t.TempDir()
	fresh := t.TempDir()
	run(t, fresh, "init", "--quiet")
	for name, tt := range map[string]struct {
		o    Options
		want string
	}{
		"no repository":    {Options{Dir: empty}, "not inside a git working tree"},
		"no commit":        {Options{Dir: fresh}, "no commit yet"},
		"unknown base":     {Options{Dir: dir, Base: "nowhere"}, `no commit "nowhere"`},
		"option as base":   {Options{Dir: dir, Base: "--output=x"}, "not a revision"},
		"no range":         {Options{Dir: dir, Range: "main"}, "A..B"},
		"unknown in range": {Options{Dir: dir, Range: "main..nowhere"}, `no commit "nowhere"`},
		"two choices":      {Options{Dir: dir, Range: "a..b", Staged: true}, "not both"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.o.Checks = checker
			if _, err := Run(t.Context(), tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestCleanReview(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "shop.go", before+"\nfunc Two() int { return 2 }\n")
	var out, line bytes.Buffer
	r, err := Run(t.Context(), Options{Dir: dir, Checks: checker, Out: &out, Progress: &line})
	if err != nil {
		t.Fatal(err)
	}
	high := domain.High
	if r.ExitCode(&high) != report.ExitClean || !strings.Contains(out.String(), "nothing found") || !strings.Contains(out.String(), "no model is configured") {
		t.Errorf("exit code %d, output:\n%s", r.ExitCode(&high), out.String())
	}
	if !strings.HasSuffix(line.String(), "\r\x1b[K") {
		t.Error("the progress line was not cleared")
	}
	if r.Result.ModelState != engine.ModelNone {
		t.Errorf("model state %s", r.Result.ModelState)
	}
}

func TestNothingIsExecuted(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	mark := filepath.Join(t.TempDir(), "executed")
	write(t, dir, "evil.sh", "#!/bin/sh\ntouch "+mark+"\n")
	if err := os.Chmod(filepath.Join(dir, "evil.sh"), 0o700); err != nil { //nolint:gosec // the test needs a program
		t.Fatal(err)
	}
	evil := filepath.Join(dir, "evil.sh")
	run(t, dir, "config", "diff.external", evil)
	run(t, dir, "config", "core.fsmonitor", evil)
	run(t, dir, "config", "diff.x.textconv", evil)
	run(t, dir, "config", "core.pager", evil)
	write(t, dir, ".gitattributes", "*.go diff=x\n")
	write(t, dir, "shop.go", before+"\nvar X = 1\n")
	if _, err := Run(t.Context(), Options{Dir: dir, Checks: checker}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the repository's configuration ran")
	}
}

func TestSourceStaysInside(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := &source{root: root, cache: map[string][]byte{}}
	for _, p := range []string{"link", "../" + filepath.Base(filepath.Dir(outside)) + "/secret", outside, "sub", "absent"} {
		if b, err := s.Blob(context.Background(), domain.Right, p); err == nil {
			t.Errorf("%s gave %q", p, b)
		}
	}
	if b, err := s.Blob(context.Background(), domain.Right, "shop.go"); err != nil || string(b) != before {
		t.Errorf("shop.go: %q, %v", b, err)
	}
}
