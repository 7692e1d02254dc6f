package bitbucket

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// eventKeys are all events of webhooks (hook_event of the description).
func eventKeys() []string {
	return []string{"issue:comment_created", "issue:created", "issue:updated", "pipeline:span_created", "project:updated",
		"pullrequest:approved", "pullrequest:changes_request_created", "pullrequest:changes_request_removed", "pullrequest:comment_created",
		"pullrequest:comment_deleted", "pullrequest:comment_reopened", "pullrequest:comment_resolved", "pullrequest:comment_updated",
		"pullrequest:created", "pullrequest:fulfilled", "pullrequest:push", "pullrequest:rejected", "pullrequest:unapproved",
		"pullrequest:updated", "repo:commit_comment_created", "repo:commit_status_created", "repo:commit_status_updated", "repo:created",
		"repo:deleted", "repo:fork", "repo:imported", "repo:push", "repo:transfer", "repo:updated"}
}

type hookInput struct {
	Description *string         `json:"description"`
	URL         *string         `json:"url"`
	Active      *bool           `json:"active"`
	Secret      json.RawMessage `json:"secret"`
	Events      []string        `json:"events"`
}

// hooksOf lists the webhooks of the path's repository or workspace by id; Server.Mu is held.
func (c *call) hooksOf() []*hook {
	return host.Without(host.ByKey(c.s.st.Hooks), func(h *hook) bool {
		if c.repo != nil {
			return h.RepoID != c.repo.ID
		}
		return h.WorkspaceID != c.ws.ID
	})
}

func listHooks(c *call) *reply {
	c.s.Mu.Lock()
	out := host.RenderAll(c.hooksOf(), func(h *hook) any { return c.view().hook(h) })
	c.s.Mu.Unlock()
	return c.list(out)
}

func createHook(c *call, in hookInput) *reply {
	if in.URL == nil || host.CheckHookURL(*in.URL) != nil || len(in.Events) == 0 {
		return invalid("Bad request: url and events are required")
	}
	h := &hook{Active: true, Created: c.s.NowMicros()}
	if c.repo != nil {
		h.RepoID = c.repo.ID
	} else {
		h.WorkspaceID = c.ws.ID
	}
	if bad := h.change(in); bad != nil {
		return bad
	}
	c.keepHook(h)
	return created(c.view().hook(h))
}

// keepHook stores a new webhook; Server.Mu is held.
func (c *call) keepHook(h *hook) {
	h.ID = c.s.st.ID("hook")
	c.s.st.Hooks[h.ID] = h
	c.wrote("hook", "create", h.ID, 0)
}

// change sets the fields that a request names. A secret of null is removed, a missing one stays.
func (h *hook) change(in hookInput) *reply {
	for _, e := range in.Events {
		if !slices.Contains(eventKeys(), e) {
			return invalid("events: \"" + e + "\" is not a valid choice")
		}
	}
	if in.URL != nil && host.CheckHookURL(*in.URL) != nil {
		return invalid("url: Enter a valid URL.")
	}
	host.Set(&h.Description, in.Description)
	host.Set(&h.URL, in.URL)
	host.Set(&h.Active, in.Active)
	if in.Events != nil {
		h.Events = in.Events
	}
	if len(in.Secret) > 0 {
		h.Secret = ""
		if err := json.Unmarshal(in.Secret, &h.Secret); err != nil {
			return invalid("secret: must be text")
		}
	}
	return nil
}

// hook finds the webhook of the path; Server.Mu is held.
func (c *call) hook() *hook {
	id := idOf(hookUUID, c.Vars["uid"])
	return host.First(slices.Values(c.hooksOf()), func(h *hook) bool { return h.ID == id })
}

func noHook(c *call) *reply {
	return fail(http.StatusNotFound, c.Vars["uid"]+" is not a valid hook")
}

func getHook(c *call) *reply {
	if h := c.hook(); h != nil {
		return ok(c.view().hook(h))
	}
	return noHook(c)
}

func editHook(c *call, in hookInput) *reply {
	h := c.hook()
	if h == nil {
		return noHook(c)
	}
	if bad := h.change(in); bad != nil {
		return bad
	}
	c.wrote("hook", "update", h.ID, 0)
	return ok(c.view().hook(h))
}

func deleteHook(c *call) *reply { return c.dropHook(c.hook(), noHook(c)) }

// dropHook deletes a webhook; gone is the answer if it is nil. Server.Mu is held.
func (c *call) dropHook(h *hook, gone *reply) *reply {
	if h == nil {
		return gone
	}
	delete(c.s.st.Hooks, h.ID)
	c.wrote("hook", "delete", h.ID, 0)
	return host.NoContent()
}
