package main

import (
	"fmt"
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

// push pushes and returns what was said, and whether it was let through.
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

// hook runs the built program, because the hook names the program that made it.
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
		t.Fatalf("let through: %v. Findings are to be shown, nobody kept back\n%s", through, said)
	}

	hook(t, program, "install", "--fail-on", "high")
	committed(t, map[string]string{"more.go": strings.Replace(leaky()["keys.go"], "key", "other", 1)})
	if said, through = push(t, "origin", "main", "main:refs/heads/copy"); through || !strings.Contains(said, "more.go:3") || !strings.Contains(said, "--no-verify") {
		t.Errorf("let through: %v, with a secret\n%s", through, said)
	}
	if strings.Contains(said, "keys.go:3") {
		t.Errorf("what the remote has already is said again\n%s", said)
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

// TestAHookThatFailsLetsThrough has the hook fail in every way it can.
func TestAHookThatFailsLetsThrough(t *testing.T) {
	program := testkit.Binary(t)
	for name, breaks := range map[string]func(t *testing.T, hook string){
		"no such program":                      func(t *testing.T, hook string) { replaceIn(t, hook, program, filepath.Join(t.TempDir(), "gone")) },
		"an older program that knows no hooks": func(t *testing.T, hook string) { replaceIn(t, hook, "'hook' 'pre-push'", "'hooks'") },
		"too slow":                             func(t *testing.T, hook string) { replaceIn(t, hook, "'2m0s'", "'1ns'") },
		"a wrong model":                        func(t *testing.T, _ string) { t.Setenv("ASSAY_REVIEW_MODEL", "m") },
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

// TestHooksOfOthersStay refuses to touch what somebody else made, and a folder of
// hooks that other repositories use.
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
		t.Errorf("the hook of somebody else is %q now (%v)", b, err)
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

// TestAPushOfManyBranches is beyond the bound.
func TestAPushOfManyBranches(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	hook(t, program, "install")
	committed(t, map[string]string{"fine.go": "package main\n\nvar answer = 42\n"})
	refs := []string{"origin"}
	for i := range 25 {
		refs = append(refs, fmt.Sprintf("main:refs/heads/b%d", i))
	}
	said, through := push(t, refs...)
	if !through || !strings.Contains(said, "not reviewed: 15.") || strings.Count(said, "nothing found") != 10 {
		t.Errorf("let through: %v\n%s", through, said)
	}
}
