package bitbucketcloud

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// maxHooks is the most webhooks of a repository or workspace that are searched.
const maxHooks = 500

// hookEvents are the events that our webhook sends (the description, webhook_subscription).
var hookEvents = []string{"pullrequest:created", "pullrequest:updated", "pullrequest:fulfilled", "pullrequest:rejected",
	"pullrequest:approved", "pullrequest:unapproved", "pullrequest:changes_request_created", "pullrequest:changes_request_removed",
	"pullrequest:comment_created", "pullrequest:comment_updated", "pullrequest:comment_resolved", "pullrequest:comment_reopened",
	"repo:commit_status_created", "repo:commit_status_updated", "repo:push", "repo:updated", "repo:deleted", "repo:transfer"}

// neededEvents are the events that our webhook requires. A webhook without the others works with less.
var neededEvents = []string{"pullrequest:created", "pullrequest:updated", "pullrequest:fulfilled", "pullrequest:rejected",
	"pullrequest:comment_created"}

// createdEvent reports a new repository; only webhooks of workspaces have it.
const createdEvent = "repo:created"

type hook struct {
	UUID        string   `json:"uuid,omitempty"`
	Description string   `json:"description"`
	URL         string   `json:"url"`
	Active      bool     `json:"active"`
	SecretSet   *bool    `json:"secret_set,omitempty"`
	Secret      string   `json:"secret,omitempty"`
	Events      []string `json:"events"`
}

// hookPlace is an owner of webhooks: a repository, or a workspace.
type hookPlace struct {
	path   string
	events []string // that its webhook sends
	needed []string
}

func ofRepository(repo codehost.Repo) hookPlace {
	return hookPlace{at(repo) + "/hooks", hookEvents, neededEvents}
}

func ofWorkspace(owner string) hookPlace {
	return hookPlace{"/workspaces/" + url.PathEscape(owner) + "/hooks", append(slices.Clone(hookEvents), createdEvent),
		append(slices.Clone(neededEvents), createdEvent)}
}

// state converts a webhook. The host switches none off by itself.
func (p hookPlace) state(k hook) codehost.HookState {
	out := codehost.HookState{ID: hostID(k.UUID), Active: k.Active}
	for _, e := range p.needed {
		if !slices.Contains(k.Events, e) {
			out.Missing = append(out.Missing, e)
		}
	}
	return out
}

// Hook implements [codehost.Connection].
func (h *Host) Hook(ctx context.Context, repo codehost.Repo, address string) (codehost.HookState, error) {
	const op = "read webhook"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.HookState{}, err
	}
	return h.hookAt(ctx, op, ofRepository(repo), address)
}

func (h *Host) hookAt(ctx context.Context, op string, p hookPlace, address string) (codehost.HookState, error) {
	list, err := h.hooks(ctx, op, p, address)
	if err != nil || len(list) == 0 {
		return codehost.HookState{}, err
	}
	return p.state(list[0]), nil
}

// EnsureHook implements [codehost.Connection].
func (h *Host) EnsureHook(ctx context.Context, repo codehost.Repo, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.HookState{}, err
	}
	return h.ensureHook(ctx, op, ofRepository(repo), address, key)
}

// ensureHook creates or corrects our webhook. The host never shows a secret, so the description of a webhook contains a mark derived
// from the secret. A webhook without that mark gets the secret again.
func (h *Host) ensureHook(ctx context.Context, op string, p hookPlace, address string, key secret.Secret) (codehost.HookState, error) {
	if _, err := wire.CheckHook(op, address, key); err != nil {
		return codehost.HookState{}, err
	}
	list, err := h.hooks(ctx, op, p, address)
	if err != nil {
		return codehost.HookState{}, err
	}
	want := hook{Description: hookMark(key), URL: address, Active: true, Secret: key.Reveal(), Events: p.events}
	lacks := func(k hook) bool {
		return slices.ContainsFunc(p.events, func(e string) bool { return !slices.Contains(k.Events, e) })
	}
	kept := slices.IndexFunc(list, func(k hook) bool {
		state := p.state(k)
		return strings.TrimRight(k.URL, "/") == strings.TrimRight(address, "/") && k.Description == want.Description && state.Active &&
			!lacks(k) && (k.SecretSet == nil || *k.SecretSet)
	})
	var now hook
	switch {
	case kept >= 0:
		now = list[kept]
	case len(list) > 0:
		kept = 0
		err = h.client.Send(ctx, op, http.MethodPut, p.path+"/"+url.PathEscape(list[0].UUID), want, &now)
	default:
		err = h.client.Send(ctx, op, http.MethodPost, p.path, want, &now)
	}
	switch {
	case err != nil:
		return codehost.HookState{}, err
	case hostID(now.UUID) == "":
		return codehost.HookState{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no webhook"}
	}
	for i, k := range list { // duplicates
		if i != kept {
			if err := h.deleteHook(ctx, op, p, k); err != nil {
				return codehost.HookState{}, err
			}
		}
	}
	out := p.state(now)
	out.Restored = out.Active && len(list) > 0 && !slices.ContainsFunc(list, func(k hook) bool { return k.Active })
	return out, nil
}

// RemoveHook implements [codehost.Connection].
func (h *Host) RemoveHook(ctx context.Context, repo codehost.Repo, address string) error {
	const op = "remove webhook"
	now, err := h.Resolve(ctx, repo) // its name may have changed since the last synchronisation
	if err != nil {
		return gone(err)
	}
	repo.Owner, repo.Name = now.Owner, now.Name
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	return h.removeHooks(ctx, op, ofRepository(repo), address, func(hook) bool { return true })
}

// removeHooks removes the webhooks with an address that drop selects.
func (h *Host) removeHooks(ctx context.Context, op string, p hookPlace, address string, drop func(hook) bool) error {
	list, err := h.hooks(ctx, op, p, address)
	if err != nil {
		return gone(err) // deleted with its repository
	}
	for _, k := range list {
		if drop(k) {
			if err := h.deleteHook(ctx, op, p, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *Host) deleteHook(ctx context.Context, op string, p hookPlace, k hook) error {
	return gone(h.client.Send(ctx, op, http.MethodDelete, p.path+"/"+url.PathEscape(k.UUID), nil, nil))
}

// hooks lists the webhooks with an address, followed by those with the address of its connection.
func (h *Host) hooks(ctx context.Context, op string, p hookPlace, address string) ([]hook, error) {
	list, whole, err := list(ctx, h, op, p.path+"?pagelen=100", maxHooks, func(k hook) (hook, bool) {
		return k, hostID(k.UUID) != "" && codehost.SameHook(k.URL, address)
	})
	if err == nil && !whole && len(list) == 0 {
		err = wire.TooMany(op, maxHooks, "webhooks")
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b hook) int { return cmp.Compare(len(b.URL), len(a.URL)) })
	return list, nil
}

// markWord begins the description of webhooks that we created.
const markWord = "assay "

// hookMark returns a mark that identifies a secret without revealing it.
func hookMark(key secret.Secret) string {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = mac.Write([]byte("assay webhook mark")) // a hash never fails
	return markWord + hex.EncodeToString(mac.Sum(nil)[:12])
}

var (
	_ codehost.OwnerHooks   = (*Host)(nil)
	_ codehost.NewestLister = (*Host)(nil)
	_ codehost.OwnerFinder  = (*Host)(nil)
)

// OwnerHook implements [codehost.OwnerHooks] with a webhook of the workspace. Only its administrators may manage it.
func (h *Host) OwnerHook(ctx context.Context, address string) (codehost.HookState, error) {
	const op = "read webhook of the organisation"
	if err := h.needOwner(op); err != nil {
		return codehost.HookState{}, err
	}
	return h.hookAt(ctx, op, ofWorkspace(h.client.Owner), address)
}

// EnsureOwnerHook implements [codehost.OwnerHooks].
func (h *Host) EnsureOwnerHook(ctx context.Context, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook of the organisation"
	if err := h.needOwner(op); err != nil {
		return codehost.HookState{}, err
	}
	return h.ensureHook(ctx, op, ofWorkspace(h.client.Owner), address, key)
}

// RemoveOwnerHook implements [codehost.OwnerHooks].
func (h *Host) RemoveOwnerHook(ctx context.Context, address string, made bool) error {
	const op = "remove webhook of the organisation"
	if err := h.needOwner(op); err != nil {
		return err
	}
	return h.removeHooks(ctx, op, ofWorkspace(h.client.Owner), address, func(k hook) bool { return !made || isMade(k) })
}

// RemoveRepeated implements [codehost.OwnerHooks].
func (h *Host) RemoveRepeated(ctx context.Context, repo codehost.Repo, address string) error {
	const op = "remove webhook"
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	return h.removeHooks(ctx, op, ofRepository(repo), address, isMade)
}

// isMade reports whether we created the webhook.
func isMade(k hook) bool { return strings.HasPrefix(k.Description, markWord) }

func (h *Host) needOwner(op string) error {
	if h.client.Owner == "" {
		return codehost.Refused(op, "the connection names no owner")
	}
	return nil
}

// Newest implements [codehost.NewestLister].
func (h *Host) Newest(ctx context.Context, owner domain.HostID) (out codehost.Newest, err error) {
	const op = "list newest repositories"
	if err := h.needOwner(op); err != nil {
		return out, err
	}
	var p page[*repository]
	c := &wire.Call{Op: op, Entries: codehost.MaxNewest}
	newest := wire.Request{Method: http.MethodGet, Address: "/repositories/" + h.client.Owner + "?sort=-created_on&pagelen=20"}
	if _, err := h.client.Do(ctx, c, newest, &p); err != nil {
		return out, err
	}
	for _, r := range p.Values {
		if r != nil && hostID(r.UUID) != "" && (owner == "" || r.ownerID() == owner) && len(out.Repositories) < codehost.MaxNewest {
			out.Repositories = append(out.Repositories, r.info())
		}
	}
	if p.Size != nil && *p.Size > 0 {
		out.Total = *p.Size
	}
	return out, nil
}

// OwnerNow implements [codehost.OwnerFinder]. The id of a workspace takes the place of its slug in paths.
func (h *Host) OwnerNow(ctx context.Context, id domain.HostID, _ []domain.HostID) (codehost.RepoOwner, error) {
	const op = "find owner"
	if hostID(string(id)) != id || id == "" {
		return codehost.RepoOwner{}, codehost.Refused(op, "the id of a workspace is a UUID")
	}
	return h.workspace(ctx, op, "{"+string(id)+"}")
}

// workspace reads a workspace by its slug or UUID.
func (h *Host) workspace(ctx context.Context, op, name string) (codehost.RepoOwner, error) {
	var w struct {
		UUID string `json:"uuid"`
		Slug string `json:"slug"`
	}
	if err := h.client.Get(ctx, op, "/workspaces/"+url.PathEscape(name), &w); err != nil {
		return codehost.RepoOwner{}, err
	}
	if hostID(w.UUID) == "" || !wire.ValidName(w.Slug) {
		return codehost.RepoOwner{}, unexpected(op, "the answer is not the workspace")
	}
	return codehost.RepoOwner{ID: hostID(w.UUID), Login: w.Slug, Organization: true}, nil
}
