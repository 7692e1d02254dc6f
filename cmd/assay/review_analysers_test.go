package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// requestReview runs the command review, with child processes.
func requestReview(t *testing.T, vars map[string]string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &env{stdout: &stdout, stderr: &stderr, context: t.Context(), children: children, vars: []string{"ASSAY_DATA_DIR=" + t.TempDir()}}
	for k, v := range vars {
		e.vars = append(e.vars, k+"="+v)
	}
	code := run(append([]string{"review"}, args...), e)
	return result{code, stdout.String(), stderr.String()}
}

// lintProgram makes an analyser from a line of a shell, in a folder that the users of the sandbox may read.
func lintProgram(t *testing.T, line string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "assay-lint-")
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // another user starts the program
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "lint"), []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo lint 1.2.3; exit 0; fi\n"+line+"\n"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "lint")
}

// definitionOf writes a definition of an analyser for shell scripts.
func definitionOf(t *testing.T, program string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "analysers.yaml")
	write(t, map[string]string{file: "analysers:\n  - name: lint\n    program: " + program +
		"\n    command: [\"{files}\"]\n    output: json\n    languages: [Bash]\n"})
	return map[string]string{"ASSAY_ANALYSERS_DEFINITIONS": file}
}

// An analyser that the flag requests runs although no file of the base names it.
func TestReviewWithARequestedAnalyser(t *testing.T) {
	checkout(t, map[string]string{"run.sh": "#!/bin/sh\ncd $1\n"})
	found := `{"results":[{"rule":"r1","level":"error","message":"The folder may be missing","path":"run.sh","line":2}]}`
	vars := definitionOf(t, lintProgram(t, "echo '"+found+"'"))
	r := requestReview(t, vars, "--analyser", "lint")
	if strings.Contains(r.stdout, "no sandbox for programs") {
		t.Skip("the kernel offers no sandbox for programs")
	}
	if r.code != 1 || !strings.Contains(r.stdout, "sast/lint/r1") || !strings.Contains(r.stdout, "lint 1.2.3: 1 result on changed lines") {
		t.Errorf("%d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := requestReview(t, vars); r.code != 0 {
		t.Errorf("without the flag: %d\n%s", r.code, r.stdout)
	}
	write(t, map[string]string{"back\\slash.sh": "cd $1\n"})
	if r := requestReview(t, vars, "--analyser", "lint"); !strings.Contains(r.stdout, "slash.sh: path that is not safe on a file system") {
		t.Errorf("a file that the analyser does not get: %d\n%s", r.code, r.stdout)
	}
	broken := definitionOf(t, lintProgram(t, "exit 3"))
	r = requestReview(t, broken, "--analyser", "lint")
	if r.code != 2 || !strings.Contains(r.stdout, "Requested analysers did not end well: lint.") || strings.Contains(r.stdout, "0 results") {
		t.Errorf("an analyser that fails: %d\n%s", r.code, r.stdout)
	}
}

// A request that cannot be met ends the review with exit code 2 and a sentence about the flag.
func TestRequestsForAnalysersThatCannotRun(t *testing.T) {
	checkout(t, map[string]string{"run.sh": "#!/bin/sh\ncd $1\n", ".assay.yaml": "deterministic:\n  staticAnalysis: false\n"})
	vars := definitionOf(t, lintProgram(t, "echo '{}'"))
	for request, want := range map[string]string{"other": "configured are lint", "shellcheck=": "--analyser entry 1.program must be an absolute path",
		"shellchek=/bin/true": "did you mean shellcheck?"} {
		r := requestReview(t, vars, "--analyser", request)
		if r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s", request, r.code, r.stderr)
		}
	}
	if r := requestReview(t, nil, "--analyser", "other"); r.code != 2 || !strings.Contains(r.stderr, "none is configured") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	git(t, "add", ".assay.yaml")
	git(t, "commit", "-q", "-m", "off")
	if r := requestReview(t, vars, "--analyser", "lint"); r.code != 2 || !strings.Contains(r.stdout, "sets deterministic.staticAnalysis to false") {
		t.Errorf("%d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// An analyser of the whole tree reads files of the checkout that did not change, and neither .git nor files that the checkout ignores.
func TestReviewWithAnAnalyserOfTheWholeTree(t *testing.T) {
	checkout(t, map[string]string{"old.sh": "cd $1\n", ".gitignore": "secret.sh\n"})
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "old")
	write(t, map[string]string{"run.sh": "#!/bin/sh\ncd $1\n", "secret.sh": "x\n"})
	found := `{"results":[{"rule":"r1","level":"error","message":"The folder may be missing","path":"run.sh","line":2},` +
		`{"rule":"r1","level":"error","message":"The folder may be missing","path":"old.sh","line":1}]}`
	vars := definitionOf(t, lintProgram(t, "[ -f old.sh ] && [ -f run.sh ] && [ ! -e .git ] && [ ! -e secret.sh ] || exit 9; echo '"+found+"'"))
	raw, err := os.ReadFile(vars["ASSAY_ANALYSERS_DEFINITIONS"])
	if err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{vars["ASSAY_ANALYSERS_DEFINITIONS"]: strings.Replace(string(raw), `["{files}"]`, "[check]\n    input: tree", 1)})
	r := requestReview(t, vars, "--analyser", "lint")
	if strings.Contains(r.stdout, "no sandbox for programs") {
		t.Skip("the kernel offers no sandbox for programs")
	}
	if r.code != 1 || !strings.Contains(r.stdout, "lint 1.2.3: 1 result on changed lines, 1 elsewhere") {
		t.Errorf("%d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// A list of analysers in the file of the base and the flag add up. No note says that the requested one did not run, and one says so about
// a listed one that is not set up.
func TestReviewWithARequestedAnalyserBesideAList(t *testing.T) {
	for list, absent := range map[string]string{"[lint]": "", "[]": "", "[ruff]": "ruff", "[ruff, lint]": "ruff"} {
		t.Run(list, func(t *testing.T) {
			checkout(t, map[string]string{".assay.yaml": "deterministic:\n  analysers: " + list + "\n"})
			git(t, "add", ".")
			git(t, "commit", "-q", "-m", "list")
			write(t, map[string]string{"run.sh": "#!/bin/sh\ncd $1\n"})
			vars := definitionOf(t, lintProgram(t, `echo '{"results":[{"rule":"r1","level":"error","message":"The folder may be missing","path":"run.sh","line":2}]}'`))
			r := requestReview(t, vars, "--analyser", "lint")
			if strings.Contains(r.stdout, "no sandbox for programs") {
				t.Skip("the kernel offers no sandbox for programs")
			}
			if r.code != 1 || !strings.Contains(r.stdout, "lint 1.2.3: 1 result on changed lines") || strings.Contains(r.stdout, ".assay.yaml:") ||
				strings.Contains(r.stdout, "did not end well") {
				t.Errorf("%d\n%s%s", r.code, r.stdout, r.stderr)
			}
			if got := strings.Contains(r.stdout, "not set up here"); got != (absent != "") || got && !strings.Contains(r.stdout, "not set up here: "+absent+".") {
				t.Error(r.stdout)
			}
		})
	}
}
