package bitbucketserver

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/secret"
)

// maxHooks is the most webhooks of a repository that are searched.
const maxHooks = 500

// hookEvents are the events that our webhook sends.
var hookEvents = []string{"pr:opened", "pr:from_ref_updated", "pr:modified", "pr:reviewer:updated", "pr:reviewer:approved",
	"pr:reviewer:unapproved", "pr:reviewer:changes_requested", "pr:comment:added", "pr:comment:edited", "pr:merged", "pr:declined",
	"pr:deleted", "repo:modified", pushEvent}

// pushEvent reports pushes. A webhook without it is complete, because the sweep of the code index makes up for it.
const pushEvent = "repo:refs_changed"

// hook is a webhook (the description, RestWebhook).
type hook struct {
	ID            int64             `json:"id,omitempty"`
	Name          string            `json:"name"`
	URL           string            `json:"url"`
	Active        bool              `json:"active"`
	Events        []string          `json:"events"`
	Configuration map[string]string `json:"configuration,omitempty"`
	Verify        bool              `json:"sslVerificationRequired"`
}

func (k *hook) state() codehost.HookState {
	out := codehost.HookState{ID: wire.HostID(k.ID), Active: k.Active}
	for _, e := range hookEvents {
		if e != pushEvent && !slices.Contains(k.Events, e) {
			out.Missing = append(out.Missing, e)
		}
	}
	return out
}

// Hook implements [codehost.Connection].
func (h *Host) Hook(ctx context.Context, repo codehost.Repo, address string) (codehost.HookState, error) {
	list, err := h.hooks(ctx, "read webhook", repo, address)
	if err != nil || len(list) == 0 {
		return codehost.HookState{}, err
	}
	return list[0].state(), nil
}

// EnsureHook implements [codehost.Connection]. It does not rely on the secret that the host may show: the name of a
// webhook contains a mark derived from the secret. A webhook without that mark gets the secret again.
func (h *Host) EnsureHook(ctx context.Context, repo codehost.Repo, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook"
	u, err := wire.CheckHook(op, address, key)
	if err != nil {
		return codehost.HookState{}, err
	}
	list, err := h.hooks(ctx, op, repo, address)
	if err != nil {
		return codehost.HookState{}, err
	}
	want := hook{Name: hookName(key), URL: address, Active: true, Events: hookEvents, Verify: u.Scheme == "https",
		Configuration: map[string]string{"secret": key.Reveal()}}
	var kept *hook
	for _, k := range list {
		if s := k.state(); kept == nil && strings.TrimRight(k.URL, "/") == strings.TrimRight(address, "/") && k.Name == want.Name && s.Active &&
			len(s.Missing) == 0 && slices.Contains(k.Events, pushEvent) {
			kept = k
		}
	}
	if kept == nil {
		method, path := http.MethodPost, at(api, repo)+"/webhooks"
		if len(list) > 0 {
			method, path = http.MethodPut, hookPath(repo, list[0])
		}
		var made hook
		if err := h.client.Send(ctx, op, method, path, want, &made); err != nil {
			return codehost.HookState{}, err
		}
		if made.ID <= 0 {
			return codehost.HookState{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no webhook"}
		}
		kept = &made
	}
	for _, k := range list { // duplicates
		if k.ID != kept.ID {
			if err := h.deleteHook(ctx, op, repo, k); err != nil {
				return codehost.HookState{}, err
			}
		}
	}
	out := kept.state()
	out.Restored = out.Active && len(list) > 0 && !slices.ContainsFunc(list, func(k *hook) bool { return k.Active })
	return out, nil
}

// RemoveHook implements [codehost.Connection].
func (h *Host) RemoveHook(ctx context.Context, repo codehost.Repo, address string) error {
	const op = "remove webhook"
	now, err := h.Resolve(ctx, repo) // its name may have changed since the last synchronisation
	var list []*hook
	if err == nil {
		repo.Owner, repo.Name = now.Owner, now.Name
		list, err = h.hooks(ctx, op, repo, address)
	}
	if codehost.ClassOf(err) == codehost.ClassNotFound { // deleted with its repository
		return nil
	}
	if err != nil {
		return err
	}
	for _, k := range list {
		if err := h.deleteHook(ctx, op, repo, k); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) deleteHook(ctx context.Context, op string, repo codehost.Repo, k *hook) error {
	err := h.client.Send(ctx, op, http.MethodDelete, hookPath(repo, k), nil, nil)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

func hookPath(repo codehost.Repo, k *hook) string {
	return at(api, repo) + "/webhooks/" + string(wire.HostID(k.ID))
}

// hooks lists the webhooks of a repository with an address, oldest first, followed by those with the address of its
// connection.
func (h *Host) hooks(ctx context.Context, op string, repo codehost.Repo, address string) ([]*hook, error) {
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	list, whole, err := list(ctx, h, op, at(api, repo)+"/webhooks", maxHooks, func(k *hook) (*hook, bool) {
		return k, k != nil && k.ID > 0 && codehost.SameHook(k.URL, address)
	})
	if err == nil && !whole && len(list) == 0 {
		err = wire.TooMany(op, maxHooks, "webhooks")
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *hook) int { return cmp.Or(cmp.Compare(len(b.URL), len(a.URL)), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}
