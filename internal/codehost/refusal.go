package codehost

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// refusalConsequences maps our names of calls to the consequence of a refusal. GitLab's names contain merge requests
// and projects instead; see [neutralNames].
var refusalConsequences = map[string]string{
	"own account":              "assay cannot tell its own reviews from those of others",
	"read settings":            "long lists may be read in part",
	"list repositories":        "no repository comes or goes here",
	"list newest repositories": "new repositories are seen by the hourly synchronisation alone",
	"find owner":               "an owner that was renamed is not followed",
	"resolve repository":       "a repository that was renamed is not found again",

	"read pull request": "the pull request is not reviewed", "list open pull requests": "lost events are not made up for",
	"list pull requests of a branch": "a pull request with a fix may be opened twice",
	"list merged pull requests":      "there are no dry runs over merged pull requests",
	"list changed files":             "changes are not reviewed", "list commits": "commit messages are not read",
	"compare commits": "changes are not reviewed",
	"read diff":       "changes are not reviewed", "read file": "the files around a change are not read",
	"read branch": "a target branch that was rewritten is not noticed", "list linked issues": "linked issues are found by their keys alone",
	"read issue": "issues of the repository are known by their numbers alone",

	"list members":                "permissions are known in part",
	"read permission":             "authors count as people from outside",
	"read permission of a person": "commands of that person are refused if nothing else shows that the person may write",
	"list reviewers":              "it is not seen who is asked for a review",
	"list requested reviewers":    "it is not seen who is asked for a review",
	"request reviews":             "no person is asked for a review", "cancel review requests": "a request for a review is not taken back",

	"read webhook": "it is not known whether a webhook works", "register webhook": "the webhook is made by hand",
	"remove webhook":                       "a webhook that is not used any more stays",
	"remove webhook of the organisation":   "a webhook that assay made for the organisation before stays, if there is one",
	"read webhook of the organisation":     "the host is asked for new repositories each minute",
	"register webhook of the organisation": "each repository has a webhook of its own, and the host is asked for new ones each minute",

	"create review": "no review is published", "edit review": "a published review is not kept up to date",
	"delete review": "a second copy of a review stays",
	"sign in":       "nothing is reviewed", "probe": "it is not known what the token allows", "list statuses": "failed jobs are not explained",
	"create draft note": "no review is published", "edit draft note": "no review is published", "list draft notes": "no review is published",
	"publish draft note": "no review is published", "delete draft note": "a draft stays", "list notes": "no review is published",
	"create comment": "no review is published", "delete comment": "a second copy of a comment stays",
	"get access token":                 "nothing is read and nothing is published",
	"edit comment":                     "published comments are not kept up to date",
	"edit reply":                       "the comment about failed jobs is not kept up to date",
	"edit comment of the conversation": "a published review is not kept up to date",
	"read comment":                     "published comments are not kept up to date",
	"read back comment":                "commands and replies in comments are not read",
	"read review":                      "it is not known what became of a review",
	"list reviews":                     "no review is published", "list review comments": "published comments are not kept up to date",
	"list comments": "answers of people are not read",
	"list threads":  "threads are not closed", "resolve thread": "threads of resolved findings are not closed",
	"list replies": "answers of people are not read", "reply": "commands are not answered",

	"create check": "the outcome of a run is not shown on the commit", "update check": "the outcome of a run is not shown on the commit",
	"list checks": "the outcome of a run may be shown twice", "list jobs": "failed jobs are not explained",
	"list failed checks":   "failed jobs are not explained",
	"read required checks": "every failed job counts as required",
	"read job log":         "failed jobs are not explained",
	"list labels":          "labels are not read", "list labels of the repository": "no labels are suggested",
	"add labels": "no labels are set", "remove label": "no labels are taken away",
	"create branch": "no fixes are committed", "commit": "no fixes are committed",
	"open pull request": "no pull requests with fixes are opened",
	"read commit":       "it is not known whether a fix was committed", "delete branch": "a branch without a fix stays",
}

// neutralNames replaces GitLab's words in names of calls by those of the other hosts.
var neutralNames = strings.NewReplacer("merge request", "pull request", "projects", "repositories", "project", "repository")

// refusalConsequence returns the consequence of a host's refusal of a call.
func refusalConsequence(op string) string {
	if out := refusalConsequences[neutralNames.Replace(op)]; out != "" {
		return out
	}
	return "this is left undone"
}

// RefusedSentence says which request a host refused, the consequence, and who can grant it. words are the
// host's text.
func RefusedSentence(kind domain.ConnectionKind, op, path, words string) string {
	out := fmt.Sprintf("The host refuses %q", op)
	if path != "" {
		out += " at " + path
	}
	if words != "" {
		out += fmt.Sprintf(" (%q)", words)
	}
	return out + ": " + refusalConsequence(op) + ". " + whoGrants(kind, op, strings.ToLower(words))
}

// whoGrants says who can grant a refused request, judged by the host's words and the request.
func whoGrants(kind domain.ConnectionKind, op, words string) string {
	gitlab := kind == domain.GitLab
	bitbucket := kind == domain.BitbucketCloud
	switch {
	case strings.Contains(words, "scope"):
		return "Make a token that has the scope, and enter it."
	case gitlab && (strings.Contains(op, "member") || strings.Contains(op, "projects")):
		return "An owner of the group can grant it."
	case gitlab:
		return "A maintainer of the project can grant it, or an owner of its group."
	case kind == domain.AzureDevOps && strings.Contains(op, "webhook"):
		return "A member of Project Administrators can grant it: the account needs the permission Edit subscriptions."
	case kind == domain.AzureDevOps:
		return "A member of Project Administrators can grant it: the account needs to be in the group Contributors."
	case bitbucket && strings.Contains(op, "workspace"):
		return "An owner of the workspace can grant it."
	case bitbucket:
		return "An administrator of the repository can grant it, or an owner of its workspace."
	case strings.Contains(op, "organisation") || strings.Contains(words, "organization") || strings.Contains(words, "team"):
		return "An owner of the organisation can grant it: the account needs to be in the team Owners."
	}
	return "An administrator of the repository can grant it, or an owner of its organisation."
}
