// Package responses is the codec of OpenAI's Responses API and of its embeddings
// (GET {base}/models, POST {base}/responses, POST {base}/embeddings), as the
// OpenAI REST description has them. Azure OpenAI speaks the same under its v1
// path, with the key in another header and the deployment's name as model
// (Azure OpenAI REST description, v1).
//
// Nothing of a call is kept by the provider (store is false), and nothing is
// changed or dropped: what a model refuses is an error.
//
// What must not live here: retries, limits of concurrency, other dialects, the
// making of HTTP clients.
package responses

import (
	"net/http"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Config of a [Client].
type Config struct {
	// BaseURL is the address that "/responses" is appended to:
	// https://api.openai.com/v1, or https://<resource>.openai.azure.com/openai/v1.
	BaseURL string
	// APIKey is needed.
	APIKey wire.Key
	// Azure sends the key in the header api-key. Such an endpoint lists the models
	// of the region, not the deployments: its list is no choice of models.
	Azure bool
	// HTTP makes the requests; see [wire.Config].
	HTTP *http.Client
	// MaxResponseBytes bounds an answer; 0 = [wire.DefaultMaxResponseBytes].
	MaxResponseBytes int64
}

// Client implements [llm.Client] and [llm.Embedder].
type Client struct {
	conn     *wire.Conn
	optional wire.Optional
	plain    sync.Map // models that give no encrypted reasoning
}

var (
	_ llm.Client   = (*Client)(nil)
	_ llm.Embedder = (*Client)(nil)
)

// New makes a client, or says which field of the configuration is wrong.
func New(cfg Config) (*Client, error) {
	c := wire.Config{BaseURL: cfg.BaseURL, Key: cfg.APIKey, HTTP: cfg.HTTP, MaxResponseBytes: cfg.MaxResponseBytes}
	if cfg.Azure {
		c.Sign = func(h http.Header, key string) { h.Set("Api-Key", key) }
	}
	conn, err := wire.New(c)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, optional: wire.Optional{Object: true}}, nil
}
