package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// patience bounds every wait. It is generous, because the machine may be busy.
const patience = 3 * time.Minute

// node returns the pinned Node.js, because the suite needs a newer one than Debian 12 has. If there is
// no pinned one for this machine, it returns the installed one.
func node(folder string) string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if pinned := filepath.Join(folder, "node_modules", "node-"+runtime.GOOS+"-"+cmp.Or(arch, runtime.GOARCH), "bin", "node"); exec.Command(pinned, "--version").Run() == nil {
		return pinned
	}
	return "node"
}

// run runs a program, expects success, and returns its output.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", filepath.Base(program), err, out, &stderr)
	}
	return string(out)
}

// world is a demonstration in which assistants may use every tool.
type world struct {
	t      *testing.T
	base   string // of the service
	token  string // of its administrator, with every scope
	tenant string
	client *http.Client
	csrf   string
}

// demo starts a demonstration, and signs in with its link like a program (docs/api.md).
func demo(t *testing.T) *world {
	t.Helper()
	at := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "demo", Args: []string{"serve", "--demo"}, Env: map[string]string{
		"ASSAY_DATA_DIR": t.TempDir(), "ASSAY_LISTEN": at, "ASSAY_METRICS_LISTEN": "off"}})
	jar, err := cookiejar.New(nil)
	testkit.OK(t, err)
	w := &world{t: t, base: "http://" + at, client: &http.Client{Jar: jar, Timeout: patience}}
	_, link, _ := strings.Cut(p.WaitLine(patience, w.base+"/auth/break-glass#token="), "#token=")
	p.WaitLine(patience, "decide at ")
	form := url.Values{"token": {strings.TrimSpace(link)}}
	r, err := http.NewRequest(http.MethodPost, w.base+"/auth/break-glass", strings.NewReader(form.Encode()))
	testkit.OK(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := w.client.Do(r)
	testkit.OK(t, err)
	testkit.OK(t, answer.Body.Close())
	var me struct{ CSRFToken string }
	w.call(http.MethodGet, "/api/me", nil, &me)
	w.csrf = me.CSRFToken
	var tenants struct{ Items []struct{ ID string } }
	w.call(http.MethodGet, "/api/me/tenants", nil, &tenants)
	w.tenant = tenants.Items[0].ID

	settings := tenant.McpServerSettings{Enabled: true, AllowWrites: true}
	scopes := map[string]bool{}
	for name, scope := range mcpserver.ToolScopes() {
		settings.ExposedTools = append(settings.ExposedTools, name)
		scopes[scope] = true
	}
	w.call(http.MethodPut, "/api/tenants/"+w.tenant+"/mcp-settings", settings, nil)
	var all []string
	for scope := range scopes {
		all = append(all, scope)
	}
	var made struct{ Secret string }
	w.call(http.MethodPost, "/api/tenants/"+w.tenant+"/mcp-tokens", map[string]any{"name": "test", "scopes": all, "expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, &made)
	w.token = made.Secret
	return w
}

// call sends a request to the interface, and reads a successful answer.
func (w *world) call(method, path string, body, into any) {
	w.t.Helper()
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		testkit.OK(w.t, err)
		sent = bytes.NewReader(raw)
	}
	r, err := http.NewRequest(method, w.base+path, sent)
	testkit.OK(w.t, err)
	r.Header.Set("X-CSRF-Token", w.csrf)
	r.Header.Set("Content-Type", "application/json")
	answer, err := w.client.Do(r)
	testkit.OK(w.t, err)
	defer func() { _ = answer.Body.Close() }() // only read
	raw, err := io.ReadAll(answer.Body)
	testkit.OK(w.t, err)
	if answer.StatusCode >= 300 {
		w.t.Fatalf("%s %s: %s %s", method, path, answer.Status, raw)
	}
	if into != nil {
		testkit.OK(w.t, json.Unmarshal(raw, into))
	}
}

// tokenFile returns a file with the token, for assay mcp --server.
func (w *world) tokenFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	testkit.OK(t, os.WriteFile(name, []byte(w.token+"\n"), 0o600))
	return name
}
