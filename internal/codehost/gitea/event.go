package gitea

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDepth is the deepest nesting of a payload. The host's own payloads reach 8.
const maxDepth = 64

// kinds are the events that have an effect.
var kinds = map[string]codehost.EventKind{
	"pull_request":          codehost.KindPullRequest,
	"pull_request_approved": codehost.KindReview,
	"pull_request_rejected": codehost.KindReview,
	"pull_request_comment":  codehost.KindReview, // a review that neither approves nor rejects
	"issue_comment":         codehost.KindComment,
	"repository":            codehost.KindRepository,
	"workflow_job":          codehost.KindCheck,
	"status":                codehost.KindCheck,
	"push":                  codehost.KindPush,
}

// unused are the other events of Gitea 1.26 and Forgejo (modules/webhook/type.go). An event in neither list
// is new.
var unused = words(`create delete fork issues wiki release package schedule workflow_run
	action_run_failure action_run_recover action_run_success`)

// envelope holds the parts of payloads. They stay raw until the event is known, because other events use
// the same names for other shapes.
type envelope struct {
	Action      string          `json:"action"`
	Number      int             `json:"number"`
	IsPull      bool            `json:"is_pull"`
	Repository  json.RawMessage `json:"repository"`
	Sender      json.RawMessage `json:"sender"`
	PullRequest json.RawMessage `json:"pull_request"`
	Changes     json.RawMessage `json:"changes"`
	Review      json.RawMessage `json:"review"`
	Issue       json.RawMessage `json:"issue"`
	Comment     json.RawMessage `json:"comment"`
}

// KindOf returns the kind of event for the words of a delivery, or [codehost.KindIgnored] with the reason
// if the delivery has no effect with any body.
func KindOf(w codehost.DeliveryWords) (codehost.EventKind, string) {
	kind, known := kinds[w.Event]
	switch {
	case kind == codehost.KindPullRequest && w.Action == "edited" && !w.Edited("title", "ref"):
		return codehost.KindIgnored, codehost.ReasonUnusedEdit
	case w.Event == "workflow_job" && w.Action != "completed":
		return codehost.KindIgnored, codehost.ReasonUnusedAction
	case known:
		return kind, ""
	case unused[w.Event]:
		return codehost.KindIgnored, codehost.ReasonUnusedEvent
	}
	return codehost.KindIgnored, codehost.ReasonUnknownEvent
}

// Parse reads the body of a delivery, and Event and Delivery of its header. It uses GitHub's names of
// actions where the host has another word for the same, because readers of the port know those. An event or
// action without effect is [codehost.KindIgnored] with a reason. It fails with [codehost.ErrPayload] if the
// body is longer than [maxPayload], is not a JSON object, or lacks a required part of its event.
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
	ev := bare
	ev.Action = env.Action
	if err := fillCommon(&ev, env); err != nil && known {
		return bare, err
	}
	ev.Kind, ev.Reason = KindOf(codehost.DeliveryWords{Event: h.Event, Action: env.Action, Changes: env.Changes})
	if ev.Kind == codehost.KindIgnored {
		return ev, nil
	}
	if !fitsEvent(of, body) {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonOtherEvent
		return ev, nil
	}
	ev.Kind = of
	var err error
	switch of {
	case codehost.KindPullRequest:
		err = pullRequestDetail(&ev, env)
	case codehost.KindReview:
		err = reviewDetail(&ev, env)
	case codehost.KindComment:
		err = commentDetail(&ev, env)
	case codehost.KindCheck:
		err = checkDetail(&ev, body)
	case codehost.KindPush:
		err = wire.FillPushOfBody(&ev, body)
	default:
		err = repositoryDetail(&ev)
	}
	if err != nil {
		bare.Action = env.Action
		return bare, err
	}
	return ev, nil
}

// The hosts sign the body of a delivery but not the name of its event. A person who has seen one body could
// send it with another name: the body of a deleted release has all required parts of a repository's
// deletion. subjects are the members of payloads that name the subject of an event (modules/structs/hook.go
// of Gitea 1.26), and allowed are those that the payload of each used event may have. Unknown members do
// not count, because hosts add members.
var (
	subjects = words(`pull_request review issue comment release package page forkee ref ref_type commits head_commit pusher sha context
		state branches commit workflow workflow_run workflow_job run run_id`)
	allowed = map[codehost.EventKind]map[string]bool{
		codehost.KindPullRequest: words("pull_request"),
		codehost.KindReview:      words("pull_request review"),
		codehost.KindComment:     words("issue comment pull_request"),
		codehost.KindRepository:  {},
		codehost.KindCheck:       words("workflow_job sha context state branches commit"),
		codehost.KindPush:        words("ref commits head_commit pusher"),
	}
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// presentMember is a member whose presence counts, but not its value.
type presentMember bool

// UnmarshalJSON implements [json.Unmarshaler]. It is not called for null.
func (s *presentMember) UnmarshalJSON([]byte) error {
	*s = true
	return nil
}

// fitsEvent reports whether a payload has no subject of another event. Null does not count, because payloads of
// pull requests name an absent review as null.
func fitsEvent(kind codehost.EventKind, body []byte) bool {
	var members map[string]*presentMember
	if json.Unmarshal(body, &members) != nil {
		return false
	}
	for name, there := range members {
		if there != nil && subjects[name] && !allowed[kind][name] {
			return false
		}
	}
	return true
}
