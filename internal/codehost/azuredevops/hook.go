package azuredevops

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// Events of the publisher tfs (learn.microsoft.com/azure/devops/service-hooks/events).
const (
	eventCreated = "git.pullrequest.created"
	eventUpdated = "git.pullrequest.updated"
	eventComment = "ms.vss-code.git-pullrequest-comment-event"
	eventBuild   = "build.complete"
	eventPush    = "git.push"
)

// The values of the filter notificationType of [eventUpdated]. Payloads do not have it, so each has a subscription of its own, which
// sends it in [notificationHeader].
const (
	pushed           = "PushNotification"
	statusChanged    = "StatusUpdateNotification"
	reviewersChanged = "ReviewersUpdateNotification"
)

// wanted is a subscription that assay needs in a repository.
type wanted struct {
	event, filter, version string
	optional               bool // an older server may lack the event
}

func (w wanted) String() string {
	if w.filter == "" {
		return w.event
	}
	return w.event + "/" + w.filter
}

// subscriptions lists what assay needs: no votes, because they are people's own, and no attempts at merges.
var subscriptions = []wanted{{eventCreated, "", "1.0", false},
	{eventUpdated, pushed, "1.0", false}, {eventUpdated, statusChanged, "1.0", false},
	{eventUpdated, reviewersChanged, "1.0", false}, {eventComment, "", "2.0", true}, {eventBuild, "", "2.0", true},
	{eventPush, "", "1.0", false}}

type subscription struct {
	ID              string            `json:"id,omitempty"`
	Status          string            `json:"status,omitempty"` // enabled, onProbation, disabledByUser, disabledBySystem, …
	PublisherID     string            `json:"publisherId"`
	EventType       string            `json:"eventType"`
	ResourceVersion string            `json:"resourceVersion"`
	ConsumerID      string            `json:"consumerId"`
	ConsumerAction  string            `json:"consumerActionId"`
	PublisherInputs map[string]string `json:"publisherInputs"`
	ConsumerInputs  map[string]string `json:"consumerInputs"`
}

func (s subscription) isActive() bool { return s.Status == "" || s.Status == "enabled" }

// is reports whether a subscription is for an event.
func (s subscription) is(w wanted) bool {
	return s.EventType == w.event && s.PublisherInputs["notificationType"] == w.filter
}

// maxSubscriptions is the most subscriptions of an organisation that are searched.
const maxSubscriptions = 20_000

// hooks lists the web hooks of a repository with an address, or the address of its connection.
func (h *Host) hooks(ctx context.Context, op string, repo codehost.Repo, address string) (r repositoryRef, list []subscription, err error) {
	if r, err = h.repository(ctx, op, repo); err != nil {
		return r, nil, err
	}
	if err := h.sameRepository(ctx, op, repo, r); err != nil {
		return r, nil, err
	}
	var got answerList[subscription]
	err = h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs},
		request{path: orgPath(repo.Owner) + "/_apis/hooks/subscriptions"}, &got)
	if len(got.Value) > maxSubscriptions {
		err = cmp.Or(err, wire.TooMany(op, maxSubscriptions, "service hooks of the organisation"))
	}
	for _, s := range got.Value {
		if s.ID != "" && s.ConsumerID == "webHooks" && strings.EqualFold(s.PublisherInputs["repository"], r.ID) &&
			codehost.SameHook(s.ConsumerInputs["url"], address) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b subscription) int {
		return cmp.Or(cmp.Compare(len(b.ConsumerInputs["url"]), len(a.ConsumerInputs["url"])), cmp.Compare(a.ID, b.ID))
	})
	return r, list, err
}

// hookState describes our subscriptions of a repository. It is active if all that are there are. Pushes are not missed, because the sweep
// of the code index makes up for them.
func hookState(list []subscription) codehost.HookState {
	out := codehost.HookState{Active: len(list) > 0}
	for _, w := range subscriptions {
		i := slices.IndexFunc(list, func(s subscription) bool {
			return s.is(w) || s.EventType == w.event && s.PublisherInputs["notificationType"] == ""
		})
		switch {
		case i < 0 && w.event == eventPush:
		case i < 0:
			out.Missing = append(out.Missing, w.String())
		case out.ID == "":
			out.ID = domain.HostID(list[i].ID)
		}
		out.Active = out.Active && (i < 0 || list[i].isActive())
	}
	if out.ID == "" && len(list) > 0 {
		out.ID = domain.HostID(list[0].ID)
	}
	return out
}

// Hook implements [codehost.Connection].
func (h *Host) Hook(ctx context.Context, repo codehost.Repo, address string) (codehost.HookState, error) {
	_, list, err := h.hooks(ctx, "read webhook", repo, address)
	if err != nil || len(list) == 0 {
		return codehost.HookState{}, err
	}
	return hookState(list), nil
}

// EnsureHook implements [codehost.Connection] with a subscription for each event. The host never shows a secret, so the name of Basic has a
// mark that is derived from it. A subscription with another mark or address, or one that the host has switched off, is written again,
// which switches it on. The host takes a password only for https; there the secret stands in [azure.SecretHeader] alone.
func (h *Host) EnsureHook(ctx context.Context, repo codehost.Repo, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook"
	u, err := wire.CheckHook(op, address, key)
	if err != nil {
		return codehost.HookState{}, err
	}
	r, list, err := h.hooks(ctx, op, repo, address)
	if err != nil {
		return codehost.HookState{}, err
	}
	wasActive, mark := len(list) == 0 || hookState(list).Active, hookMark(key)
	var kept []subscription
	for _, w := range subscriptions {
		body := subscription{PublisherID: "tfs", EventType: w.event, ResourceVersion: w.version, ConsumerID: "webHooks",
			ConsumerAction: "httpRequest", PublisherInputs: map[string]string{"projectId": r.Project.ID, "repository": r.ID},
			ConsumerInputs: map[string]string{"url": address, "resourceDetailsToSend": "all", "messagesToSend": "none",
				"detailedMessagesToSend": "none", "basicAuthUsername": mark,
				"httpHeaders": azure.SecretHeader + ":" + key.Reveal() + "\n" + notificationHeader + ":" + w.filter}}
		if w.filter != "" {
			body.PublisherInputs["notificationType"] = w.filter
		}
		if u.Scheme == "https" {
			body.ConsumerInputs["basicAuthPassword"] = key.Reveal()
		}
		s, err := h.ensure(ctx, op, repo, w, list, body)
		if w.optional && codehost.ClassOf(err) == codehost.ClassInvalid {
			continue
		}
		if err != nil {
			return codehost.HookState{}, err
		}
		kept = append(kept, s)
	}
	for _, s := range list { // duplicates, and those of earlier versions
		if !slices.ContainsFunc(kept, func(k subscription) bool { return k.ID == s.ID }) {
			if err := h.deleteHook(ctx, op, repo, s.ID); err != nil {
				return codehost.HookState{}, err
			}
		}
	}
	out := hookState(kept)
	out.Restored = out.Active && !wasActive
	return out, nil
}

// ensure keeps, corrects or makes the subscription for one event.
func (h *Host) ensure(ctx context.Context, op string, repo codehost.Repo, w wanted, list []subscription,
	body subscription) (made subscription, err error) {
	r := request{method: http.MethodPost, path: orgPath(repo.Owner) + "/_apis/hooks/subscriptions", body: body}
	if i := slices.IndexFunc(list, func(s subscription) bool { return s.is(w) }); i >= 0 {
		s := list[i]
		if s.isActive() && s.ConsumerInputs["url"] == body.ConsumerInputs["url"] && s.ResourceVersion == w.version &&
			s.ConsumerInputs["basicAuthUsername"] == body.ConsumerInputs["basicAuthUsername"] {
			return s, nil
		}
		body.ID, r.method, r.path = s.ID, http.MethodPut, r.path+"/"+s.ID
		r.body = body
	}
	err = h.write(ctx, op, r, &made)
	if err == nil && made.ID == "" {
		err = &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no subscription"}
	}
	return made, err
}

// RemoveHook implements [codehost.Connection].
func (h *Host) RemoveHook(ctx context.Context, repo codehost.Repo, address string) error {
	const op = "remove webhook"
	now, err := h.Resolve(ctx, repo) // its name may have changed since the last synchronisation
	var list []subscription
	if err == nil {
		repo.Owner, repo.Name = now.Owner, now.Name
		_, list, err = h.hooks(ctx, op, repo, address)
	}
	if codehost.ClassOf(err) == codehost.ClassNotFound { // deleted with its repository
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range list {
		if err := h.deleteHook(ctx, op, repo, s.ID); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) deleteHook(ctx context.Context, op string, repo codehost.Repo, id string) error {
	if guid(id) == "" {
		return unexpected(op, "the id of a subscription has another form")
	}
	err := h.write(ctx, op, request{method: http.MethodDelete, path: orgPath(repo.Owner) + "/_apis/hooks/subscriptions/" + id}, nil)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// hookMark returns a mark that identifies a secret without revealing it.
func hookMark(key secret.Secret) string {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = mac.Write([]byte("assay webhook mark")) // a hash never fails
	return "assay-" + hex.EncodeToString(mac.Sum(nil)[:12])
}
