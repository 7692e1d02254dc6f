package github

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// usedEvents are the events with an effect, and their actions that matter.
var usedEvents = map[string]struct {
	kind    codehost.EventKind
	actions []string
}{
	"pull_request": {codehost.KindPullRequest, []string{"opened", "synchronize", "reopened", "ready_for_review",
		"converted_to_draft", "closed", "edited", "labeled", "review_requested"}},
	"issue_comment":               {codehost.KindComment, []string{"created", "edited"}},
	"pull_request_review_comment": {codehost.KindComment, []string{"created"}},
	"pull_request_review":         {codehost.KindReview, []string{"submitted", "dismissed"}},
	"pull_request_review_thread":  {codehost.KindReviewThread, []string{"resolved", "unresolved"}},
	"check_run":                   {codehost.KindCheck, []string{"completed", "rerequested", "requested_action"}},
	"check_suite":                 {codehost.KindCheck, []string{"completed", "rerequested", "requested_action"}},
	"status":                      {codehost.KindCheck, []string{""}}, // without an action
	"push":                        {codehost.KindPush, []string{""}},  // without an action
	"installation": {codehost.KindInstallation, []string{"created", "deleted", "suspend", "unsuspend",
		"new_permissions_accepted"}},
	"installation_target":       {codehost.KindInstallation, []string{"renamed"}},
	"installation_repositories": {codehost.KindInstallationRepositories, []string{"added", "removed"}},
	"github_app_authorization":  {codehost.KindAuthorization, []string{"revoked"}},
	"repository": {codehost.KindRepository, []string{"archived", "created", "deleted", "edited", "privatized", "publicized", "renamed",
		"transferred", "unarchived"}},
	"member":       {codehost.KindMembership, []string{"added", "edited", "removed"}},
	"membership":   {codehost.KindMembership, []string{"added", "removed"}},
	"organization": {codehost.KindMembership, []string{"deleted", "member_added", "member_invited", "member_removed", "renamed"}},
	"team":         {codehost.KindMembership, []string{"added_to_repository", "created", "deleted", "edited", "removed_from_repository"}},
}

// unusedEvents are the other events that GitHub describes (its webhook examples and description). An event in
// neither list is new.
var unusedEvents = words(`branch_protection_configuration branch_protection_rule bypass_request code_scanning_alert
	commit_comment create custom_property custom_property_values delete dependabot_alert deploy_key deployment
	deployment_protection_rule deployment_review deployment_status discussion discussion_comment fork gollum
	issue_dependencies issues label marketplace_purchase merge_group meta milestone org_block
	package page_build personal_access_token_request project project_card project_column projects_v2
	projects_v2_item projects_v2_status_update public registry_package release repository_advisory
	repository_dispatch repository_import repository_ruleset repository_vulnerability_alert secret_scanning_alert
	secret_scanning_alert_location secret_scanning_scan security_advisory security_and_analysis sponsorship star
	sub_issues team_add watch workflow_dispatch workflow_job workflow_run`)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// envelope holds the parts of all payloads. The parts of one event stay raw until the event is known,
// because other events use the same names for other shapes.
type envelope struct {
	Action       string          `json:"action"`
	Installation json.RawMessage `json:"installation"`
	Account      json.RawMessage `json:"account"`
	Repository   json.RawMessage `json:"repository"`
	Sender       json.RawMessage `json:"sender"`

	Changes             json.RawMessage `json:"changes"`
	PullRequest         json.RawMessage `json:"pull_request"`
	Label               json.RawMessage `json:"label"`
	Issue               json.RawMessage `json:"issue"`
	Comment             json.RawMessage `json:"comment"`
	Review              json.RawMessage `json:"review"`
	Thread              json.RawMessage `json:"thread"`
	CheckRun            json.RawMessage `json:"check_run"`
	CheckSuite          json.RawMessage `json:"check_suite"`
	RequestedAction     json.RawMessage `json:"requested_action"`
	Repositories        json.RawMessage `json:"repositories"`
	RepositoriesAdded   json.RawMessage `json:"repositories_added"`
	RepositoriesRemoved json.RawMessage `json:"repositories_removed"`
	Member              json.RawMessage `json:"member"`
	Membership          json.RawMessage `json:"membership"`

	// The members of a status are not inside another one.
	ID      json.RawMessage `json:"id"`
	SHA     json.RawMessage `json:"sha"`
	Context json.RawMessage `json:"context"`
	State   json.RawMessage `json:"state"`
}

// KindOf returns the kind of event for the words of a delivery, or [codehost.KindIgnored] with the reason
// if the delivery has no effect with any body.
func KindOf(w codehost.DeliveryWords) (codehost.EventKind, string) {
	u, known := usedEvents[w.Event]
	switch {
	case !known:
		return codehost.KindIgnored, reasonOf(w.Event)
	case !slices.Contains(u.actions, w.Action):
		return codehost.KindIgnored, codehost.ReasonUnusedAction
	case u.kind == codehost.KindPullRequest && w.Action == "edited" && !w.Edited("title", "base"):
		return codehost.KindIgnored, codehost.ReasonUnusedEdit
	}
	return u.kind, ""
}

// Parse reads the body of a delivery. An event or action without effect is [codehost.KindIgnored] with a
// reason. A body that is not a JSON object, or lacks a required part of its event, is an
// [codehost.ErrPayload].
func Parse(h Header, body []byte) (codehost.Event, error) {
	ev := codehost.Event{Name: h.Event, Delivery: h.Delivery, AppID: h.AppID()}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return ev, fmt.Errorf("%w: it must be a JSON object", codehost.ErrPayload)
	}
	_, known := usedEvents[h.Event]
	var env envelope
	if err := json.Unmarshal(body, &env); err != nil {
		if known {
			return ev, fmt.Errorf("%w: it must be valid JSON with the documented types", codehost.ErrPayload)
		}
		if !json.Valid(body) {
			return ev, fmt.Errorf("%w: it must be valid JSON", codehost.ErrPayload)
		}
	}
	ev.Action = env.Action
	if err := fillCommon(&ev, env); err != nil && known {
		return ev, err
	}
	ev.Kind, ev.Reason = KindOf(codehost.DeliveryWords{Event: h.Event, Action: env.Action, Changes: env.Changes})
	if ev.Kind == codehost.KindIgnored {
		return ev, nil
	}
	if err := fillDetail(&ev, env, body); err != nil {
		return codehost.Event{Name: h.Event, Action: env.Action, Delivery: h.Delivery, AppID: ev.AppID}, err
	}
	if !fitsEvent(h.Event, body) {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonOtherEvent
	}
	return ev, nil
}

func reasonOf(event string) string {
	switch {
	case event == "ping":
		return codehost.ReasonPing
	case unusedEvents[event]:
		return codehost.ReasonUnusedEvent
	default:
		return codehost.ReasonUnknownEvent
	}
}

// fillCommon fills the parts that every event may have.
func fillCommon(ev *codehost.Event, env envelope) error {
	var s wireUser
	if err := wire.DecodePart("sender", env.Sender, &s); err != nil {
		return err
	}
	ev.Sender = codehost.Sender{Login: s.Login, ID: hostID(s.ID), IsBot: s.bot()}
	if wire.IsPresent(env.Repository) {
		var r wireRepo
		if err := wire.DecodePart("repository", env.Repository, &r); err != nil {
			return err
		}
		info := r.info()
		ev.Repository = &info
	}
	if wire.IsPresent(env.Installation) {
		var i wireInstallation
		if err := wire.DecodePart("installation", env.Installation, &i); err != nil {
			return err
		}
		ev.Installation = i.neutral()
	}
	return nil
}

// fillDetail fills the parts that the event's kind needs, and refuses a payload without them.
func fillDetail(ev *codehost.Event, env envelope, body []byte) error {
	switch ev.Kind {
	case codehost.KindPush:
		return wire.FillPushOfBody(ev, body)
	case codehost.KindPullRequest:
		return pullRequestDetail(ev, env)
	case codehost.KindComment:
		return commentDetail(ev, env)
	case codehost.KindReview, codehost.KindReviewThread:
		return reviewDetail(ev, env)
	case codehost.KindCheck:
		if ev.Name == "status" {
			return statusDetail(ev, env)
		}
		return checkDetail(ev, env)
	case codehost.KindInstallation, codehost.KindInstallationRepositories:
		return installationDetail(ev, env)
	case codehost.KindMembership:
		ev.Person = memberOf(env)
		return nil
	case codehost.KindRepository:
		return wire.RequirePart("repository", ev.Repository != nil && ev.Repository.ExternalID != "")
	default:
		return nil
	}
}

// memberOf returns the id of the account that a membership event is about: member of member and membership
// events, membership.user of organization events. It returns "" for other events and unreadable parts.
func memberOf(env envelope) domain.HostID {
	var user wireUser
	var membership struct {
		User wireUser `json:"user"`
	}
	if wire.IsPresent(env.Member) && json.Unmarshal(env.Member, &user) == nil {
		return hostID(user.ID)
	}
	if wire.IsPresent(env.Membership) && json.Unmarshal(env.Membership, &membership) == nil {
		return hostID(membership.User.ID)
	}
	return ""
}
