package featuretest

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// ownerHook returns the key of the owner's webhook in [Connections.Hooks].
func (c *connection) ownerHook(url string) string { return c.row.Owner + " " + url }

func (c *connection) mayOwn(op string) error {
	if c.Owner == nil {
		return &codehost.Error{Class: codehost.ClassForbidden, Status: 403, Op: op, Message: "Must be an organization owner"}
	}
	return nil
}

// OwnerHook implements [codehost.OwnerHooks].
func (c *connection) OwnerHook(_ context.Context, url string) (codehost.HookState, error) {
	if err := c.mayOwn("read webhook of the organisation"); err != nil {
		return codehost.HookState{}, err
	}
	if _, there := c.Hooks()[c.ownerHook(url)]; !there {
		return codehost.HookState{}, nil
	}
	return codehost.HookState{ID: "hook of the owner", Active: true}, nil
}

// EnsureOwnerHook implements [codehost.OwnerHooks].
func (c *connection) EnsureOwnerHook(_ context.Context, url string, key secret.Secret) (codehost.HookState, error) {
	if err := c.mayOwn("register webhook of the organisation"); err != nil {
		return codehost.HookState{}, err
	}
	state, err := c.Owner(url, key)
	if err == nil {
		c.keep(c.ownerHook(url), key)
	}
	return state, err
}

// RemoveOwnerHook implements [codehost.OwnerHooks].
func (c *connection) RemoveOwnerHook(_ context.Context, url string, _ bool) error {
	if err := c.mayOwn("remove webhook of the organisation"); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.hooks, c.ownerHook(url))
	return nil
}

// RemoveRepeated implements [codehost.OwnerHooks].
func (c *connection) RemoveRepeated(_ context.Context, r codehost.Repo, url string) error {
	c.forget(r.FullName(), url)
	return nil
}

// Newest implements [codehost.NewestLister].
func (c *connection) Newest(_ context.Context, _ domain.HostID) (codehost.Newest, error) {
	if c.Connections.Newest != nil {
		return c.Connections.Newest(c.row)
	}
	return codehost.Newest{}, nil
}

// OwnerNow implements [codehost.OwnerFinder].
func (c *connection) OwnerNow(_ context.Context, id domain.HostID, _ []domain.HostID) (codehost.RepoOwner, error) {
	if c.Connections.OwnerNow != nil {
		return c.Connections.OwnerNow(id)
	}
	return codehost.RepoOwner{ID: id, Login: c.row.Owner, Organization: true}, nil
}

// Keep adds a webhook that a person made, without a secret, to [Connections.Hooks].
func (f *Connections) Keep(hook string) {
	f.keep(hook, secret.Secret{})
}
