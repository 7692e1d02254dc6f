package github

import (
	"os"
	"path/filepath"
	"testing"
)

// contract returns the path of a published contract of GitHub, or skips: the
// contracts are data beside the repository, not part of it.
func contract(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("ASSAY_CONTRACTS")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for dir != filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(filepath.Dir(dir), "shared", "contracts")
	}
	path := filepath.Join(root, "github", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the contract %s is absent; set ASSAY_CONTRACTS to the folder that holds github/%s", name, name)
	}
	return path
}
