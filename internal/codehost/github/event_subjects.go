package github

import (
	"encoding/json"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// GitHub signs the body of a delivery but not the name of its event. A person who has seen one body could
// send it with another name: the body of issues.deleted has all required parts of repository.deleted. The
// lists below are from GitHub's webhook description (octokit/webhooks, payload-schemas).

// subjects are the members of payloads that name the subject of an event.
var subjects = words(`account alert answer blocked_user build check_run check_suite client_payload comment commit commits definition
	deployment deployment_status discussion forkee head_commit hook hook_id inputs invitation issue key label location marketplace_purchase
	master_branch member membership merge_group milestone new_property_values organization package pages parent_issue project
		project_card project_column
	projects_v2 projects_v2_item projects_v2_status_update pull_request pull_requests pusher pusher_type ref ref_type registry_package release
	repositories repositories_added repositories_removed repository repository_ruleset requestor review reviewers rule security_advisory sha
	sponsorship starred_at sub_issue team thread workflow workflow_job workflow_job_run workflow_run zen`)

// shapes are the subjects that the payload of each used event may have.
var shapes = map[string]map[string]bool{
	"pull_request":                words("organization repository pull_request label milestone"),
	"issue_comment":               words("organization repository issue comment"),
	"pull_request_review_comment": words("organization repository pull_request comment"),
	"pull_request_review":         words("organization repository pull_request review"),
	"pull_request_review_thread":  words("organization repository pull_request thread"),
	"check_run":                   words("organization repository check_run"),
	"check_suite":                 words("organization repository check_suite"),
	"status":                      words("organization repository commit sha"),
	"push":                        words("organization repository commits head_commit pusher ref"),
	"installation":                words("organization repositories"),
	"installation_target":         words("organization repository"),
	"installation_repositories":   words("organization repositories_added repositories_removed"),
	"github_app_authorization":    words(""),
	"repository":                  words("organization repository"),
	"member":                      words("organization repository member"),
	"membership":                  words("organization member team"),
	"organization":                words("organization membership invitation"),
	"team":                        words("organization repository team"),
}

// requiredSubjects are the required subjects of events whose details need no other part.
var requiredSubjects = map[string]string{"installation_target": "account", "member": "member", "membership": "member",
	"organization": "organization", "team": "team"}

// fitsEvent reports whether a payload has the required parts of its event, and no subject of other events, not
// even as null: only starred_at, which is null, tells a removed star from a removed repository. Unknown
// members do not count, because hosts add members.
func fitsEvent(event string, body []byte) bool {
	var members map[string]ignoredMember
	if json.Unmarshal(body, &members) != nil {
		return false
	}
	for name := range members {
		if subjects[name] && !shapes[event][name] {
			return false
		}
	}
	if requiredSubjects[event] == "" {
		return true
	}
	_, there := members[requiredSubjects[event]]
	return there
}

// ignoredMember is a member that is not decoded.
type ignoredMember struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (*ignoredMember) UnmarshalJSON([]byte) error { return nil }

// statusDetail reads a commit status. A pending one is [codehost.KindIgnored].
func statusDetail(ev *codehost.Event, env envelope) error {
	var id int64
	var sha, name, state string
	for part, to := range map[string]struct {
		raw json.RawMessage
		to  any
	}{"id": {env.ID, &id}, "sha": {env.SHA, &sha}, "context": {env.Context, &name}, "state": {env.State, &state}} {
		if err := wire.DecodePart(part, to.raw, to.to); err != nil {
			return err
		}
	}
	if state == "pending" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	ev.Action = "completed"
	ev.Check = &codehost.EventCheckRun{ID: hostID(id), Name: wire.OneLine(name, maxCIName), HeadSHA: sha, Status: "completed",
		Conclusion: wire.OneLine(state, maxCIName)}
	return wire.RequirePart("id", id > 0 && sha != "")
}
