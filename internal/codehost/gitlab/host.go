package gitlab

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// requestTimeout is the total deadline of one request, unless the configuration
// has another one. It counts from when the gate has let the request through, and
// lies below the gate's lease of 30 s.
const requestTimeout = 20 * time.Second

// userAgent names the product.
const userAgent = "assay"

// Config is what a [Host] is made of.
type Config struct {
	BaseURL    string        // web address of the instance, with the path below which it lives
	Owner      string        // full path of the group, or login of the user, that the connection is for, or [codehost.WholeInstance]; needed by the methods of [codehost.Connection] that ask for it
	Token      secret.Secret // access token of the account that we act as
	Connection string        // our id of the connection: part of the budget key
	HTTP       *http.Client  // guarded; never the default client
	Gate       codehost.Gate
	Timeout    time.Duration     // of one request after the gate; 0 means 20 s
	Observer   codehost.Observer // told of every request; nil means nobody
	Logger     *slog.Logger      // nil means no log
}

// Host is one connection to one instance. It implements [codehost.Host],
// [codehost.NoteByNote] and [codehost.Connection] and is safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	base   string // web address, without a slash at its end
	owner  string
	token  secret.Secret
	key    string
	gate   codehost.Gate
	log    *slog.Logger
	client *http.Client // around the transport
	watch  codehost.Observer
	aside  *Host // the same with a budget key for questions about people

	mu      sync.Mutex // of what is remembered below
	account account
	places  []*places // of the versions that were asked for last
}

var (
	_ codehost.Host       = (*Host)(nil)
	_ codehost.NoteByNote = (*Host)(nil)
	_ codehost.Connection = (*Host)(nil)
	_ codehost.Resolver   = (*Host)(nil)
)

// New checks the configuration and returns a host. It sends nothing.
func New(cfg Config) (*Host, error) {
	switch {
	case !cfg.Token.IsSet():
		return nil, errors.New("gitlab: Token is missing")
	case cfg.Connection == "":
		return nil, errors.New("gitlab: Connection is missing")
	case cfg.HTTP == nil:
		return nil, errors.New("gitlab: HTTP client is missing")
	case cfg.Gate == nil:
		return nil, errors.New("gitlab: Gate is missing")
	case cfg.Owner != "" && cfg.Owner != codehost.WholeInstance && !validGroup(cfg.Owner):
		return nil, errors.New("gitlab: Owner must be the full path of a group, the login of a user, or a star")
	}
	base, err := baseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	h := &Host{base: strings.TrimRight(base.String(), "/"), owner: cfg.Owner, token: cfg.Token, gate: cfg.Gate, log: cfg.Logger, watch: cfg.Observer,
		key: string(domain.GitLab) + "|" + strings.ToLower(base.Host) + "|" + cfg.Connection}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &wire.Transport{Kind: string(domain.GitLab), Client: wire.Sender(cfg.HTTP), Gate: cfg.Gate, Time: cmp.Or(cfg.Timeout, requestTimeout),
			Most: wire.MaxRaw, Judge: judge, Now: time.Now, Log: h.log, Watch: cfg.Observer}}
	h.aside = &Host{base: h.base, owner: h.owner, token: h.token, gate: h.gate, log: h.log, client: h.client, key: h.key + "|people"}
	return h, nil
}

// baseURL parses the web address of an instance.
func baseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("gitlab: BaseURL must be an http or https address without user, query and fragment, such as https://gitlab.example.com")
	}
	return u, nil
}

// read sends what fn asks the library for as one read.
func (h *Host) read(ctx context.Context, op string, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	return h.run(ctx, &wire.Call{Op: op, Key: h.key}, fn)
}

// write sends what fn asks the library for as one write: counted by the gate, and
// ambiguous when its answer is lost.
func (h *Host) write(ctx context.Context, op string, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	return h.run(ctx, &wire.Call{Op: op, Key: h.key, Write: true, Effect: true}, fn)
}

func (h *Host) run(ctx context.Context, c *wire.Call, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	c.Authorize = h.authorize
	return wire.Run(ctx, c, func(ctx context.Context) error {
		client, err := sdk.NewClient("", sdk.WithBaseURL(h.base), sdk.WithHTTPClient(h.client), sdk.WithUserAgent(userAgent), // "": it knows no token
			sdk.WithoutRetries(), sdk.WithCustomRetryMax(0), sdk.WithCustomLimiter(unlimited{}), sdk.WithURLWarningLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			return err
		}
		return fn(client, sdk.WithContext(ctx))
	})
}

// unlimited is no limiter: the gate is.
type unlimited struct{}

// Wait implements the library's limiter.
func (unlimited) Wait(context.Context) error { return nil }

// authorize is the one place where the token leaves its type; the library never
// gets it. Access tokens of every kind are taken as a bearer
// (docs.gitlab.com/api/rest/authentication).
func (h *Host) authorize(context.Context) (string, error) { return "Bearer " + h.token.Reveal(), nil }

// get asks for a path below the API as a call that the caller made, and returns the
// body as it is: where the library would read it as something else.
func (h *Host) get(ctx context.Context, c *wire.Call, path string) ([]byte, error) {
	c.Authorize, c.Key = h.authorize, h.key
	return wire.Get(ctx, c, h.client, h.base+"/api/v4"+path, userAgent)
}

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities { return codehost.Known(domain.GitLab) }

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.gate.Spare(ctx, h.key)
}
