package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Binary returns the path of the product's binary: $ASSAY_TEST_BINARY, or ./cmd/assay built like a release
// (CGO_ENABLED=0), once per test process.
func Binary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("ASSAY_TEST_BINARY"); path != "" {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("ASSAY_TEST_BINARY: %v", err)
		}
		return path
	}
	return BinaryTagged(t)
}

// BinaryTagged builds ./cmd/assay with build tags, once per test process and
// set of tags. ASSAY_TEST_BINARY does not apply.
func BinaryTagged(t testing.TB, tags ...string) string {
	t.Helper()
	list := strings.Join(tags, ",")
	slot, _ := shared.binary.LoadOrStore(list, new(once[string]))
	path, err := slot.(*once[string]).get(func() (string, error) { return build("./cmd/assay", list) })
	must(t, err)
	return path
}

func build(pkg, tags string) (string, error) {
	dir, err := shared.subfolder("bin")
	if err != nil {
		return "", err
	}
	top, err := root()
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "assay")
	cmd := exec.Command("go", "build", "-tags", tags, "-o", out, pkg)
	cmd.Dir = top
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, msg)
	}
	return out, nil
}
