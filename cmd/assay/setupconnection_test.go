package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// An instance is set up on the command line with a connection and no app: refused values are named,
// setup continues at the failed step, and no step asks for an app.
func TestSetupWithAConnection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := "127.0.0.1:" + itoa(testkit.FreePort(t))
	token := filepath.Join(dir, "token")
	host := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "host", Args: []string{"sim", "gitea", "--forgejo", "--addr", at, "--seed", "demo", "--token-file", token}})
	host.WaitLine(startup, `"ready"`)
	wrong := filepath.Join(dir, "wrong")
	testkit.OK(t, os.WriteFile(wrong, []byte(strings.Repeat("0", 40)), 0o600))
	vars := map[string]string{"ASSAY_DATA_DIR": filepath.Join(dir, "data"), "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP": "true", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": at}
	setup := func(want int, args ...string) string {
		t.Helper()
		p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: append([]string{"setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada"}, args...), Env: vars})
		code := p.Wait(startup)
		text := strings.Join(p.Lines(), "\n")
		if code != want || strings.Contains(text, strings.Repeat("0", 40)) {
			t.Fatalf("assay setup %v: exit code %d\n%s", args, code, text)
		}
		return text
	}
	connection := []string{"--connection", "forgejo", "--connection-url", "http://" + at, "--connection-owner", "acme", "--connection-token-file"}
	if text := setup(exitUsage, "--connection-owner", "acme"); !strings.Contains(text, "go with --connection") {
		t.Error(text)
	}
	if text := setup(exitUsage, connection[:6]...); !strings.Contains(text, "ASSAY_SETUP_CONNECTION_TOKEN") {
		t.Error(text)
	}
	if text := setup(exitFailed, append(connection, wrong)...); !strings.Contains(text, "token is refused by the host") {
		t.Error(text)
	}
	if text := setup(exitOK, append(connection, token)...); !strings.Contains(text, "Forgejo at http://"+at+" is connected for acme") || !strings.Contains(text, "/auth/break-glass#token=") {
		t.Error(text)
	}
	doctor := good(t, command(t, vars, "doctor"))
	for _, want := range []string{"skip  D013", "skip  D014", "ok    D024  connections to code hosts Forgejo of Acme: http://" + at + " answers"} {
		if !strings.Contains(doctor, want) {
			t.Errorf("doctor lacks %q:\n%s", want, doctor)
		}
	}
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars})
	p.WaitLine(startup, "listens on")
	terminate(t, p)
	if text := strings.Join(p.Lines(), "\n"); strings.Contains(text, "GitHub") || strings.Contains(text, "No code host") {
		t.Errorf("the service says:\n%s", text)
	}
}
