package testkit

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

// installTime bounds an installation of packages.
const installTime = 5 * time.Minute

// NodePackages returns a folder outside the tree whose node_modules has the packages that package-lock.json of
// the test's folder pins. It installs them once per lock file and account. It skips the test if npm is absent.
func NodePackages(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed; test/install node installs it")
	}
	lock, err := os.ReadFile("package-lock.json")
	must(t, err)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "assay-test", "npm-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "npm-new-")
	must(t, err)
	defer os.RemoveAll(fresh) //nolint:errcheck // it has moved away, or is of no use
	for _, name := range []string{"package.json", "package-lock.json"} {
		must(t, copyFile(filepath.Join(fresh, name), name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil { // another process may have been faster
		_, err = os.Stat(dir)
		must(t, err)
	}
	return dir
}
