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

// Config configures a [Host]. Owner is the full path of a group, the login of a user, or
// [codehost.WholeInstance].
type Config = wire.Config

// Host is one connection to one GitLab instance. It implements [codehost.Host], [codehost.NoteByNote] and
// [codehost.Connection], and is safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	instance wire.Instance
	people   *Host // the same host with the budget key for requests about people

	mu      sync.Mutex // guards the cached values below
	account account
	places  []*places // of the most recently used versions
}

var (
	_ codehost.Host       = (*Host)(nil)
	_ codehost.NoteByNote = (*Host)(nil)
	_ codehost.Connection = (*Host)(nil)
	_ codehost.Resolver   = (*Host)(nil)
)

// New checks the configuration and returns a Host. It sends nothing.
func New(cfg Config) (*Host, error) {
	if cfg.Owner != "" && cfg.Owner != codehost.WholeInstance && !validGroup(cfg.Owner) {
		return nil, errors.New("gitlab: Owner must be the full path of a group, the login of a user, or a star")
	}
	cfg.Kind = domain.GitLab
	at, err := cfg.Open(rules)
	if err != nil {
		return nil, err
	}
	return &Host{instance: at, people: &Host{instance: at.WithBudget("people")}}, nil
}

// read runs a library call as one read.
func (h *Host) read(ctx context.Context, op string, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	return h.run(ctx, h.instance.Read(op), fn)
}

// write runs a library call as one write: the gate counts it, and a lost answer is ambiguous.
func (h *Host) write(ctx context.Context, op string, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	return h.run(ctx, h.instance.Write(op), fn)
}

func (h *Host) run(ctx context.Context, c *wire.Call, fn func(*sdk.Client, sdk.RequestOptionFunc) error) error {
	c.Authorize = h.authorize
	return wire.Run(ctx, c, func(ctx context.Context) error {
		// "": without a token.
		client, err := sdk.NewClient("", sdk.WithBaseURL(h.instance.Base), sdk.WithHTTPClient(h.instance.Client),
			sdk.WithUserAgent(wire.UserAgent),
			sdk.WithoutRetries(), sdk.WithCustomRetryMax(0), sdk.WithCustomLimiter(unlimited{}),
			sdk.WithURLWarningLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			return err
		}
		return fn(client, sdk.WithContext(ctx))
	})
}

// unlimited replaces the library's limiter, because the gate limits requests.
type unlimited struct{}

// Wait implements the library's limiter.
func (unlimited) Wait(context.Context) error { return nil }

// authorize returns the header with the token. Only this function reveals the token, and the library never
// gets it. GitLab accepts access tokens of every kind as a bearer
// (docs.gitlab.com/api/rest/authentication).
func (h *Host) authorize(context.Context) (string, error) {
	return "Bearer " + h.instance.Token.Reveal(), nil
}

// get requests a path below the API as the call c and returns the body unchanged, for answers that the
// library would misread.
func (h *Host) get(ctx context.Context, c *wire.Call, path string) ([]byte, error) {
	c.Authorize, c.Key = h.authorize, h.instance.Key
	return wire.Get(ctx, c, h.instance.Client, h.instance.Base+"/api/v4"+path, wire.UserAgent)
}

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities { return codehost.CapabilitiesOf(domain.GitLab) }

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.instance.Spare(ctx)
}
