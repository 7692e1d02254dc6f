package gitea

import (
	"context"
	"errors"
	"sync"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// Config configures a [Host]. Kind is [domain.Gitea] or [domain.Forgejo], Owner the login of a user or an
// organisation.
type Config = wire.Config

// Host is one connection to one instance. It implements [codehost.Host] and [codehost.Connection], and is
// safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	flavour  flavour
	instance wire.Instance
	people   *Host // the same host with the budget key for requests about people

	mu       sync.Mutex // guards the cached values below
	account  account
	pageSize int // the server's largest page, 0 while it is unknown
}

var (
	_ codehost.Host           = (*Host)(nil)
	_ codehost.DirectReviewer = (*Host)(nil)
	_ codehost.Connection     = (*Host)(nil)
)

// New checks the configuration and returns a Host. It sends nothing.
func New(cfg Config) (*Host, error) {
	f, known := flavours[cfg.Kind]
	switch {
	case !known:
		return nil, errors.New("gitea: Kind must be gitea or forgejo")
	case cfg.Owner != "" && !wire.ValidName(cfg.Owner):
		return nil, errors.New("gitea: Owner must be the login of a user or an organisation")
	}
	at, err := cfg.Open(rules)
	if err != nil {
		return nil, err
	}
	return &Host{flavour: f, instance: at, people: &Host{flavour: f, instance: at.WithBudget("people")}}, nil
}

// withOwner returns a copy of the host with another owner.
func (h *Host) withOwner(owner string) *Host {
	at := h.instance
	at.Owner = owner
	return &Host{flavour: h.flavour, instance: at}
}

// read runs a library call as one read.
func (h *Host) read(ctx context.Context, op string, fn func(*sdk.Client) error) error {
	return h.run(ctx, h.instance.Read(op), fn)
}

// write runs a library call as one write: the gate counts it, and a lost answer is ambiguous.
func (h *Host) write(ctx context.Context, op string, fn func(*sdk.Client) error) error {
	return h.run(ctx, h.instance.Write(op), fn)
}

func (h *Host) run(ctx context.Context, c *wire.Call, fn func(*sdk.Client) error) error {
	c.Authorize = h.authorize
	return wire.Run(ctx, c, func(ctx context.Context) error {
		client, err := sdk.NewClient(h.instance.Base, sdk.SetHTTPClient(h.instance.Client), sdk.SetContext(ctx), sdk.SetUserAgent(wire.UserAgent),
			sdk.SetGiteaVersion("")) // "": no check of the server's version
		if err != nil {
			return err
		}
		return fn(client)
	})
}

// authorize returns the header with the token. Only this function reveals the token, and the library never
// gets it.
func (h *Host) authorize(context.Context) (string, error) {
	return "token " + h.instance.Token.Reveal(), nil
}

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.instance.Spare(ctx)
}
