package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/prepush"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestAPushHidesNoSecretBeyondItsCommits: a token in a branch beyond the reviewed ones, and in a tag
// that names a file or a folder, holds the push back.
func TestAPushHidesNoSecretBeyondItsCommits(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	hook(t, program, "install", "--fail-on", "high")
	refs := []string{"origin"}
	for i := range 13 {
		git(t, "switch", "-q", "-c", fmt.Sprintf("b%02d", i), "main")
		files := map[string]string{"fine.go": fmt.Sprintf("package main\n\nvar answer = %d\n", i)}
		if i == 12 {
			files = leaky()
		}
		committed(t, files)
		refs = append(refs, fmt.Sprintf("b%02d", i))
	}
	said, through := push(t, refs...)
	if through || !strings.Contains(said, "keys.go:3") || !strings.Contains(said, "b10, b11, b12.") || strings.Contains(said, leak()) {
		t.Errorf("let through: %v\n%s", through, said)
	}
	git(t, "switch", "-q", "main")
	write(t, leaky())
	object := func(args ...string) string {
		out, err := exec.Command("git", args...).Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git(t, "tag", "file", object("hash-object", "-w", "keys.go"))
	git(t, "tag", "folder", "b12^{tree}")
	git(t, "tag", "-a", "-m", "x", "annotated", "file")
	git(t, "tag", "fine", object("hash-object", "-w", "main.go"))
	for _, tag := range []string{"file", "folder", "annotated"} {
		if said, through := push(t, "origin", tag); through || !strings.Contains(said, "refs/tags/"+tag) ||
			strings.Contains(said, "could not be done") ||
			strings.Contains(said, leak()) {
			t.Errorf("%s is let through: %v\n%s", tag, through, said)
		}
	}
	if said, through := push(t, "origin", "fine", "main"); !through || strings.Contains(said, "could not be done") {
		t.Errorf("a tag of a file is kept back\n%s", said)
	}
}

// TestAPushBeyondAllBounds: with --fail-on the push is held back.
func TestAPushBeyondAllBounds(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	refs := []string{"origin"}
	for i := range prepush.MaxPushed + prepush.MaxChecked + 2 {
		name := fmt.Sprintf("c%03d", i)
		out, err := exec.Command("git", "commit-tree", "-p", "main", "-m", name, "main^{tree}").Output()
		if err != nil {
			t.Fatal(err)
		}
		git(t, "branch", name, strings.TrimSpace(string(out)))
		refs = append(refs, name)
	}
	hook(t, program, "install", "--fail-on", "high")
	if said, through := push(t, refs...); through || !strings.Contains(said, "more than 50 commits") || !strings.Contains(said, "c050, c051.") ||
		!strings.Contains(said, "--no-verify") {
		t.Errorf("let through: %v\n%s", through, said)
	}
}

// TestAPushOfManyBranches pushes more branches than can be reviewed: the deterministic checks look at
// the commits of the others.
func TestAPushOfManyBranches(t *testing.T) {
	program := testkit.Binary(t)
	pushed(t)
	hook(t, program, "install")
	refs := []string{"origin"}
	for i := range 12 {
		git(t, "switch", "-q", "-c", fmt.Sprintf("b%02d", i), "main")
		committed(t, map[string]string{"fine.go": fmt.Sprintf("package main\n\nvar answer = %d\n", i)})
		refs = append(refs, fmt.Sprintf("b%02d", i), fmt.Sprintf("b%02d:refs/heads/same%02d", i, i)) // the same commit is reviewed once
	}
	said, through := push(t, refs...)
	if !through || !strings.Contains(said, "10 commits at most: b10 (and 1 more), b11 (and 1 more).") || strings.Count(said,
		"nothing found") != 10 {
		t.Errorf("let through: %v\n%s", through, said)
	}
}
