// Package wire is the part that all codecs share. It makes one request to a provider, reads the answer to its
// end within bounds of size and time, and reads JSON with the leniency that providers need. Dialects, retries
// and the making of HTTP clients do not belong here.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// Limits of answers.
const (
	// defaultMaxResponseBytes bounds an answer.
	defaultMaxResponseBytes = 8 << 20
	// textMemory bounds the memory for the text and the tool calls of an answer. Numbers come on top; each
	// takes as much memory as it has bytes (see [Conn.Embed]).
	textMemory = 4 << 20
	// MaxListBytes, maxModels and ListTimeout bound a list of models. The longest lists, those of routers,
	// have about 500.
	MaxListBytes = 2 << 20
	maxModels    = 5000
	listMemory   = 12 << 20
	ListTimeout  = 8 * time.Second
)

// Key is a secret value; *secret.Secret and secret.Secret implement it.
type Key interface{ Reveal() string }

// Config configures a [Conn].
type Config struct {
	// BaseURL is the address before the paths. It is http or https, without userinfo, query and fragment.
	BaseURL string
	// Key is the credential; nil or an empty value sends none.
	Key Key
	// Sign puts the credential, if set, and other required values into the header. Nil sends a bearer token.
	Sign func(h http.Header, key string)
	// HTTP makes the requests. Its own handling of redirects is overridden: redirects are not followed. It
	// should be an outbound client that guards against forbidden addresses.
	HTTP *http.Client
	// MaxResponseBytes bounds an answer; 0 means [defaultMaxResponseBytes].
	MaxResponseBytes int64
}

// Conn is one endpoint with one credential. It is safe for concurrent use.
type Conn struct {
	base     string
	key      Key
	sign     func(http.Header, string)
	http     *http.Client
	maxBytes int64
}

// New returns a connection, or an error that names the wrong field of the configuration.
func New(cfg Config) (*Conn, error) {
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
	c := &Conn{base: strings.TrimRight(u.String(), "/"), key: cfg.Key, sign: cfg.Sign, maxBytes: cfg.MaxResponseBytes}
	if strings.ContainsFunc(c.reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("API key: must be printable ASCII without spaces; check that it was copied whole and alone")
	}
	if c.sign == nil {
		c.sign = func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
	}
	if c.maxBytes == 0 {
		c.maxBytes = defaultMaxResponseBytes
	}
	own := *cfg.HTTP
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

func (c *Conn) reveal() string {
	if c.key == nil {
		return ""
	}
	return c.key.Reveal()
}

// Secrets returns the strings that must not appear in messages about this endpoint.
func (c *Conn) Secrets() []string { return []string{c.reveal()} }

// Reply is an HTTP answer that was read to its end.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK reports whether the status is a success.
func (r Reply) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// Invalid returns the error for a success whose body cannot be used.
func (r Reply) Invalid(text string) *llm.Error {
	return &llm.Error{Class: llm.ClassInvalidResponse, Status: r.Status, ProviderMessage: text, RequestID: llm.RequestID(r.Header)}
}

// Redirected returns the error for a redirect; nil if the answer is not one.
func (r Reply) Redirected() *llm.Error {
	if r.Status < 300 || r.Status > 399 {
		return nil
	}
	return &llm.Error{Class: llm.ClassFinal, Status: r.Status, ProviderMessage: redirectMessage, RequestID: llm.RequestID(r.Header)}
}

// Post sends a value as JSON. Errors are those of [llm.Client].
func (c *Conn) Post(ctx context.Context, path string, v any) (Reply, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // code is full of < and &: fewer bytes, same meaning
	if err := enc.Encode(v); err != nil {
		return Reply{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request could not be written as JSON.", Cause: err}
	}
	return c.send(ctx, http.MethodPost, path, &body, outbound.Bound{Bytes: c.maxBytes, Memory: c.maxBytes + textMemory,
		Entries: outbound.NoList})
}

// List reads a list of models, within its own bounds of size and time.
func (c *Conn) List(ctx context.Context, path string) (Reply, error) {
	limited, cancel := context.WithTimeoutCause(ctx, ListTimeout, errListTimeout)
	defer cancel()
	rep, err := c.send(limited, http.MethodGet, path, nil, outbound.Bound{Bytes: MaxListBytes, Memory: listMemory, Entries: maxModels})
	if err != nil && ctx.Err() == nil && errors.Is(err, errListTimeout) {
		return rep, &llm.Error{Class: llm.ClassRetryable, ProviderMessage: "The endpoint did not list its models in time.", Cause: err}
	}
	return rep, err
}

var errListTimeout = errors.New("the list of models took too long")

// send makes one request and reads the answer within a bound.
func (c *Conn) send(ctx context.Context, method, path string, body io.Reader, bound outbound.Bound) (Reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return Reply{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request could not be made.", Cause: err}
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := c.reveal(); key != "" {
		c.sign(req.Header, key)
	}
	resp, err := outbound.Do(c.http, req)
	if err != nil {
		return Reply{}, transportError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := outbound.ReadAnswer(resp, bound)
	if err != nil {
		return Reply{}, transportError(ctx, err)
	}
	c.scrub(resp.Header)
	return Reply{resp.StatusCode, resp.Header, raw}, nil
}

// scrub masks the key in the header of an answer, because the call's id comes from there and is stored. A
// short key is a placeholder.
func (c *Conn) scrub(h http.Header) {
	key := c.reveal()
	if len(key) < 8 {
		return
	}
	for _, values := range h {
		for i := range values {
			values[i] = strings.ReplaceAll(values[i], key, secret.Redacted)
		}
	}
}
