package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/model"
)

// checkout makes a repository with one commit, enters it, and writes files on top.
func checkout(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	git(t, "init", "-q", "-b", "main")
	write(t, map[string]string{"README.md": "# sample\n", "main.go": "package main\n\nfunc main() {}\n"})
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "first")
	write(t, files)
}

func git(t *testing.T, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// leak looks like a credential and was never issued.
func leak() string { return "AK" + "IA" + "Q7RZT5WN" + "K2YDMX4H" }

func leaky() map[string]string {
	return map[string]string{"keys.go": "package main\n\nconst key = \"" + leak() + "\"\n"}
}

func TestReviewExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		args  []string
		code  int
		want  string
	}{
		"nothing changed":  {nil, nil, 0, ""},
		"clean":            {map[string]string{"other.go": "package main\n\nvar answer = 42\n"}, nil, 0, ""},
		"secret":           {leaky(), nil, 1, "keys.go:3"},
		"never":            {leaky(), []string{"--fail-on", "never"}, 0, "keys.go:3"},
		"other paths only": {leaky(), []string{"main.go"}, 0, ""},
		"secret in UTF-16": {map[string]string{"setup.ps1": "\xff\xfe" + strings.Join(strings.Split("$key = '"+leak()+"'\n", ""), "\x00") + "\x00"}, nil, 1, "setup.ps1"},
		"secret by a NUL":  {map[string]string{"main.go": "// \x00\npackage main\n\nconst key = \"" + leak() + "\"\n"}, nil, 1, "main.go"},
		"no longer text":   {map[string]string{"main.go": strings.Repeat("\x01\x02\x03\x00\xfe", 100)}, nil, 2, "main.go (was text and cannot be read"},
		"no text":          {map[string]string{"run.js": strings.Repeat("\x01\x02\x03\x00\xfe", 100)}, []string{"--format", "agent"}, 2, "unread: run.js: cannot be read as text"},
		"a picture":        {map[string]string{"a.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("\x01\x02\x03\x00\xfe", 100)}, nil, 0, "a.png (binary)"},
		"unknown base":     {nil, []string{"--base", "nowhere"}, 2, "nowhere"},
		"bad range":        {nil, []string{"--range", "main"}, 2, "A..B"},
		"missing key file": {nil, []string{"--model-url", "http://127.0.0.1:1/v1", "--model", "m", "--model-key-file", "none"}, 2, "--model-key-file"},
		"bad model url":    {nil, []string{"--model-url", "localhost", "--model", "m"}, 2, "--model-url"},
	} {
		t.Run(name, func(t *testing.T) {
			checkout(t, c.files)
			r := command(t, nil, append([]string{"review"}, c.args...)...)
			if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", r.code, c.code, c.want, r.stdout, r.stderr)
			}
			if strings.Contains(r.stdout+r.stderr, leak()) {
				t.Error("the secret was printed")
			}
			if strings.Contains(r.stdout, "\x1b") {
				t.Error("colours in a file")
			}
		})
	}
	t.Run("no repository", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if r := command(t, nil, "review"); r.code != 2 || r.stderr == "" {
			t.Errorf("exit code %d, %s", r.code, r.stderr)
		}
	})
}

func TestReviewOfStagedAndRange(t *testing.T) {
	checkout(t, leaky())
	if r := command(t, nil, "review", "--staged"); r.code != 0 {
		t.Errorf("nothing is staged: exit code %d\n%s", r.code, r.stdout)
	}
	git(t, "add", ".")
	if r := command(t, nil, "review", "--staged"); r.code != 1 {
		t.Errorf("staged: exit code %d", r.code)
	}
	git(t, "commit", "-q", "-m", "second")
	if r := command(t, nil, "review", "--range", "HEAD~1..HEAD"); r.code != 1 {
		t.Errorf("range: exit code %d\n%s", r.code, r.stdout+r.stderr)
	}
	if r := command(t, nil, "review", "--base", "HEAD"); r.code != 0 {
		t.Errorf("nothing since the last commit: exit code %d\n%s", r.code, r.stdout)
	}
}

func TestReviewFormats(t *testing.T) {
	checkout(t, leaky())
	out := filepath.Join(t.TempDir(), "report")
	for format, want := range map[string]string{"json": `"findings"`, "sarif": `"2.1.0"`, "markdown": "keys.go", "text": "keys.go:3"} {
		r := command(t, nil, "review", "--format", format, "--output", out, "--quiet")
		raw, err := os.ReadFile(out)
		if err != nil || r.code != 1 || r.stdout != "" || r.stderr != "" || !strings.Contains(string(raw), want) || strings.Contains(string(raw), leak()) {
			t.Errorf("%s: exit code %d, %v, %q, %q\n%s", format, r.code, err, r.stdout, r.stderr, raw)
		}
		if (format == "json" || format == "sarif") && !json.Valid(raw) {
			t.Errorf("%s is not JSON", format)
		}
	}
	if r := command(t, nil, "review", "--output", filepath.Join(out, "x")); r.code != 2 {
		t.Errorf("a report that cannot be written: exit code %d", r.code)
	}
}

func TestReviewWithModel(t *testing.T) {
	checkout(t, map[string]string{"mean.go": "package main\n\nfunc mean(v []int) int {\n\tsum := 0\n\tfor _, x := range v {\n\t\tsum += x\n\t}\n\treturn sum / len(v)\n}\n"})
	rules := []model.Rule{
		{Name: "find", Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: []model.Finding{{Path: "mean.go", LineContains: "return sum / len(v)",
			Title: "Division by zero for an empty slice", Explanation: "`len(v)` is 0 for an empty slice, so the division panics.", Trigger: "mean(nil)", Category: "bug", Severity: "high"}}}},
		{Name: "confirm", Match: model.Match{Stage: "verify"}, Reply: model.Reply{Verify: &model.Verify{}}},
	}
	sim, err := model.New(model.Options{APIKey: "k", Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	server := httptest.NewServer(sim.Handler())
	defer server.Close()
	flags := []string{"review", "--model-url", server.URL + "/v1", "--model", "sim-standard"}
	r := command(t, map[string]string{"ASSAY_REVIEW_MODEL_KEY": "k"}, flags...)
	if r.code != 1 || !strings.Contains(r.stdout, "Division by zero") || !strings.Contains(r.stdout, "mean.go:8") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := command(t, nil, flags...); r.code != 2 {
		t.Errorf("a refused key: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	redirect := httptest.NewServer(http.RedirectHandler(server.URL, http.StatusTemporaryRedirect))
	defer redirect.Close()
	flags[2] = redirect.URL + "/v1"
	if r := command(t, map[string]string{"ASSAY_REVIEW_MODEL_KEY": "k"}, flags...); r.code != 2 {
		t.Errorf("an endpoint that redirects: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// If the model fails, the findings of the deterministic checks are reported with the reason, in every
// format.
func TestReviewWithAModelThatFails(t *testing.T) {
	checkout(t, leaky())
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	absent := httptest.NewServer(http.NotFoundHandler())
	defer absent.Close()
	for name, c := range map[string]struct {
		url, why string
	}{
		"down":   {closed.URL + "/v1", "takes no connections"},
		"absent": {absent.URL + "/v1", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			for format, find := range map[string]string{"text": "keys.go:3", "json": `"keys.go"`, "markdown": "keys.go", "sarif": "keys.go"} {
				r := command(t, nil, "review", "--model-url", c.url, "--model", "x", "--model-wait", "0s", "--format", format)
				if r.code != 1 || !strings.Contains(r.stdout, find) || !strings.Contains(r.stdout, "the model failed") || !strings.Contains(r.stdout, c.why) {
					t.Errorf("%s: exit code %d\n%s%s", format, r.code, r.stdout, r.stderr)
				}
			}
		})
	}
	if r := command(t, nil, "review", "--model-url", closed.URL+"/v1", "--model", "x", "--model-wait", "3s"); !strings.Contains(r.stderr, "asked again, for 3s at most") || strings.Count(r.stderr, "does not answer") != 1 {
		t.Errorf("the output does not say exactly once that it waits:\n%s", r.stderr)
	}
	if r := command(t, nil, "review", "--model-url", closed.URL+"/v1", "--model", "x", "--model-wait", "2h"); r.code != exitUsage {
		t.Errorf("too long a wait: exit code %d\n%s", r.code, r.stderr)
	}
}

// A change without findings is incomplete, not clean, if its model failed.
func TestReviewOfACleanChangeWithAModelThatFails(t *testing.T) {
	checkout(t, map[string]string{"other.go": "package main\n\nvar answer = 42\n\nfunc double(n int) int { return n * 2 }\n"})
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	if r := command(t, nil, "review", "--model-url", closed.URL+"/v1", "--model", "x", "--model-wait", "0s"); r.code != 2 || !strings.Contains(r.stdout, "the model failed") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
