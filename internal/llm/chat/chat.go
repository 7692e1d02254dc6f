// Package chat is the Chat Completions codec: it speaks to OpenAI-compatible
// endpoints (GET {base}/models, POST {base}/chat/completions) as the OpenAI
// REST description has them, and tolerates what compatible servers do
// differently.
//
// Structured output is asked for by response_format json_schema with strict.
// When a server refuses response_format, the call is made again with
// json_object, and when that is refused too, without; in both cases the schema
// is added to the system text. What a model's endpoint refused is remembered
// for the life of the client. The same goes for temperature. The limit of the
// output is sent under its other name when the server does not know the first.
// Nothing else is ever changed or dropped.
//
// What must not live here: retries, limits of concurrency, other dialects,
// the making of HTTP clients.
package chat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/outbound"
)

// Limits of answers.
const (
	// DefaultMaxResponseBytes bounds an answer.
	DefaultMaxResponseBytes = 8 << 20
	// MaxListBytes and ListTimeout bound a list of models.
	MaxListBytes = 2 << 20
	ListTimeout  = 8 * time.Second
)

// Key is a secret value; *secret.Secret and secret.Secret are.
type Key interface{ Reveal() string }

// Config of a [Client].
type Config struct {
	// BaseURL is the address that "/chat/completions" is appended to, such as
	// https://api.openai.com/v1. http or https, without userinfo, query and fragment.
	BaseURL string
	// APIKey is sent as a bearer token; nil or an empty value sends none.
	APIKey Key
	// HTTP makes the requests. Its own handling of redirects is overridden: none
	// is followed. It should be an outbound client with a guard of addresses.
	HTTP *http.Client
	// MaxResponseBytes bounds an answer; 0 = [DefaultMaxResponseBytes].
	MaxResponseBytes int64
	// LegacyMaxTokens sends the output limit as max_tokens first, for servers that
	// ignore max_completion_tokens.
	LegacyMaxTokens bool
}

// Client implements [llm.Client].
type Client struct {
	base   string
	key    Key
	http   *http.Client
	most   int64
	legacy bool

	mu      sync.Mutex
	refused map[string]refusals // by model
}

var _ llm.Client = (*Client)(nil)

// New makes a client, or says which field of the configuration is wrong.
func New(cfg Config) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(cfg.BaseURL))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("base URL: must be an absolute http or https URL")
	case u.User != nil:
		return nil, errors.New("base URL: must not carry credentials; set the API key instead")
	case u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, errors.New("base URL: must not have a query or fragment")
	case cfg.HTTP == nil:
		return nil, errors.New("HTTP: a client is needed")
	case cfg.MaxResponseBytes < 0:
		return nil, errors.New("MaxResponseBytes: must not be negative")
	}
	if strings.ContainsFunc(reveal(cfg.APIKey), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("API key: must be printable ASCII without spaces; check that it was copied whole and alone")
	}
	c := &Client{base: strings.TrimRight(u.String(), "/"), key: cfg.APIKey, most: cfg.MaxResponseBytes,
		legacy: cfg.LegacyMaxTokens, refused: map[string]refusals{}}
	if c.most == 0 {
		c.most = DefaultMaxResponseBytes
	}
	own := *cfg.HTTP
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

func reveal(k Key) string {
	if k == nil {
		return ""
	}
	return k.Reveal()
}

// reply is an HTTP answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// send makes one request and reads at most limit bytes of the answer.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader, limit int64) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return reply{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request could not be made.", Cause: err}
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := reveal(c.key); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := outbound.Do(c.http, req)
	if err != nil {
		return reply{}, transportError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = outbound.ErrTooLarge
	}
	if err != nil {
		return reply{}, transportError(ctx, err)
	}
	return reply{resp.StatusCode, resp.Header, raw}, nil
}

// transportError makes an error of an exchange that gave no whole answer. The
// texts are ours: those of net/http name addresses and may quote input.
func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return llm.Ended(ctx)
	}
	e := &llm.Error{Class: llm.ClassRetryable, Cause: err}
	var timeout interface{ Timeout() bool }
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		e.Class, e.ProviderMessage = llm.ClassFinal, "The address of the endpoint is not allowed: "+llm.SafeMessage(refused.Error())+"."
		return e
	}
	if redirect, ok := errors.AsType[*outbound.RedirectError](err); ok {
		e.Class, e.Status, e.ProviderMessage = llm.ClassFinal, redirect.Status, redirectMessage
		return e
	}
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		e.Class, e.ProviderMessage = llm.ClassInvalidResponse, "The answer of the endpoint is larger than allowed."
	case errors.Is(err, outbound.ErrIdle), errors.As(err, &timeout) && timeout.Timeout():
		e.ProviderMessage = "The endpoint did not answer in time."
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.ProviderMessage = "The answer of the endpoint broke off."
	default:
		e.ProviderMessage = "The endpoint could not be reached."
	}
	return e
}

const redirectMessage = "The endpoint answered with a redirect, which is not followed. Check the base URL."
