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
	// RequestTimeout is the total deadline of one request, unless the configuration has another one. It counts from when
	// the gate has let the request through, and lies below the gate's lease of 30 s.
	RequestTimeout = 20 * time.Second

	// UserAgent names the product.
	UserAgent = "assay"
)

// Config is what the adapter of a host with connections is made of.
type Config struct {
	Kind       domain.ConnectionKind
	BaseURL    string        // web address of the instance, with the path below which it lives
	Owner      string        // the account that the connection is for; needed by the methods of [codehost.Connection] that ask for it
	Token      secret.Secret // access token of the account that we act as
	Connection string        // our id of the connection: part of the budget key
	HTTP       *http.Client  // guarded; never the default client
	Gate       codehost.Gate
	Timeout    time.Duration     // of one request after the gate; 0 means [RequestTimeout]
	Observer   codehost.Observer // told of every request; may be nil
	Logger     *slog.Logger      // nil means no log
}

// Instance is one instance of a host, as the account of a connection asks it. It is safe for concurrent use.
type Instance struct {
	Kind   domain.ConnectionKind
	Base   string // web address, without a slash at its end
	Owner  string
	Token  secret.Secret
	Key    string // of the gate's budget
	Client *http.Client
	Watch  codehost.Observer // may be nil
	Log    *slog.Logger
	gate   codehost.Gate
}

// Open checks a configuration and returns its instance, whose answers are read by rules. It sends nothing. Errors name
// the field.
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
	transport := &Transport{Kind: string(c.Kind), Client: Sender(c.HTTP), Gate: c.Gate, Time: cmp.Or(c.Timeout, RequestTimeout), Most: MaxRaw,
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

// Aside is the same instance with a budget key of its own, for a purpose.
func (i Instance) Aside(purpose string) Instance {
	i.Key += "|" + purpose
	return i
}

// Spare reports whether the budget has room for what can wait.
func (i *Instance) Spare(ctx context.Context) (bool, error) { return i.gate.Spare(ctx, i.Key) }

// Read is a call that reads.
func (i *Instance) Read(op string) *Call { return &Call{Op: op, Key: i.Key} }

// Write is a call that the gate counts as a write, and that is ambiguous when its answer is lost.
func (i *Instance) Write(op string) *Call {
	return &Call{Op: op, Key: i.Key, Write: true, Effect: true}
}
