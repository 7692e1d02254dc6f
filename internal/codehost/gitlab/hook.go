package gitlab

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/secret"
)

// maxHooks is the most webhooks of a project that are searched.
const maxHooks = 500

// hookName is the name of our webhook on GitLab's pages.
const hookName = "assay"

// Hook implements [codehost.Connection].
func (h *Host) Hook(ctx context.Context, repo codehost.Repo, address string) (codehost.HookState, error) {
	list, err := h.hooks(ctx, "read webhook", repo, address)
	if err != nil || len(list) == 0 {
		return codehost.HookState{}, err
	}
	return hookState(list[0]), nil
}

// EnsureHook implements [codehost.Connection]. GitLab never shows a secret, so the description of a webhook
// contains a mark derived from the secret. A webhook without that mark gets the secret again, which every
// version accepts. GitLab also gets a signing key derived from the secret
// (docs.gitlab.com/api/project_webhooks, signing_token; older versions ignore the field).
//
// EnsureHook edits a webhook that GitLab switched off after failures, and replaces it if it stays off. The
// documentation names only a manual test as a way to switch it on
// (docs.gitlab.com/user/project/integrations/webhooks, "Re-enable disabled webhooks").
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
	mark := hookMark(key)
	var kept *sdk.ProjectHook
	for _, hook := range list {
		if state := hookState(hook); kept == nil && strings.TrimRight(hook.URL, "/") == strings.TrimRight(address, "/") &&
			hook.Description == mark && state.Active && len(state.Missing) == 0 && hook.PushEvents {
			kept = hook
		}
	}
	if kept == nil {
		var of int64
		if len(list) > 0 {
			of = list[0].ID
		}
		if kept, err = h.setHook(ctx, op, repo, of, address, mark, key, u.Scheme == "https"); err != nil {
			return codehost.HookState{}, err
		}
		if of != 0 && !hookState(kept).Active {
			if kept, err = h.setHook(ctx, op, repo, 0, address, mark, key, u.Scheme == "https"); err != nil {
				return codehost.HookState{}, err
			}
		}
	}
	for _, hook := range list { // duplicates
		if hook.ID != kept.ID {
			if err := h.deleteHook(ctx, op, repo, hook.ID); err != nil {
				return codehost.HookState{}, err
			}
		}
	}
	out := hookState(kept)
	out.Restored = out.Active && len(list) > 0 && !slices.ContainsFunc(list,
		func(hook *sdk.ProjectHook) bool { return hookState(hook).Active })
	return out, nil
}

// setHook creates a webhook, or corrects the webhook with the number of if it is not 0.
func (h *Host) setHook(ctx context.Context, op string, repo codehost.Repo, of int64, address, mark string, key secret.Secret,
	verify bool) (made *sdk.ProjectHook, err error) {
	on := sdk.Ptr(true)
	opts := sdk.AddProjectHookOptions{Name: sdk.Ptr(hookName), Description: &mark, URL: &address, Token: sdk.Ptr(headerSecret(key)),
		SigningToken: sdk.Ptr(signingToken(key)), EnableSSLVerification: &verify,
		MergeRequestsEvents: on, NoteEvents: on, PipelineEvents: on, PushEvents: on}
	err = h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		if of == 0 {
			made, _, err = c.Projects.AddProjectHook(repo.FullName(), &opts, with)
			return err
		}
		edit := sdk.EditProjectHookOptions{Name: opts.Name, Description: opts.Description, URL: opts.URL, Token: opts.Token,
			SigningToken:          opts.SigningToken,
			EnableSSLVerification: opts.EnableSSLVerification, MergeRequestsEvents: on, NoteEvents: on, PipelineEvents: on, PushEvents: on}
		made, _, err = c.Projects.EditProjectHook(repo.FullName(), of, &edit, with)
		return err
	})
	if err == nil && made.ID <= 0 {
		return nil, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no webhook"}
	}
	return made, err
}

// RemoveHook implements [codehost.Connection].
func (h *Host) RemoveHook(ctx context.Context, repo codehost.Repo, address string) error {
	const op = "remove webhook"
	var list []*sdk.ProjectHook
	now, err := h.Resolve(ctx, repo) // its path may have changed since the last synchronisation
	if err == nil {
		repo.Owner, repo.Name = now.Owner, now.Name
		list, err = h.hooks(ctx, op, repo, address)
	}
	if codehost.ClassOf(err) == codehost.ClassNotFound { // deleted with its project
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
	err := h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		_, err := c.Projects.DeleteProjectHook(repo.FullName(), id, with)
		return err
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// hooks lists the webhooks of a project with an address, oldest first, followed by those with the address
// of its connection.
func (h *Host) hooks(ctx context.Context, op string, repo codehost.Repo, address string) ([]*sdk.ProjectHook, error) {
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	list, whole, err := listAll(ctx, h, op, maxHooks, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.ProjectHook, *sdk.Response, error) {
		return c.Projects.ListProjectHooks(repo.FullName(), &sdk.ListProjectHooksOptions{ListOptions: page}, with)
	}, func(hook *sdk.ProjectHook) (*sdk.ProjectHook, bool) {
		return hook, hook != nil && hook.ID > 0 && codehost.SameHook(hook.URL, address)
	})
	if err == nil && !whole && len(list) == 0 {
		err = wire.TooMany(op, maxHooks, "webhooks")
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *sdk.ProjectHook) int {
		return cmp.Or(cmp.Compare(len(b.URL), len(a.URL)), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// hookState converts a webhook. GitLab switches a webhook off for a time after four failures in a row, and
// for good after forty (gitlab-org/gitlab!166329).
func hookState(hook *sdk.ProjectHook) codehost.HookState {
	out := codehost.HookState{ID: wire.HostID(hook.ID), Active: hook.AlertStatus == "" || hook.AlertStatus == "executable"}
	if !out.Active && hook.AlertStatus != "disabled" && hook.DisabledUntil != nil {
		out.OffUntil = *hook.DisabledUntil
	}
	for _, e := range []struct {
		name string
		on   bool
	}{{"merge_requests_events", hook.MergeRequestsEvents}, {"note_events", hook.NoteEvents}, {"pipeline_events", hook.PipelineEvents}} {
		if !e.on {
			out.Missing = append(out.Missing, e.name)
		}
	}
	return out
}

// derive derives bytes for one purpose from a secret.
func derive(key secret.Secret, purpose string) []byte {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = mac.Write([]byte(purpose)) // a hash never fails
	return mac.Sum(nil)
}

// hookMark returns a mark that identifies a secret without revealing it.
func hookMark(key secret.Secret) string {
	return "assay " + hex.EncodeToString(derive(key, "assay webhook mark")[:12])
}

// headerSecret returns the value of X-Gitlab-Token in deliveries of our webhook. Every delivery contains
// it, so the signing key must not follow from it.
func headerSecret(key secret.Secret) string {
	return hex.EncodeToString(derive(key, "assay webhook token"))
}

// signingKey returns the key that signs deliveries of our webhook.
func signingKey(key secret.Secret) []byte { return derive(key, "assay webhook signature") }

// signingToken returns the signing key in GitLab's form: "whsec_" and the base64 of 32 bytes.
func signingToken(key secret.Secret) string {
	return signingPrefix + base64.StdEncoding.EncodeToString(signingKey(key))
}

// signingPrefix begins a signing token (Standard Webhooks, "Signature scheme").
const signingPrefix = secret.SigningPrefix
