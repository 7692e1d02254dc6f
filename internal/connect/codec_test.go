package connect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestTheOutputLimitHasTheNameThatTheServiceKnows: a service that ignores the
// other name would answer without bound, whatever a budget has reserved.
func TestTheOutputLimitHasTheNameThatTheServiceKnows(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	testkit.OK(t, err)
	port, err := strconv.Atoi(at.Port())
	testkit.OK(t, err)
	models := &connect.Models{Factory: outbound.New(outbound.Policy{LoopbackPorts: []int{port}}), Attempt: 30 * time.Second, MaxResponse: 1 << 20,
		Logger: telemetry.Discard(), Endpoint: func(catalog.Key) string { return server.URL }}
	presets := []string{""} // a service of one's own
	for _, p := range catalog.Presets() {
		presets = append(presets, p.ID)
	}
	before := " scaleway together ollama lmstudio "
	for _, preset := range presets {
		client, err := models.Codec(bg, domain.Tenant{ID: "tnt_1"}, store.Credential{ID: "crd_1", Kind: catalog.Compatible, Preset: preset})
		testkit.OK(t, err)
		_, err = client.Complete(bg, llm.Request{Model: "m", MaxOutputTokens: 9, Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
		testkit.OK(t, err)
		want, other := `"max_completion_tokens":9`, `"max_tokens"`
		if preset == "" || strings.Contains(before, " "+preset+" ") {
			want, other = `"max_tokens":9`, `"max_completion_tokens"`
		}
		if body := <-bodies; !strings.Contains(body, want) || strings.Contains(body, other) {
			t.Errorf("preset %q: sent %s, want %s alone", preset, body, want)
		}
	}
}
