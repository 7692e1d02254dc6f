// Package chat is the Chat Completions codec. It speaks to OpenAI-compatible endpoints (GET {base}/models,
// POST {base}/chat/completions) as the OpenAI REST description has them, and tolerates the deviations of
// compatible servers.
//
// It asks for structured output by response_format json_schema with strict. If a server refuses that, it
// repeats the call with json_object, and then without a format; in both cases the schema moves into the system
// text. It also drops a refused temperature, and sends the output limit under its other name if the server
// does not know the first. The caller or the client, for its lifetime, remembers what a model's endpoint
// refused. Nothing else is changed or dropped.
//
// Retries, limits of concurrency, other dialects and the making of HTTP clients do not belong here.
package chat

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Config configures a [Client].
type Config struct {
	// BaseURL is the address before "/chat/completions", such as https://api.openai.com/v1. It is http or
	// https, without userinfo, query and fragment.
	BaseURL string
	// APIKey is sent as a bearer token; nil or an empty value sends none.
	APIKey wire.Key
	// HTTP makes the requests. Its own handling of redirects is overridden: redirects are not followed. It
	// should be an outbound client that guards against forbidden addresses.
	HTTP *http.Client
	// MaxResponseBytes bounds an answer; 0 means the default of package wire.
	MaxResponseBytes int64
	// LegacyMaxTokens sends the output limit as max_tokens first, for servers that
	// ignore max_completion_tokens.
	LegacyMaxTokens bool
	// CacheKeys sends cache keys; most servers do not know the member.
	CacheKeys bool
	// CutsInput means that the server silently reads only a part of an input that is too long (Ollama 0.17.4,
	// observed). The client then compares its token count with the size of the input. The count must include
	// cached tokens.
	CutsInput bool
	// HiddenSchema means that the server may not show the schema of the format to the model: vLLM, llama.cpp and
	// Ollama only bind the answer to it ("Structured outputs" of Ollama's documentation asks for the schema in the
	// prompt), and routers drop it for some providers. The client then puts it into the system text, too.
	HiddenSchema bool
	// EmbedBody makes the bodies of embedding calls; nil means OpenAI's form.
	EmbedBody wire.EmbedBody
}

// ForMistral adapts a configuration to Mistral's endpoint (Mistral's REST description): the old name of the
// output limit, cache keys, and another name for the size of vectors.
func ForMistral(cfg Config) Config {
	cfg.LegacyMaxTokens, cfg.CacheKeys = true, true
	cfg.EmbedBody = func(in llm.EmbedRequest) any {
		return struct {
			Model  string   `json:"model"`
			Input  []string `json:"input"`
			Size   int      `json:"output_dimension,omitempty"`
			Format string   `json:"encoding_format"`
		}{in.Model, in.Texts, in.Size, "float"}
	}
	return cfg
}

// Client implements [llm.Client].
type Client struct {
	conn      *wire.Conn
	legacy    bool
	cacheKeys bool
	cuts      bool
	embedBody wire.EmbedBody

	optional wire.Optional
}

var (
	_ llm.Client   = (*Client)(nil)
	_ llm.Embedder = (*Client)(nil)
)

// New returns a client, or an error that names the wrong field of the configuration.
func New(cfg Config) (*Client, error) {
	conn, err := wire.New(wire.Config{BaseURL: cfg.BaseURL, Key: cfg.APIKey, HTTP: cfg.HTTP, MaxResponseBytes: cfg.MaxResponseBytes})
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, legacy: cfg.LegacyMaxTokens, cacheKeys: cfg.CacheKeys, cuts: cfg.CutsInput, embedBody: cfg.EmbedBody}
	// Calls with tools have no response format. Gemini, Mistral, Groq and llama.cpp refuse the two together
	// (https://github.com/googleapis/python-genai/issues/867), and servers that bind the answer to the schema
	// keep the model from calling anything.
	c.optional.Object, c.optional.TwoLimits, c.optional.NoFormatWithTools = true, true, true
	c.optional.HiddenSchema = cfg.HiddenSchema
	if c.embedBody == nil {
		c.embedBody = wire.OpenAIEmbeddings
	}
	return c, nil
}

// Embed implements [llm.Embedder].
func (c *Client) Embed(ctx context.Context, in llm.EmbedRequest) (llm.Embeddings, error) {
	out, err := c.conn.Embed(ctx, in, c.embedBody)
	if err != nil || !c.cuts {
		return out, err
	}
	if cut := wire.Cut(wire.Reply{Status: http.StatusOK}, out.Usage.InputTokens, in.Texts...); cut != nil {
		out.Vectors = nil
		return out, cut
	}
	return out, nil
}
