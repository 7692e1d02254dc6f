package openapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const description = "../../api/openapi.json"

// programs installs the pinned programs outside of the tree, once per lock
// file, and returns their folder.
func programs(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed; test/install node installs it")
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "assay-test", "openapi-"+hex.EncodeToString(sum[:8]))
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		copyFile(t, name, filepath.Join(dir, name))
	}
	run(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDescriptionPassesTheLinters(t *testing.T) {
	dir := programs(t)
	t.Run("spectral", func(t *testing.T) {
		run(t, ".", filepath.Join(dir, "node_modules", ".bin", "spectral"), "lint", description, "--ruleset", "spectral.yaml", "--fail-severity", "warn")
	})
	t.Run("redocly", func(t *testing.T) { run(t, ".", "node", "redocly.cjs", dir, description) })
}

func run(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, out)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
