package supply

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// These pin the program that looks for known weaknesses, and the database that it reads: Go's own, as a
// module of the proxy, so that a build without any other network has the same one.
const (
	vulnProgram  = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	vulnDatabase = "golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018"
)

// No linked module has a weakness listed in Go's database, and neither has the standard library of the
// toolchain that go.mod names for builds. ASSAY_VULNDB names a newer database: a web address, or
// file:// and a folder.
func TestVulnerabilities(t *testing.T) {
	t.Parallel()
	db := os.Getenv("ASSAY_VULNDB")
	if db == "" {
		db = pinnedDatabase(t)
	}
	cmd := exec.Command("go", "run", vulnProgram, "-db", db, "-scan", "package", program)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOVERSION="+toolchain(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("govulncheck: %v\n%s", err, out)
	}
}

// pinnedDatabase returns the address of the pinned database in the cache of modules.
func pinnedDatabase(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", vulnDatabase)
	cmd.Dir = t.TempDir() // outside of any module
	raw, err := cmd.Output()
	var got struct{ Dir, Error string }
	if failed := json.Unmarshal(raw, &got); failed != nil || got.Dir == "" {
		t.Skipf("not looked at, only the versions of flaws_test.go are held: %s is not in the cache of modules and cannot be fetched: %v %v %s", vulnDatabase, err, failed, got.Error)
	}
	return "file://" + filepath.ToSlash(filepath.Join(got.Dir, "data", "osv"))
}
