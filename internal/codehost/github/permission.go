package github

import (
	"fmt"
	"slices"
	"sort"
)

// need is a permission or an event that the App requests, with the reason.
type need struct {
	Name  string // GitHub's name in the manifest and in GET /app
	Level string // read or write; "" for an event
	Why   string // its use; begins with "Later: " if it has no use yet
}

// neededPermissions returns the permissions that the App requests. The manifest, the check of an app, and
// docs/github-app.md use this list. Names are those of GitHub's REST description, schema app-permissions.
func neededPermissions() []need {
	return []need{
		{"metadata", "read", "Names and ids of repositories. GitHub gives it to every app."},
		{"contents", "read", "The code under review, the base for comparison, and .assay.yaml with its rules."},
		{"pull_requests", "write", "Read pull requests; publish one review with its comments, and edit it; answer commands in threads."},
		{"checks", "write", "The check run of each review: made when it starts, concluded when it ends."},
		{"statuses", "read", "Outcomes of other systems, for the analysis of a failed build."},
		{"issues", "write", "Answer commands in the conversation of a pull request, and read issues that it closes, under hostIssues."},
		{"actions", "read", "Logs of failed workflows, for the analysis of a failed build."},
		{"members", "read", "Members of the organisation, for membership and roles at sign-in."},
	}
}

// optionalPermissions returns the permissions that an owner may grant beyond the needed ones. The manifest does not request them, and
// an app is not found wanting without them.
func optionalPermissions() []need {
	return []need{
		{"contents", "write", "Optional: commits and branches of fix runs, where the policy's setting fixes is commit or branch."},
	}
}

// neededEvents returns the events that the App subscribes to. The events installation,
// installation_repositories and github_app_authorization come without a subscription and can't be listed
// (GitHub webhooks description).
func neededEvents() []need {
	return []need{
		{"pull_request", "", "A change to review: opened, pushed to, ready, closed, labelled."},
		{"pull_request_review", "", "Later: reviews of people, which the review doesn't repeat."},
		{"pull_request_review_comment", "", "Commands in the thread of a finding."},
		{"pull_request_review_thread", "", "Later: threads that people close or reopen. Until then the next review reads them."},
		{"issue_comment", "", "Commands in the conversation, such as /assay review."},
		{"push", "", "Changes of default branches, which the code index follows."},
		{"status", "", "Outcomes of other systems, for the analysis of a failed build."},
		{"check_run", "", "\"Re-run\" on the check of a review; failed workflow jobs and other checks."},
		{"check_suite", "", "\"Re-run all checks\", which starts a review once more."},
		{"repository", "", "New, renamed, moved and deleted repositories."},
		{"member", "", "Changed roles on a repository."},
		{"membership", "", "Changed membership of a team."},
		{"organization", "", "People who join or leave."},
		{"team", "", "Changed access of a team to repositories."},
	}
}

// Permissions returns the levels of [neededPermissions] by name.
func Permissions() map[string]string {
	out := map[string]string{}
	for _, n := range neededPermissions() {
		out[n.Name] = n.Level
	}
	return out
}

// Events returns the names of [neededEvents], sorted.
func Events() []string {
	var out []string
	for _, n := range neededEvents() {
		out = append(out, n.Name)
	}
	sort.Strings(out)
	return out
}

// levels orders the levels of permissions.
var levels = map[string]int{"": 0, "none": 0, "read": 1, "write": 2, "admin": 3}

// Missing lists what the App needs and lacks, sorted: "permission contents: read" or "event pull_request".
func Missing(a App) []string {
	var out []string
	for name, want := range Permissions() {
		if levels[a.Permissions[name]] < levels[want] {
			out = append(out, fmt.Sprintf("permission %s: %s", name, want))
		}
	}
	for _, e := range Events() {
		if !slices.Contains(a.Events, e) {
			out = append(out, "event "+e)
		}
	}
	sort.Strings(out)
	return out
}

// Surplus lists what the App has and does not need, sorted, in the form of [Missing].
func Surplus(a App) []string {
	var out []string
	need := Permissions()
	for _, n := range optionalPermissions() {
		need[n.Name] = n.Level
	}
	for name, have := range a.Permissions {
		if levels[have] > levels[need[name]] {
			out = append(out, fmt.Sprintf("permission %s: %s", name, have))
		}
	}
	for _, e := range a.Events {
		if !slices.Contains(Events(), e) {
			out = append(out, "event "+e)
		}
	}
	sort.Strings(out)
	return out
}
