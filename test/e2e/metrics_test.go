package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
)

// Every registered metric changes when the service does the counted work: reviews that wait for their
// slot, a limit of the host, a wrong signature, a stranger, a dead letter, a lost delivery.
func TestEveryMetricMoves(t *testing.T) {
	on(t, []storage{embedded}, func(t *testing.T, w *world) {
		port := testkit.FreePort(t)
		w.env["ASSAY_METRICS_LISTEN"] = fmt.Sprintf("127.0.0.1:%d", port)
		w.env["ASSAY_LANES_REVIEW"] = "1"
		w.exec(`INSERT INTO webhook_deliveries (id, source_id, delivery_guid, event, action, raw_sha256, received_us) VALUES ('dlv_lost', 'app', 'lost', '', '', '', 1)`) // before the start, because the promises are measured then
		w.up()
		w.assisted()
		w.pushed()
		w.exec(`INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us)
			SELECT id, '', '` + store.SettingPrices + `', '{"items":[{"model":"scripted","inputMicros":1000000,"outputMicros":10000000}]}', 1, 1 FROM tenants`)
		w.exec(`INSERT INTO jobs (id, kind, lane, fair_key, subject, state, run_us, created_us, finished_us) VALUES ('job_dead', 'review.run', 'review', 'k', 'run_none', 'dead', 1, 1, 1)`)
		// A due job in a lane that this process does not serve waits until it is removed.
		w.exec(`INSERT INTO jobs (id, kind, lane, fair_key, subject, state, run_us, created_us) VALUES ('job_parked', 'review.run', 'parked', 'k', 'run_none', 'queued', 1, 1)`)
		w.fault(simapi.Fault{Method: "POST", Path: createPath, Action: simapi.SecondaryRetryAfter, RetrySeconds: 2, Times: 1})
		w.modelFault(model.Fault{Action: model.Latency, DelayMS: 3000, Times: 3})
		first, second := w.open("bug", buggy()), w.open("leak", leaky())
		forged := w.delivery("pull_request", "opened")
		forged.Payload += " "
		testkit.Equal(t, "a wrong signature", w.post(w.port, forged), http.StatusUnauthorized)
		w.stranger()
		w.reviewed(first.Number, 1)
		w.reviewed(second.Number, 1)

		names := telemetry.NewMetrics(telemetry.Build{}).Names()
		if len(names) < 20 {
			t.Fatalf("only %d metrics are registered", len(names))
		}
		seen := map[string]bool{} // gauges fall again
		testkit.Eventually(t, patience, func() (bool, string) {
			for _, name := range names {
				seen[name] = seen[name] || moved(w.scrape(port), name)
			}
			still := unmoved(names, seen)
			return len(still) == 0, "these metrics have not moved: " + strings.Join(still, ", ")
		})
		w.exec(`DELETE FROM jobs WHERE id = 'job_parked'`)
		if still := unmoved(append(names, "assay_planted_total"), seen); !slices.Equal(still, []string{"assay_planted_total"}) {
			t.Errorf("a metric that nothing moves is not noticed: %v", still)
		}
	})
}

// assisted lets an assistant call a tool at /mcp.
func (w *world) assisted() {
	w.Helper()
	p := w.admin()
	at := "/api/tenants/" + p.tenant()
	p.send("PUT", at+"/mcp-settings", map[string]any{"enabled": true, "exposedTools": []string{"list_repositories"}, "allowWrites": false})
	var token struct{ Secret string }
	p.as.Send("POST", at+"/mcp-tokens", map[string]any{"name": "assistant", "scopes": []string{"repositories:read"}, "expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, http.StatusCreated, &token)
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url("/mcp"), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_repositories","arguments":{}}}`))
	must(w.T, err)
	for name, value := range map[string]string{"Authorization": "Bearer " + token.Secret, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	must(w.T, err)
	body, err := io.ReadAll(res.Body)
	must(w.T, err)
	must(w.T, res.Body.Close())
	if res.StatusCode != http.StatusOK || strings.Contains(string(body), `"isError":true`) {
		w.Fatalf("the call of an assistant: %d %s", res.StatusCode, body)
	}
}

// pushed sends a message to a browser whose person has switched notifications off meanwhile.
func (w *world) pushed() {
	w.Helper()
	w.exec(`INSERT INTO push_subscriptions (id, tenant_id, user_id, endpoint_hash, host, endpoint, p256dh, auth, auth_us, label, topics, quiet_hours, enabled, state, version, created_us, updated_us)
		SELECT 'psh_off', t.id, u.id, 'hash', 'push.example.com', x'00', '', x'00', 1, '', '[]', '', 0, 'active', 1, 1, 1 FROM tenants t, users u LIMIT 1`)
	w.exec(`INSERT INTO push_deliveries (id, tenant_id, subscription_id, event_id, event, repository_id, state, payload, attempts, error, created_us, updated_us)
		SELECT 'psd_off', tenant_id, id, 'evt_none', 'review.completed', '', 'pending', '{}', 0, '', 1, 1 FROM push_subscriptions WHERE id = 'psh_off'`)
	w.exec(`INSERT INTO jobs (id, kind, lane, fair_key, subject, tenant_id, state, run_us, created_us) SELECT 'job_push', 'push.send', 'background', id, 'psd_off', id, 'queued', 1, 1 FROM tenants`)
}

// unmoved returns the names that were not seen to change.
func unmoved(names []string, seen map[string]bool) (out []string) {
	for _, n := range names {
		if !seen[n] {
			out = append(out, n)
		}
	}
	return out
}

// moved reports whether a sample of a metric is above 0.
func moved(scrape, name string) bool {
	for s := bufio.NewScanner(strings.NewReader(scrape)); s.Scan(); {
		sample, value, ok := strings.Cut(s.Text(), "} ")
		if !ok {
			sample, value, ok = strings.Cut(s.Text(), " ")
		}
		is, _, _ := strings.Cut(sample, "{")
		if n, err := strconv.ParseFloat(value, 64); ok && (is == name || is == name+"_count") && err == nil && n > 0 {
			return true
		}
	}
	return false
}

func (w *world) scrape(port int) string {
	w.Helper()
	res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", port)) //nolint:noctx // the test is bounded itself
	must(w.T, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(w.T, err)
	return string(b)
}

// stranger requests a resource that needs a sign-in.
func (w *world) stranger() {
	w.Helper()
	res, err := http.Get(w.url("/api/me/tenants")) //nolint:noctx // the test is bounded itself
	must(w.T, err)
	must(w.T, res.Body.Close())
	testkit.Equal(w.T, "status for a stranger", res.StatusCode, http.StatusUnauthorized)
}
