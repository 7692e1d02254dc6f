package gitea

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/secret"
)

// maxHooks bounds the webhooks of a repository that are looked through.
const maxHooks = 500

// hookEvents are what our webhook is asked to send. The host sets a group where
// its name is given: pull_request is all that happens to pull requests
// (routers/api/v1/utils/hook.go, updateHookEvents).
var hookEvents = []string{"pull_request", "pull_request_assign", "pull_request_label", "pull_request_comment", "pull_request_review",
	"pull_request_review_request", "pull_request_sync", "repository"}

// neededEvents are the events without which something does not work. A review is
// one event for some versions, and three for others.
var neededEvents = []string{"pull_request", "pull_request_comment", "pull_request_label", "pull_request_sync", "repository"}

// Hook implements [codehost.Connection].
func (h *Host) Hook(ctx context.Context, repo codehost.Repo, address string) (codehost.HookState, error) {
	list, err := h.hooks(ctx, "read webhook", repo, address)
	if err != nil || len(list) == 0 {
		return codehost.HookState{}, err
	}
	return hookState(list[0]), nil
}

// EnsureHook implements [codehost.Connection]. The host takes a secret only when a
// webhook is made, and never shows it. So a webhook carries the mark of its secret
// in the Authorization header that it sends; one with another mark is replaced by
// a new one, and one without, which somebody made by hand, keeps its secret.
func (h *Host) EnsureHook(ctx context.Context, repo codehost.Repo, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook"
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return codehost.HookState{}, codehost.Refused(op, "the address of a webhook must be absolute")
	}
	if !key.IsSet() {
		return codehost.HookState{}, codehost.Refused(op, "a webhook needs a secret")
	}
	list, err := h.hooks(ctx, op, repo, address)
	if err != nil {
		return codehost.HookState{}, err
	}
	mark := hookMark(key)
	var kept *sdk.Hook
	off := len(list) > 0
	for _, hook := range list {
		off = off && !hook.Active
		if kept == nil && (hook.AuthorizationHeader == "" || hook.AuthorizationHeader == mark) {
			kept = hook
		}
	}
	if kept == nil {
		if kept, err = h.makeHook(ctx, op, repo, address, mark, key); err != nil {
			return codehost.HookState{}, err
		}
	} else if state := hookState(kept); !state.Active || len(state.Missing) > 0 {
		if kept, err = h.mendHook(ctx, op, repo, kept); err != nil {
			return codehost.HookState{}, err
		}
	}
	for _, hook := range list { // those with an older secret, and twins
		if hook.ID != kept.ID {
			if err := h.deleteHook(ctx, op, repo, hook.ID); err != nil {
				return codehost.HookState{}, err
			}
		}
	}
	out := hookState(kept)
	out.Restored = off && out.Active
	return out, nil
}

// makeHook makes a webhook of the type that both flavours have and that sends the
// host's own bodies.
func (h *Host) makeHook(ctx context.Context, op string, repo codehost.Repo, address, mark string, key secret.Secret) (made *sdk.Hook, err error) {
	err = h.write(ctx, op, func(c *sdk.Client) (err error) {
		made, _, err = c.CreateRepoHook(repo.Owner, repo.Name, sdk.CreateHookOption{Type: sdk.HookTypeGitea, Active: true, Events: hookEvents, AuthorizationHeader: mark,
			Config: map[string]string{"url": address, "content_type": "json", "secret": key.Reveal()}})
		return err
	})
	return made, err
}

// mendHook sets the events of a webhook, and switches it on.
func (h *Host) mendHook(ctx context.Context, op string, repo codehost.Repo, hook *sdk.Hook) (*sdk.Hook, error) {
	on := true
	err := h.write(ctx, op, func(c *sdk.Client) error {
		// What is left out here the host clears.
		_, err := c.EditRepoHook(repo.Owner, repo.Name, hook.ID, sdk.EditHookOption{Events: hookEvents, Active: &on,
			AuthorizationHeader: hook.AuthorizationHeader, Config: map[string]string{"content_type": "json"}})
		return err
	})
	if err != nil {
		return nil, err
	}
	var now *sdk.Hook
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		now, _, err = c.GetRepoHook(repo.Owner, repo.Name, hook.ID)
		return err
	})
	return now, err
}

// RemoveHook implements [codehost.Connection].
func (h *Host) RemoveHook(ctx context.Context, repo codehost.Repo, address string) error {
	const op = "remove webhook"
	list, err := h.hooks(ctx, op, repo, address)
	if codehost.ClassOf(err) == codehost.ClassNotFound { // with its repository
		return nil
	}
	if err != nil {
		return err
	}
	for _, hook := range list {
		if err := h.deleteHook(ctx, op, repo, hook.ID); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) deleteHook(ctx context.Context, op string, repo codehost.Repo, id int64) error {
	err := h.write(ctx, op, func(c *sdk.Client) error {
		_, err := c.DeleteRepoHook(repo.Owner, repo.Name, id)
		return err
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// hooks lists the webhooks of a repository with an address.
func (h *Host) hooks(ctx context.Context, op string, repo codehost.Repo, address string) ([]*sdk.Hook, error) {
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	list, _, err := all(ctx, h, op, maxHooks, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Hook, *sdk.Response, error) {
		return c.ListRepoHooks(repo.Owner, repo.Name, sdk.ListHooksOptions{ListOptions: opts})
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(hook *sdk.Hook) bool {
		return hook == nil || hook.ID <= 0 || strings.TrimRight(hook.Config["url"], "/") != strings.TrimRight(address, "/")
	}), nil
}

func hookState(hook *sdk.Hook) codehost.HookState {
	out := codehost.HookState{ID: hostID(hook.ID), Active: hook.Active}
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

// hookMark is a mark by which a secret is known again and that tells nothing of it.
func hookMark(key secret.Secret) string {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = mac.Write([]byte("assay webhook mark")) // a hash never fails
	return "assay " + hex.EncodeToString(mac.Sum(nil)[:12])
}
