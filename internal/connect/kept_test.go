package connect_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// Calls with a common beginning are served from the provider's cache, in the way of each kind: by a key that
// names them, or by marks at the end of the common part. Without a key no caching is requested, and services
// that a tenant operates get no such field.
func TestProvidersKeepWhatCallsShare(t *testing.T) {
	t.Parallel()
	_, base := simulated(t, model.Options{PrefixCache: true})
	shared := strings.Repeat("code of the change\n", 500)
	for kind, want := range map[string]bool{catalog.OpenAI: true, catalog.Azure: true, catalog.Mistral: true, catalog.Anthropic: true, catalog.Bedrock: true, catalog.Compatible: false} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			client, err := connect.Endpoint{Key: catalog.Key{Kind: kind}, BaseURL: base + pathOf[kind], APIKey: secret.New("key-of-" + kind), HTTP: http.DefaultClient}.Codec()
			testkit.OK(t, err)
			read := func(key, lens string) int64 {
				r, err := client.Complete(t.Context(), llm.Request{Model: "eu.anthropic.claude-sonnet-5", MaxOutputTokens: 100, System: "Review. " + kind + key, CacheKey: key,
					Messages: []llm.Message{{Role: llm.User, Text: shared + "Look for " + lens, Shared: len(shared)}}})
				testkit.OK(t, err)
				return 100 * r.Usage.CachedInputTokens / r.Usage.InputTokens
			}
			if got := read("review-1", "races"); got != 0 {
				t.Errorf("the first call has read %d %%", got)
			}
			if got := read("review-1", "leaks"); (got >= 70) != want {
				t.Errorf("the second call has read %d %%", got)
			}
			read("", "races")
			if got := read("", "leaks"); got != 0 {
				t.Errorf("without a key %d %% were read", got)
			}
		})
	}
}
