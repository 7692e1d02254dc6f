package github

import (
	"fmt"
	"slices"
	"sort"
)

// Permissions are what the App asks for: one table, used by the
// manifest, by the test of an App, and by the documentation.
func Permissions() map[string]string {
	return map[string]string{
		"metadata": "read", "contents": "read",
		"pull_requests": "write", "checks": "write", "statuses": "write", "issues": "write",
		"actions": "read", "members": "read",
	}
}

// Events are the webhook events the App subscribes to. Events of the App itself
// (installation, installation_repositories, github_app_authorization) come
// without a subscription and cannot be listed.
func Events() []string {
	return []string{
		"check_run", "check_suite", "issue_comment", "member", "membership", "organization",
		"pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread",
		"push", "repository", "status", "team", "workflow_job", "workflow_run",
	}
}

// levels orders the words of a permission.
var levels = map[string]int{"": 0, "none": 0, "read": 1, "write": 2, "admin": 3}

// Missing lists what the App needs and does not have, sorted: "permission
// contents: read" or "event pull_request".
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
