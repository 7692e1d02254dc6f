package openapi_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

const description = "../../api/openapi.json"

func TestDescriptionPassesTheLinters(t *testing.T) {
	dir := testkit.NodePackages(t)
	t.Run("spectral", func(t *testing.T) {
		run(t, filepath.Join(dir, "node_modules", ".bin", "spectral"), "lint", description, "--ruleset", "spectral.yaml", "--fail-severity", "warn")
	})
	t.Run("redocly", func(t *testing.T) { run(t, "node", "redocly.cjs", dir, description) })
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, out)
	}
}
