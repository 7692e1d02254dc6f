// Package bedrock is the codec of Amazon Bedrock: Converse and InvokeModel of the runtime, and the lists of
// models of the control plane, with a Bedrock API key as bearer token. Sources are the provider's own
// (aws-sdk-go-v2, service/bedrockruntime v1.63.10 and service/bedrock v1.63.0; Amazon Bedrock user guide, "Use
// an API key").
//
// Signatures of other AWS credentials, retries, limits of concurrency, other dialects and the making of HTTP
// clients do not belong here.
package bedrock

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Config configures a [Client].
type Config struct {
	RuntimeURL string   // https://bedrock-runtime.<region>.amazonaws.com
	ControlURL string   // https://bedrock.<region>.amazonaws.com
	APIKey     wire.Key // required
	HTTP       *http.Client
	// MaxResponseBytes bounds an answer; 0 means the default of package wire.
	MaxResponseBytes int64
}

// Client implements [llm.Client] and [llm.Embedder].
type Client struct {
	runtime, control *wire.Conn
	optional         wire.Optional
}

var (
	_ llm.Client   = (*Client)(nil)
	_ llm.Embedder = (*Client)(nil)
)

// New returns a client, or an error that names the wrong field of the configuration.
func New(cfg Config) (*Client, error) {
	c := wire.Config{BaseURL: cfg.RuntimeURL, Key: cfg.APIKey, HTTP: cfg.HTTP, MaxResponseBytes: cfg.MaxResponseBytes}
	runtime, err := wire.New(c)
	if err != nil {
		return nil, err
	}
	c.BaseURL = cfg.ControlURL
	control, err := wire.New(c)
	if err != nil {
		return nil, err
	}
	return &Client{runtime: runtime, control: control}, nil
}

// maxPages bounds the number of pages of inference profiles that a list reads (design choice; 1,000 profiles
// each).
const maxPages = 10

// ListModels implements [llm.Client]. It lists the system's inference profiles first, because most models need
// one, then the models that can be called on demand.
func (c *Client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	limited, cancel := context.WithTimeout(ctx, wire.ListTimeout) // all pages together
	defer cancel()
	list, err := c.list(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, &llm.Error{Class: llm.ClassRetryable, ProviderMessage: "The endpoint did not list its models in time.", Cause: err}
	}
	return list, err
}

func (c *Client) list(ctx context.Context) ([]llm.ModelInfo, error) {
	var list wire.ModelList
	next := ""
	for range maxPages {
		query := url.Values{"type": {"SYSTEM_DEFINED"}, "maxResults": {"1000"}}
		if next != "" {
			query.Set("nextToken", next)
		}
		var page struct {
			Items *wire.Items[struct {
				ID     wire.Text `json:"inferenceProfileId"`
				Name   wire.Text `json:"inferenceProfileName"`
				Status wire.Text `json:"status"`
			}] `json:"inferenceProfileSummaries"`
			Next wire.Text `json:"nextToken"`
		}
		if err := c.page(ctx, "/inference-profiles?"+query.Encode(), &page, func() bool { return page.Items != nil }); err != nil {
			return nil, err
		}
		for _, p := range *page.Items {
			if p.Status == "" || p.Status == "ACTIVE" {
				list.Add(string(p.ID), string(p.Name))
			}
		}
		if next = string(page.Next); next == "" {
			break
		}
	}
	for _, modality := range []string{"TEXT", "EMBEDDING"} {
		var all struct {
			Items *wire.Items[struct {
				ID        wire.Text `json:"modelId"`
				Name      wire.Text `json:"modelName"`
				Provider  wire.Text `json:"providerName"`
				Lifecycle struct {
					Status wire.Text `json:"status"`
				} `json:"modelLifecycle"`
			}] `json:"modelSummaries"`
		}
		if err := c.page(ctx, "/foundation-models?byInferenceType=ON_DEMAND&byOutputModality="+modality, &all,
			func() bool { return all.Items != nil }); err != nil {
			return nil, err
		}
		for _, m := range *all.Items {
			if m.Lifecycle.Status == "" || m.Lifecycle.Status == "ACTIVE" {
				name := string(m.Name)
				if m.Provider != "" && name != "" {
					name = string(m.Provider) + " " + name
				}
				list.Add(string(m.ID), name)
			}
		}
	}
	return list.Models(), nil
}

func (c *Client) page(ctx context.Context, path string, into any, good func() bool) error {
	rep, err := c.control.List(ctx, path)
	if err != nil {
		return err
	}
	if !rep.OK() {
		return failure(c.control, rep, llm.EffortDefault)
	}
	if json.Unmarshal(rep.Body, into) != nil || !good() {
		return rep.Invalid("The answer of the endpoint is not a list of models in JSON.")
	}
	return nil
}
