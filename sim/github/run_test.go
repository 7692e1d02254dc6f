package github_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simclient"
	"github.com/assay-dev/assay/sim/host"
)

// TestRun starts the simulator as its command does, with the demo and an app of its own.
func TestRun(t *testing.T) {
	t.Parallel()
	hooks := &bundle{t: t, hooks: newReceiver()}
	server := httptest.NewServer(hooks.hooks)
	defer server.Close()
	dir := t.TempDir()
	secretFile, keyFile, tokenFile := filepath.Join(dir, "secret"), filepath.Join(dir, "key"), filepath.Join(dir, "token")
	must(t, os.WriteFile(secretFile, []byte(hookSecret+"\n"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	opt := github.RunOptions{AppKeyFile: keyFile, RunOptions: host.RunOptions{DataDir: filepath.Join(dir, "data"), Seed: "demo", WebhookURL: server.URL, WebhookSecretFile: secretFile,
		ControlTokenFile: tokenFile}}
	for range 2 { // the second time everything already exists
		go func() { ended <- github.Run(ctx, opt, func(base string) { ready <- base }) }()
		var base string
		select {
		case base = <-ready:
		case err := <-ended:
			t.Fatal(err)
		}
		hooks.hooks.await(8) // installation, repository added, three pushes, three pull requests
		ctl := simclient.New(base, strings.TrimSpace(string(need(os.ReadFile(tokenFile)))))
		if p := need(ctl.GetPull(t.Context(), "acme/storefront", 3)); p.State != "open" {
			t.Errorf("pull request 3: %+v", p)
		}
		block, _ := pem.Decode(need(os.ReadFile(keyFile)))
		need(x509.ParsePKCS1PrivateKey(block.Bytes))
		cancel()
		must(t, <-ended)
		ctx, cancel = context.WithCancel(t.Context())
	}
	cancel()
	for name, bad := range map[string]github.RunOptions{"seed": {RunOptions: host.RunOptions{Seed: "nonsense"}}, "AppKeyFile": {RunOptions: host.RunOptions{WebhookURL: server.URL}},
		"webhookUrl": {AppKeyFile: keyFile, RunOptions: host.RunOptions{WebhookURL: "nonsense"}}, "listen": {RunOptions: host.RunOptions{Addr: "256.0.0.1:1"}}} {
		if err := github.Run(t.Context(), bad, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
