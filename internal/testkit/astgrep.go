package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// AstGrep returns the path of ast-grep: ASSAY_TEST_AST_GREP, else the package of the console's tools, else that of the PATH. It skips
// the test where ast-grep is absent.
func AstGrep(t testing.TB) string {
	t.Helper()
	if program := os.Getenv("ASSAY_TEST_AST_GREP"); program != "" {
		return program
	}
	installed, err := filepath.Glob(filepath.Join(Root(t), "web", "node_modules", "@ast-grep", "cli-*", "ast-grep"))
	must(t, err)
	if len(installed) == 1 {
		return installed[0]
	}
	program, err := exec.LookPath("ast-grep")
	if err != nil {
		t.Skip("ast-grep is absent: npm ci in web installs it, or ASSAY_TEST_AST_GREP names it")
	}
	return program
}
