package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// measure runs the room's tests, and then those of further packages, with each mutant
// that no earlier package killed. It returns the mutants with their fates, and the
// seconds of the room's own tests without a mutant.
func measure(ctx context.Context, r *room, mutants []mutant, packages []string) ([]mutant, float64, error) {
	work, err := os.MkdirTemp("", "assay-mutants-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(work)
	overlay, err := r.overlay(work, mutants)
	if err != nil {
		return nil, 0, err
	}
	mutants = slices.Clone(mutants)
	usual, err := r.against(ctx, r.path, overlay, mutants)
	if err != nil || len(packages) == 0 {
		return mutants, usual.Seconds(), err
	}
	out, err := goCommand(ctx, r.tree, append([]string{"list"}, packages...)...)
	for _, p := range strings.Fields(string(out)) {
		if err == nil && p != r.path && slices.ContainsFunc(mutants, func(m mutant) bool { return !m.Killed }) {
			_, err = r.against(ctx, p, overlay, mutants)
		}
	}
	return mutants, usual.Seconds(), err
}

// overlay writes the mutated files into a folder, and the file for go's flag -overlay.
func (r *room) overlay(work string, mutants []mutant) (string, error) {
	replace := map[string]string{}
	for name, text := range r.mutated(mutants) {
		file := filepath.Join(work, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(r.dir, name)] = file
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(work, "overlay.json")
	return file, os.WriteFile(file, b, 0o644)
}

// against runs the tests of one package with the mutants that still live and that the
// tests reach, and marks those that they kill. It returns the time of the tests without a mutant, and 0
// for a package that has no tests or does not depend on the room.
func (r *room) against(ctx context.Context, path, overlay string, mutants []mutant) (time.Duration, error) {
	deps, err := goCommand(ctx, r.tree, "list", "-deps", "-test", "-f", "{{.ImportPath}}", path)
	if err != nil || !slices.Contains(strings.Split(string(deps), "\n"), r.path) {
		return 0, err
	}
	dir, err := goCommand(ctx, r.tree, "list", "-f", "{{.Dir}}", path)
	if err != nil {
		return 0, err
	}
	tests := &testBinary{file: filepath.Join(filepath.Dir(overlay), "tests"), dir: strings.TrimSpace(string(dir))}
	if _, err := goCommand(ctx, r.tree, "test", "-c", "-vet=off", "-overlay", overlay, "-o", tests.file, path); err != nil {
		return 0, err
	}
	if _, err := os.Stat(tests.file); err != nil {
		return 0, nil // go builds nothing for a package without tests
	}
	defer os.Remove(tests.file)
	reached, from := tests.file+".reached", time.Now()
	if err := os.WriteFile(reached, nil, 0o666); err != nil {
		return 0, err
	}
	if by, err := tests.run(ctx, 0, time.Hour, "ASSAY_REACHED="+reached); err != nil || by != "" {
		return 0, errors.Join(err, fmt.Errorf("%s: the tests fail without a mutant: %s", path, by))
	}
	usual := time.Since(from)
	fmt.Fprintf(os.Stderr, "%s: %.1f s without a mutant\n", path, usual.Seconds())
	numbers, err := os.ReadFile(reached)
	if err != nil {
		return usual, err
	}
	for i := range mutants {
		if !slices.Contains(strings.Fields(string(numbers)), strconv.Itoa(i+1)) || mutants[i].Killed {
			continue
		}
		mutants[i].Reached = true
		from := time.Now()
		by, err := tests.run(ctx, i+1, 3*usual+30*time.Second)
		if err != nil {
			return usual, err
		}
		mutants[i].Killed, mutants[i].KilledBy = by != "", by
		fmt.Fprintf(os.Stderr, "%s: mutant %d of %d, %.1f s: %s\n", path, i+1, len(mutants), time.Since(from).Seconds(), mutants[i].fate())
	}
	return usual, nil
}

// testBinary is the compiled test program of one package.
type testBinary struct{ file, dir string }

// maxMemory bounds what a mutant may allocate, in KiB: it may be an endless loop.
const maxMemory = 16 << 20

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^panic: (.*)|^fatal error: (.*)`)

// run runs the tests with one mutant, 0 for no mutant. It returns the reason for a kill, and "" if the
// tests pass.
func (b *testBinary) run(ctx context.Context, n int, limit time.Duration, env ...string) (string, error) {
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(bound, "sh", "-c", `ulimit -v "$1" 2>/dev/null; shift; exec "$@"`, "sh", strconv.Itoa(maxMemory),
		b.file, "-test.failfast", "-test.paniconexit0", "-test.short=false", "-test.timeout=0")
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, &out, &out
	cmd.Env = append(append(os.Environ(), "ASSAY_MUTANT="+strconv.Itoa(n)), env...)
	cmd.WaitDelay = 10 * time.Second // a server of the tests may hold the pipe
	err := cmd.Run()
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bound.Err() != nil:
		return fmt.Sprintf("no end within %.0f s", limit.Seconds()), nil
	case err == nil:
		return "", nil
	case !errors.As(err, &exit):
		return "", err
	}
	if m := failed.FindSubmatch(out.Bytes()); m != nil {
		return string(bytes.TrimSpace(bytes.Join(m[1:], nil))), nil
	}
	return err.Error(), nil
}
