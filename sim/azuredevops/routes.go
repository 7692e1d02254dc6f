package azuredevops

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
		{"POST", tokenRoute, "", issueToken},
		{"GET", "/{org}/_apis/connectionData", "", connectionData},
		{"GET", "/{org}/_apis/identities", "", identities},
		{"GET", "/{org}/_apis/projects/{project}", "read", locked(getProject)},
		{"GET", "/{org}/_apis/git/repositories", "", locked(listAllRepos)},
		{"GET", "/{org}/_apis/git/repositories/{anyrepo}", "", getAnyRepo},
		{"GET", subscriptionsRoute, "", locked(listSubscriptions)},
		{"POST", subscriptionsRoute, "", locked(createSubscription)},
		{"PUT", subscriptionsRoute + "/{id}", "", locked(updateSubscription)},
		{"DELETE", subscriptionsRoute + "/{id}", "", locked(deleteSubscription)},

		{"GET", git, "read", locked(listRepos)},
		{"GET", repo, "read", locked(getRepo)},
		{"GET", repo + "/refs", "read", listRefs},
		{"POST", repo + "/refs", "write", updateRefs},
		{"POST", repo + "/pushes", "write", createPush},
		{"GET", repo + "/items", "read", getItem},
		{"GET", repo + "/commits/{sha}", "read", getCommit},
		{"GET", repo + "/commits/{sha}/statuses", "read", locked(commitStatuses)},
		{"POST", repo + "/commits/{sha}/statuses", "write", createCommitStatus},
		{"GET", repo + "/diffs/commits", "read", compareCommits},
		{"GET", pulls, "read", listPulls},
		{"POST", pulls, "write", createPull},
		{"GET", repo + "/pullrequests/{number}", "read", locked(getPull)},
		{"GET", onePull + "/commits", "read", pullCommits},
		{"GET", onePull + "/iterations", "read", locked(listIterations)},
		{"GET", onePull + "/iterations/{iteration}/changes", "read", iterationChanges},
		{"GET", onePull + "/labels", "read", locked(listLabels)},
		{"POST", onePull + "/labels", "write", addLabel},
		{"DELETE", onePull + "/labels/{label}", "write", locked(removeLabel)},
		{"GET", onePull + "/reviewers", "read", locked(listReviewers)},
		{"PUT", onePull + "/reviewers/{reviewer}", "write", addReviewer},
		{"DELETE", onePull + "/reviewers/{reviewer}", "write", locked(removeReviewer)},
		{"GET", onePull + "/statuses", "read", locked(pullStatuses)},
		{"POST", onePull + "/statuses", "write", createPullStatus},
		{"GET", onePull + "/threads", "read", listThreads},
		{"POST", onePull + "/threads", "write", createThread},
		{"GET", onePull + "/threads/{thread}", "read", locked(getThread)},
		{"PATCH", onePull + "/threads/{thread}", "write", updateThread},
		{"POST", onePull + "/threads/{thread}/comments", "write", createComment},
		{"GET", onePull + "/threads/{thread}/comments/{comment}", "read", locked(getComment)},
		{"PATCH", onePull + "/threads/{thread}/comments/{comment}", "write", updateComment},
		{"DELETE", onePull + "/threads/{thread}/comments/{comment}", "write", deleteComment},

		{"GET", "/{org}/{project}/_apis/wit/tags", "read", listTags},
		{"GET", "/{org}/{project}/_apis/build/builds", "read", listBuilds},
		{"GET", "/{org}/{project}/_apis/build/builds/{build}", "read", locked(getBuild)},
		{"GET", "/{org}/{project}/_apis/build/builds/{build}/timeline", "read", getTimeline},
		{"GET", "/{org}/{project}/_apis/build/builds/{build}/logs/{log}", "read", getLog},
	}
}
