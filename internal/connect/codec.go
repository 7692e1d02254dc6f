package connect

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/anthropic"
	"github.com/assay-dev/assay/internal/llm/bedrock"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/llm/endpoint"
	"github.com/assay-dev/assay/internal/llm/responses"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// maxInPlaceWait is how long a call may wait for a failing provider before the run is postponed.
const maxInPlaceWait = 4 * time.Second

// open returns the client of a credential, with its limits and its breaker.
func (m *Models) open(ctx context.Context, t domain.Tenant, row store.Credential) (llm.Client, error) {
	codec, err := m.Codec(ctx, t, row)
	if err != nil {
		return nil, err
	}
	concurrency := m.Concurrency
	if row.MaxConcurrency > 0 {
		concurrency = int(row.MaxConcurrency)
	}
	// Pauses of minutes belong to the job, which holds no slot while it waits.
	set := endpoint.New(endpoint.Options{Concurrent: concurrency,
		Retry: endpoint.Retry{Base: time.Second, Window: endpoint.MostPatience*m.Attempt + time.Minute, Attempt: m.Attempt,
			InPlace: maxInPlaceWait}})
	return set.For(fmt.Sprintf("%s@%d", row.ID, row.Version)).Wrap(&sharedClient{codec, m.Store, t, row, m.Logger},
		time.Time{}, endpoint.Hooks{}), nil
}

// Codec opens the bare client of a credential, without retries, breaker and limit, for tests and lists that
// a person waits for. The client is an [llm.Embedder] too if its kind has embeddings.
func (m *Models) Codec(ctx context.Context, t domain.Tenant, row store.Credential) (llm.Client, error) {
	var key secret.Secret
	if len(row.APIKey) > 0 {
		var err error
		if key, err = m.Keyring.OpenSecret(ctx, CredentialScope(t, row.ID), row.APIKey); err != nil {
			return nil, fmt.Errorf("open the model key %s: %w", row.ID, err)
		}
	}
	where := locationOf(row)
	base := where.Endpoint()
	if m.Endpoint != nil {
		base = m.Endpoint(where)
	}
	if base == "" {
		return nil, errs.Wrap(errUnfit, errs.Conflict, "incomplete_key",
			"The model key does not say where its provider is reached. Save it again.")
	}
	return Endpoint{Key: where, BaseURL: base, APIKey: key, HTTP: m.http(t), MaxResponse: m.MaxResponse}.Codec()
}

// Endpoint is a provider with a key.
type Endpoint struct {
	Key         catalog.Key
	BaseURL     string // with its version
	APIKey      secret.Secret
	HTTP        *http.Client
	MaxResponse int64 // bytes; 0: the codec's default
}

// Codec returns the bare client for the provider's protocol.
func (e Endpoint) Codec() (llm.Client, error) {
	switch e.Key.Kind {
	case catalog.OpenAI, catalog.Azure:
		return responses.New(responses.Config{BaseURL: e.BaseURL, APIKey: e.APIKey, HTTP: e.HTTP, MaxResponseBytes: e.MaxResponse,
			Azure: e.Key.Kind == catalog.Azure})
	case catalog.Anthropic:
		return anthropic.New(anthropic.Config{BaseURL: e.BaseURL, APIKey: e.APIKey, HTTP: e.HTTP, MaxResponseBytes: e.MaxResponse})
	case catalog.Bedrock:
		control := strings.Replace(e.BaseURL, "://bedrock-runtime.", "://bedrock.", 1)
		return bedrock.New(bedrock.Config{RuntimeURL: e.BaseURL, ControlURL: control, APIKey: e.APIKey, HTTP: e.HTTP,
			MaxResponseBytes: e.MaxResponse})
	}
	config := chat.Config{BaseURL: e.BaseURL, APIKey: e.APIKey, HTTP: e.HTTP, MaxResponseBytes: e.MaxResponse,
		LegacyMaxTokens: e.Key.MaxTokens(), CutsInput: e.Key.CutsInput(), HiddenSchema: e.Key.Kind == catalog.Compatible}
	if e.Key.Kind == catalog.Mistral {
		config = chat.ForMistral(config)
	}
	return chat.New(config)
}

func (m *Models) http(t domain.Tenant) *http.Client {
	return m.Factory.Client(outbound.Purpose{Name: "model", Tenant: t.ID, Timeout: endpoint.MostPatience * m.Attempt,
		IdleTimeout: m.Idle, MaxResponseBytes: m.MaxResponse, PublicOnly: m.Enterprise})
}
