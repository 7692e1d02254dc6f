package gitea

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/secret"
)

// maxHooks is the most webhooks of a repository that are searched.
const maxHooks = 500

// hookEvents are the events of our webhook. The host expands a group's name: pull_request is every event of
// pull requests (routers/api/v1/utils/hook.go, updateHookEvents).
var hookEvents = []string{"pull_request", "pull_request_assign", "pull_request_label", "pull_request_comment", "pull_request_review",
	"pull_request_review_request", "pull_request_sync", "push", "repository", "status", "workflow_job"}

// neededEvents are the events that our webhook requires. They leave out reviews, which are one event in
// some versions and three in others, and pushes, which the sweep of the code index makes up for.
var neededEvents = []string{"pull_request", "pull_request_comment", "pull_request_label", "pull_request_sync", "repository"}

// hookOwner is an owner of webhooks: a repository, or the organisation of the connection.
type hookOwner struct {
	list   func(*sdk.Client, sdk.ListHooksOptions) ([]*sdk.Hook, *sdk.Response, error)
	get    func(c *sdk.Client, id int64) (*sdk.Hook, *sdk.Response, error)
	create func(*sdk.Client, sdk.CreateHookOption) (*sdk.Hook, *sdk.Response, error)
	edit   func(c *sdk.Client, id int64, o sdk.EditHookOption) (*sdk.Response, error)
	remove func(c *sdk.Client, id int64) (*sdk.Response, error)
}

// repositoryHooks returns a repository as an owner of webhooks.
func repositoryHooks(repo codehost.Repo) hookOwner {
	return hookOwner{
		list: func(c *sdk.Client, o sdk.ListHooksOptions) ([]*sdk.Hook, *sdk.Response, error) {
			return c.ListRepoHooks(repo.Owner, repo.Name, o)
		},
		get: func(c *sdk.Client, id int64) (*sdk.Hook, *sdk.Response, error) {
			return c.GetRepoHook(repo.Owner, repo.Name, id)
		},
		create: func(c *sdk.Client, o sdk.CreateHookOption) (*sdk.Hook, *sdk.Response, error) {
			return c.CreateRepoHook(repo.Owner, repo.Name, o)
		},
		edit: func(c *sdk.Client, id int64, o sdk.EditHookOption) (*sdk.Response, error) {
			return c.EditRepoHook(repo.Owner, repo.Name, id, o)
		},
		remove: func(c *sdk.Client, id int64) (*sdk.Response, error) {
			return c.DeleteRepoHook(repo.Owner, repo.Name, id)
		},
	}
}

// organizationHooks returns the connection's organisation as an owner of webhooks.
func (h *Host) organizationHooks() hookOwner {
	return hookOwner{
		list: func(c *sdk.Client, o sdk.ListHooksOptions) ([]*sdk.Hook, *sdk.Response, error) {
			return c.ListOrgHooks(h.instance.Owner, o)
		},
		get: func(c *sdk.Client, id int64) (*sdk.Hook, *sdk.Response, error) {
			return c.GetOrgHook(h.instance.Owner, id)
		},
		create: func(c *sdk.Client, o sdk.CreateHookOption) (*sdk.Hook, *sdk.Response, error) {
			return c.CreateOrgHook(h.instance.Owner, o)
		},
		edit: func(c *sdk.Client, id int64, o sdk.EditHookOption) (*sdk.Response, error) {
			return c.EditOrgHook(h.instance.Owner, id, o)
		},
		remove: func(c *sdk.Client, id int64) (*sdk.Response, error) { return c.DeleteOrgHook(h.instance.Owner, id) },
	}
}

// Hook implements [codehost.Connection].
func (h *Host) Hook(ctx context.Context, repo codehost.Repo, address string) (codehost.HookState, error) {
	const op = "read webhook"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.HookState{}, err
	}
	return h.hookOf(ctx, op, repositoryHooks(repo), address)
}

func (h *Host) hookOf(ctx context.Context, op string, of hookOwner, address string) (codehost.HookState, error) {
	list, err := h.hooks(ctx, op, of, address)
	if err != nil || len(list) == 0 {
		return codehost.HookState{}, err
	}
	return hookState(list[0]), nil
}

// EnsureHook implements [codehost.Connection].
func (h *Host) EnsureHook(ctx context.Context, repo codehost.Repo, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.HookState{}, err
	}
	return h.ensureHook(ctx, op, repositoryHooks(repo), address, key)
}

// ensureHook creates or corrects our webhook. The host takes a secret only at the creation of a webhook,
// and never shows it. So our webhook sends the mark of its secret in its Authorization header. A webhook
// with another mark is replaced. A webhook without a mark, which a person created, keeps its secret.
func (h *Host) ensureHook(ctx context.Context, op string, of hookOwner, address string, key secret.Secret) (codehost.HookState, error) {
	if _, err := wire.CheckHook(op, address, key); err != nil {
		return codehost.HookState{}, err
	}
	list, err := h.hooks(ctx, op, of, address)
	if err != nil {
		return codehost.HookState{}, err
	}
	mark := hookMark(key)
	var kept *sdk.Hook
	off := len(list) > 0
	for _, hook := range list {
		off = off && !hook.Active
		if kept == nil && strings.TrimRight(hook.Config["url"], "/") == strings.TrimRight(address, "/") &&
			(hook.AuthorizationHeader == "" || hook.AuthorizationHeader == mark) {
			kept = hook
		}
	}
	if kept == nil {
		if kept, err = h.makeHook(ctx, op, of, address, mark, key); err != nil {
			return codehost.HookState{}, err
		}
	} else if state := hookState(kept); !state.Active || len(state.Missing) > 0 || !slices.Contains(kept.Events, "push") {
		if kept, err = h.correctHook(ctx, op, of, kept); err != nil {
			return codehost.HookState{}, err
		}
	}
	// Those with an older secret or address, and duplicates.
	others := slices.DeleteFunc(list, func(hook *sdk.Hook) bool { return hook.ID == kept.ID })
	if err := h.deleteHooks(ctx, op, of, others); err != nil {
		return codehost.HookState{}, err
	}
	out := hookState(kept)
	out.Restored = off && out.Active
	return out, nil
}

// makeHook creates a webhook of the type that both flavours have and that sends the host's own bodies.
func (h *Host) makeHook(ctx context.Context, op string, of hookOwner, address, mark string, key secret.Secret) (made *sdk.Hook, err error) {
	err = h.write(ctx, op, func(c *sdk.Client) (err error) {
		made, _, err = of.create(c, sdk.CreateHookOption{Type: sdk.HookTypeGitea, Active: true, Events: hookEvents, AuthorizationHeader: mark,
			Config: map[string]string{"url": address, "content_type": "json", "secret": key.Reveal()}})
		return err
	})
	return made, err
}

// correctHook sets the events of a webhook, and switches it on.
func (h *Host) correctHook(ctx context.Context, op string, of hookOwner, hook *sdk.Hook) (*sdk.Hook, error) {
	on := true
	err := h.write(ctx, op, func(c *sdk.Client) error {
		// The host clears omitted fields.
		_, err := of.edit(c, hook.ID, sdk.EditHookOption{Events: hookEvents, Active: &on,
			AuthorizationHeader: hook.AuthorizationHeader, Config: map[string]string{"content_type": "json"}})
		return err
	})
	if err != nil {
		return nil, err
	}
	var now *sdk.Hook
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		now, _, err = of.get(c, hook.ID)
		return err
	})
	return now, err
}

// RemoveHook implements [codehost.Connection]. It finds the repository by its number, because the
// repository may have been renamed since the last synchronisation, and another one may have its former
// name.
func (h *Host) RemoveHook(ctx context.Context, repo codehost.Repo, address string) error {
	now, err := h.Resolve(ctx, repo)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	repo.Owner, repo.Name = now.Owner, now.Name
	return h.removeHooks(ctx, repo, address, false)
}

// RemoveRepeated implements [codehost.OwnerHooks].
func (h *Host) RemoveRepeated(ctx context.Context, repo codehost.Repo, address string) error {
	return h.removeHooks(ctx, repo, address, true)
}

func (h *Host) removeHooks(ctx context.Context, repo codehost.Repo, address string, made bool) error {
	const op = "remove webhook"
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	return h.removeHooksAt(ctx, op, repositoryHooks(repo), address, made)
}

// removeHooksAt removes the webhooks with an address. With made set, it removes only those that we created.
func (h *Host) removeHooksAt(ctx context.Context, op string, of hookOwner, address string, made bool) error {
	list, err := h.hooks(ctx, op, of, address)
	if codehost.ClassOf(err) == codehost.ClassNotFound { // deleted with its repository
		return nil
	}
	if err != nil {
		return err
	}
	return h.deleteHooks(ctx, op, of, slices.DeleteFunc(list, func(hook *sdk.Hook) bool {
		return made && !strings.HasPrefix(hook.AuthorizationHeader, markWord)
	}))
}

func (h *Host) deleteHooks(ctx context.Context, op string, of hookOwner, list []*sdk.Hook) error {
	for _, hook := range list {
		err := h.write(ctx, op, func(c *sdk.Client) error {
			_, err := of.remove(c, hook.ID)
			return err
		})
		if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return err
		}
	}
	return nil
}

// hooks lists the webhooks with an address, followed by those with the address of its connection.
func (h *Host) hooks(ctx context.Context, op string, of hookOwner, address string) ([]*sdk.Hook, error) {
	list, whole, err := listAll(ctx, h, op, maxHooks, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Hook, *sdk.Response, error) {
		return of.list(c, sdk.ListHooksOptions{ListOptions: opts})
	}, func(hook *sdk.Hook) (*sdk.Hook, bool) {
		return hook, hook != nil && hook.ID > 0 && codehost.SameHook(hook.Config["url"], address)
	})
	if err == nil && !whole && len(list) == 0 {
		err = wire.TooMany(op, maxHooks, "webhooks")
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b *sdk.Hook) int { return cmp.Compare(len(b.Config["url"]), len(a.Config["url"])) })
	return list, nil
}

func hookState(hook *sdk.Hook) codehost.HookState {
	out := codehost.HookState{ID: wire.HostID(hook.ID), Active: hook.Active}
	for _, e := range neededEvents {
		if !slices.Contains(hook.Events, e) {
			out.Missing = append(out.Missing, e)
		}
	}
	if !slices.ContainsFunc(hook.Events, func(e string) bool {
		return strings.HasPrefix(e, "pull_request_review") && e != "pull_request_review_request"
	}) {
		out.Missing = append(out.Missing, "pull_request_review")
	}
	return out
}

// markWord is the prefix of the marks of webhooks that we created.
const markWord = "assay "

// hookMark returns a mark that identifies a secret without revealing it.
func hookMark(key secret.Secret) string {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = mac.Write([]byte("assay webhook mark")) // a hash never fails
	return markWord + hex.EncodeToString(mac.Sum(nil)[:12])
}
