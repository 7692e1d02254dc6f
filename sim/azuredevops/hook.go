package azuredevops

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
)

func (h *subscription) guid() string { return simapi.ID("subscription", h.ID) }

// eventTypes are the events that can be subscribed to.
var eventTypes = []string{eventCreated, eventUpdated, eventMerged, eventComment, eventBuild, eventPush, "workitem.created",
	"workitem.updated", "workitem.commented"}

// secretInputs are never shown: the interface answers asterisks (docs of the field: isConfidential).
var secretInputs = []string{"basicAuthPassword", "httpHeaders"}

// showSubscription renders a service hook. Server.Mu is held.
func (s *Server) showSubscription(h *subscription) obj {
	consumer := maps.Clone(h.Consumer)
	for _, name := range secretInputs {
		if consumer[name] != "" {
			consumer[name] = "********"
		}
	}
	return obj{"id": h.guid(), "status": h.Status, "publisherId": "tfs", "eventType": h.Event, "resourceVersion": h.Version,
		"consumerId": "webHooks", "consumerActionId": "httpRequest", "publisherInputs": h.Inputs, "consumerInputs": consumer,
		"createdBy": s.identity(h.CreatedBy)}
}

// mayManage reports whether the caller manages service hooks of a project, which administrators may
// (learn.microsoft.com/azure/devops/service-hooks/overview, "Permissions"). Server.Mu is held.
func (c *call) mayManage(p *project) bool { return p != nil && c.s.st.role(c.user, p) == "admin" }

func listSubscriptions(c *call) *reply {
	items := []any{}
	for _, h := range host.ByKey(c.s.st.Subscriptions) {
		event := c.Query.Get("eventType")
		if strings.EqualFold(h.Org, c.Vars["org"]) && (event == "" || event == h.Event) && c.mayManage(c.s.st.Projects[h.ProjectID]) {
			items = append(items, c.s.showSubscription(h))
		}
	}
	return list(items)
}

// subscriptionInput is a service hook in a request.
type subscriptionInput struct {
	PublisherID, EventType, ResourceVersion, ConsumerID, ConsumerActionID string
	PublisherInputs, ConsumerInputs                                       map[string]string
}

// readSubscription reads and checks a service hook. Server.Mu is held.
func (c *call) readSubscription() (in subscriptionInput, p *project, r *repository, refused *reply) {
	if bad := c.Read(&in); bad != nil {
		return in, nil, nil, bad
	}
	p = c.s.st.projectIn(c.Vars["org"], in.PublisherInputs["projectId"])
	if id := in.PublisherInputs["repository"]; p != nil && id != "" {
		r = c.s.st.repoIn(p, id)
	}
	switch {
	case !c.mayManage(p):
		return in, nil, nil, failure(http.StatusForbidden, "AccessCheckException",
			"Access denied: the identity needs Edit subscriptions permission(s) on the resource.")
	case in.PublisherID != "tfs" || in.ConsumerID != "webHooks" || in.ConsumerActionID != "httpRequest" ||
		!slices.Contains(eventTypes, in.EventType) || in.EventType == eventComment && c.s.On(simapi.NoComments):
		return in, nil, nil, failure(http.StatusBadRequest, "SubscriptionEventTypeNotFoundException", "The event type is not supported.")
	case host.CheckHookURL(in.ConsumerInputs["url"]) != nil:
		return in, nil, nil, badRequest("The address must be absolute.")
	case in.ConsumerInputs["basicAuthPassword"] != "" && len(in.ConsumerInputs["basicAuthPassword"]) > 1000:
		return in, nil, nil, badRequest("The password is too long.")
	}
	return in, p, r, nil
}

func createSubscription(c *call) *reply {
	in, p, r, refused := c.readSubscription()
	if refused != nil {
		return refused
	}
	h := &subscription{ID: c.s.st.ID("subscription"), Org: c.Vars["org"], ProjectID: p.ID, Event: in.EventType,
		Version: host.OrElse(in.ResourceVersion, "1.0"), Inputs: in.PublisherInputs,
		Consumer: in.ConsumerInputs, Status: "enabled", CreatedBy: c.user.ID}
	if r != nil {
		h.RepoID = r.ID
	}
	c.s.st.Subscriptions[h.ID] = h
	c.wrote("subscription", "create", h.ID)
	return ok(c.s.showSubscription(h))
}

// ofSubscription returns a handler for the service hook of the path. One that the caller does not manage is missing.
func ofSubscription(handle func(*call, *subscription) *reply) func(*call) *reply {
	return func(c *call) *reply {
		h := c.s.st.subscription(c.Vars["id"])
		if h == nil || !c.mayManage(c.s.st.Projects[h.ProjectID]) {
			return failure(http.StatusNotFound, "SubscriptionNotFoundException", "The subscription was not found.")
		}
		return handle(c, h)
	}
}

func updateSubscription(c *call, h *subscription) *reply {
	in, p, r, refused := c.readSubscription()
	if refused != nil {
		return refused
	}
	for _, name := range secretInputs { // asterisks keep what is there
		if strings.Trim(in.ConsumerInputs[name], "*") == "" {
			in.ConsumerInputs[name] = h.Consumer[name]
		}
	}
	h.ProjectID, h.Event, h.Inputs, h.Consumer, h.Status, h.Failures = p.ID, in.EventType, in.PublisherInputs, in.ConsumerInputs, "enabled", 0
	h.Version = host.OrElse(in.ResourceVersion, "1.0")
	if r != nil {
		h.RepoID = r.ID
	}
	c.wrote("subscription", "update", h.ID)
	return ok(c.s.showSubscription(h))
}

func deleteSubscription(c *call, h *subscription) *reply {
	delete(c.s.st.Subscriptions, h.ID)
	c.wrote("subscription", "delete", h.ID)
	return host.NoContent()
}

// headers returns the headers of a delivery: Basic and what the subscription adds, one "name:value" a line.
func (h *subscription) headers() map[string]string {
	out := map[string]string{"Content-Type": "application/json; charset=utf-8", "User-Agent": "VSServices/19.0 (w3wp.exe)"}
	if h.Consumer["basicAuthUsername"] != "" || h.Consumer["basicAuthPassword"] != "" {
		out["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(h.Consumer["basicAuthUsername"]+":"+
			h.Consumer["basicAuthPassword"]))
	}
	for line := range strings.Lines(h.Consumer["httpHeaders"]) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			out[http.CanonicalHeaderKey(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
	return out
}

// failuresUntilOff is the number of failures in a row after which a subscription gets no events; the host's number is not known.
const failuresUntilOff = 8

// delivered counts the failures of subscriptions.
func (s *Server) delivered() {
	list := s.Sender.All()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, d := range list {
		h := s.st.Subscriptions[d.Owner]
		if !d.Done || s.judged[d.ID] || h == nil {
			continue
		}
		s.judged[d.ID] = true
		if d.Succeeded() {
			h.Failures = 0
			continue
		}
		if h.Failures++; h.Failures >= failuresUntilOff {
			h.Status = "onProbation"
		}
	}
}

// Subscriptions lists all service hooks by id.
func (s *Server) Subscriptions() []simapi.Subscription {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	out := []simapi.Subscription{}
	for _, h := range host.ByKey(s.st.Subscriptions) {
		o := simapi.Subscription{ID: h.guid(), Event: h.Event, Filter: h.Inputs["notificationType"], URL: h.Consumer["url"], Status: h.Status}
		if r := s.st.Repos[h.RepoID]; r != nil {
			o.Repository = s.st.full(r)
		}
		out = append(out, o)
	}
	return out
}

// ChangeSubscription sets the status of a service hook.
func (s *Server) ChangeSubscription(_ context.Context, id string, in simapi.SubscriptionChange) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	h := s.st.subscription(id)
	if h == nil {
		return errors.New("id: no subscription has it")
	}
	h.Status = in.Status
	s.Touch()
	return nil
}
