package gitea

import "github.com/assay-dev/assay/sim/host"

// repoRoute begins the patterns of a repository.
const repoRoute = "/repos/{owner}/{repo}"

// table returns every route of the REST interface. The order matters: literal segments come before variables.
// Categories of scopes are those of routers/api/v1/api.go of the host.
func (s *Server) table() []route {
	const repo = repoRoute
	const pr = repo + "/pulls"
	list := []route{
		{method: "GET", pattern: "/version", open: true, h: getVersion},
		{method: "GET", pattern: "/settings/api", open: true, h: host.Locked(getSettings)},
		{method: "GET", pattern: "/api/healthz", open: true, h: health},
		{method: "GET", pattern: "/user", scope: "user", h: host.Locked(currentUser)},
		{method: "GET", pattern: "/user/repos", scope: "user+repository", h: userRepos},
		{method: "GET", pattern: "/user/orgs", scope: "user+organization", h: userOrgs},
		{method: "GET", pattern: "/user/teams", scope: "user+organization", h: userTeams},
		{method: "POST", pattern: "/user/applications/oauth2", scope: "user", h: host.LockedReading(createClient)},
		{method: "GET", pattern: "/users/search", scope: "user", open: true, h: searchUsers},
		{method: "GET", pattern: "/users/{username}", scope: "user", open: true, h: host.Locked(getUser)},
		{method: "GET", pattern: "/users/{username}/repos", scope: "user+repository", open: true, h: accountRepos},
		{method: "GET", pattern: "/users/{username}/orgs/{org}/permissions", scope: "user+organization", h: host.Locked(orgPermissions)},
		{method: "GET", pattern: "/orgs/{org}", scope: "organization", open: true, h: host.Locked(getOrg)},
		{method: "GET", pattern: "/orgs/{org}/repos", scope: "organization+repository", open: true, h: orgRepos},
		{method: "GET", pattern: "/orgs/{org}/members", scope: "organization", open: true, h: orgMembers},
		{method: "GET", pattern: "/orgs/{org}/members/{username}", scope: "organization", open: true, h: host.Locked(isOrgMember)},
		{method: "GET", pattern: "/orgs/{org}/teams", scope: "organization", h: orgTeams},
		{method: "GET", pattern: "/orgs/{org}/labels", scope: "organization", open: true, h: listOrgLabels},
		{method: "POST", pattern: "/orgs/{org}/labels", scope: "organization", h: host.LockedReading(createOrgLabel)},
		{method: "GET", pattern: "/orgs/{org}/hooks", scope: "organization", h: listOrgHooks},
		{method: "POST", pattern: "/orgs/{org}/hooks", scope: "organization", h: createOrgHook},
		{method: "GET", pattern: "/orgs/{org}/hooks/{id}", scope: "organization", h: ownedHook(host.Locked(getHook))},
		{method: "PATCH", pattern: "/orgs/{org}/hooks/{id}", scope: "organization", h: ownedHook(host.Reading(editHook))},
		{method: "DELETE", pattern: "/orgs/{org}/hooks/{id}", scope: "organization", h: ownedHook(host.Locked(deleteHook))},
		{method: "GET", pattern: "/teams/{id}", scope: "organization", h: host.Locked(getTeam)},
		{method: "GET", pattern: "/teams/{id}/members", scope: "organization", h: teamMembers},
		{method: "GET", pattern: "/teams/{id}/members/{username}", scope: "organization", h: host.Locked(teamMember)},
		{method: "GET", pattern: "/teams/{id}/repos", scope: "organization+repository", h: teamRepos},
		{method: "GET", pattern: "/repos/search", scope: "repository", open: true, h: searchRepos},
		{method: "GET", pattern: "/repositories/{repository_id}", scope: "repository", open: true, h: host.Locked(getRepo)},
		{method: "GET", pattern: repo, scope: "repository", h: host.Locked(getRepo)},
		{method: "PATCH", pattern: repo, scope: "repository", need: "admin", h: host.LockedReading(editRepo)},
		{method: "DELETE", pattern: repo, scope: "repository", need: "owner", h: host.Locked(deleteRepo)},
		{method: "POST", pattern: repo + "/transfer", scope: "repository", need: "owner", h: host.LockedReading(transferRepo)},
		{method: "POST", pattern: repo + "/forks", scope: "repository", h: host.LockedReading(forkRepo)},
		{method: "GET", pattern: repo + "/branches", scope: "repository", h: listBranches},
		{method: "POST", pattern: repo + "/branches", scope: "repository", need: "write", h: host.Reading(createBranch)},
		{method: "DELETE", pattern: repo + "/branches/{branch...}", scope: "repository", need: "write", h: deleteBranch},
		{method: "GET", pattern: repo + "/branches/{branch...}", scope: "repository", h: getBranch},
		{method: "GET", pattern: repo + "/collaborators", scope: "repository", h: listCollaborators},
		{method: "GET", pattern: repo + "/collaborators/{username}", scope: "repository", h: host.Locked(isCollaborator)},
		{method: "PUT", pattern: repo + "/collaborators/{username}", scope: "repository", need: "admin", h: addCollaborator},
		{method: "DELETE", pattern: repo + "/collaborators/{username}", scope: "repository", need: "admin", h: host.Locked(removeCollaborator)},
		{method: "GET", pattern: repo + "/collaborators/{username}/permission", scope: "repository", h: host.Locked(collaboratorPermission)},
		{method: "GET", pattern: repo + "/assignees", scope: "repository", h: assignees},
		{method: "GET", pattern: repo + "/teams", scope: "repository", h: repoTeams},
		{method: "GET", pattern: repo + "/compare/{basehead...}", scope: "repository", h: compare},
		{method: "GET", pattern: repo + "/contents", scope: "repository", h: contents},
		{method: "GET", pattern: repo + "/contents/{path...}", scope: "repository", h: contents},
		{method: "POST", pattern: repo + "/contents", scope: "repository", need: "write", h: host.Reading(changeFiles)},
		{method: "GET", pattern: repo + "/raw/{path...}", scope: "repository", h: raw},
		{method: "GET", pattern: repo + "/media/{path...}", scope: "repository", h: raw},
		{method: "GET", pattern: repo + "/git/commits/{sha}", scope: "repository", h: getCommit},
		{method: "GET", pattern: repo + "/commits", scope: "repository", h: listCommits},
		{method: "GET", pattern: repo + "/commits/{ref}/status", scope: "repository", h: combinedStatus},
		{method: "GET", pattern: repo + "/commits/{ref}/statuses", scope: "repository", h: listStatuses},
		{method: "GET", pattern: repo + "/statuses/{ref}", scope: "repository", h: listStatuses},
		{method: "POST", pattern: repo + "/statuses/{sha}", scope: "repository", need: "write", h: host.Reading(createStatus)},
		{method: "GET", pattern: repo + "/labels", scope: "issue", h: listLabels},
		{method: "POST", pattern: repo + "/labels", scope: "issue", need: "write", h: host.Reading(createLabel)},
		{method: "GET", pattern: repo + "/hooks", scope: "repository", need: "admin", h: listHooks},
		{method: "POST", pattern: repo + "/hooks", scope: "repository", need: "admin", h: createHook},
		{method: "GET", pattern: repo + "/hooks/{id}", scope: "repository", need: "admin", h: host.Locked(getHook)},
		{method: "PATCH", pattern: repo + "/hooks/{id}", scope: "repository", need: "admin", h: host.Reading(editHook)},
		{method: "DELETE", pattern: repo + "/hooks/{id}", scope: "repository", need: "admin", h: host.Locked(deleteHook)},
		{method: "POST", pattern: repo + "/hooks/{id}/tests", scope: "repository", need: "admin", h: testHook},

		{method: "GET", pattern: pr, scope: "repository", h: listPulls},
		{method: "POST", pattern: pr, scope: "repository", h: host.Reading(createPull)},
		{method: "POST", pattern: pr + "/comments/{id}/resolve", scope: "repository", h: resolveInline},
		{method: "POST", pattern: pr + "/comments/{id}/unresolve", scope: "repository", h: unresolveInline},
		{method: "GET", pattern: pr + "/{index}", scope: "repository", h: getPull},
		{method: "PATCH", pattern: pr + "/{index}", scope: "repository", h: editPull},
		{method: "GET", pattern: pr + "/{index}/files", scope: "repository", h: listFiles},
		{method: "GET", pattern: pr + "/{index}/commits", scope: "repository", h: listPullCommits},
		{method: "POST", pattern: pr + "/{index}/merge", scope: "repository", need: "write", h: mergePull},
		{method: "POST", pattern: pr + "/{index}/requested_reviewers", scope: "repository", h: requestReviewers},
		{method: "DELETE", pattern: pr + "/{index}/requested_reviewers", scope: "repository", h: unrequestReviewers},
		{method: "GET", pattern: pr + "/{index}/reviews", scope: "repository", h: listReviews},
		{method: "POST", pattern: pr + "/{index}/reviews", scope: "repository", h: createReview},
		{method: "GET", pattern: pr + "/{index}/reviews/{id}", scope: "repository", h: getReview},
		{method: "POST", pattern: pr + "/{index}/reviews/{id}", scope: "repository", h: submitReview},
		{method: "DELETE", pattern: pr + "/{index}/reviews/{id}", scope: "repository", h: deleteReview},
		{method: "GET", pattern: pr + "/{index}/reviews/{id}/comments", scope: "repository", h: listInline},
		{method: "POST", pattern: pr + "/{index}/reviews/{id}/dismissals", scope: "repository", need: "admin", h: dismissReview},
		{method: "POST", pattern: pr + "/{index}/comments/{id}/replies", scope: "repository", h: replyInline},

		{method: "GET", pattern: repo + "/issues/comments/{id}", scope: "issue", h: host.Locked(getIssueComment)},
		{method: "GET", pattern: repo + "/issues/comments/{id}/reactions", scope: "issue", h: host.Locked(listReactions)},
		{method: "PATCH", pattern: repo + "/issues/comments/{id}", scope: "issue", h: host.Reading(editIssueComment)},
		{method: "DELETE", pattern: repo + "/issues/comments/{id}", scope: "issue", h: host.Locked(deleteIssueComment)},
		{method: "GET", pattern: repo + "/issues/{index}", scope: "issue", h: getIssue},
		{method: "GET", pattern: repo + "/issues/{index}/comments", scope: "issue", h: listIssueComments},
		{method: "POST", pattern: repo + "/issues/{index}/comments", scope: "issue", h: createIssueComment},
		{method: "GET", pattern: repo + "/issues/{index}/labels", scope: "issue", h: listIssueLabels},
		{method: "POST", pattern: repo + "/issues/{index}/labels", scope: "issue", need: "write", h: host.Reading(addIssueLabels)},
		{method: "DELETE", pattern: repo + "/issues/{index}/labels/{id}", scope: "issue", need: "write", h: removeIssueLabel},
	}
	list = append(list, signInRoutes()...)
	if s.forgejo {
		list = append(list, forgejoRoutes(pr)...)
	} else {
		list = append(list, actionRoutes(repo)...)
	}
	return list
}

// forgejoRoutes returns the routes that only Forgejo has (its Swagger description of December 2024).
func forgejoRoutes(pr string) []route {
	return []route{
		{method: "GET", pattern: "/api/forgejo/v1/version", open: true, h: getVersion},
		{method: "POST", pattern: pr + "/{index}/reviews/{id}/comments", scope: "repository", h: addInline},
		{method: "GET", pattern: pr + "/{index}/reviews/{id}/comments/{comment}", scope: "repository", h: host.Locked(getInline)},
		{method: "DELETE", pattern: pr + "/{index}/reviews/{id}/comments/{comment}", scope: "repository", h: host.Locked(deleteInline)},
	}
}

func getVersion(c *call) *reply { return ok(obj{"version": c.s.version()}) }

func getSettings(c *call) *reply {
	most, usual := c.s.bounds()
	return ok(obj{"max_response_items": most, "default_paging_num": usual, "default_git_trees_per_page": 1000, "default_max_blob_size": 10485760,
		"default_max_response_size": 104857600})
}

func health(*call) *reply {
	return ok(obj{"status": "pass", "description": "Gitea: Git with a cup of tea"})
}
