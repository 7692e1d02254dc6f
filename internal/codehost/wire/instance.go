package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

const (
	// RequestTimeout is the default deadline of one request. It counts from the gate's permit, and is
	// shorter than the gate's lease of 30 s.
	RequestTimeout = 20 * time.Second

	// UserAgent names the product.
	UserAgent = "assay"
)

// Config configures the adapter of a host with connections.
type Config struct {
	Kind       domain.ConnectionKind
	BaseURL    string        // web address of the instance, with its path
	Owner      string        // account of the connection; some methods of [codehost.Connection] need it
	Token      secret.Secret // access token of the account that we act as
	Connection string        // our id of the connection: part of the budget key
	HTTP       *http.Client  // guarded; never the default client
	Gate       codehost.Gate
	Timeout    time.Duration     // of one request after the gate; 0 means [RequestTimeout]
	Observer   codehost.Observer // receives every request; may be nil
	Logger     *slog.Logger      // nil means no log
}

// Instance is one instance of a host, accessed as the account of a connection. It is safe for concurrent
// use.
type Instance struct {
	Kind   domain.ConnectionKind
	Base   string // web address, without a trailing slash
	Owner  string
	Token  secret.Secret
	Key    string // key of the gate's budget
	Client *http.Client
	Watch  codehost.Observer // may be nil
	Log    *slog.Logger
	gate   codehost.Gate
}

// Open checks a configuration and returns its instance, whose answers are read by rules. It sends nothing.
// Errors name the field.
func (c Config) Open(rules Rules) (Instance, error) {
	missing := ""
	switch {
	case !c.Token.IsSet():
		missing = "Token"
	case c.Connection == "":
		missing = "Connection"
	case c.HTTP == nil:
		missing = "HTTP"
	case c.Gate == nil:
		missing = "Gate"
	}
	if missing != "" {
		return Instance{}, fmt.Errorf("%s: %s is missing", c.Kind, missing)
	}
	base, err := WebURL(c.BaseURL)
	if err != nil {
		return Instance{}, fmt.Errorf("%s: BaseURL %w, such as https://git.example.com", c.Kind, err)
	}
	log := c.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	transport := &Transport{Kind: string(c.Kind), Client: Sender(c.HTTP), Gate: c.Gate,
		Timeout: cmp.Or(c.Timeout, RequestTimeout), MaxBytes: MaxRaw,
		Judge: rules.Judge, Now: time.Now, Log: log, Watch: c.Observer}
	return Instance{Kind: c.Kind, Base: strings.TrimRight(base.String(), "/"), Owner: c.Owner, Token: c.Token,
		Key:    string(c.Kind) + "|" + strings.ToLower(base.Host) + "|" + c.Connection,
		Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: transport},
		Watch:  c.Observer, Log: log, gate: c.Gate}, nil
}

// WebURL parses the address of an instance or of its interface.
func WebURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("must be an http or https address without user, query and fragment")
	}
	return u, nil
}

// WithBudget returns the same instance with a separate budget key for a purpose.
func (i Instance) WithBudget(purpose string) Instance {
	i.Key += "|" + purpose
	return i
}

// Spare reports whether the budget has room for optional writes.
func (i *Instance) Spare(ctx context.Context) (bool, error) { return i.gate.Spare(ctx, i.Key) }

// Read returns a call that reads.
func (i *Instance) Read(op string) *Call { return &Call{Op: op, Key: i.Key} }

// Write returns a call that the gate counts as a write, and that is ambiguous if its answer is lost.
func (i *Instance) Write(op string) *Call {
	return &Call{Op: op, Key: i.Key, Write: true, Effect: true}
}
