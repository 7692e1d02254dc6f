package gitlab

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// hookEvents are the events that a webhook can be sent and that are simulated; the interface has them with "_events".
var hookEvents = []string{"push", "merge_requests", "note", "pipeline", "job"}

// eventWords are the words of the control interface for them.
var eventWords = map[string]string{"notes": "note", "pushes": "push", "pipelines": "pipeline", "jobs": "job"}

// status is the host's word for whether a webhook is sent anything; Server.mu is held.
func (h *hook) status(now micros) string {
	switch {
	case h.Disabled:
		return "disabled"
	case h.DisabledUntil > now:
		return "temporarily_disabled"
	}
	return "executable"
}

func (v view) hook(h *hook) obj {
	o := obj{"id": h.ID, "url": h.URL, "project_id": h.ProjectID, "created_at": stamp(h.Created), "enable_ssl_verification": h.SSLVerification,
		"alert_status": h.status(v.s.nowMicros()), "disabled_until": stamp(h.DisabledUntil), "push_events_branch_filter": "", "url_variables": []any{}, "custom_headers": []any{},
		"token_present": h.Token != ""}
	if !v.s.on(simapi.NoHookNames) {
		o["name"], o["description"] = h.Name, h.Description
	}
	if v.s.on(simapi.SigningTokens) {
		o["signing_token_present"] = h.SigningToken != ""
	}
	for _, e := range hookEvents {
		o[e+"_events"] = slices.Contains(h.Events, e)
	}
	return o
}

// hooks lists webhooks by id; Server.mu is held.
func (s *Server) hooks(keep func(*hook) bool) []*hook {
	list := slices.SortedFunc(maps.Values(s.st.Hooks), func(a, b *hook) int { return cmp.Compare(a.ID, b.ID) })
	return host.Without(list, func(h *hook) bool { return !keep(h) })
}

func listHooks(c *call) *reply {
	c.s.mu.Lock()
	v := c.s.view()
	list := renderAll(c.s.hooks(func(h *hook) bool { return h.ProjectID == c.project.ID }), func(h *hook) any { return v.hook(h) })
	c.s.mu.Unlock()
	return pageOf(c, list, itself)
}

func oneHook(c *call, f func(*hook) *reply) *reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	h := c.s.st.Hooks[c.number("hook_id")]
	if h == nil || h.ProjectID != c.project.ID {
		return notFound("")
	}
	return f(h)
}

func getHook(c *call) *reply {
	return oneHook(c, func(h *hook) *reply { return ok(c.s.view().hook(h)) })
}

func deleteHook(c *call) *reply {
	return oneHook(c, func(h *hook) *reply {
		delete(c.s.st.Hooks, h.ID)
		c.wrote("hook", "delete", h.ID, 0)
		return host.NoContent()
	})
}

type hookInput struct {
	URL          *string `json:"url"`
	Name         *string `json:"name"`
	Description  *string `json:"description"`
	Token        *string `json:"token"`
	SigningToken *string `json:"signing_token"`
	SSL          *bool   `json:"enable_ssl_verification"`
	Push         *bool   `json:"push_events"`
	MRs          *bool   `json:"merge_requests_events"`
	Notes        *bool   `json:"note_events"`
	Pipelines    *bool   `json:"pipeline_events"`
	Jobs         *bool   `json:"job_events"`
}

// checkHookURL reports what is wrong with an address.
func checkHookURL(raw string) error {
	if u, err := url.Parse(raw); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("url: must be an absolute http or https address")
	}
	return nil
}

// signingKey is the key of a signing token: the part behind "whsec_", of 32 bytes.
func signingKey(token string) ([]byte, error) {
	text, found := strings.CutPrefix(token, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil || len(key) != 32 {
		return nil, errors.New("signing_token: must be whsec_ and the base64 of 32 bytes")
	}
	return key, nil
}

// store changes a webhook by what a request names; Server.mu is held.
func (c *call) store(h *hook, in hookInput) *reply {
	if in.URL != nil && checkHookURL(*in.URL) != nil {
		return failure(http.StatusUnprocessableEntity, "Invalid url given")
	}
	if in.SigningToken != nil && c.s.on(simapi.SigningTokens) {
		if _, err := signingKey(*in.SigningToken); *in.SigningToken != "" && err != nil {
			return failure(http.StatusUnprocessableEntity, "Signing token is invalid")
		}
		h.SigningToken = *in.SigningToken
	}
	set(&h.URL, in.URL)
	set(&h.Token, in.Token)
	set(&h.SSLVerification, in.SSL)
	if !c.s.on(simapi.NoHookNames) {
		set(&h.Name, in.Name)
		set(&h.Description, in.Description)
	}
	for event, want := range map[string]*bool{"push": in.Push, "merge_requests": in.MRs, "note": in.Notes, "pipeline": in.Pipelines, "job": in.Jobs} {
		if want == nil {
			continue
		}
		h.Events = host.Without(h.Events, func(e string) bool { return e == event })
		if *want {
			h.Events = append(h.Events, event)
		}
	}
	if !c.s.on(simapi.EditKeepsDisabled) {
		h.Failures, h.Disabled, h.DisabledUntil = 0, false, 0
	}
	return nil
}

func createHook(c *call) *reply {
	var in hookInput
	if bad := c.decode(&in); bad != nil {
		return bad
	}
	if in.URL == nil {
		return missing("url is missing")
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	h := &hook{ID: c.s.st.id("hook"), ProjectID: c.project.ID, Events: []string{"push"}, SSLVerification: true, Created: c.s.nowMicros()}
	if bad := c.store(h, in); bad != nil {
		return bad
	}
	c.s.st.Hooks[h.ID] = h
	c.wrote("hook", "create", h.ID, 0)
	return created(c.s.view().hook(h))
}

func editHook(c *call) *reply {
	var in hookInput
	if bad := c.decode(&in); bad != nil {
		return bad
	}
	return oneHook(c, func(h *hook) *reply {
		if bad := c.store(h, in); bad != nil {
			return bad
		}
		c.wrote("hook", "update", h.ID, 0)
		return ok(c.s.view().hook(h))
	})
}

// AddHook makes a webhook of a project, as a person does in the settings.
func (s *Server) AddHook(_ context.Context, fullPath string, spec simapi.HookSpec) (simapi.Hook, error) {
	if err := checkHookURL(spec.URL); err != nil {
		return simapi.Hook{}, err
	}
	if spec.SigningToken != "" {
		if _, err := signingKey(spec.SigningToken); err != nil {
			return simapi.Hook{}, err
		}
	}
	events := hookEvents
	if len(spec.Events) > 0 {
		events = nil
		for _, e := range spec.Events {
			events = append(events, host.OrElse(eventWords[e], e))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.st.project(fullPath)
	if p == nil {
		return simapi.Hook{}, errNoProject
	}
	h := &hook{ID: s.st.id("hook"), ProjectID: p.ID, URL: spec.URL, Token: spec.Token, SigningToken: spec.SigningToken, Events: slices.Clone(events), SSLVerification: true, Created: s.nowMicros()}
	s.st.Hooks[h.ID] = h
	s.file.Touch()
	return s.describeHook(h), nil
}

func (s *Server) describeHook(h *hook) simapi.Hook {
	o := simapi.Hook{ID: h.ID, URL: h.URL, HasToken: h.Token != "", HasSigning: h.SigningToken != "", Events: h.Events, Status: h.status(s.nowMicros())}
	if p := s.st.Projects[h.ProjectID]; p != nil {
		o.Repository = p.FullPath()
	}
	return o
}

// Hooks lists all webhooks by id.
func (s *Server) Hooks() []simapi.Hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []simapi.Hook{}
	for _, h := range s.hooks(func(*hook) bool { return true }) {
		out = append(out, s.describeHook(h))
	}
	return out
}

// Bounds of failures in a row (gitlab-org/gitlab!166329): from the fourth on a webhook rests for a minute, which doubles up to a day; from the
// fortieth on it is off.
const (
	restsAfter = 4
	endsAfter  = 40
	mostRest   = 24 * time.Hour
)

// delivered is called whenever a delivery has ended: failures count for their webhook.
func (s *Server) delivered() {
	s.file.Touch()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.sender.All() {
		if !d.Done || s.judged[d.ID] {
			continue
		}
		s.judged[d.ID] = true
		h := s.st.Hooks[d.Owner]
		switch {
		case h == nil:
		case d.Succeeded():
			h.Failures, h.DisabledUntil = 0, 0
		default:
			h.Failures++
			if h.Failures >= restsAfter {
				rest := min(time.Minute<<min(h.Failures-restsAfter, 20), mostRest)
				h.DisabledUntil = s.nowMicros() + micros(rest.Microseconds())
			}
			h.Disabled = h.Failures >= endsAfter
		}
	}
}

// Resend sends a delivery again, with the same body and idempotency key.
func (s *Server) Resend(_ context.Context, id int64) error {
	d, found := s.sender.Find(id)
	if !found {
		return errors.New("delivery: there is none with that id")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.st.Hooks[d.Owner]
	if h == nil {
		return fmt.Errorf("the webhook of this delivery is gone")
	}
	again := host.Delivery{Owner: d.Owner, GUID: d.GUID, RepositoryID: d.RepositoryID, Event: d.Event, Action: d.Action, Redelivery: true, URL: h.URL, Payload: d.Payload}
	again.Headers = s.headers(h, d.Event, again.GUID, d.Payload)
	s.sender.Send(again)
	return nil
}
