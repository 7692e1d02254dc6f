// Package anthropic is the codec of Anthropic's Messages API (GET /v1/models, POST /v1/messages), as the
// provider's SDK has it (anthropic-sdk-go v1.84.0).
//
// An effort goes into output_config. "none" switches thinking off; the two highest efforts also switch
// adaptive thinking on, because the provider refuses them without it. An effort that the model refuses is an
// error; the codec never lowers or drops one.
//
// The provider has no embeddings. Retries, limits of concurrency, other dialects and the making of HTTP
// clients do not belong here.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// version is the value of the header anthropic-version.
const version = "2023-06-01"

// Config configures a [Client].
type Config struct {
	BaseURL string   // https://api.anthropic.com
	APIKey  wire.Key // required
	HTTP    *http.Client
	// MaxResponseBytes bounds an answer; 0 means the default of package wire.
	MaxResponseBytes int64
}

// Client implements [llm.Client].
type Client struct {
	conn     *wire.Conn
	optional wire.Optional
}

var _ llm.Client = (*Client)(nil)

// New returns a client, or an error that names the wrong field of the configuration.
func New(cfg Config) (*Client, error) {
	conn, err := wire.New(wire.Config{BaseURL: cfg.BaseURL, Key: cfg.APIKey, HTTP: cfg.HTTP, MaxResponseBytes: cfg.MaxResponseBytes,
		Sign: func(h http.Header, key string) {
			h.Set("X-Api-Key", key)
			h.Set("Anthropic-Version", version)
		}})
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn}, nil
}

// ListModels implements [llm.Client].
func (c *Client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	rep, err := c.conn.List(ctx, "/v1/models?limit=1000")
	if err != nil {
		return nil, err
	}
	if !rep.OK() {
		return nil, c.conn.Failure(rep, llm.EffortDefault)
	}
	var in struct {
		Data *wire.Items[struct {
			ID          wire.Text `json:"id"`
			DisplayName wire.Text `json:"display_name"`
			// Older servers do not send it. As raw JSON, a malformed value cannot spoil the list.
			Capabilities json.RawMessage `json:"capabilities"`
		}] `json:"data"`
	}
	if json.Unmarshal(rep.Body, &in) != nil || in.Data == nil {
		return nil, rep.Invalid("The answer of the endpoint is not a list of models in JSON.")
	}
	var list wire.ModelList
	for _, m := range *in.Data {
		list.Add(string(m.ID), string(m.DisplayName))
		list.Says(string(m.ID), efforts(m.Capabilities))
	}
	return list.Models(), nil
}

// supported reads CapabilitySupport of the provider's SDK. It returns nil if the value is missing or
// malformed.
func supported(raw json.RawMessage) *bool {
	var in struct {
		Supported *bool `json:"supported"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return nil
	}
	return in.Supported
}

// efforts reads ModelCapabilities of the provider's SDK (model.go): one member per effort, and the types of
// thinking. The effort "none" is thinking of type disabled. The two highest efforts are sent with adaptive
// thinking, so they need both. A missing or malformed value leaves the effort unknown.
func efforts(raw json.RawMessage) llm.Efforts {
	var in struct {
		Effort   json.RawMessage `json:"effort"`
		Thinking json.RawMessage `json:"thinking"`
	}
	var thinking struct {
		Types struct {
			Adaptive json.RawMessage `json:"adaptive"`
			Disabled json.RawMessage `json:"disabled"`
		} `json:"types"`
	}
	var each map[llm.Effort]json.RawMessage
	// Values that cannot be read leave the effort unknown.
	_ = json.Unmarshal(raw, &in)
	_ = json.Unmarshal(in.Thinking, &thinking)
	_ = json.Unmarshal(in.Effort, &each)
	out := llm.Efforts{}
	if off := supported(thinking.Types.Disabled); off != nil {
		out[llm.EffortNone] = *off
	}
	whole, adaptive := supported(in.Effort), supported(thinking.Types.Adaptive)
	for _, e := range []llm.Effort{llm.EffortLow, llm.EffortMedium, llm.EffortHigh, llm.EffortXHigh, llm.EffortMax} {
		switch one := supported(each[e]); {
		case whole != nil && !*whole, adaptive != nil && !*adaptive && (e == llm.EffortXHigh || e == llm.EffortMax):
			out[e] = false
		case one != nil:
			out[e] = *one
		}
	}
	return out
}
