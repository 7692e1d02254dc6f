package bootstrap

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// Connect creates the configured connection to a code host, or applies changed values to the existing one.
// Call it after [Bootstrap.Apply], with its result. It asks the host only if a value is new, and for at
// most 15 seconds; a job asks again if the host does not answer. It returns [config.Problems], which name
// the settings, if a person must correct them. If an administrator deleted the connection, a changed value
// creates it again.
func (b *Bootstrap) Connect(ctx context.Context, r Result) error {
	if r.Tenant == "" || b.Config.Connection.Kind == "" {
		return nil
	}
	ctx = operator(ctx)
	for tries := 0; ; tries++ {
		err := b.connect(ctx, domain.Tenant{ID: r.Tenant})
		if raced(err) && tries < 3 {
			continue
		}
		return wrongSettings(err)
	}
}

// connect is one attempt.
func (b *Bootstrap) connect(ctx context.Context, t domain.Tenant) error {
	known, err := b.loadApplied(ctx)
	if err != nil {
		return err
	}
	c := connected{Bootstrap: b, tenant: t, known: known, prefix: "connection." + t.ID + "."}
	if err := c.find(ctx); err != nil {
		return err
	}
	w := c.wants()
	switch {
	case c.there:
		return c.change(ctx, w)
	case c.id == "" || w.any():
		return c.create(ctx)
	}
	return known.storeSeen(ctx)
}

// connected is the connection of a tenant, in the configuration and in the database.
type connected struct {
	*Bootstrap
	tenant domain.Tenant
	known  *applied
	prefix string // prefix of its settings among the applied ones
	id     string // of the connection that an earlier start created, or ""
	row    store.ProviderConnection
	there  bool // row is in the database
}

// find reads the connection that an earlier start created. If there was no such start, it finds the one
// with the configured name.
func (c *connected) find(ctx context.Context) (err error) {
	if c.id = c.known.before[c.prefix+"id"]; c.id != "" {
		c.row, err = c.Store.ProviderConnection(ctx, c.tenant, c.id)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		c.there = err == nil
		return err
	}
	all, err := c.Store.ProviderConnections(ctx, c.tenant, store.Cursor{}, tracking.MaxProviders)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(all, func(r store.ProviderConnection) bool { return r.Name == c.name() }); i >= 0 {
		c.row, c.there = all[i], true
		c.known.now[c.prefix+"id"] = c.row.ID
	}
	return nil
}

// name returns the configured name, or else the name of the host's software.
func (c *connected) name() string {
	if n := c.Config.Connection.Name; n != "" {
		return n
	}
	return codehost.NameOf(domain.ConnectionKind(c.Config.Connection.Kind))
}

// repositories returns the configured choice of repositories.
func (c *connected) repositories() tracking.Repositories {
	names := c.Config.Connection.Repositories
	if slices.Equal(names, []string{config.EveryRepository}) {
		return tracking.Repositories{All: true}
	}
	return tracking.Repositories{Names: names}
}

// wanted marks the settings that must be stored.
type wanted struct{ kind, name, base, owner, username, token, repositories, hooks bool }

func (w wanted) any() bool { return w != wanted{} }

// moved reports whether the connection moves to another host or owner.
func (w wanted) moved() bool { return w.kind || w.base || w.owner }

func (c *connected) wants() wanted {
	in := c.Config.Connection
	is := func(name, value string) bool { return c.known.wants(c.prefix+name, value, c.there) }
	return wanted{kind: is("kind", in.Kind), name: is("name", in.Name), base: is("baseUrl", in.BaseURL), owner: is("owner", in.Owner),
		username:     is("username", in.Username),
		token:        is("token", in.Token.Reveal()),
		repositories: is("repositories", strings.Join(in.Repositories, ",")),
		hooks:        is("registerWebhooks", strconv.FormatBool(in.RegisterWebhooks))}
}

// keep records the applied values in the transaction that stores them.
func (c *connected) keep(ctx context.Context, r tracking.ProviderConnection) error {
	c.known.now[c.prefix+"id"] = r.ID
	return c.known.keep(ctx)
}

func (c *connected) create(ctx context.Context) error {
	in := c.Config.Connection
	_, err := c.Connections.CreateProvider(ctx, c.tenant, tracking.ProviderConnectionCreate{Kind: in.Kind, Name: c.name(),
		BaseURL: in.BaseURL, Owner: in.Owner, Username: in.Username, Token: in.Token.Reveal(),
		Repositories: c.repositories(), RegisterWebhooks: in.RegisterWebhooks}, c.keep)
	return err
}

// change applies changed values. If the connection moves to another host or owner, it sends the token too,
// because the API requires that.
func (c *connected) change(ctx context.Context, w wanted) error {
	if !w.any() {
		return c.known.storeSeen(ctx)
	}
	in := c.Config.Connection
	var username patch.Nullable[string]
	if w.username {
		username = patch.To(in.Username)
	}
	_, err := c.Connections.UpdateProvider(ctx, c.tenant, c.row.ID, c.row.Version, tracking.ProviderConnectionUpdate{
		Kind: when(w.kind, in.Kind), Name: when(w.name, in.Name), BaseURL: when(w.base, in.BaseURL), Owner: when(w.owner, in.Owner),
		Username:     username,
		Token:        when(w.token || w.moved(), in.Token.Reveal()),
		Repositories: when(w.repositories, c.repositories()), RegisterWebhooks: when(w.hooks, in.RegisterWebhooks)}, c.keep)
	return err
}

func when[T any](is bool, v T) patch.Value[T] {
	if !is {
		return patch.Value[T]{}
	}
	return patch.Of(v)
}

// wrongSettings replaces the names of request fields in an error by the names of the settings.
func wrongSettings(err error) error {
	e, is := errors.AsType[*errs.Error](err)
	if !is {
		return err
	}
	names := map[string]string{"kind": "KIND", "name": "NAME", "baseUrl": "BASE_URL", "owner": "OWNER",
		"username": "USERNAME", "token": "TOKEN",
		"repositories": "REPOSITORIES"}
	var out config.Problems
	for _, f := range e.Fields {
		field, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		if env := names[field]; env != "" {
			out = append(out, config.Problem{Name: "bootstrap.connection." + field, Env: "ASSAY_BOOTSTRAP_CONNECTION_" + env,
				Message: secret.Scrub(f.Message)})
		}
	}
	if len(out) == 0 || len(out) < len(e.Fields) {
		return err
	}
	return out
}
