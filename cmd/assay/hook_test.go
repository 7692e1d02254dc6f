package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// pushed makes a checkout with a remote that has its first commit.
func pushed(t *testing.T) {
	t.Helper()
	checkout(t, nil)
	remote := filepath.Join(t.TempDir(), "remote.git")
	git(t, "init", "-q", "--bare", remote)
	git(t, "remote", "add", "origin", remote)
	git(t, "push", "-q", "origin", "main")
}

// push pushes and returns the output, and whether the push was let through.
func push(t *testing.T, args ...string) (said string, through bool) {
	t.Helper()
	out, err := exec.Command("git", append([]string{"push"}, args...)...).CombinedOutput()
	return string(out), err == nil
}

func committed(t *testing.T, files map[string]string) {
	t.Helper()
	write(t, files)
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "more")
}

// hook runs the built program, because the hook names the program that installed it.
func hook(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, append([]string{"hook"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("assay hook %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestThePrePushHook(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	hook(t, program, "install")
	committed(t, leaky())
	said, through := push(t, "origin", "main")
	if !through || !strings.Contains(said, "keys.go:3") || strings.Contains(said, leak()) {
		t.Fatalf("let through: %v. Findings must be shown without holding the push back\n%s", through, said)
	}

	hook(t, program, "install", "--fail-on", "high")
	committed(t, map[string]string{"more.go": strings.Replace(leaky()["keys.go"], "key", "other", 1)})
	if said, through = push(t, "origin", "main", "main:refs/heads/copy"); through || !strings.Contains(said, "more.go:3") || !strings.Contains(said, "--no-verify") {
		t.Errorf("let through: %v, with a secret\n%s", through, said)
	}
	if strings.Contains(said, "keys.go:3") {
		t.Errorf("findings that the remote already has are reported again\n%s", said)
	}
	if said, through = push(t, "--no-verify", "origin", "main"); !through {
		t.Errorf("--no-verify is kept back\n%s", said)
	}

	git(t, "switch", "-q", "-c", "topic", "HEAD~2") // a new branch is compared with the default branch
	committed(t, map[string]string{"fine.go": "package main\n\nvar answer = 42\n"})
	if said, through = push(t, "origin", "topic"); !through || !strings.Contains(said, "nothing found") {
		t.Errorf("let through: %v, a clean branch\n%s", through, said)
	}
	if said, through = push(t, "origin", ":topic"); !through || strings.Contains(said, "assay") {
		t.Errorf("let through: %v, deleting a branch\n%s", through, said)
	}
	if text := hook(t, program, "remove"); !strings.Contains(text, "gone") {
		t.Errorf("remove says %q", text)
	}
	if text := hook(t, program, "remove"); !strings.Contains(text, "no hook of assay") {
		t.Errorf("a second remove says %q", text)
	}
}

// TestAHookThatFailsLetsThrough makes the hook fail in every way.
func TestAHookThatFailsLetsThrough(t *testing.T) {
	program := testkit.Binary(t)
	for name, breaks := range map[string]func(t *testing.T, hook string){
		"no such program":                func(t *testing.T, hook string) { replaceIn(t, hook, program, filepath.Join(t.TempDir(), "gone")) },
		"an older program without hooks": func(t *testing.T, hook string) { replaceIn(t, hook, "'hook' 'pre-push'", "'hooks'") },
		"too slow":                       func(t *testing.T, hook string) { replaceIn(t, hook, "'2m0s'", "'1ns'") },
		"a wrong model":                  func(t *testing.T, _ string) { t.Setenv("ASSAY_REVIEW_MODEL", "m") },
		"a model that is down": func(t *testing.T, _ string) {
			t.Setenv("ASSAY_REVIEW_MODEL", "m")
			t.Setenv("ASSAY_REVIEW_MODEL_URL", "http://127.0.0.1:1/v1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			pushed(t)
			hook(t, program, "install", "--fail-on", "info")
			breaks(t, filepath.Join(".git", "hooks", "pre-push"))
			committed(t, map[string]string{"fine.go": "package main\n\nvar answer = 42\n"})
			if said, through := push(t, "origin", "main"); !through {
				t.Errorf("kept back\n%s", said)
			}
		})
	}
}

// TestASlowModelHidesNoSecret: the deterministic checks hold a push back while the model does not
// answer.
func TestASlowModelHidesNoSecret(t *testing.T) {
	over := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(over) })
	pushed(t)
	hook(t, testkit.Binary(t), "install", "--fail-on", "high", "--timeout", "1s")
	t.Setenv("ASSAY_REVIEW_MODEL", "m")
	t.Setenv("ASSAY_REVIEW_MODEL_URL", slow.URL+"/v1")
	token := "gh" + "p_" + "Zk8Qm2Xr7Tn4Vw9Lp3Hs6Jd1Fg5Bc0YaEuRi"
	committed(t, map[string]string{"key.go": "package main\n\nvar key = \"" + token + "\"\n"})
	said, through := push(t, "origin", "main")
	if through || !strings.Contains(said, "took longer than 1s") || !strings.Contains(said, "key.go:3") || strings.Contains(said, "no model is configured") || !strings.Contains(said, "1 unread") {
		t.Errorf("through: %v\n%s", through, said)
	}
}

// An incomplete review does not hold a push back, and names the files that were not read.
func TestAnIncompleteReviewLetsAPushThrough(t *testing.T) {
	pushed(t)
	hook(t, testkit.Binary(t), "install", "--fail-on", "high")
	committed(t, map[string]string{"large.go": "package main\n\nvar large = `" + strings.Repeat("words and more words\n", 250_000) + "`\n"})
	said, through := push(t, "origin", "main")
	if !through || !strings.Contains(said, "large.go") {
		t.Errorf("through: %v\n%s", through, said)
	}
}

func replaceIn(t *testing.T, path, old, by string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), old) {
		t.Fatalf("%v: %q is not in\n%s", err, old, b)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, by, 1)), 0o755); err != nil { //nolint:gosec // a hook
		t.Fatal(err)
	}
}

// TestHooksOfOthersStay: hooks that assay did not install, and a folder of hooks that other
// repositories use, are not touched.
func TestHooksOfOthersStay(t *testing.T) {
	pushed(t)
	theirs := "#!/bin/sh\nexit 0\n"
	path := filepath.Join(".git", "hooks", "pre-push")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as git makes it
		t.Fatal(err)
	}
	write(t, map[string]string{path: theirs})
	for _, what := range []string{"install", "remove"} {
		r := command(t, nil, "hook", what)
		if r.code != exitFailed || !strings.Contains(r.stderr, "assay did not make") {
			t.Errorf("%s: exit code %d\n%s", what, r.code, r.stderr)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != theirs {
		t.Errorf("the hook that assay did not install is %q now (%v)", b, err)
	}
	git(t, "config", "core.hooksPath", t.TempDir())
	if r := command(t, nil, "hook", "install"); r.code != exitFailed || !strings.Contains(r.stderr, "other repositories") {
		t.Errorf("exit code %d for a folder of hooks elsewhere\n%s", r.code, r.stderr)
	}
	if err := os.Mkdir(".hooks", 0o755); err != nil { //nolint:gosec // as git makes it
		t.Fatal(err)
	}
	git(t, "config", "core.hooksPath", ".hooks")
	if r := command(t, nil, "hook", "install"); r.code != exitOK || !strings.Contains(r.stdout, filepath.Join(".hooks", "pre-push")) {
		t.Errorf("exit code %d for a folder of hooks in the checkout\n%s%s", r.code, r.stdout, r.stderr)
	}
	t.Chdir(t.TempDir())
	if r := command(t, nil, "hook", "install"); r.code != exitFailed || !strings.Contains(r.stderr, "not inside a git working tree") {
		t.Errorf("exit code %d outside of a checkout\n%s", r.code, r.stderr)
	}
	if r := command(t, nil, "hook", "install", "--timeout", "0s"); r.code != exitUsage || !strings.Contains(r.stderr, "--timeout") {
		t.Errorf("exit code %d for a wrong time\n%s", r.code, r.stderr)
	}
}

// TestThePrePushHookKnowsWhatTheOtherSideHas pushes in the ways in which git does not name the remote.
func TestThePrePushHookKnowsWhatTheOtherSideHas(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	origin, err := exec.Command("git", "remote", "get-url", "origin").Output()
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(string(origin))
	fresh := func() string {
		dir := filepath.Join(t.TempDir(), "fresh.git")
		git(t, "init", "-q", "--bare", dir)
		return dir
	}
	hook(t, program, "install", "--fail-on", "high")
	if said, through := push(t, fresh(), "main"); !through || strings.Contains(said, "assay:") {
		t.Errorf("let through: %v; commits our remote has were taken as new\n%s", through, said)
	}
	git(t, "switch", "-q", "-c", "leak")
	committed(t, leaky())
	git(t, "tag", "-a", "-m", "tag", "v1")
	git(t, "remote", "add", "mirror", fresh())
	for name, args := range map[string][]string{"by name": {"origin", "leak"}, "by address": {address, "leak"},
		"to a new remote": {fresh(), "leak"}, "a tag alone": {"origin", "v1"}, "all": {"--all", "origin"},
		"a mirror": {"--mirror", "mirror"}, "another name": {"origin", "leak:refs/for/main"}, "a commit": {"origin", "HEAD:refs/heads/other"}} {
		if said, through := push(t, args...); through || strings.Count(said, "keys.go:3") != 1 {
			t.Errorf("%s: let through: %v\n%s", name, through, said)
		}
	}
	if said, through := push(t, "--no-verify", "origin", "leak"); !through {
		t.Fatal(said)
	}
	git(t, "switch", "-q", "-c", "top")
	committed(t, map[string]string{"fine.go": "package main\n\nvar answer = 42\n"})
	for name, args := range map[string][]string{"on top of a branch that the remote has": {"origin", "top"},
		"by address": {address, "top:top2"}, "a tag on a pushed commit": {"origin", "v1"}} {
		if said, through := push(t, args...); !through || strings.Contains(said, "keys.go") {
			t.Errorf("%s: let through: %v\n%s", name, through, said)
		}
	}
	blob, err := exec.Command("git", "hash-object", "-w", "fine.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	if said, through := push(t, "origin", strings.TrimSpace(string(blob))+":refs/tags/file"); !through || !strings.Contains(said,
		"assay: refs/tags/file") {
		t.Errorf("let through: %v, a file\n%s", through, said)
	}
}

// preCommit installs a git hook, as a person writes it, that reviews the staged changes.
func preCommit(t *testing.T, program, args string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(".git", "hooks"), 0o755); err != nil { //nolint:gosec // as git makes it
		t.Fatal(err)
	}
	path := filepath.Join(".git", "hooks", "pre-commit")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n'"+program+"' review -q --staged --fail-on high "+args+"\n"),
		0o755); err != nil { //nolint:gosec // a hook
		t.Fatal(err)
	}
}

// TestThePreCommitHookReviewsTheCommit commits in every way in which the commit's index differs from
// that of the checkout.
func TestThePreCommitHookReviewsTheCommit(t *testing.T) {
	program := testkit.Binary(t)
	tracked := func(t *testing.T) {
		checkout(t, nil)
		committed(t, map[string]string{"keys.go": "package main\n", "other.go": "package main\n"})
		preCommit(t, program, "")
	}
	for name, c := range map[string]struct {
		make func(t *testing.T)
		args []string
		kept bool
	}{
		"-a":        {func(t *testing.T) { write(t, leaky()) }, []string{"-a"}, true},
		"a path":    {func(t *testing.T) { write(t, leaky()) }, []string{"keys.go"}, true},
		"--only":    {func(t *testing.T) { write(t, leaky()) }, []string{"--only", "keys.go"}, true},
		"--include": {func(t *testing.T) { write(t, leaky()) }, []string{"--include", "keys.go"}, true},
		"another path than staged": {func(t *testing.T) {
			write(t, leaky())
			git(t, "add", ".")
			write(t, map[string]string{"other.go": "package main\n\n// fine\n"})
		}, []string{"other.go"}, false},
		"staged": {func(t *testing.T) { write(t, leaky()); git(t, "add", ".") }, nil, true},
		"amended": {func(t *testing.T) {
			write(t, leaky())
			git(t, "add", ".")
			git(t, "commit", "-q", "--no-verify", "-m", "leak")
		},
			[]string{"--amend"}, true},
		"on top of a leak": {func(t *testing.T) {
			write(t, leaky())
			git(t, "add", ".")
			git(t, "commit", "-q", "--no-verify", "-m", "leak")
		}, []string{"--allow-empty"}, false},
		"in a linked working tree": {func(t *testing.T) {
			linked := filepath.Join(t.TempDir(), "linked")
			git(t, "worktree", "add", "-q", linked)
			t.Chdir(linked)
			write(t, leaky())
		}, []string{"-a"}, true},
		"from a folder below": {func(t *testing.T) {
			write(t, leaky())
			if err := os.Mkdir("sub", 0o700); err != nil {
				t.Fatal(err)
			}
			t.Chdir("sub")
		}, []string{"-a"}, true},
		"with a setting on the command line": {func(t *testing.T) {
			write(t, map[string]string{"keys.go": "package main\r\n", "other.go": "package main\r\n\r\n// fine\r\n"})
		}, []string{"-a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tracked(t)
			c.make(t)
			out, err := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.autocrlf=true",
				"commit", "-m", "x"}, c.args...)...).CombinedOutput()
			if kept := err != nil; kept != c.kept || kept != strings.Contains(string(out), "keys.go:3") {
				t.Errorf("kept back: %v, want %v\n%s", kept, c.kept, out)
			}
		})
	}
	t.Run("a first commit", func(t *testing.T) {
		t.Chdir(t.TempDir())
		git(t, "init", "-q")
		preCommit(t, program, "")
		write(t, leaky())
		git(t, "add", ".")
		if out, err := exec.Command("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-m",
			"x").CombinedOutput(); err == nil || !strings.Contains(string(out), "keys.go:3") {
			t.Errorf("%v\n%s", err, out)
		}
		git(t, "rm", "-q", "--cached", "keys.go")
		write(t, map[string]string{"fine.go": "package main\n"})
		git(t, "add", "fine.go")
		git(t, "commit", "-q", "-m", "x")
	})
}

// TestAHookOfTheServerReviewsWhatIsInQuarantine reviews a push before the server accepts it.
func TestAHookOfTheServerReviewsWhatIsInQuarantine(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	origin, err := exec.Command("git", "remote", "get-url", "origin").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(origin)), "hooks", "pre-receive")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nread old new ref\nexec '"+program+"' review -q --range $old..$new\n"),
		0o755); err != nil { //nolint:gosec // a hook
		t.Fatal(err)
	}
	committed(t, map[string]string{"fine.go": "package main\n"})
	if said, through := push(t, "origin", "main"); !through {
		t.Fatal(said)
	}
	committed(t, leaky())
	if said, through := push(t, "origin", "main"); through || !strings.Contains(said, "keys.go:3") {
		t.Errorf("let through: %v\n%s", through, said)
	}
}
