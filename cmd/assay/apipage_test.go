package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// The script in docs/api.md signs in, reads and changes something. Its commands run unchanged against a
// separate process.
func TestScriptOfTheAPIPage(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; test/install %s installs it", program, program)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	testkit.OK(t, err)
	vars := map[string]string{"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off"}
	good(t, command(t, vars, "migrate"))
	good(t, command(t, vars, "setup", "--name", "Example Corp reviews", "--tenant", "Example Corp", "--admin", "Ada Admin"))
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars})
	base := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(p.WaitLine(startup, "listens on http://127.0.0.1:"))

	script := "set -eu\n"
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		script += string(block[1])
	}
	if n := strings.Count(script, "https://assay.example.com"); n != 1 {
		t.Fatalf("the page names the base URL in %d places, want one", n)
	}
	script = strings.Replace(script, "https://assay.example.com", base, 1)
	programs := t.TempDir()
	testkit.OK(t, os.Symlink(testkit.Binary(t), filepath.Join(programs, "assay")))
	ctx, cancel := context.WithTimeout(t.Context(), startup)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", script)
	c.Dir = t.TempDir()
	c.Env = []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + c.Dir, "ASSAY_DATA_DIR=" + vars["ASSAY_DATA_DIR"]}
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, complaints.String())
	}
	if got, want := string(out), "0\n{\n  \"severity\": \"high\",\n  \"version\": 2\n}\nanother change was faster: 412\n"; got != want {
		t.Errorf("the script prints\n%s\nwant\n%s\n%s", got, want, complaints.String())
	}
	if !strings.Contains(complaints.String(), "412") {
		t.Errorf("curl complains of %s, want of 412", complaints.String())
	}
	terminate(t, p)
}
