package gitlab

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Config is what a [Host] is made of: with the full path of a group, the login of a user or [codehost.WholeInstance] as
// Owner.
type Config = wire.Config

// Host is one connection to one instance. It implements [codehost.Host],
// [codehost.NoteByNote] and [codehost.Connection] and is safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	at    wire.Instance
	aside *Host // the same with a budget key for questions about people

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
	if cfg.Owner != "" && cfg.Owner != codehost.WholeInstance && !validGroup(cfg.Owner) {
		return nil, errors.New("gitlab: Owner must be the full path of a group, the login of a user, or a star")
	}
	cfg.Kind = domain.GitLab
	at, err := cfg.Open(rules)
	if err != nil {
		return nil, err
	}
	return &Host{at: at, aside: &Host{at: at.Aside("people")}}, nil
}

// read sends what fn asks the library for as one read.
func (h *Host) read(ctx context.Context, op string, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	return h.run(ctx, h.at.Read(op), fn)
}

// write sends what fn asks the library for as one write: counted by the gate, and
// ambiguous when its answer is lost.
func (h *Host) write(ctx context.Context, op string, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	return h.run(ctx, h.at.Write(op), fn)
}

func (h *Host) run(ctx context.Context, c *wire.Call, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	c.Authorize = h.authorize
	return wire.Run(ctx, c, func(ctx context.Context) error {
		client, err := sdk.NewClient("", sdk.WithBaseURL(h.at.Base), sdk.WithHTTPClient(h.at.Client), sdk.WithUserAgent(wire.UserAgent), // "": it knows no token
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
func (h *Host) authorize(context.Context) (string, error) {
	return "Bearer " + h.at.Token.Reveal(), nil
}

// get asks for a path below the API as a call that the caller made, and returns the
// body as it is: where the library would read it as something else.
func (h *Host) get(ctx context.Context, c *wire.Call, path string) ([]byte, error) {
	c.Authorize, c.Key = h.authorize, h.at.Key
	return wire.Get(ctx, c, h.at.Client, h.at.Base+"/api/v4"+path, wire.UserAgent)
}

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities { return codehost.Known(domain.GitLab) }

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.at.Spare(ctx)
}
