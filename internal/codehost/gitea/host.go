package gitea

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

	sdk "code.gitea.io/sdk/gitea"

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
	Kind       domain.ConnectionKind // [domain.Gitea] or [domain.Forgejo]
	BaseURL    string                // web address of the instance, with the path below which it lives
	Owner      string                // login of the user or organisation that the connection is for; needed by the methods of [codehost.Connection] that ask for it
	Token      secret.Secret         // access token of the account that we act as
	Connection string                // our id of the connection: part of the budget key
	HTTP       *http.Client          // guarded; never the default client
	Gate       codehost.Gate
	Timeout    time.Duration     // of one request after the gate; 0 means 20 s
	Observer   codehost.Observer // told of every request; nil means nobody
	Logger     *slog.Logger      // nil means no log
}

// Host is one connection to one instance. It implements [codehost.Host] and
// [codehost.Connection] and is safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	flavour flavour
	base    string // web address, without a slash at its end
	owner   string
	token   secret.Secret
	key     string
	gate    codehost.Gate
	client  *http.Client // around the transport
	watch   codehost.Observer
	aside   *Host // the same with a budget key for questions about people

	mu       sync.Mutex // of what is remembered below
	account  account
	pageSize int // the server's largest page, 0 where it is not known yet
}

var (
	_ codehost.Host           = (*Host)(nil)
	_ codehost.DirectReviewer = (*Host)(nil)
	_ codehost.Connection     = (*Host)(nil)
)

// New checks the configuration and returns a host. It sends nothing.
func New(cfg Config) (*Host, error) {
	f, known := flavours[cfg.Kind]
	switch {
	case !known:
		return nil, errors.New("gitea: Kind must be gitea or forgejo")
	case !cfg.Token.IsSet():
		return nil, errors.New("gitea: Token is missing")
	case cfg.Connection == "":
		return nil, errors.New("gitea: Connection is missing")
	case cfg.HTTP == nil:
		return nil, errors.New("gitea: HTTP client is missing")
	case cfg.Gate == nil:
		return nil, errors.New("gitea: Gate is missing")
	case cfg.Owner != "" && !wire.ValidName(cfg.Owner):
		return nil, errors.New("gitea: Owner must be the login of a user or an organisation")
	}
	base, err := baseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	h := &Host{flavour: f, base: strings.TrimRight(base.String(), "/"), owner: cfg.Owner, token: cfg.Token, gate: cfg.Gate,
		watch: cfg.Observer, key: string(cfg.Kind) + "|" + strings.ToLower(base.Host) + "|" + cfg.Connection}
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &wire.Transport{Kind: string(cfg.Kind), Client: wire.Sender(cfg.HTTP), Gate: cfg.Gate, Time: cmp.Or(cfg.Timeout, requestTimeout),
			Most: wire.MaxRaw, Judge: judge, Now: time.Now, Log: log, Watch: cfg.Observer}}
	h.aside = h.withOwner(h.owner, h.key+"|people")
	return h, nil
}

// withOwner returns a copy of the host that has another owner and budget key.
func (h *Host) withOwner(owner, key string) *Host {
	return &Host{flavour: h.flavour, base: h.base, owner: owner, token: h.token, gate: h.gate, client: h.client, watch: h.watch, key: key}
}

// baseURL parses the web address of an instance.
func baseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("gitea: BaseURL must be an http or https address without user, query and fragment, such as https://git.example.com")
	}
	return u, nil
}

// read sends what fn asks the library for as one read.
func (h *Host) read(ctx context.Context, op string, fn func(*sdk.Client) error) error {
	return h.run(ctx, &wire.Call{Op: op, Key: h.key}, fn)
}

// write sends what fn asks the library for as one write: counted by the gate, and
// ambiguous when its answer is lost.
func (h *Host) write(ctx context.Context, op string, fn func(*sdk.Client) error) error {
	return h.run(ctx, &wire.Call{Op: op, Key: h.key, Write: true, Effect: true}, fn)
}

func (h *Host) run(ctx context.Context, c *wire.Call, fn func(*sdk.Client) error) error {
	c.Authorize = h.authorize
	return wire.Run(ctx, c, func(ctx context.Context) error {
		client, err := sdk.NewClient(h.base, sdk.SetHTTPClient(h.client), sdk.SetContext(ctx), sdk.SetUserAgent(userAgent),
			sdk.SetGiteaVersion("")) // "": it asks for no version
		if err != nil {
			return err
		}
		return fn(client)
	})
}

// authorize is the one place where the token leaves its type; the library never
// gets it.
func (h *Host) authorize(context.Context) (string, error) { return "token " + h.token.Reveal(), nil }

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.gate.Spare(ctx, h.key)
}
