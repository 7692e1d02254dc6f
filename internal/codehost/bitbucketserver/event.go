package bitbucketserver

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDepth is the deepest nesting of a payload. The host's own payloads reach about 10, and 2 for each answer to an
// answer.
const maxDepth = 128

// kinds are the events that have an effect (src/server/webhooks/events of the description).
var kinds = map[string]codehost.EventKind{
	"pr:opened": codehost.KindPullRequest, "pr:from_ref_updated": codehost.KindPullRequest, "pr:modified": codehost.KindPullRequest,
	"pr:to_ref_updated": codehost.KindPullRequest, "pr:reviewer:updated": codehost.KindPullRequest, "pr:merged": codehost.KindPullRequest,
	"pr:declined": codehost.KindPullRequest, "pr:deleted": codehost.KindPullRequest, "pr:reopened": codehost.KindPullRequest,
	"pr:reviewer:approved": codehost.KindReview, "pr:reviewer:unapproved": codehost.KindReview,
	"pr:reviewer:changes_requested": codehost.KindReview, "pr:reviewer:needs_work": codehost.KindReview,
	"pr:comment:added": codehost.KindComment, "pr:comment:edited": codehost.KindComment,
	"repo:modified": codehost.KindRepository, "repo:refs_changed": codehost.KindPush,
}

// unused lists the known events without effect. An event in neither list is new.
var unused = []string{"pr:comment:deleted", "repo:forked", "repo:comment:added", "repo:comment:edited",
	"repo:comment:deleted", "repo:secret_detected", "project:modified", "mirror:repo_synchronized"}

// ping is the event of the button "Test connection".
const ping = "diagnostics:ping"

// envelope holds the parts of payloads. They stay raw until the event is known.
type envelope struct {
	EventKey  string          `json:"eventKey"`
	Actor     json.RawMessage `json:"actor"`
	Pull      json.RawMessage `json:"pullRequest"`
	Comment   json.RawMessage `json:"comment"`
	Parent    int64           `json:"commentParentId"`
	New       json.RawMessage `json:"new"`
	Pushed    json.RawMessage `json:"repository"`
	Changes   json.RawMessage `json:"changes"`
	Title     *string         `json:"previousTitle"`
	Text      *string         `json:"previousDescription"`
	Draft     *bool           `json:"previousDraft"`
	Target    *ref            `json:"previousTarget"`
	Added     []user          `json:"addedReviewers"`
	Decision  json.RawMessage `json:"participant"`
	Condition string          `json:"previousStatus"`
}

// KindOf returns the kind of event for the words of a delivery, or [codehost.KindIgnored] with the reason if the
// delivery has no effect with any body.
func KindOf(w codehost.DeliveryWords) (codehost.EventKind, string) {
	kind, known := kinds[w.Event]
	switch {
	case known:
		return kind, ""
	case w.Event == ping:
		return codehost.KindIgnored, codehost.ReasonPing
	case slices.Contains(unused, w.Event):
		return codehost.KindIgnored, codehost.ReasonUnusedEvent
	}
	return codehost.KindIgnored, codehost.ReasonUnknownEvent
}

// Parse reads the body of a delivery, and Event and Delivery of its header. It uses GitHub's names of actions where
// the host has another word for the same, because readers of the port know those. An event without effect is
// [codehost.KindIgnored] with a reason. It fails with [codehost.ErrPayload] if the body is longer than
// [maxPayload], is not a JSON object, or lacks a required part of its event.
func Parse(h Header, body []byte) (codehost.Event, error) {
	bare := codehost.Event{Name: h.Event, Delivery: h.Delivery}
	if err := wire.CheckBody(body, maxPayload, maxDepth); err != nil {
		return bare, err
	}
	ev := bare
	if ev.Kind, ev.Reason = KindOf(codehost.DeliveryWords{Event: h.Event}); ev.Kind == codehost.KindIgnored {
		return ev, nil
	}
	var env envelope
	if err := json.Unmarshal(body, &env); err != nil {
		return bare, fmt.Errorf("%w: it must have the documented types", codehost.ErrPayload)
	}
	if env.EventKey != "" && env.EventKey != h.Event {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonOtherEvent
		return ev, nil
	}
	var by user
	if err := wire.DecodePart("actor", env.Actor, &by); err != nil {
		return bare, err
	}
	ev.Sender = by.sender()
	var err error
	switch ev.Kind {
	case codehost.KindRepository:
		err = repositoryDetail(&ev, "new", env.New)
		ev.Action = "renamed"
	case codehost.KindPush:
		err = pushDetail(&ev, env)
	default:
		err = pullDetail(&ev, env)
	}
	if err != nil {
		return bare, err
	}
	return ev, nil
}

func repositoryDetail(ev *codehost.Event, part string, raw json.RawMessage) error {
	var r repository
	if err := wire.DecodePart(part, raw, &r); err != nil {
		return err
	}
	info := r.info()
	ev.Repository = &info
	return wire.RequirePart(part+".id", r.ID > 0 && r.Slug != "" && r.Project.Key != "")
}

// pushDetail reads a push.
func pushDetail(ev *codehost.Event, env envelope) error {
	if err := repositoryDetail(ev, "repository", env.Pushed); err != nil {
		return err
	}
	var changes []struct {
		Ref   string `json:"refId"`
		After string `json:"toHash"`
	}
	if err := wire.DecodePart("changes", env.Changes, &changes); err != nil {
		return err
	}
	var updates []wire.RefUpdate
	for _, c := range changes {
		updates = append(updates, wire.RefUpdate{Ref: c.Ref, After: c.After})
	}
	return wire.FillPush(ev, updates)
}

func pullDetail(ev *codehost.Event, env envelope) error {
	var p pull
	if err := wire.DecodePart("pullRequest", env.Pull, &p); err != nil {
		return err
	}
	if err := wire.RequirePart("pullRequest.id", p.ID > 0 && p.ID < 1<<31); err != nil {
		return err
	}
	if err := wire.RequirePart("pullRequest.toRef.repository.id", p.To.Repository != nil && p.To.Repository.ID > 0); err != nil {
		return err
	}
	info, pr := p.To.Repository.info(), p.pullRequest()
	ev.Repository, ev.PullRequest = &info, &pr
	switch ev.Kind {
	case codehost.KindComment:
		return commentDetail(ev, env)
	case codehost.KindReview:
		return reviewDetail(ev, env)
	}
	ev.Action = action(ev, env, p)
	if ev.Action == "" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedEdit
	}
	return wire.RequirePart("pullRequest.fromRef.latestCommit", codehost.IsCommit(p.From.Commit))
}

// actions maps the host's events to GitHub's actions.
var actions = map[string]string{"pr:opened": "opened", "pr:reopened": "reopened", "pr:from_ref_updated": "synchronize",
	"pr:merged": "closed", "pr:declined": "closed", "pr:deleted": "closed"}

// action returns the action of an event. Those of an edit follow from its most important change; the host names the
// previous values also if they are the same.
func action(ev *codehost.Event, env envelope, p pull) string {
	switch ev.Name {
	case "pr:reviewer:updated":
		if len(env.Added) > 0 {
			return "review_requested"
		}
		return ""
	case "pr:to_ref_updated": // commits on the target branch alone
		return ""
	case "pr:deleted":
		ev.PullRequest.Open = false
	case "pr:modified":
		switch {
		case env.Draft != nil && *env.Draft && !p.Draft:
			return "ready_for_review"
		case env.Draft != nil && !*env.Draft && p.Draft:
			return "converted_to_draft"
		case env.Title != nil && *env.Title != p.Title, env.Text != nil && *env.Text != p.Description,
			env.Target != nil && env.Target.ID != "" && env.Target.ID != p.To.ID:
			return "edited"
		}
		return ""
	}
	return actions[ev.Name]
}

func commentDetail(ev *codehost.Event, env envelope) error {
	var c comment
	if err := wire.DecodePart("comment", env.Comment, &c); err != nil {
		return err
	}
	if err := wire.RequirePart("comment.id", c.ID > 0); err != nil {
		return err
	}
	ev.Action = map[string]string{"pr:comment:added": "created", "pr:comment:edited": "edited"}[ev.Name]
	out := eventComment(ev.PullRequest.Number, &c)
	if env.Parent > 0 {
		out.InReplyTo = wire.JoinNumbers(out.Number, env.Parent)
	}
	out.PlaceUnknown = c.Anchor == nil // payloads lack the anchor
	ev.Comment = &out
	return nil
}

// verdicts maps a reviewer's decision to GitHub's state.
var verdicts = map[string]string{"pr:reviewer:approved": "approved", "pr:reviewer:unapproved": "dismissed",
	"pr:reviewer:changes_requested": "changes_requested", "pr:reviewer:needs_work": "changes_requested"}

func reviewDetail(ev *codehost.Event, env envelope) error {
	var by struct {
		User   user   `json:"user"`
		Commit string `json:"lastReviewedCommit"`
	}
	if err := wire.DecodePart("participant", env.Decision, &by); err != nil {
		return err
	}
	ev.Action = "submitted"
	state := verdicts[ev.Name]
	if state == "dismissed" {
		ev.Action = state
	}
	who := ev.Sender
	if by.User.ID > 0 {
		who = by.User.sender()
	}
	ev.Review = &codehost.EventReview{State: state, Author: who.Login, AuthorID: who.ID, Commit: by.Commit}
	if ev.Review.Commit == "" {
		ev.Review.Commit = ev.PullRequest.HeadSHA
	}
	return nil
}
