package gitlab

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDepth bounds how deep a payload is nested: the host's own reach 6.
const maxDepth = 64

// kind is what an event is to us, and the word for it in the body. The headers of a
// delivery are not signed, so that a body under another name is none.
type kind struct {
	of   codehost.EventKind
	body string // object_kind, or the beginning of event_name
}

// kinds are the events something follows from
// (docs.gitlab.com/user/project/integrations/webhook_events).
var kinds = map[string]kind{
	"Merge Request Hook": {codehost.KindPullRequest, "merge_request"},
	"Note Hook":          {codehost.KindComment, "note"},
	"Pipeline Hook":      {codehost.KindCheck, "pipeline"},
	projectHook:          {codehost.KindRepository, "project_"},
}

// Webhooks of groups report projects by events of their own. Those of the whole instance have one event
// for everything; only its projects are read (docs.gitlab.com/administration/system_hooks).
const (
	projectHook = "Project Hook"
	systemHook  = "System Hook"
)

// unused are the other events (event_parsing.go of the library); a word outside both
// lists is a new event.
var unused = []string{"Push Hook", "Tag Push Hook", "Issue Hook", "Confidential Issue Hook", "Confidential Note Hook", "Job Hook", "Build Hook", "Wiki Page Hook", "Deployment Hook",
	"Release Hook", "Emoji Hook", "Feature Flag Hook", "Member Hook", "Subgroup Hook", "Milestone Hook", "Resource Access Token Hook", "Resource Deploy Token Hook", "Vulnerability Hook",
	"Service Hook"}

// envelope is what payloads have. The parts stay raw until the event is known, because
// other events use the same names for other shapes.
type envelope struct {
	ObjectKind   string          `json:"object_kind"`
	EventName    string          `json:"event_name"`
	User         json.RawMessage `json:"user"`
	Project      json.RawMessage `json:"project"`
	Attributes   json.RawMessage `json:"object_attributes"`
	MergeRequest json.RawMessage `json:"merge_request"`
	Changes      json.RawMessage `json:"changes"`
}

// KindOf says which kind of event the words of a delivery make: a [codehost.KindIgnored] with the reason where nothing
// follows from them, whatever else the body says. The kind is "" where only the rest of the body tells.
func KindOf(w codehost.Words) (codehost.EventKind, string) {
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

// Parse reads the body of a delivery; of its header are read Event and Delivery. Names of actions
// are those of GitHub, where the host has another word for the same: that is what the port's readers know. An
// event or action that nothing follows from is a [codehost.KindIgnored] with a reason; a body beyond
// [maxPayload], one that is no JSON object, or that lacks what its event must have is
// an [codehost.ErrPayload].
//
// Payloads of merge requests have neither the login of the author, unless it is who
// caused the event, nor a commit of the base.
func Parse(h Header, body []byte) (codehost.Event, error) {
	bare := codehost.Event{Name: h.Event, Delivery: h.Delivery}
	if err := wire.Form(body, maxPayload, maxDepth); err != nil {
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
		if ev.Kind, ev.Reason = KindOf(codehost.Words{Event: h.Event}); ev.Kind == "" { // a body of the whole instance that is about no project
			ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedEvent
		}
		return ev, nil
	}
	if env.ObjectKind != of.body && (env.ObjectKind != "" || !strings.HasSuffix(of.body, "_") || !strings.HasPrefix(env.EventName, of.body)) {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonOtherEvent
		return ev, nil
	}
	ev.Kind = of.of
	if err := common(&ev, env); err != nil {
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
	default:
		err = projectDetail(&ev, body)
	}
	if err != nil {
		return bare, err
	}
	return ev, nil
}
