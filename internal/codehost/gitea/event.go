package gitea

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDepth bounds how deep a payload is nested: the host's own reach 8.
const maxDepth = 64

// kinds are the events something follows from.
var kinds = map[string]codehost.EventKind{
	"pull_request":          codehost.KindPullRequest,
	"pull_request_approved": codehost.KindReview,
	"pull_request_rejected": codehost.KindReview,
	"pull_request_comment":  codehost.KindReview, // of a review that neither approves nor rejects
	"issue_comment":         codehost.KindComment,
	"repository":            codehost.KindRepository,
}

// unused are the other events of Gitea 1.26 and Forgejo (modules/webhook/type.go);
// a word outside both lists is a new event.
var unused = words(`create delete fork push issues wiki release package status schedule workflow_run workflow_job
	action_run_failure action_run_recover action_run_success`)

// envelope is what payloads have. The parts stay raw until the event is known,
// because other events use the same names for other shapes.
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

// KindOf says which kind of event the words of a delivery make: a [codehost.KindIgnored] with the reason where nothing
// follows from them, whatever else the body says.
func KindOf(w codehost.Words) (codehost.EventKind, string) {
	kind, known := kinds[w.Event]
	switch {
	case kind == codehost.KindPullRequest && w.Action == "edited" && !w.Edited("title", "ref"):
		return codehost.KindIgnored, codehost.ReasonUnusedEdit
	case known:
		return kind, ""
	case unused[w.Event]:
		return codehost.KindIgnored, codehost.ReasonUnusedEvent
	}
	return codehost.KindIgnored, codehost.ReasonUnknownEvent
}

// Parse reads the body of a delivery; of its header are read Event and Delivery. Names of actions
// are those of GitHub, where the host has another word for the same: that is what
// the port's readers know. An event or action that nothing follows from is a
// [codehost.KindIgnored] with a reason; a body beyond [maxPayload], one that is no
// JSON object, or that lacks what its event must have is an [codehost.ErrPayload].
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
	ev := bare
	ev.Action = env.Action
	if err := common(&ev, env); err != nil && known {
		return bare, err
	}
	if ev.Kind, ev.Reason = KindOf(codehost.Words{Event: h.Event, Action: env.Action, Changes: env.Changes}); ev.Kind == codehost.KindIgnored {
		return ev, nil
	}
	if !fits(of, body) {
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
	default:
		err = repositoryDetail(&ev)
	}
	if err != nil {
		bare.Action = env.Action
		return bare, err
	}
	return ev, nil
}

// The hosts sign the body of a delivery and not the name of its event. So who has
// seen one body could send it under another name: that of a deleted release has
// all that the deletion of a repository needs. subjects are the members of
// payloads that name what an event is about (modules/structs/hook.go of Gitea
// 1.26), and allowed those that the payload of each used event may have. A member
// that nobody knows says nothing: hosts add members.
var (
	subjects = words(`pull_request review issue comment release package page forkee ref ref_type commits head_commit pusher sha context
		state branches commit workflow workflow_run workflow_job run run_id`)
	allowed = map[codehost.EventKind]map[string]bool{
		codehost.KindPullRequest: words("pull_request"),
		codehost.KindReview:      words("pull_request review"),
		codehost.KindComment:     words("issue comment pull_request"),
		codehost.KindRepository:  {},
	}
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// skipped is a member that is only looked at for being there.
type skipped bool

// UnmarshalJSON implements [json.Unmarshaler]; it is not called for null.
func (s *skipped) UnmarshalJSON([]byte) error {
	*s = true
	return nil
}

// fits reports whether a payload has no subject that its event has not. Payloads of
// pull requests name a review that they have not as null.
func fits(kind codehost.EventKind, body []byte) bool {
	var members map[string]*skipped
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
