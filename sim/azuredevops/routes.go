package azuredevops

import (
	"github.com/assay-dev/assay/sim/host"
)

const (
	tokenRoute         = "/{tenant}/oauth2/v2.0/token"
	subscriptionsRoute = "/{org}/_apis/hooks/subscriptions"

	git     = "/{org}/{project}/_apis/git/repositories"
	repo    = git + "/{repo}"
	pulls   = repo + "/pullrequests"
	onePull = repo + "/pullRequests/{number}"
)

// table lists the routes of the interface.
func table() []route {
	return []route{
		{"POST", tokenRoute, "", host.Locked(issueToken)},
		{"GET", "/{org}/_apis/connectionData", "", connectionData},
		{"GET", "/{org}/_apis/identities", "", identities},
		{"GET", "/{org}/_apis/projects/{project}", "read", host.Locked(getProject)},
		{"GET", "/{org}/_apis/git/repositories", "", host.Locked(listAllRepos)},
		{"GET", "/{org}/_apis/git/repositories/{anyrepo}", "", host.Locked(getAnyRepo)},
		{"GET", subscriptionsRoute, "", host.Locked(listSubscriptions)},
		{"POST", subscriptionsRoute, "", host.Locked(createSubscription)},
		{"PUT", subscriptionsRoute + "/{id}", "", host.Locked(ofSubscription(updateSubscription))},
		{"DELETE", subscriptionsRoute + "/{id}", "", host.Locked(ofSubscription(deleteSubscription))},

		{"GET", git, "read", host.Locked(listRepos)},
		{"GET", repo, "read", host.Locked(getRepo)},
		{"GET", repo + "/refs", "read", listRefs},
		{"POST", repo + "/refs", "write", host.Reading(updateRefs)},
		{"POST", repo + "/pushes", "write", host.Reading(createPush)},
		{"GET", repo + "/items", "read", getItem},
		{"GET", repo + "/commits/{sha}", "read", getCommit},
		{"GET", repo + "/commits/{sha}/statuses", "read", host.Locked(commitStatuses)},
		{"POST", repo + "/commits/{sha}/statuses", "write", createCommitStatus},
		{"GET", repo + "/diffs/commits", "read", compareCommits},
		{"GET", pulls, "read", host.Locked(listPulls)},
		{"POST", pulls, "write", host.Reading(createPull)},
		{"GET", repo + "/pullrequests/{number}", "read", host.Locked(getPull)},
		{"GET", onePull + "/commits", "read", pullCommits},
		{"GET", onePull + "/iterations", "read", host.Locked(listIterations)},
		{"GET", onePull + "/iterations/{iteration}/changes", "read", iterationChanges},
		{"GET", onePull + "/labels", "read", host.Locked(listLabels)},
		{"POST", onePull + "/labels", "write", host.LockedReading(addLabel)},
		{"DELETE", onePull + "/labels/{label}", "write", host.Locked(removeLabel)},
		{"GET", onePull + "/reviewers", "read", host.Locked(listReviewers)},
		{"PUT", onePull + "/reviewers/{reviewer}", "write", host.Locked(addReviewer)},
		{"DELETE", onePull + "/reviewers/{reviewer}", "write", host.Locked(removeReviewer)},
		{"GET", onePull + "/statuses", "read", host.Locked(pullStatuses)},
		{"POST", onePull + "/statuses", "write", createPullStatus},
		{"GET", onePull + "/threads", "read", listThreads},
		{"POST", onePull + "/threads", "write", host.Reading(createThread)},
		{"GET", onePull + "/threads/{thread}", "read", host.Locked(ofThread(getThread))},
		{"PATCH", onePull + "/threads/{thread}", "write", host.LockedReading(updateThread)},
		{"POST", onePull + "/threads/{thread}/comments", "write", host.LockedReading(createComment)},
		{"GET", onePull + "/threads/{thread}/comments/{comment}", "read", host.Locked(ofThread(getComment))},
		{"PATCH", onePull + "/threads/{thread}/comments/{comment}", "write", host.LockedReading(updateComment)},
		{"DELETE", onePull + "/threads/{thread}/comments/{comment}", "write", host.Locked(ofThread(deleteComment))},

		{"GET", "/{org}/{project}/_apis/wit/tags", "read", host.Locked(listTags)},
		{"GET", "/{org}/{project}/_apis/build/builds", "read", host.Locked(listBuilds)},
		{"GET", "/{org}/{project}/_apis/build/builds/{build}", "read", ofBuild(getBuild)},
		{"GET", "/{org}/{project}/_apis/build/builds/{build}/timeline", "read", ofBuild(getTimeline)},
		{"GET", "/{org}/{project}/_apis/build/builds/{build}/logs/{log}", "read", ofBuild(getLog)},
	}
}
