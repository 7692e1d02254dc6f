// Package chat is the Chat Completions codec: it speaks to OpenAI-compatible
// endpoints (GET {base}/models, POST {base}/chat/completions) as the OpenAI
// REST description has them, and tolerates what compatible servers do
// differently.
//
// Structured output is asked for by response_format json_schema with strict.
// When a server refuses response_format, the call is made again with
// json_object, and when that is refused too, without; in both cases the schema
// is added to the system text. What a model's endpoint refused is remembered, by the
// caller or for the life of the client. The same goes for temperature. The limit of the
// output is sent under its other name when the server does not know the first.
// Nothing else is ever changed or dropped.
//
// What must not live here: retries, limits of concurrency, other dialects,
// the making of HTTP clients.
package chat

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Config of a [Client].
type Config struct {
	// BaseURL is the address that "/chat/completions" is appended to, such as
	// https://api.openai.com/v1. http or https, without userinfo, query and fragment.
	BaseURL string
	// APIKey is sent as a bearer token; nil or an empty value sends none.
	APIKey wire.Key
	// HTTP makes the requests. Its own handling of redirects is overridden: none
	// is followed. It should be an outbound client with a guard of addresses.
	HTTP *http.Client
	// MaxResponseBytes bounds an answer; 0 = the default of package wire.
	MaxResponseBytes int64
	// LegacyMaxTokens sends the output limit as max_tokens first, for servers that
	// ignore max_completion_tokens.
	LegacyMaxTokens bool
	// CacheKeys sends cache keys; most servers do not know the member.
	CacheKeys bool
	// CutsInput says that the server reads a part only of an input that is too
	// long, without an error (Ollama 0.17.4, observed): its count of tokens is
	// compared with what was sent. It must count what it has in a cache.
	CutsInput bool
	// EmbedBody makes bodies of calls for vectors; nil is OpenAI's form.
	EmbedBody wire.EmbedBody
}

// ForMistral changes a configuration to what Mistral's own endpoint takes
// (Mistral's REST description): the old name of the output limit, cache keys,
// and another name for the size of vectors.
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

// New makes a client, or says which field of the configuration is wrong.
func New(cfg Config) (*Client, error) {
	conn, err := wire.New(wire.Config{BaseURL: cfg.BaseURL, Key: cfg.APIKey, HTTP: cfg.HTTP, MaxResponseBytes: cfg.MaxResponseBytes})
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, legacy: cfg.LegacyMaxTokens, cacheKeys: cfg.CacheKeys, cuts: cfg.CutsInput, embedBody: cfg.EmbedBody}
	// Beside tools there is no format: Gemini, Mistral, Groq and llama.cpp refuse the two
	// together (https://github.com/googleapis/python-genai/issues/867), and servers that
	// bind the answer to the schema leave a model no way to call anything.
	c.optional.Object, c.optional.TwoLimits, c.optional.NoFormatWithTools = true, true, true
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
