package ci

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/assay-dev/assay/internal/testkit"
)

var update = flag.Bool("update", false, "write the script into gitlab-ci.yml")

const folder = "../../deploy/ci"

// script runs assay-ci.sh in a folder with variables, and returns its exit status and its output.
func script(t *testing.T, dir, mode string, vars ...string) (int, string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(folder, "assay-ci.sh"))
	testkit.OK(t, err)
	return shell(t, dir, []string{path, mode}, vars)
}

func shell(t *testing.T, dir string, args, vars []string) (int, string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + t.TempDir()}, vars...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// program writes a stand-in for the binary that prints its arguments, and returns its folder and its digest.
func program(t *testing.T) (dir, digest string) {
	t.Helper()
	dir = t.TempDir()
	text := []byte("#!/bin/sh\nprintf '<%s>' \"$@\"\nexit \"${STATUS:-0}\"\n")
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "assay"), text, 0o755)) //nolint:gosec // it is run
	sum := sha256.Sum256(text)
	return dir, hex.EncodeToString(sum[:])
}

var base, head = strings.Repeat("a", 40), strings.Repeat("b", 40)

// The review gets the range, its exit status is that of the script, and the message says what it means.
func TestReview(t *testing.T) {
	t.Parallel()
	dir, _ := program(t)
	path := "PATH=" + dir + ":" + os.Getenv("PATH")
	code, out := script(t, t.TempDir(), "review", path, "ASSAY_CI_BASE_SHA="+base, "ASSAY_CI_HEAD_SHA="+head, "STATUS=1",
		"ASSAY_CI_FAIL_ON=high", "ASSAY_CI_SARIF=a.sarif *.sarif")
	want := "<review><--range><" + base + ".." + head + "><--trust-owner><--quiet><--fail-on><high><--format><sarif><--output><assay.sarif>" +
		"<--sarif=a.sarif><--sarif=*.sarif>"
	if code != 1 || !strings.HasPrefix(out, want) || !strings.Contains(out, "there are findings") {
		t.Errorf("%d %s", code, out)
	}
	_, out = script(t, t.TempDir(), "review", path, "ASSAY_CI_BASE_SHA="+base, "ASSAY_CI_HEAD_SHA="+head, "ASSAY_CI_SARIF=a b's.sarif\n-c.sarif\n")
	if !strings.Contains(out, "<--sarif=a b's.sarif><--sarif=-c.sarif>") {
		t.Errorf("one file on each line: %s", out)
	}
	for name, vars := range map[string][]string{
		"ASSAY_CI_BASE_SHA is empty":          {path, "ASSAY_CI_HEAD_SHA=" + head},
		"ASSAY_CI_BASE_SHA must be the id":    {path, "ASSAY_CI_BASE_SHA=--output=x", "ASSAY_CI_HEAD_SHA=" + head},
		"ASSAY_CI_HEAD_SHA must be the id":    {path, "ASSAY_CI_BASE_SHA=" + base, "ASSAY_CI_HEAD_SHA=" + head + "\n" + head},
		"there is no assay on PATH":           {"PATH=/usr/bin:/bin", "ASSAY_CI_BASE_SHA=" + base, "ASSAY_CI_HEAD_SHA=" + head},
		"ASSAY_CI_BINARY_SHA256 must be":      {path, "ASSAY_CI_BASE_SHA=" + base, "ASSAY_CI_HEAD_SHA=" + head, "ASSAY_CI_BINARY_URL=https://localhost/a"},
		"ASSAY_CI_BINARY_URL must begin with": {path, "ASSAY_CI_BASE_SHA=" + base, "ASSAY_CI_HEAD_SHA=" + head, "ASSAY_CI_BINARY_URL=http://example.com/a"},
	} {
		if code, out := script(t, t.TempDir(), "review", vars...); code != 2 || !strings.Contains(out, name) {
			t.Errorf("%s: %d %s", name, code, out)
		}
	}
}

// A downloaded binary is run only if it has the digest.
func TestDownload(t *testing.T) {
	t.Parallel()
	dir, digest := program(t)
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(srv.Close)
	for sum, want := range map[string]string{digest: "<review>", strings.Repeat("0", 64): "does not have the digest"} {
		_, out := script(t, t.TempDir(), "review", "ASSAY_CI_BASE_SHA="+base, "ASSAY_CI_HEAD_SHA="+head,
			"ASSAY_CI_BINARY_URL="+srv.URL+"/assay", "ASSAY_CI_BINARY_SHA256="+sum)
		if !strings.Contains(out, want) || sum != digest && strings.Contains(out, "<review>") {
			t.Errorf("%s: %s", sum, out)
		}
	}
}

const token = "asy_mcp_0123456789abcdef"

func uploadVars(server, file string) []string {
	return []string{"ASSAY_CI_SERVER=" + server, "ASSAY_CI_TENANT=ten_1", "ASSAY_CI_REPOSITORY=rep_1", "ASSAY_CI_TOKEN=" + token,
		"ASSAY_CI_HEAD_SHA=" + head, "ASSAY_CI_SARIF=" + file}
}

// The file reaches the server compressed and with the token, also at the second attempt. No output has the token.
func TestUpload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "a.sarif"), []byte(`{"version":"2.1.0","runs":[]}`), 0o600))
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"code":"unavailable"}`) // curl must be able to drop the first answer
			return
		}
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(z)
		if err != nil || string(body) != `{"version":"2.1.0","runs":[]}` || r.Header.Get("Authorization") != "Bearer "+token ||
			r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/sarif+json" ||
			r.URL.String() != "/api/tenants/ten_1/repositories/rep_1/sast-runs?headSha="+head {
			t.Errorf("%s %s %v %s %v", r.Method, r.URL, r.Header, body, err)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"headSha":"`+head+`","note":"A review of this commit has begun or ended without this document."}`)
	}))
	t.Cleanup(srv.Close)
	testkit.OK(t, os.Rename(filepath.Join(dir, "a.sarif"), filepath.Join(dir, "-d a's.sarif")))
	code, out := script(t, dir, "upload", uploadVars(srv.URL, "-d a's.sarif")...)
	if code != 0 || calls.Load() != 2 || !strings.Contains(out, "has the results") || strings.Contains(out, token) ||
		!strings.Contains(out, "began before the upload") {
		t.Errorf("%d %d %s", code, calls.Load(), out)
	}
}

// The script recognises the note of the server about a review that began before the upload.
func TestNoteOfTheServer(t *testing.T) {
	t.Parallel()
	for _, file := range []string{filepath.Join(folder, "assay-ci.sh"), "../../internal/upload/upload.go"} {
		text, err := os.ReadFile(file)
		testkit.OK(t, err)
		if !strings.Contains(string(text), "ended without this document") {
			t.Errorf("%s has another note", file)
		}
	}
}

// A page in place of an answer is not a success, and another host does not get the token.
func TestUploadToAnotherService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "a.sarif"), []byte(`{}`), 0o600))
	var stolen atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	t.Cleanup(other.Close)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/page/"):
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>Sign in</html>")
		case strings.HasPrefix(r.URL.Path, "/moved/"):
			http.Redirect(w, r, other.URL, http.StatusMovedPermanently)
		}
	}))
	t.Cleanup(srv.Close)
	for path, want := range map[string]string{"/page": "not as an assay server does", "/empty": "not as an assay server does",
		"/moved": "redirects to another address"} {
		code, out := script(t, dir, "upload", uploadVars(srv.URL+path, "a.sarif")...)
		if code != 2 || !strings.Contains(out, want) || strings.Contains(out, token) {
			t.Errorf("%s: %d %s", path, code, out)
		}
	}
	testkit.Equal(t, "requests to another host", stolen.Load(), int64(0))
}

// A refusal says what to do, and a bad variable sends nothing.
func TestUploadRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "a.sarif"), []byte(`{}`), 0o600))
	var calls atomic.Int64
	status := http.StatusForbidden
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(status)
	}))
	t.Cleanup(srv.Close)
	for at, want := range map[int]string{403: "refused the token", 404: "does not know the repository", 413: "32 MiB", 422: "SARIF 2.1.0",
		418: "the status 418"} {
		status = at
		if code, out := script(t, dir, "upload", uploadVars(srv.URL, "a.sarif")...); code != 2 || !strings.Contains(out, want) || strings.Contains(out, token) {
			t.Errorf("%d: %d %s", at, code, out)
		}
	}
	calls.Store(0)
	for variable, bad := range map[string]string{"ASSAY_CI_SERVER": "http://assay.example.com", "ASSAY_CI_TENANT": "../x",
		"ASSAY_CI_REPOSITORY": "a?b=c", "ASSAY_CI_HEAD_SHA": "main", "ASSAY_CI_TOKEN": "a\"\nurl = \"http://localhost", "ASSAY_CI_SARIF": "gone.sarif"} {
		code, out := script(t, dir, "upload", append(uploadVars(srv.URL, "a.sarif"), variable+"="+bad)...)
		if code != 2 || !strings.Contains(out, variable) || strings.Contains(out, bad) {
			t.Errorf("%s: %d %s", variable, code, out)
		}
	}
	if calls.Load() != 0 {
		t.Errorf("%d requests", calls.Load())
	}
	if code, out := script(t, dir, "other"); code != 2 || !strings.Contains(out, "must be review or upload") {
		t.Errorf("%d %s", code, out)
	}
}

// The jobs of GitLab have the script as it is in assay-ci.sh, and run it as GitLab's runner does: all lines in one shell.
func TestGitLabTemplate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(folder, "gitlab-ci.yml")
	raw, err := os.ReadFile(file)
	testkit.OK(t, err)
	text, err := os.ReadFile(filepath.Join(folder, "assay-ci.sh"))
	testkit.OK(t, err)
	const begin, end = "<<'ASSAY_CI_END'\n", "      ASSAY_CI_END\n"
	front, rest, _ := strings.Cut(string(raw), begin)
	_, tail, found := strings.Cut(rest, end)
	if !found {
		t.Fatal("gitlab-ci.yml has no place for the script")
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if line != "\n" {
			line = "      " + line
		}
		b.WriteString(line)
	}
	want := front + begin + b.String() + end + tail
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(want), 0o644)) //nolint:gosec // everybody reads it
	} else if want != string(raw) {
		t.Fatal("gitlab-ci.yml has another script than assay-ci.sh: run go test ./test/ci -update")
	}
	var jobs map[string]struct {
		Before []string `yaml:"before_script"`
		Script []string
	}
	testkit.OK(t, yaml.Unmarshal([]byte(want), &jobs))
	dir, _ := program(t)
	lines := strings.Join(append(jobs[".assay-ci"].Before, jobs[".assay-review"].Script...), "\n")
	code, out := shell(t, t.TempDir(), []string{"-ec", lines}, []string{"PATH=" + dir + ":" + os.Getenv("PATH"),
		"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + base, "CI_COMMIT_SHA=" + head})
	if code != 0 || !strings.Contains(out, "<"+base+".."+head+">") || !strings.Contains(out, "<code-quality>") {
		t.Errorf("%d %s", code, out)
	}
}
