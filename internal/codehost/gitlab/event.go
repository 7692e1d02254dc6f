package gitlab

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDepth is the deepest nesting of a payload. GitLab's own payloads reach 6.
const maxDepth = 64

// kind is the meaning of an event, and its name in the body. The headers of a delivery are not signed, so a
// body with another name is rejected.
type kind struct {
	of   codehost.EventKind
	body string // object_kind, or the beginning of event_name
}

// kinds are the events that have an effect (docs.gitlab.com/user/project/integrations/webhook_events).
var kinds = map[string]kind{
	"Merge Request Hook": {codehost.KindPullRequest, "merge_request"},
	"Note Hook":          {codehost.KindComment, "note"},
	"Pipeline Hook":      {codehost.KindCheck, "pipeline"},
	"Push Hook":          {codehost.KindPush, "push"},
	projectHook:          {codehost.KindRepository, "project_"},
}

// Webhooks of groups report projects with separate events. Webhooks of the whole instance have one event
// for everything, and we read only its projects (docs.gitlab.com/administration/system_hooks).
const (
	projectHook = "Project Hook"
	systemHook  = "System Hook"
)

// unused lists the known events without effect (event_parsing.go of the library). An event in neither list
// is new.
var unused = []string{"Tag Push Hook", "Issue Hook", "Confidential Issue Hook", "Confidential Note Hook", "Job Hook",
	"Build Hook", "Wiki Page Hook", "Deployment Hook",
	"Release Hook", "Emoji Hook", "Feature Flag Hook", "Member Hook", "Subgroup Hook", "Milestone Hook", "Resource Access Token Hook",
	"Resource Deploy Token Hook", "Vulnerability Hook",
	"Service Hook"}

// envelope holds the parts of payloads. They stay raw until the event is known, because other events use
// the same names for other shapes.
type envelope struct {
	ObjectKind   string          `json:"object_kind"`
	EventName    string          `json:"event_name"`
	User         json.RawMessage `json:"user"`
	Project      json.RawMessage `json:"project"`
	Attributes   json.RawMessage `json:"object_attributes"`
	MergeRequest json.RawMessage `json:"merge_request"`
	Changes      json.RawMessage `json:"changes"`
}

// KindOf returns the kind of event for the words of a delivery, or [codehost.KindIgnored] with the reason
// if the delivery has no effect with any body. The kind is "" if it depends on the rest of the body.
func KindOf(w codehost.DeliveryWords) (codehost.EventKind, string) {
	of, known := kinds[w.Event]
	switch {
	case known:
		return of.of, ""
	case w.Event == systemHook:
		return "", ""
	case slices.Contains(unused, w.Event):
		return codehost.KindIgnored, codehost.ReasonUnusedEvent
	}
	return codehost.KindIgnored, codehost.ReasonUnknownEvent
}

// Parse reads the body of a delivery, and Event and Delivery of its header. It uses GitHub's names of
// actions where GitLab has another word for the same, because readers of the port know those. An event or
// action without effect is [codehost.KindIgnored] with a reason. It fails with [codehost.ErrPayload] if the
// body is longer than [maxPayload], is not a JSON object, or lacks a required part of its event.
//
// Payloads of merge requests have no commit of the base. They have the author's login only if the author
// caused the event.
func Parse(h Header, body []byte) (codehost.Event, error) {
	bare := codehost.Event{Name: h.Event, Delivery: h.Delivery}
	if err := wire.CheckBody(body, maxPayload, maxDepth); err != nil {
		return bare, err
	}
	of, known := kinds[h.Event]
	var env envelope
	if err := json.Unmarshal(body, &env); err != nil {
		if known {
			return bare, fmt.Errorf("%w: it must have the documented types", codehost.ErrPayload)
		}
		env = envelope{}
	}
	if h.Event == systemHook && env.ObjectKind == "" && strings.HasPrefix(env.EventName, kinds[projectHook].body) {
		of, known = kinds[projectHook], true
	}
	ev := bare
	if !known {
		// A body of the whole instance about another subject than a project.
		if ev.Kind, ev.Reason = KindOf(codehost.DeliveryWords{Event: h.Event}); ev.Kind == "" {
			ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedEvent
		}
		return ev, nil
	}
	if env.ObjectKind != of.body && (env.ObjectKind != "" || !strings.HasSuffix(of.body, "_") || !strings.HasPrefix(env.EventName, of.body)) {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonOtherEvent
		return ev, nil
	}
	ev.Kind = of.of
	if err := fillCommon(&ev, env); err != nil {
		return bare, err
	}
	var err error
	switch of.of {
	case codehost.KindPullRequest:
		err = pullRequestDetail(&ev, env)
	case codehost.KindComment:
		err = commentDetail(&ev, env)
	case codehost.KindCheck:
		err = pipelineDetail(&ev, env)
	case codehost.KindPush:
		err = wire.FillPushOfBody(&ev, body)
	default:
		err = projectDetail(&ev, body)
	}
	if err != nil {
		return bare, err
	}
	return ev, nil
}
