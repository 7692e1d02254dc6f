package gitlab

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// hookEvents are the simulated events of webhooks; the interface appends "_events" to their names.
var hookEvents = []string{"push", "merge_requests", "note", "pipeline", "job"}

// eventWords maps the words of the control interface to them.
var eventWords = map[string]string{"notes": "note", "pushes": "push", "pipelines": "pipeline", "jobs": "job"}

// status returns the host's word for the state of a webhook; Server.Mu is held.
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
		"alert_status": h.status(v.s.NowMicros()), "disabled_until": stamp(h.DisabledUntil), "push_events_branch_filter": "",
		"url_variables": []any{}, "custom_headers": []any{},
		"token_present": h.Token != ""}
	if !v.s.On(simapi.NoHookNames) {
		o["name"], o["description"] = h.Name, h.Description
	}
	if v.s.On(simapi.SigningTokens) {
		o["signing_token_present"] = h.SigningToken != ""
	}
	for _, e := range hookEvents {
		o[e+"_events"] = slices.Contains(h.Events, e)
	}
	return o
}

// hooks lists webhooks by id; Server.Mu is held.
func (s *Server) hooks(keep func(*hook) bool) []*hook {
	list := host.ByKey(s.st.Hooks)
	return host.Without(list, func(h *hook) bool { return !keep(h) })
}

func listHooks(c *call) *reply {
	c.s.Mu.Lock()
	v := c.s.view()
	list := host.RenderAll(c.s.hooks(func(h *hook) bool { return h.ProjectID == c.project.ID }), func(h *hook) any { return v.hook(h) })
	c.s.Mu.Unlock()
	return pageOf(c, list, host.Itself)
}

func oneHook(c *call, f func(*hook) *reply) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	h := c.s.st.Hooks[c.Number("hook_id")]
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

// signingKey returns the key of a signing token: 32 bytes after "whsec_".
func signingKey(token string) ([]byte, error) {
	text, found := strings.CutPrefix(token, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil || len(key) != 32 {
		return nil, errors.New("signing_token: must be whsec_ and the base64 of 32 bytes")
	}
	return key, nil
}

// store changes the fields of a webhook that a request names; Server.Mu is held.
func (c *call) store(h *hook, in hookInput) *reply {
	if in.URL != nil && host.CheckHookURL(*in.URL) != nil {
		return failure(http.StatusUnprocessableEntity, "Invalid url given")
	}
	if in.SigningToken != nil && c.s.On(simapi.SigningTokens) {
		if _, err := signingKey(*in.SigningToken); *in.SigningToken != "" && err != nil {
			return failure(http.StatusUnprocessableEntity, "Signing token is invalid")
		}
		h.SigningToken = *in.SigningToken
	}
	host.Set(&h.URL, in.URL)
	host.Set(&h.Token, in.Token)
	host.Set(&h.SSLVerification, in.SSL)
	if !c.s.On(simapi.NoHookNames) {
		host.Set(&h.Name, in.Name)
		host.Set(&h.Description, in.Description)
	}
	for event, want := range map[string]*bool{"push": in.Push, "merge_requests": in.MRs, "note": in.Notes, "pipeline": in.Pipelines,
		"job": in.Jobs} {
		if want == nil {
			continue
		}
		h.Events = host.Without(h.Events, func(e string) bool { return e == event })
		if *want {
			h.Events = append(h.Events, event)
		}
	}
	if !c.s.On(simapi.EditKeepsDisabled) {
		h.Failures, h.Disabled, h.DisabledUntil = 0, false, 0
	}
	return nil
}

func createHook(c *call, in hookInput) *reply {
	if in.URL == nil {
		return missing("url is missing")
	}
	h := &hook{ID: c.s.st.ID("hook"), ProjectID: c.project.ID, Events: []string{"push"}, SSLVerification: true, Created: c.s.NowMicros()}
	if bad := c.store(h, in); bad != nil {
		return bad
	}
	c.s.st.Hooks[h.ID] = h
	c.wrote("hook", "create", h.ID, 0)
	return created(c.s.view().hook(h))
}

func editHook(c *call, in hookInput) *reply {
	return oneHook(c, func(h *hook) *reply {
		if bad := c.store(h, in); bad != nil {
			return bad
		}
		c.wrote("hook", "update", h.ID, 0)
		return ok(c.s.view().hook(h))
	})
}

// AddHook makes a webhook of a project, like a person in the settings.
func (s *Server) AddHook(_ context.Context, fullPath string, spec simapi.HookSpec) (simapi.Hook, error) {
	if err := host.CheckHookURL(spec.URL); err != nil {
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
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := s.st.project(fullPath)
	if p == nil {
		return simapi.Hook{}, errNoProject
	}
	h := &hook{ID: s.st.ID("hook"), ProjectID: p.ID, URL: spec.URL, Token: spec.Token, SigningToken: spec.SigningToken,
		Events: slices.Clone(events), SSLVerification: true, Created: s.NowMicros()}
	s.st.Hooks[h.ID] = h
	s.Touch()
	return s.describeHook(h), nil
}

func (s *Server) describeHook(h *hook) simapi.Hook {
	o := simapi.Hook{ID: h.ID, URL: h.URL, HasToken: h.Token != "", HasSigning: h.SigningToken != "", Events: h.Events,
		Status: h.status(s.NowMicros())}
	if p := s.st.Projects[h.ProjectID]; p != nil {
		o.Repository = p.FullPath()
	}
	return o
}

// Hooks lists all webhooks by id.
func (s *Server) Hooks() []simapi.Hook {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	out := []simapi.Hook{}
	for _, h := range s.hooks(func(*hook) bool { return true }) {
		out = append(out, s.describeHook(h))
	}
	return out
}

// Bounds of consecutive failures (gitlab-org/gitlab!166329). From the fourth on, a webhook rests for a minute,
// which doubles up to a day; from the fortieth on it is off.
const (
	restsAfter = 4
	endsAfter  = 40
	mostRest   = 24 * time.Hour
)

// delivered is called at the end of a delivery. It counts failures for their webhook.
func (s *Server) delivered() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, d := range s.Sender.All() {
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
				h.DisabledUntil = s.NowMicros() + micros(rest.Microseconds())
			}
			h.Disabled = h.Failures >= endsAfter
		}
	}
}

// Resend sends a delivery again, with the same body and idempotency key.
func (s *Server) Resend(_ context.Context, id int64) error {
	again, err := s.Sender.Again(id)
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	h := s.st.Hooks[again.Owner]
	if h == nil {
		return fmt.Errorf("the webhook of this delivery is gone")
	}
	again.URL, again.Headers = h.URL, s.headers(h, again.Event, again.GUID, again.Payload)
	s.Sender.Send(again)
	return nil
}
