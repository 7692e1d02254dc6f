package featuretest

import (
	"context"
	"slices"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Connections is a fake of the code hosts of provider connections, in memory. A nil function means success.
// Several goroutines call the functions, with the connection, so that a test can tell hosts apart.
type Connections struct {
	Probe        func(ctx context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Probed, error)
	Repositories func(c store.ProviderConnection) ([]codehost.RepoInfo, error)
	Members      func(r codehost.Repo) ([]codehost.Member, error)
	Permission   func(r codehost.Repo, person domain.HostID, login string) (string, error) // nil: uses Members
	Ensure       func(r codehost.Repo, url string, key secret.Secret) (codehost.HookState, error)
	Remove       func(r codehost.Repo) error
	Token        func(token secret.Secret)                                       // gets the token with which a webhook is removed
	Owner        func(url string, key secret.Secret) (codehost.HookState, error) // the owner's webhook; nil if the account must not have one
	Newest       func(c store.ProviderConnection) (codehost.Newest, error)
	OwnerNow     func(id domain.HostID) (codehost.RepoOwner, error)

	mu      sync.Mutex
	hooks   map[string]string // secret by repository and address
	removed []string
}

// Hooks returns the secrets of the registered webhooks, by the repository's full name, a space and the
// address.
func (f *Connections) Hooks() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]string{}
	for k, v := range f.hooks {
		out[k] = v
	}
	return out
}

// Removed returns the repositories whose webhook was removed, in order.
func (f *Connections) Removed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.removed...)
}

// Connection implements tracking.Hosts.
func (f *Connections) Connection(_ context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Connection, error) {
	return &connection{f, c, token}, nil
}

type connection struct {
	*Connections
	row   store.ProviderConnection
	token secret.Secret
}

// Probe implements [codehost.Connection].
func (c *connection) Probe(ctx context.Context) (codehost.Probed, error) {
	if c.Connections.Probe != nil {
		return c.Connections.Probe(ctx, c.row, c.token)
	}
	return codehost.Probed{Login: "assay-bot", ID: "7", Version: "1.26.4",
		Owner: codehost.RepoOwner{ID: "3", Login: c.row.Owner, Organization: true}}, nil
}

// Repositories implements [codehost.Connection].
func (c *connection) Repositories(context.Context) ([]codehost.RepoInfo, error) {
	if c.Connections.Repositories != nil {
		return c.Connections.Repositories(c.row)
	}
	return nil, nil
}

// Members implements [codehost.Connection].
func (c *connection) Members(_ context.Context, r codehost.Repo) ([]codehost.Member, error) {
	if c.Connections.Members != nil {
		return c.Connections.Members(r)
	}
	return nil, nil
}

// PermissionOf implements [codehost.Connection].
func (c *connection) PermissionOf(ctx context.Context, r codehost.Repo, person domain.HostID, login string) (string, error) {
	if c.Permission != nil {
		return c.Permission(r, person, login)
	}
	all, err := c.Members(ctx, r)
	if at := slices.IndexFunc(all, func(m codehost.Member) bool { return m.ID == person }); err == nil && at >= 0 {
		return all[at].Permission, nil
	}
	return "none", err
}

// Hook implements [codehost.Connection].
func (c *connection) Hook(_ context.Context, r codehost.Repo, url string) (codehost.HookState, error) {
	hooks := c.Hooks()
	_, there := hooks[r.FullName()+" "+url]
	if _, before := hooks[r.FullName()+" "+codehost.ConnectionHook(url)]; !there && !before {
		return codehost.HookState{}, nil
	}
	return codehost.HookState{ID: domain.HostID("hook of " + r.Name), Active: true}, nil
}

// EnsureHook implements [codehost.Connection].
func (c *connection) EnsureHook(_ context.Context, r codehost.Repo, url string, key secret.Secret) (codehost.HookState, error) {
	if c.Ensure != nil {
		return c.Ensure(r, url, key)
	}
	c.forget(r.FullName(), url)
	c.keep(r.FullName()+" "+url, key)
	return codehost.HookState{ID: domain.HostID("hook of " + r.Name), Active: true}, nil
}

func (c *Connections) keep(hook string, key secret.Secret) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hooks == nil {
		c.hooks = map[string]string{}
	}
	c.hooks[hook] = key.Reveal()
}

// RemoveHook implements [codehost.Connection].
func (c *connection) RemoveHook(_ context.Context, r codehost.Repo, url string) error {
	if c.Token != nil {
		c.Token(c.token)
	}
	if c.Remove != nil {
		return c.Remove(r)
	}
	c.forget(r.FullName(), url)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removed = append(c.removed, r.FullName())
	return nil
}

// forget removes a webhook by its address or by the address of its connection.
func (c *Connections) forget(of, url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.hooks, of+" "+url)
	delete(c.hooks, of+" "+codehost.ConnectionHook(url))
}
