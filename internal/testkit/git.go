package testkit

import (
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Git runs git in a folder to set up a test, without the machine's configuration, and returns its trimmed
// output. It never skips, because the product needs git, and "test/install git" installs it.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return GitFed(t, dir, "", args...)
}

// GitFed is [Git] with a standard input.
func GitFed(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@example.org", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@example.org"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v (test/install git installs it where it is absent)\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// GitServer serves the repositories below a folder over smart HTTP (git-http-backend(1)) and serves every
// commit by its SHA.
func GitServer(t testing.TB, dir string) http.Handler {
	t.Helper()
	return &cgi.Handler{Path: filepath.Join(Git(t, dir, "--exec-path"), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1",
			"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
			"GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true"}}
}
