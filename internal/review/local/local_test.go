package local

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/testkit"
)

const before = "package shop\n\nfunc One() int {\n\treturn 1\n}\n"

// repo makes a repository with one commit on main and returns its folder.
func repo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "--quiet", "--initial-branch=main")
	write(t, dir, "shop.go", before)
	write(t, dir, ".gitignore", "ignored.go\n")
	commit(t, dir, "first")
	return dir
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
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "--quiet", "-m", message)
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
	testkit.Git(t, dir, "switch", "--quiet", "-c", "feature")
	write(t, dir, "committed.go", conflict("C"))
	commit(t, dir, "second")
	write(t, dir, "staged.go", conflict("S"))
	testkit.Git(t, dir, "add", "staged.go")
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
	testkit.Git(t, fresh, "init", "--quiet")
	for name, tt := range map[string]struct {
		o    Options
		want string
	}{
		"no repository":    {Options{Dir: empty}, "not inside a git working tree"},
		"no commit":        {Options{Dir: fresh, Base: "HEAD"}, "leave --base and --range out"},
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

// trap configures everything that a checkout and its user can have git run, so that each program leaves
// a mark in the returned folder.
func trap(t *testing.T, dir string) (marks string) {
	t.Helper()
	marks = t.TempDir()
	leave := func(name string) string { return "touch '" + filepath.Join(marks, name) + "'; cat" }
	for key, value := range map[string]string{
		"filter.evil.clean": leave("clean"), "filter.evil.smudge": leave("smudge"), "filter.evil.process": leave("process"),
		"diff.external": leave("external"), "diff.evil.command": leave("command"), "diff.evil.textconv": leave("textconv"),
		"core.fsmonitor": leave("fsmonitor"), "core.hooksPath": filepath.Join(dir, ".git", "evil"), "core.sshCommand": leave("ssh"), "core.pager": leave("pager"),
		"core.askPass": leave("askpass"), "core.alternateRefsCommand": leave("refs"), "credential.helper": "!" + leave("credential"), "gpg.program": leave("gpg"),
		"alias.diff": "!" + leave("alias"), "alias.ls-files": "!" + leave("alias"), "alias.rev-parse": "!" + leave("alias"),
	} {
		testkit.Git(t, dir, "config", key, value)
	}
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-commit", "post-checkout", "fsmonitor-watchman"} {
		name := filepath.Join(dir, ".git", "evil", hook)
		write(t, dir, ".git/evil/"+hook, "#!/bin/sh\n"+leave("hook-"+hook)+"\n")
		if err := os.Chmod(name, 0o700); err != nil { //nolint:gosec // the test needs a program
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	write(t, home, ".gitconfig", "[filter \"own\"]\n\tclean = "+leave("user")+"\n[diff]\n\texternal = "+leave("user-external")+"\n[core]\n\tattributesFile = "+filepath.Join(home, "attributes")+"\n")
	write(t, home, "attributes", "*.txt filter=own\n")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	for _, name := range []string{"GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS", "GIT_PAGER", "GIT_EDITOR",
		"GIT_PROXY_COMMAND"} {
		t.Setenv(name, leave(name))
	}
	t.Setenv("GIT_CONFIG_COUNT", "2")
	for i, key := range []string{"core.fsmonitor", "diff.external"} {
		t.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), key)
		t.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), leave("variable-"+key))
	}
	write(t, dir, ".git/info/attributes", "*.go filter=evil diff=evil\n")
	return marks
}

func ran(t *testing.T, marks string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(marks)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestNothingIsExecuted(t *testing.T) { // not parallel: it changes the environment
	for name, o := range map[string]Options{
		"working tree": {}, "index": {Staged: true}, "range": {Range: "HEAD~1..HEAD"}, "some paths": {Paths: []string{"shop.go", "new.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := repo(t)
			write(t, dir, "note.txt", "one\n")
			write(t, dir, ".gitattributes", "*.go filter=evil diff=evil\n*.txt diff=evil\n")
			commit(t, dir, "second")
			write(t, dir, "staged.go", conflict("S"))
			testkit.Git(t, dir, "add", "staged.go")
			marks := trap(t, dir)
			write(t, dir, "shop.go", before+conflict("W")[len("package shop\n"):])
			write(t, dir, "note.txt", "two\n")
			write(t, dir, "new.txt", "three\n")
			o.Dir, o.Checks, o.Environ = dir, checker, os.Environ()
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got := ran(t, marks); len(got) != 0 {
				t.Errorf("these ran: %v", got)
			}
			if name == "working tree" && !paths(r)["shop.go"] {
				t.Error("nothing was found in the working tree")
			}
			cmd := exec.CommandContext(t.Context(), "git", "diff")
			cmd.Dir = dir
			_, _ = cmd.CombinedOutput()
			if len(ran(t, marks)) == 0 {
				t.Error("an ordinary git ran none of the configured programs")
			}
		})
	}
}

// Nothing is written to the checkout, not even to its index.
func TestTheCheckoutStaysAsItIs(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "shop.go", before+"\nvar X = 1\n")
	write(t, dir, "new.go", "package shop\n")
	state := func() (out string) {
		if err := filepath.WalkDir(filepath.Join(dir, ".git"), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			out += path
			if err == nil && !strings.Contains(path, "/objects/") { // git marks the file of an object as used
				out += info.ModTime().String()
			}
			out += "\n"
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	was := state()
	for _, o := range []Options{{}, {Staged: true}, {Range: "HEAD..HEAD"}} {
		o.Dir, o.Checks = dir, checker
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if is := state(); is != was {
		t.Errorf("before:\n%s\nafter:\n%s", was, is)
	}
}

// A Go file above the bound of a file is named, and the rest is reviewed.
func TestALargeFileIsNamed(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "table.go", "package shop\n\n"+strings.Repeat("var _ = \"one of very many lines of a table that a program wrote\"\n", 80_000))
	commit(t, dir, "a table")
	testkit.Git(t, dir, "switch", "--quiet", "-c", "feature")
	table, err := os.ReadFile(filepath.Join(dir, "table.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "table.go", string(table)+"var last = 1\n")
	write(t, dir, "bug.go", conflict("B"))
	commit(t, dir, "second")
	var out bytes.Buffer
	r, err := Run(t.Context(), Options{Dir: dir, Range: "main..HEAD", Checks: checker, Out: &out})
	if err != nil {
		t.Fatal(err)
	}
	if !paths(r)["bug.go"] {
		t.Errorf("found %v", paths(r))
	}
	if !strings.Contains(out.String(), "table.go (file too large") {
		t.Errorf("the large file is not named:\n%s", out.String())
	}
}
