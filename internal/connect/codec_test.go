package connect_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// The output limit has the name that the service understands. A service that ignores the other name would
// answer without a bound, beyond the reservation of the budget.
func TestTheOutputLimitHasTheNameThatTheServiceKnows(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	models := reaching(t, server.URL, 30*time.Second, func(catalog.Key) string { return "" })
	presets := []string{""} // a service that the tenant operates
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

// The providers' own libraries take keys and addresses from the environment. None of it counts for a tenant.
func TestTheEnvironmentIsNoCredential(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AZURE_OPENAI_API_KEY", "MISTRAL_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"} {
		t.Setenv(name, "X-Taken: of-the-process")
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AZURE_OPENAI_ENDPOINT", "HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://203.0.113.1:9")
	}
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), "of-the-process") || name == "Authorization" || name == "Api-Key" || name == "X-Api-Key" || strings.HasPrefix(name, "Openai-") || strings.HasPrefix(name, "X-Amz") {
				t.Errorf("%s: the header %s was sent", r.URL.Path, name)
			}
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	models := reaching(t, server.URL, 30*time.Second, func(catalog.Key) string { return "" })
	for _, kind := range catalog.Kinds() {
		before := asked.Load()
		client, err := models.Codec(bg, domain.Tenant{ID: "tnt_1"}, store.Credential{ID: "crd_1", Kind: kind.ID})
		testkit.OK(t, err)
		for _, call := range []func() error{
			func() error {
				_, err := client.Complete(bg, llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
				return err
			},
			func() error { _, err := client.ListModels(bg); return err },
		} {
			if e, ok := errors.AsType[*llm.Error](call()); !ok || e.Status != http.StatusTeapot {
				t.Errorf("%s: %v", kind.ID, e)
			}
		}
		if n := asked.Load() - before; n != 2 {
			t.Errorf("%s: %d requests arrived", kind.ID, n)
		}
	}
}

// Calls of every kind go to the host of the key and to no other. An old address that a key of a fixed kind
// still has is not even looked up.
func TestWhereCallsGo(t *testing.T) {
	t.Parallel()
	const old = "https://old.example.com/v1"
	for name, tc := range map[string]struct {
		key        store.Credential
		call, list string // hosts
	}{
		"openai":             {store.Credential{Kind: catalog.OpenAI}, "api.openai.com", "api.openai.com"},
		"openai, EU":         {store.Credential{Kind: catalog.OpenAI, DataRegion: "eu"}, "eu.api.openai.com", "eu.api.openai.com"},
		"openai, kept":       {store.Credential{Kind: catalog.OpenAI, BaseURL: old}, "api.openai.com", "api.openai.com"},
		"anthropic, kept":    {store.Credential{Kind: catalog.Anthropic, BaseURL: old}, "api.anthropic.com", "api.anthropic.com"},
		"mistral, kept":      {store.Credential{Kind: catalog.Mistral, BaseURL: old}, "api.mistral.ai", "api.mistral.ai"},
		"bedrock":            {store.Credential{Kind: catalog.Bedrock, Region: "eu-west-3"}, "bedrock-runtime.eu-west-3.amazonaws.com", "bedrock.eu-west-3.amazonaws.com"},
		"azure, by resource": {store.Credential{Kind: catalog.Azure, Resource: "acme"}, "acme.openai.azure.com", "acme.openai.azure.com"},
		"azure, by endpoint": {store.Credential{Kind: catalog.Azure, BaseURL: "https://gateway.example.com/llm"}, "gateway.example.com", "gateway.example.com"},
		"compatible":         {store.Credential{Kind: catalog.Compatible, Preset: "groq", BaseURL: "https://proxy.example.com/v1"}, "proxy.example.com", "proxy.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			asked := map[string]bool{}
			factory := outbound.New(outbound.Policy{Resolver: testkit.Resolver(t, func(name string, _ int) testkit.Named {
				mu.Lock()
				defer mu.Unlock()
				asked[name] = true
				return testkit.Named{Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.7")}} // refused at the dial
			})})
			t.Cleanup(factory.Close)
			models := &connect.Models{Factory: factory, Attempt: 30 * time.Second, Idle: 30 * time.Second, MaxResponse: 1 << 20, Logger: telemetry.Discard()}
			client, err := models.Codec(bg, domain.Tenant{ID: "tnt_1"}, tc.key)
			testkit.OK(t, err)
			hosts := func(err error) []string {
				mu.Lock()
				defer mu.Unlock()
				if e, ok := errors.AsType[*llm.Error](err); !ok || e.Retryable() {
					t.Errorf("%v, want an address that is refused", err)
				}
				out := slices.Collect(maps.Keys(asked))
				clear(asked)
				return out
			}
			_, err = client.Complete(bg, llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
			testkit.Equal(t, "a call", strings.Join(hosts(err), " "), tc.call)
			_, err = client.ListModels(bg)
			testkit.Equal(t, "a list", strings.Join(hosts(err), " "), tc.list)
		})
	}
}
