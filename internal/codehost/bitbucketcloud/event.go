package bitbucketcloud

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDepth is the deepest nesting of a payload. The host's own payloads reach 9.
const maxDepth = 64

// kind is the meaning of an event, and its action in GitHub's words, which readers of the port know.
type kind struct {
	kind   codehost.EventKind
	action string
	state  string // of a review
}

// kinds are the events that have an effect (support.atlassian.com/bitbucket-cloud/docs/event-payloads; the description,
// webhook_subscription). "updated" covers pushes, edits, reviewers, drafts and the target branch; the payload does not say which.
var kinds = map[string]kind{
	"pullrequest:created":                 {kind: codehost.KindPullRequest, action: "opened"},
	"pullrequest:updated":                 {kind: codehost.KindPullRequest, action: codehost.ActionUpdated},
	"pullrequest:push":                    {kind: codehost.KindPullRequest, action: codehost.ActionUpdated},
	"pullrequest:fulfilled":               {kind: codehost.KindPullRequest, action: "closed"},
	"pullrequest:rejected":                {kind: codehost.KindPullRequest, action: "closed"},
	"pullrequest:approved":                {codehost.KindReview, "submitted", "approved"},
	"pullrequest:unapproved":              {codehost.KindReview, "dismissed", "dismissed"},
	"pullrequest:changes_request_created": {codehost.KindReview, "submitted", "changes_requested"},
	"pullrequest:changes_request_removed": {codehost.KindReview, "dismissed", "dismissed"},
	"pullrequest:comment_created":         {kind: codehost.KindComment, action: "created"},
	"pullrequest:comment_updated":         {kind: codehost.KindComment, action: "edited"},
	"pullrequest:comment_resolved":        {kind: codehost.KindReviewThread, action: "resolved"},
	"pullrequest:comment_reopened":        {kind: codehost.KindReviewThread, action: "unresolved"},
	"repo:commit_status_created":          {kind: codehost.KindCheck},
	"repo:commit_status_updated":          {kind: codehost.KindCheck},
	"repo:push":                           {kind: codehost.KindPush},
	"repo:created":                        {kind: codehost.KindRepository, action: "created"},
	"repo:updated":                        {kind: codehost.KindRepository, action: "edited"},
	"repo:deleted":                        {kind: codehost.KindRepository, action: "deleted"},
	"repo:transfer":                       {kind: codehost.KindRepository, action: "transferred"},
}

// unused lists the known events without effect. An event in neither list is new.
var unused = []string{"issue:comment_created", "issue:created", "issue:updated", "pipeline:span_created", "project:updated",
	"pullrequest:comment_deleted", "repo:commit_comment_created", "repo:fork", "repo:imported"}

// envelope holds the parts of payloads. They stay raw until the event is known.
type envelope struct {
	Actor      json.RawMessage `json:"actor"`
	Repository json.RawMessage `json:"repository"`
	Pull       json.RawMessage `json:"pullrequest"`
	Comment    json.RawMessage `json:"comment"`
	Status     json.RawMessage `json:"commit_status"`
	Changes    json.RawMessage `json:"changes"`
	Push       json.RawMessage `json:"push"`
}

// KindOf returns the kind of event for the words of a delivery, or [codehost.KindIgnored] with the reason if the delivery has no effect
// with any body.
func KindOf(w codehost.DeliveryWords) (codehost.EventKind, string) {
	k, known := kinds[w.Event]
	switch {
	case known:
		return k.kind, ""
	case slices.Contains(unused, w.Event):
		return codehost.KindIgnored, codehost.ReasonUnusedEvent
	}
	return codehost.KindIgnored, codehost.ReasonUnknownEvent
}

// Parse reads the body of a delivery, and Event and Delivery of its header. An event without effect is [codehost.KindIgnored] with a
// reason. It fails with [codehost.ErrPayload] if the body is longer than [maxPayload], is not a JSON object, or lacks a required part of
// its event.
//
// The name of the event is not signed, and bodies do not repeat it. So a reader of the event must read an object from the host before it
// acts on it. Payloads have short ids of commits, so pull requests of events have no Author, by which a reader knows to read them.
func Parse(h Header, body []byte) (codehost.Event, error) {
	ev := codehost.Event{Name: h.Event, Delivery: h.Delivery}
	if err := wire.CheckBody(body, maxPayload, maxDepth); err != nil {
		return ev, err
	}
	k, known := kinds[h.Event]
	if !known {
		ev.Kind, ev.Reason = KindOf(codehost.DeliveryWords{Event: h.Event})
		return ev, nil
	}
	bare := ev
	var env envelope
	if err := json.Unmarshal(body, &env); err != nil {
		return bare, fmt.Errorf("%w: it must have the documented types", codehost.ErrPayload)
	}
	ev.Kind, ev.Action = k.kind, k.action
	err := fillCommon(&ev, env)
	if err == nil {
		switch k.kind {
		case codehost.KindCheck:
			err = statusDetail(&ev, env)
		case codehost.KindRepository:
			err = repositoryDetail(&ev, env)
		case codehost.KindPush:
			err = pushDetail(&ev, env)
		default:
			err = pullDetail(&ev, env, k)
		}
	}
	if err != nil {
		return bare, err
	}
	return ev, nil
}

// fillCommon fills the parts that every event has.
func fillCommon(ev *codehost.Event, env envelope) error {
	var actor user
	if err := wire.DecodePart("actor", env.Actor, &actor); err != nil {
		return err
	}
	ev.Sender = actor.sender()
	var r repository
	if err := wire.DecodePart("repository", env.Repository, &r); err != nil {
		return err
	}
	if err := wire.RequirePart("repository.uuid", hostID(r.UUID) != ""); err != nil {
		return err
	}
	info := r.info()
	ev.Repository = &info
	return nil
}

func pullDetail(ev *codehost.Event, env envelope, k kind) error {
	var p pull
	if err := wire.DecodePart("pullrequest", env.Pull, &p); err != nil {
		return err
	}
	if err := wire.RequirePart("pullrequest.id", p.ID > 0); err != nil {
		return err
	}
	one := p.pullRequest()
	if k.kind == codehost.KindPullRequest {
		if err := wire.RequirePart("pullrequest.source.commit.hash", shortForm.MatchString(one.HeadSHA)); err != nil {
			return err
		}
	}
	if !codehost.IsCommit(one.HeadSHA) || !codehost.IsCommit(one.BaseSHA) {
		one.Author, one.AuthorID, one.AuthorIsBot = "", "", false
	}
	ev.PullRequest = &one
	switch k.kind {
	case codehost.KindComment:
		c, err := commentOf(env)
		if err != nil {
			return err
		}
		told := eventComment(p.ID, c)
		told.PlaceUnknown = c.Inline == nil && c.Parent != nil
		ev.Comment = &told
	case codehost.KindReviewThread:
		c, err := commentOf(env)
		if err != nil {
			return err
		}
		ev.Review = &codehost.EventReview{ID: wire.JoinNumbers(p.ID, c.ID), State: k.action, Author: c.User.login(), AuthorID: c.User.id()}
	case codehost.KindReview:
		ev.Review = &codehost.EventReview{State: k.state, Author: ev.Sender.Login, AuthorID: ev.Sender.ID, Commit: one.HeadSHA}
	}
	return nil
}

func commentOf(env envelope) (*comment, error) {
	var c comment
	if err := wire.DecodePart("comment", env.Comment, &c); err != nil {
		return nil, err
	}
	return &c, wire.RequirePart("comment.id", c.ID > 0)
}

// statusDetail reads a build status. The event requests no action.
func statusDetail(ev *codehost.Event, env envelope) error {
	var s struct {
		status
		Commit commitRef `json:"commit"`
		Links  struct {
			Commit struct {
				Href string `json:"href"`
			} `json:"commit"`
		} `json:"links"`
	}
	if err := wire.DecodePart("commit_status", env.Status, &s); err != nil {
		return err
	}
	if err := wire.RequirePart("commit_status.key", s.Key != ""); err != nil {
		return err
	}
	sha := s.Commit.Hash
	if sha == "" { // older payloads name the commit by its address alone
		sha = s.Links.Commit.Href[strings.LastIndexByte(s.Links.Commit.Href, '/')+1:]
	}
	ev.Check = &codehost.EventCheckRun{Name: wire.OneLine(s.Name, maxCIName), ExternalID: wire.OneLine(s.Key, maxCIName),
		Status: "in_progress"}
	if codehost.IsCommit(sha) {
		ev.Check.HeadSHA = sha
	}
	ev.Action = wire.OneLine(strings.ToLower(s.State), 40)
	if conclusion := map[string]string{"SUCCESSFUL": "success", "FAILED": "failure", "STOPPED": "cancelled"}[s.State]; conclusion != "" {
		ev.Action, ev.Check.Status, ev.Check.Conclusion = "completed", "completed", conclusion
	}
	return nil
}

// repositoryDetail reads a change of a repository. A new name is among the changes of "repo:updated".
func repositoryDetail(ev *codehost.Event, env envelope) error {
	var changes struct {
		Name     json.RawMessage `json:"name"`
		FullName json.RawMessage `json:"full_name"`
	}
	if ev.Action != "edited" {
		return nil
	}
	if err := wire.DecodePart("changes", env.Changes, &changes); err != nil {
		return err
	}
	if wire.IsPresent(changes.Name) || wire.IsPresent(changes.FullName) {
		ev.Action = "renamed"
	}
	return nil
}

// pushDetail reads a push. A change has no new state if it deletes the branch; tags have another type.
func pushDetail(ev *codehost.Event, env envelope) error {
	var push struct {
		Changes []struct {
			New *struct {
				Type   string    `json:"type"`
				Name   string    `json:"name"`
				Target commitRef `json:"target"`
			} `json:"new"`
		} `json:"changes"`
	}
	if err := wire.DecodePart("push", env.Push, &push); err != nil {
		return err
	}
	var updates []wire.RefUpdate
	for _, c := range push.Changes {
		var u wire.RefUpdate
		if c.New != nil && c.New.Type == "branch" {
			u = wire.RefUpdate{Ref: "refs/heads/" + c.New.Name, After: c.New.Target.Hash}
		}
		updates = append(updates, u)
	}
	return wire.FillPush(ev, updates)
}
