package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// conflicting makes a checkout with two branches that change the same line.
func conflicting(t *testing.T) {
	t.Helper()
	checkout(t, nil)
	git(t, "switch", "-q", "-c", "topic")
	committed(t, map[string]string{"main.go": "package main\n\nfunc main() { topic() }\n"})
	git(t, "switch", "-q", "main")
	committed(t, map[string]string{"main.go": "package main\n\nfunc main() { other() }\n"})
}

// TestReviewOfAnIndexWithAConflict reviews a staged index that git refuses to commit: the review ends with an error.
func TestReviewOfAnIndexWithAConflict(t *testing.T) {
	for _, args := range [][]string{{"merge", "topic"}, {"rebase", "topic"}, {"cherry-pick", "topic"}, {"merge", "--squash", "topic"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			conflicting(t)
			out, err := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...).CombinedOutput()
			if err == nil {
				t.Fatalf("the merge has no conflict: %s", out)
			}
			for _, more := range [][]string{nil, {"--base", "HEAD"}, {"README.md"}} {
				r := command(t, nil, append([]string{"review", "--staged"}, more...)...)
				if r.code != 2 || !strings.Contains(r.stderr, "main.go") || !strings.Contains(r.stderr, "git add") {
					t.Errorf("%v: exit code %d\n%s%s", more, r.code, r.stdout, r.stderr)
				}
			}
			if r := command(t, nil, "review", "--base", "HEAD"); r.code != 1 || !strings.Contains(r.stdout, "conflict") {
				t.Errorf("the working tree: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
			}
			write(t, map[string]string{"main.go": "package main\n\nconst key = \"" + leak() + "\"\n"})
			git(t, "add", "main.go")
			if r := command(t, nil, "review", "--staged"); r.code != 1 || !strings.Contains(r.stdout, "main.go:3") {
				t.Errorf("after git add: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// A file added with intent to add, and a file whose changes git ignores by a flag, are not in the
// commit that git makes.
func TestReviewOfWhatAnIndexHides(t *testing.T) {
	checkout(t, leaky())
	git(t, "add", "--intent-to-add", "keys.go")
	if r := command(t, nil, "review", "--staged"); r.code != 0 {
		t.Errorf("announced: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := command(t, nil, "review"); r.code != 1 {
		t.Errorf("announced, in the working tree: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for _, flag := range []string{"skip-worktree", "assume-unchanged"} {
		checkout(t, map[string]string{"main.go": leaky()["keys.go"]})
		git(t, "add", ".")
		git(t, "update-index", "--"+flag, "main.go")
		write(t, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
		for _, args := range [][]string{{"--staged"}, nil} {
			if r := command(t, nil, append([]string{"review"}, args...)...); r.code != 1 || !strings.Contains(r.stdout, "main.go:3") {
				t.Errorf("%s %v: exit code %d\n%s%s", flag, args, r.code, r.stdout, r.stderr)
			}
		}
	}
}

// A secret that was committed and removed only in the working tree is pushed: the hook finds it, and a
// review of the working tree says that the commits differ.
func TestASecretThatOnlyTheWorkingTreeRemoves(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	git(t, "switch", "-q", "-c", "topic")
	committed(t, leaky())
	write(t, map[string]string{"keys.go": "package main\n\nconst key = \"\"\n"})
	r := command(t, nil, "review", "--base", "main")
	if r.code != 0 || !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), "1 file was reviewed as in the working tree, not as it is committed") || !strings.Contains(r.stdout, "--range main..HEAD") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := command(t, nil, "review", "--range", "main..HEAD"); r.code != 1 || !strings.Contains(r.stdout, "keys.go:3") {
		t.Errorf("the commits: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	hook(t, program, "install", "--fail-on", "high")
	if said, through := push(t, "origin", "topic"); through || !strings.Contains(said, "keys.go:3") {
		t.Errorf("let through: %v\n%s", through, said)
	}
	write(t, map[string]string{"keys.go": leaky()["keys.go"]})
	if r := command(t, nil, "review", "--base", "main"); strings.Contains(r.stdout, "as it is committed") {
		t.Errorf("the output names a difference, though nothing differs\n%s", r.stdout)
	}
}

// The report of an earlier review does not outlive a review that fails, in any format.
func TestAnOlderReportIsReplaced(t *testing.T) {
	checkout(t, nil)
	out := filepath.Join(t.TempDir(), "report")
	for _, format := range []string{"text", "markdown", "agent", "json", "sarif", "code-quality"} {
		write(t, map[string]string{out: "an older report"})
		r := command(t, nil, "review", "--base", "nowhere", "--format", format, "-o", out)
		raw, err := os.ReadFile(out)
		if err != nil || r.code != 2 || strings.Contains(string(raw), "older") || !strings.Contains(string(raw), "nowhere") {
			t.Errorf("%s: exit code %d, %v, %q", format, r.code, err, raw)
		}
	}
}

// A report that cannot be written is an error that is printed once.
func TestAReportThatCannotBeWritten(t *testing.T) {
	checkout(t, nil)
	out := filepath.Join(t.TempDir(), "absent", "report")
	for _, format := range []string{"text", "json"} {
		if r := command(t, nil, "review", "--base", "HEAD", "--format", format, "-o", out); r.code != 2 || strings.Count(r.stderr, "write the report") != 1 {
			t.Errorf("%s: exit code %d, %q", format, r.code, r.stderr)
		}
	}
}

// A finding selected by --fail-on fails the command and is shown, even a minor one in a document.
func TestFailOnLow(t *testing.T) {
	checkout(t, map[string]string{"notes.md": "ad\u200bmin\n"})
	for severity, code := range map[string]int{"low": 1, "info": 1, "medium": 0, "never": 0} {
		for _, format := range []string{"text", "markdown", "agent", "json", "sarif", "code-quality"} {
			r := command(t, nil, "review", "--fail-on", severity, "--format", format)
			if r.code != code || strings.Contains(r.stdout, "assay/unicode-zero-width") != (code == 1) {
				t.Errorf("%s, %s: exit code %d\n%s%s", severity, format, r.code, r.stdout, r.stderr)
			}
		}
	}
	if r := command(t, nil, "review", "--all"); strings.Contains(r.stdout, "nothing found") {
		t.Errorf("the report shows a finding and says that it found nothing\n%s", r.stdout)
	}
}

// If assay does not install its hook, it prints the line to add, and the line works.
func TestTheLineForASharedHook(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	hooks := t.TempDir()
	git(t, "config", "core.hooksPath", hooks)
	out, err := exec.Command(program, "hook", "install", "--fail-on", "high").CombinedOutput()
	lines := strings.Split(string(out), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "    '") })
	if err == nil || at < 0 || !strings.Contains(string(out), filepath.Join(hooks, "pre-push")) {
		t.Fatalf("no line to add: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(hooks, "pre-push"), []byte("#!/bin/sh\n"+lines[at]+"\n"), 0o755); err != nil { //nolint:gosec // a hook is a program
		t.Fatal(err)
	}
	committed(t, leaky())
	if said, through := push(t, "origin", "main"); through || !strings.Contains(said, "keys.go:3") {
		t.Errorf("let through: %v\n%s", through, said)
	}
}

// A model that answers with errors or with an unusable answer never makes a review clean.
func TestModelsThatAnswerWithErrors(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"500": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", 500) },
		"503": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", 503) },
		"429": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			http.Error(w, "slow down", 429)
		},
		"401":          func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "key", 401) },
		"400":          func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":{"message":"no"}}`, 400) },
		"redirect":     func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/login"); w.WriteHeader(302) },
		"a page":       func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>sign in</html>")) },
		"nothing":      func(http.ResponseWriter, *http.Request) {},
		"another JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"ok":true}`)) },
		"no choices":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"choices":[]}`)) },
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"error":{"message":"overloaded"}}`))
		},
		"cut off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"empty content": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`))
		},
		"words": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"Looks good to me!"},"finish_reason":"stop"}]}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkout(t, map[string]string{"other.go": "package main\n\nfunc double(n int) int { return n * 2 }\n"})
			s := httptest.NewServer(answer)
			defer s.Close()
			r := command(t, nil, "review", "--model-url", s.URL+"/v1", "--model", "x", "--model-wait", "0s")
			if r.code != 2 || !strings.Contains(r.stdout, "model") {
				t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
			}
			if r = command(t, nil, "review", "--model-url", s.URL+"/v1", "--model", "x", "--model-wait", "0s", "--format", "json"); !strings.Contains(r.stdout, `"complete": false`) {
				t.Errorf("the document is complete\n%s", r.stdout)
			}
		})
	}
}

// Outside of a checkout the message gives a remedy.
func TestReviewOutsideOfACheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"review"}, {"hook", "install"}} {
		if r := command(t, nil, args...); r.code == 0 || !strings.Contains(r.stderr, "cd") {
			t.Errorf("%v: exit code %d, %s", args, r.code, r.stderr)
		}
	}
}
