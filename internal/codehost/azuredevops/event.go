package azuredevops

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of a delivery (design choices). The host documents none; payloads of its samples have a few kilobytes and a depth of 7.
const (
	maxPayload = 8 << 20
	maxDepth   = 64
)

// notificationHeader is the header in which our subscriptions send the filter notificationType, which payloads do not have.
const notificationHeader = "X-Assay-Notification"

var filterForm = regexp.MustCompile(`^[A-Za-z]{0,60}$`)

// Header holds the headers of a delivery. Only the secret proves anything.
type Header struct {
	Filter string // of our subscription: the value of notificationType, or ""
	Proof  bool   // a secret is there; it may be wrong
}

// ReadHeader reads the headers of a delivery. Its errors name the header and never repeat the value.
func ReadHeader(h http.Header) (Header, error) {
	shown, err := azure.Proofs(h)
	if err != nil {
		return Header{}, err
	}
	values := h.Values(notificationHeader)
	if len(values) > 1 || len(values) == 1 && !filterForm.MatchString(values[0]) {
		return Header{}, errors.New(notificationHeader + " must be there once, and be a word")
	}
	return Header{h.Get(notificationHeader), len(shown) > 0}, nil
}

// Identify returns the event and the id of a verified delivery. The event is the host's word and, behind a slash, the filter of the
// subscription. The id is that of the event and of its subscription, because each of them gets the event under the same id.
// Both are "" for a body in another form.
func Identify(h http.Header, body []byte) (event, delivery string) {
	e, err := azure.ReadEnvelope(body)
	if err != nil {
		return "", ""
	}
	event = e.EventType
	if told, err := ReadHeader(h); err == nil && told.Filter != "" && event == eventUpdated {
		event += "/" + told.Filter
	}
	var of struct {
		Subscription string `json:"subscriptionId"`
	}
	if e.ID == "" || json.Unmarshal(body, &of) != nil || len(of.Subscription) > 100 {
		return event, ""
	}
	return event, wire.OneLine(e.ID+"."+of.Subscription, 200)
}

// unused lists the known events without effect.
var unused = []string{"git.pullrequest.merged", "workitem.created", "workitem.updated", "workitem.commented",
	"workitem.deleted", "workitem.restored", "tfvc.checkin", "message.posted"}

// KindOf returns the kind of event for the words of a delivery, or [codehost.KindIgnored] with the reason if the delivery has no effect
// with any body.
func KindOf(w codehost.DeliveryWords) (codehost.EventKind, string) {
	event, filter, _ := strings.Cut(w.Event, "/")
	switch {
	case event == eventCreated:
		return codehost.KindPullRequest, ""
	case event == eventUpdated && filter == "ReviewerVoteNotification":
		return codehost.KindIgnored, codehost.ReasonUnusedAction
	case event == eventUpdated:
		return codehost.KindPullRequest, ""
	case event == eventComment:
		return codehost.KindComment, ""
	case event == eventBuild:
		return codehost.KindCheck, ""
	case event == eventPush:
		return codehost.KindPush, ""
	case slices.Contains(unused, event):
		return codehost.KindIgnored, codehost.ReasonUnusedEvent
	}
	return codehost.KindIgnored, codehost.ReasonUnknownEvent
}

// Parse reads the body of a delivery with the event and the id of [Identify]. It uses GitHub's names of actions. It omits the author of
// a pull request, because bodies are not signed: without the author, the service reads the pull request from the host. It fails with
// [codehost.ErrPayload] if the body is not that of its event. A body without details fails, too.
func Parse(event, delivery string, body []byte) (codehost.Event, error) {
	bare := codehost.Event{Name: event, Delivery: delivery}
	if err := wire.CheckBody(body, maxPayload, maxDepth); err != nil {
		return bare, err
	}
	ev := bare
	if ev.Kind, ev.Reason = KindOf(codehost.DeliveryWords{Event: event}); ev.Kind == codehost.KindIgnored {
		return ev, nil
	}
	e, err := azure.ReadEnvelope(body)
	name, filter, _ := strings.Cut(event, "/")
	switch {
	case err != nil:
		return bare, wire.RequirePart("eventType", false)
	case e.EventType != name:
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonOtherEvent
		return ev, nil
	}
	if err := wire.RequirePart("resource", wire.IsPresent(e.Resource)); err != nil {
		return bare, err
	}
	switch ev.Kind {
	case codehost.KindPullRequest:
		err = pullDetail(&ev, name, filter, e.Resource)
	case codehost.KindComment:
		err = commentDetail(&ev, e.Resource)
	case codehost.KindPush:
		err = pushDetail(&ev, e.Resource)
	default:
		err = buildDetail(&ev, e.Resource)
	}
	if err != nil {
		return bare, err
	}
	return ev, nil
}

// fillPull fills the pull request and the repository of an event.
func fillPull(ev *codehost.Event, p pullRef) error {
	if err := wire.RequirePart("pullRequestId", p.Number > 0 && p.Number < 1<<31); err != nil {
		return err
	}
	if err := wire.RequirePart("repository.id", guid(p.Repository.ID) != ""); err != nil {
		return err
	}
	info := p.Repository.info(organisationOf(p.Repository))
	ev.Repository = &info
	out := p.pull(wire.Link(p.Repository.RemoteURL + "/pullrequest/" + strconv.Itoa(p.Number)))
	out.Author = ""
	ev.PullRequest = &out
	return nil
}

// organisationOf returns the organisation of a payload's repository, from the address for git: ".../organisation/project/_git/name",
// without the project if it has the repository's name; the old addresses begin with the organisation's own machine.
func organisationOf(r repositoryRef) string {
	u, err := url.Parse(r.RemoteURL)
	if err != nil {
		return ""
	}
	if first, found := strings.CutSuffix(strings.ToLower(u.Hostname()), ".visualstudio.com"); found {
		return first
	}
	before, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "_git/")
	parts := strings.Split(strings.Trim(before, "/"), "/")
	if n := len(parts); n > 1 && strings.EqualFold(parts[n-1], r.Project.Name) {
		parts = parts[:n-1]
	}
	return parts[len(parts)-1]
}

func pullDetail(ev *codehost.Event, name, filter string, resource json.RawMessage) error {
	var p pullRef
	if err := wire.DecodePart("resource", resource, &p); err != nil {
		return err
	}
	if err := fillPull(ev, p); err != nil {
		return err
	}
	switch {
	case name == eventCreated:
		ev.Action = "opened"
	case p.Status == "completed", p.Status == "abandoned":
		ev.Action = "closed"
	case filter == statusChanged: // it is active again
		ev.Action = "reopened"
	case filter == reviewersChanged:
		ev.Action = "review_requested"
	default: // a push or another target branch, or a person's subscription without a filter
		ev.Action = codehost.ActionUpdated
	}
	return wire.RequirePart("lastMergeSourceCommit.commitId", codehost.IsCommit(ev.PullRequest.HeadSHA))
}

// threadForm finds the thread in the address of a comment.
var threadForm = regexp.MustCompile(`/threads/([1-9][0-9]{0,17})(?:/|$)`)

func commentDetail(ev *codehost.Event, resource json.RawMessage) error {
	var r struct {
		Comment struct {
			commentRef
			Links struct {
				Self    struct{ Href string } `json:"self"`
				Threads struct{ Href string } `json:"threads"`
			} `json:"_links"`
		} `json:"comment"`
		Pull pullRef `json:"pullRequest"`
	}
	if err := wire.DecodePart("resource", resource, &r); err != nil {
		return err
	}
	c := r.Comment
	if c.Type == "system" || c.Deleted {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	if err := fillPull(ev, r.Pull); err != nil {
		return err
	}
	found := threadForm.FindStringSubmatch(c.Links.Self.Href)
	if found == nil {
		found = threadForm.FindStringSubmatch(c.Links.Threads.Href)
	}
	if err := wire.RequirePart("comment._links", found != nil); err != nil {
		return err
	}
	thread, _ := domain.HostID(found[1]).Number()
	if err := wire.RequirePart("comment.id", c.ID > 0); err != nil {
		return err
	}
	ev.Action = "created"
	if codehost.IsEdited(timeOf(c.Published), timeOf(c.Changed)) {
		ev.Action = "edited"
	}
	ev.Sender = codehost.Sender{Login: c.Author.UniqueName, ID: guid(c.Author.ID), IsBot: c.Author.isBot()}
	ev.Comment = &codehost.EventComment{ID: commentID{r.Pull.Number, thread, c.ID}.id(), Body: c.Content, Author: c.Author.UniqueName,
		AuthorID: guid(c.Author.ID), AuthorIsBot: c.Author.isBot(), OnPullRequest: true, Number: r.Pull.Number, PlaceUnknown: true}
	return nil
}

// buildDetail reads the end of a build. The event requests no action.
func buildDetail(ev *codehost.Event, resource json.RawMessage) error {
	var b struct {
		buildRef
		Project projectRef `json:"project"`
	}
	if err := wire.DecodePart("resource", resource, &b); err != nil {
		return err
	}
	if b.Repository.Type != "" && b.Repository.Type != "TfsGit" || guid(b.Repository.ID) == "" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedEvent // of a repository elsewhere
		return nil
	}
	ev.Repository = &codehost.RepoInfo{ExternalID: guid(b.Repository.ID), Private: true}
	ev.Action = "completed"
	ev.Check = &codehost.EventCheckRun{ID: wire.HostID(b.ID), Suite: true, Name: wire.OneLine(b.Definition.Name, maxCIName), HeadSHA: b.head(),
		Status: "completed", Conclusion: buildResults[b.Result]}
	if n, err := strconv.Atoi(b.Trigger["pr.number"]); err == nil && n > 0 {
		ev.Check.Numbers = []int{n}
	}
	return wire.RequirePart("sourceVersion", b.ID > 0 && codehost.IsCommit(ev.Check.HeadSHA))
}

// buildResults translates the results of builds (build description, BuildResult).
var buildResults = map[string]string{"succeeded": "success", "partiallySucceeded": "failure", "failed": "failure", "canceled": "cancelled"}

// pushDetail reads a push.
func pushDetail(ev *codehost.Event, resource json.RawMessage) error {
	var p struct {
		Updates []struct {
			Ref   string `json:"name"`
			After string `json:"newObjectId"`
		} `json:"refUpdates"`
		Repository repositoryRef `json:"repository"`
	}
	if err := wire.DecodePart("resource", resource, &p); err != nil {
		return err
	}
	if err := wire.RequirePart("repository.id", guid(p.Repository.ID) != ""); err != nil {
		return err
	}
	info := p.Repository.info(organisationOf(p.Repository))
	ev.Repository = &info
	var updates []wire.RefUpdate
	for _, u := range p.Updates {
		updates = append(updates, wire.RefUpdate{Ref: u.Ref, After: u.After})
	}
	return wire.FillPush(ev, updates)
}
