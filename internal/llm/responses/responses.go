// Package responses is the codec of OpenAI's Responses API and of its embeddings (GET {base}/models, POST
// {base}/responses, POST {base}/embeddings), as the OpenAI REST description has them. Azure OpenAI speaks the
// same under its v1 path, with the key in another header and the deployment's name as model (Azure OpenAI REST
// description, v1).
//
// The provider stores nothing of a call (store is false). Nothing is changed or dropped: a refusal of the
// model is an error. Retries, limits of concurrency, other dialects and the making of HTTP clients do not
// belong here.
package responses

import (
	"net/http"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Config configures a [Client].
type Config struct {
	// BaseURL is the address before "/responses": https://api.openai.com/v1, or
	// https://<resource>.openai.azure.com/openai/v1.
	BaseURL string
	// APIKey is required.
	APIKey wire.Key
	// Azure sends the key in the header api-key. Such an endpoint lists the models of the region, not the
	// deployments, so its list is not a choice of models.
	Azure bool
	// HTTP makes the requests; see [wire.Config].
	HTTP *http.Client
	// MaxResponseBytes bounds an answer; 0 means the default of package wire.
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

// New returns a client, or an error that names the wrong field of the configuration.
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
