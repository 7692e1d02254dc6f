package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

var (
	nightlySteps = regexp.MustCompile(`(?m)^steps=\((.*)\)$`)
	// nightlyCase matches the start of a case of a function of test/nightly.
	nightlyCase = regexp.MustCompile(`(?m)^\t([a-z]+)\)`)
	// nightlyRun matches the pattern and the package of a command with go test.
	nightlyRun = regexp.MustCompile(`go test (\./\S+) -run '?([^' ]+)'?`)
)

// Each step of test/nightly has one note and one command, and each command's pattern selects tests of its package.
func TestNightlyHasACommandForEachStep(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../nightly")
	testkit.OK(t, err)
	steps := strings.Fields(nightlySteps.FindStringSubmatch(string(raw))[1])
	for _, name := range []string{"note", "do_step"} {
		_, rest, _ := strings.Cut(string(raw), "\n"+name+"() {")
		body, _, _ := strings.Cut(rest, "\n}\n")
		var cases []string
		for _, m := range nightlyCase.FindAllStringSubmatch(body, -1) {
			cases = append(cases, m[1])
		}
		if !slices.Equal(cases, steps) {
			t.Errorf("%s has the cases %v, want one for each step: %v", name, cases, steps)
		}
	}
	commands := nightlyRun.FindAllStringSubmatch(string(raw), -1)
	testkit.Require(t, "commands with a pattern were found", len(commands) > 3, true)
	for _, m := range commands {
		tests := testsOf(t, filepath.Join("../..", m[1]))
		for part := range strings.SplitSeq(m[2], "|") {
			of := regexp.MustCompile(part)
			if !slices.ContainsFunc(tests, of.MatchString) {
				t.Errorf("the package %s has no test that matches %s", m[1], part)
			}
		}
	}
}

// testsOf lists the tests of a folder.
func testsOf(t *testing.T, dir string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	testkit.OK(t, err)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		testkit.OK(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(raw), -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// A step without a command, and a step of which only a middle command fails, end test/nightly with an error.
func TestNightlyFails(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../nightly")
	testkit.OK(t, err)
	dir := t.TempDir()
	testkit.OK(t, os.MkdirAll(filepath.Join(dir, "test", "hostile"), 0o755))
	testkit.OK(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	added := nightlySteps.ReplaceAllString(string(raw), "steps=($1 forgotten)")
	for name, text := range map[string]string{"test/nightly": added, "test/hostile/run": "#!/bin/sh\nexit 0\n", "bin/go": "#!/bin/sh\nexit 1\n"} {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755)) //nolint:gosec // programs
	}
	for _, step := range []string{"forgotten", "hostile"} {
		cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "test/nightly"), step)
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "FAILED") {
			t.Errorf("the step %s: %v\n%s", step, err, out)
		}
	}
}
