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

// Connect makes the connection to a code host that the configuration names, or
// changes of one that is there what has changed in the configuration. It follows
// [Bootstrap.Apply], whose result it takes. The host is asked only where something
// is new, for at most 15 seconds: one that does not answer is asked again by a
// job. What a person has to mend is [config.Problems], which name the settings. A
// connection that an administrator has deleted comes back when a value has changed.
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
	known, err := b.recall(ctx)
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
	return known.rest(ctx)
}

// connected is the connection of a tenant as the configuration and the database
// have it.
type connected struct {
	*Bootstrap
	tenant domain.Tenant
	known  *applied
	prefix string // of its settings among those that were applied
	id     string // of the connection that an earlier start made; "" for none
	row    store.ProviderConnection
	there  bool // row is in the database
}

// find reads the connection that an earlier start made, or else the one that
// somebody has made under its name.
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

// name is that of the configuration, or of the host's software.
func (c *connected) name() string {
	if n := c.Config.Connection.Name; n != "" {
		return n
	}
	return codehost.NameOf(domain.ConnectionKind(c.Config.Connection.Kind))
}

// repositories is the choice of the configuration.
func (c *connected) repositories() tracking.Repositories {
	names := c.Config.Connection.Repositories
	if slices.Equal(names, []string{config.EveryRepository}) {
		return tracking.Repositories{All: true}
	}
	return tracking.Repositories{Names: names}
}

// wanted are the settings that are to be stored.
type wanted struct{ kind, name, base, owner, token, repositories, hooks bool }

func (w wanted) any() bool { return w != wanted{} }

// moved: the connection is to lead to another host or owner.
func (w wanted) moved() bool { return w.kind || w.base || w.owner }

func (c *connected) wants() wanted {
	in := c.Config.Connection
	is := func(name, value string) bool { return c.known.wants(c.prefix+name, value, c.there) }
	return wanted{kind: is("kind", in.Kind), name: is("name", in.Name), base: is("baseUrl", in.BaseURL), owner: is("owner", in.Owner), token: is("token", in.Token.Reveal()),
		repositories: is("repositories", strings.Join(in.Repositories, ",")), hooks: is("registerWebhooks", strconv.FormatBool(in.RegisterWebhooks))}
}

// keep writes down what was applied, in the transaction that stores it.
func (c *connected) keep(ctx context.Context, r tracking.ProviderConnection) error {
	c.known.now[c.prefix+"id"] = r.ID
	return c.known.keep(ctx)
}

func (c *connected) create(ctx context.Context) error {
	in := c.Config.Connection
	_, err := c.Connections.CreateProvider(ctx, c.tenant, tracking.ProviderConnectionCreate{Kind: in.Kind, Name: c.name(), BaseURL: in.BaseURL, Owner: in.Owner, Token: in.Token.Reveal(),
		Repositories: c.repositories(), RegisterWebhooks: in.RegisterWebhooks}, c.keep)
	return err
}

// change applies what has changed. Where the connection is to lead elsewhere the
// token goes with it, as the interface wants it.
func (c *connected) change(ctx context.Context, w wanted) error {
	if !w.any() {
		return c.known.rest(ctx)
	}
	in := c.Config.Connection
	_, err := c.Connections.UpdateProvider(ctx, c.tenant, c.row.ID, c.row.Version, tracking.ProviderConnectionUpdate{
		Kind: when(w.kind, in.Kind), Name: when(w.name, in.Name), BaseURL: when(w.base, in.BaseURL), Owner: when(w.owner, in.Owner), Token: when(w.token || w.moved(), in.Token.Reveal()),
		Repositories: when(w.repositories, c.repositories()), RegisterWebhooks: when(w.hooks, in.RegisterWebhooks)}, c.keep)
	return err
}

func when[T any](is bool, v T) patch.Value[T] {
	if !is {
		return patch.Value[T]{}
	}
	return patch.Of(v)
}

// wrongSettings names the settings whose values are wrong, in place of the fields of
// a request.
func wrongSettings(err error) error {
	e, is := errors.AsType[*errs.Error](err)
	if !is {
		return err
	}
	names := map[string]string{"kind": "KIND", "name": "NAME", "baseUrl": "BASE_URL", "owner": "OWNER", "token": "TOKEN", "repositories": "REPOSITORIES"}
	var out config.Problems
	for _, f := range e.Fields {
		field, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		if env := names[field]; env != "" {
			out = append(out, config.Problem{Name: "bootstrap.connection." + field, Env: "ASSAY_BOOTSTRAP_CONNECTION_" + env, Message: secret.Scrub(f.Message)})
		}
	}
	if len(out) == 0 || len(out) < len(e.Fields) {
		return err
	}
	return out
}
