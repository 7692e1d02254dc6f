package gitea_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// TestRun starts the simulator as its command does, with the demo, twice in the same folder.
func TestRun(t *testing.T) {
	t.Parallel()
	hooks := &receiver{status: 202}
	server := httptest.NewServer(hooks)
	defer server.Close()
	dir := t.TempDir()
	secretFile, tokenFile, controlFile := filepath.Join(dir, "secret"), filepath.Join(dir, "token"), filepath.Join(dir, "control")
	must(t, os.WriteFile(secretFile, []byte(hookSecret+"\n"), 0o600))
	opt := gitea.RunOptions{Forgejo: true, RunOptions: host.RunOptions{DataDir: filepath.Join(dir, "data"), Seed: "demo", WebhookURL: server.URL, WebhookSecretFile: secretFile,
		TokenFile: tokenFile, ControlTokenFile: controlFile}}
	for round := range 2 { // the second time everything already exists
		ctx, cancel := context.WithCancel(t.Context())
		ready, ended := make(chan string, 1), make(chan error, 1)
		go func() { ended <- gitea.Run(ctx, opt, func(base string) { ready <- base }) }()
		var base string
		select {
		case base = <-ready:
		case err := <-ended:
			t.Fatal(err)
		}
		ctl := simclient.New(base, strings.TrimSpace(string(need(os.ReadFile(controlFile)))))
		for n := 0; n < len(demo.PullRequests()); { // they are opened after ready
			if _, err := ctl.GetPull(t.Context(), demo.Repository, n+1); err == nil {
				n++
			}
		}
		must(t, ctl.WaitDeliveries(t.Context(), 0))
		opened := strings.Count(events(hooks.take(202)), "pull_request opened")
		if want := map[int]int{0: 3, 1: 0}[round]; opened != want {
			t.Errorf("round %d: %d pull requests opened", round, opened)
		}
		req := need(http.NewRequestWithContext(t.Context(), "GET", base+"/api/v1/repos/"+demo.Repository+"/pulls/1", nil))
		req.Header.Set("Authorization", "token "+strings.TrimSpace(string(need(os.ReadFile(tokenFile)))))
		if r := need((&bundle{t: t}).send(req)); r.status != 200 {
			t.Errorf("the machine account gets %d", r.status)
		}
		cancel()
		must(t, <-ended)
	}
	for name, bad := range map[string]host.RunOptions{"seed": {Seed: "nonsense"}, "url": {Seed: "demo", WebhookURL: "nonsense"}, "listen": {Addr: "256.0.0.1:1"}} {
		if err := gitea.Run(t.Context(), gitea.RunOptions{RunOptions: bad}, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFaults checks which faults apply the request, and the host's own answers.
func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault   shared.Fault
		status  int // 0: the connection breaks
		applied bool
	}{
		{shared.Fault{Action: shared.Refuse}, 0, false},
		{shared.Fault{Action: shared.ApplyThenStatus}, 500, true},
		{shared.Fault{Action: shared.ApplyThenReset}, 0, true},
		{shared.Fault{Action: shared.Respond, Status: 502, ReplyBody: "<html>"}, 502, false},
		{shared.Fault{Action: shared.Forbidden}, 403, false},
		{shared.Fault{Action: shared.SecondaryRetryAfter, RetrySeconds: 7}, 429, false},
		{shared.Fault{Action: shared.Latency, DelayMS: 1}, 200, true},
	}
	for _, tt := range tests {
		t.Run(tt.fault.Action, func(t *testing.T) {
			t.Parallel()
			b := setup(t, gitea.Options{})
			tt.fault.Method, tt.fault.Path = "POST", "^"+pr+"/reviews$"
			need(b.ctl.SetFault(t.Context(), tt.fault))
			r, err := b.send(b.request(b.token, "POST", pr+"/reviews", draft("COMMENT", line(4))))
			if (err != nil) != (tt.status == 0) || r.status != tt.status || (len(b.reviews()) == 1) != tt.applied {
				t.Errorf("answer %d, error %v, %d reviews", r.status, err, len(b.reviews()))
			}
		})
	}
	t.Run("lag", func(t *testing.T) {
		t.Parallel()
		b := setup(t, gitea.Options{})
		id := need(b.ctl.SetFault(t.Context(), shared.Fault{Method: "POST", Path: "/reviews$", Action: shared.ListLag})).ID
		b.call(200, "POST", pr+"/reviews", draft("PENDING", line(4)))
		if n := len(b.call(200, "GET", pr+"/reviews", nil).list()); n != 0 {
			t.Errorf("%d reviews are listed", n)
		}
		must(t, b.ctl.Release(t.Context(), id, ""))
		if n := len(b.call(200, "GET", pr+"/reviews", nil).list()); n != 1 {
			t.Errorf("%d reviews are listed after the release", n)
		}
	})
}
