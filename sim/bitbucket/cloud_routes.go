package bitbucket

import (
	"github.com/assay-dev/assay/sim/host"
)

// Patterns of a workspace and of a repository.
const (
	workspaceRoute = "/workspaces/{workspace}"
	repoRoute      = "/repositories/{workspace}/{repo_slug}"
)

// Scopes as pairs for access tokens and for API tokens, from the description's security and x-atlassian-oauth2-scopes.
const (
	readRepo, readRepoAPI     = "repository", "read:repository"
	writeRepo, writeRepoAPI   = "repository:write", "write:repository"
	readPull, readPullAPI     = "pullrequest", "read:pullrequest"
	writePull, writePullAPI   = "pullrequest:write", "read:pullrequest write:pullrequest"
	hooks, readHookAPI        = "webhook", "read:webhook"
	writeHookAPI, dropHookAPI = "read:webhook write:webhook", "delete:webhook"
	account, readUserAPI      = "account", "read:user"
	readWorkspaceAPI          = "read:workspace"
	pipelines, pipelinesAPI   = "pipeline", "read:pipeline"
)

// cloudRoutes returns every route of the cloud's REST interface. The order matters: literal segments come before variables.
func cloudRoutes() []route {
	const ws, repo = workspaceRoute, repoRoute
	const commit = repo + "/commit/{commit}"
	const pr = repo + "/pullrequests/{pull_request_id}"
	const note = pr + "/comments/{comment_id}"
	const pipe = repo + "/pipelines/{pipeline_uuid}"
	list := []route{
		{"POST", tokenPath, "", "", "", host.Locked(accessToken)},
		{"GET", storedLogs + "{repository}/{job}/{signature}", "", "", "", storedLog},

		{"GET", "/user", account, readUserAPI, "", host.Locked(currentUser)},
		{"GET", "/users/{selected_user}", account, readUserAPI, "", host.Locked(getUser)},
		{"GET", ws, account, readWorkspaceAPI, "", host.Locked(getWorkspace)},
		{"GET", ws + "/members", account, readWorkspaceAPI, "member", members},
		{"GET", ws + "/permissions", account, readWorkspaceAPI, "member", memberPermissions},
		{"GET", ws + "/permissions/repositories/{slug}", readRepo, readRepoAPI, "member", repoPermissions},
		{"GET", ws + "/hooks", hooks, readHookAPI, "owner", listHooks},
		{"POST", ws + "/hooks", hooks, writeHookAPI, "owner", host.LockedReading(createHook)},
		{"GET", ws + "/hooks/{uid}", hooks, readHookAPI, "owner", host.Locked(getHook)},
		{"PUT", ws + "/hooks/{uid}", hooks, writeHookAPI, "owner", host.LockedReading(editHook)},
		{"DELETE", ws + "/hooks/{uid}", hooks, dropHookAPI, "owner", host.Locked(deleteHook)},

		{"GET", "/repositories/{workspace}", readRepo, readRepoAPI, "", workspaceRepos},
		{"GET", repo, readRepo, readRepoAPI, "read", host.Locked(getRepo)},
		{"GET", repo + "/hooks", hooks, readHookAPI, "admin", listHooks},
		{"POST", repo + "/hooks", hooks, writeHookAPI, "admin", host.LockedReading(createHook)},
		{"GET", repo + "/hooks/{uid}", hooks, readHookAPI, "admin", host.Locked(getHook)},
		{"PUT", repo + "/hooks/{uid}", hooks, writeHookAPI, "admin", host.LockedReading(editHook)},
		{"DELETE", repo + "/hooks/{uid}", hooks, dropHookAPI, "admin", host.Locked(deleteHook)},
		{"GET", repo + "/default-reviewers", readPull, readPullAPI, "read", defaultReviewers},
		{"GET", repo + "/effective-default-reviewers", readPull, readPullAPI, "read", defaultReviewers},
		{"GET", repo + "/issues/{issue_id}", "issue", "read:issue", "read", host.Locked(getIssue)},

		{"GET", repo + "/refs/branches", readRepo, readRepoAPI, "read", listBranches},
		{"POST", repo + "/refs/branches", writeRepo, "read:repository write:repository", "write", host.Reading(createBranch)},
		{"GET", repo + "/refs/branches/{name...}", readRepo, readRepoAPI, "read", getBranch},
		{"DELETE", repo + "/refs/branches/{name...}", writeRepo, writeRepoAPI, "write", deleteBranch},
		{"GET", commit, readRepo, readRepoAPI, "read", getCommit},
		{"GET", commit + "/statuses", readRepo, readRepoAPI, "read", listStatuses},
		{"POST", commit + "/statuses/build", readRepo, readRepoAPI, "write", createStatus},
		{"GET", commit + "/statuses/build/{key}", readRepo, readRepoAPI, "read", getStatus},
		{"PUT", commit + "/statuses/build/{key}", readRepo, readRepoAPI, "write", editStatus},
		{"GET", repo + "/commits", readRepo, readRepoAPI, "read", listCommits},
		{"GET", repo + "/commits/{revision...}", readRepo, readRepoAPI, "read", listCommits},
		{"GET", repo + "/merge-base/{spec...}", readRepo, readRepoAPI, "read", mergeBase},
		{"GET", repo + "/diff/{spec...}", readRepo, readRepoAPI, "read", diff},
		{"GET", repo + "/diffstat/{spec...}", readRepo, readRepoAPI, "read", diffstat},
		{"POST", repo + "/src", writeRepo, writeRepoAPI, "write", commitFiles},
		{"GET", repo + "/src/{commit}/{path...}", readRepo, readRepoAPI, "read", source},

		{"GET", repo + "/pullrequests", readPull, readPullAPI, "read", listPulls},
		{"POST", repo + "/pullrequests", writePull, writePullAPI, "read", host.Reading(createPull)},
		{"GET", pr, readPull, readPullAPI, "read", inPull(getPull)},
		{"PUT", pr, writePull, writePullAPI, "read", inPull(reading(editPull))},
		{"GET", pr + "/comments", readPull, readPullAPI, "read", inPull(listComments)},
		{"POST", pr + "/comments", readPull, readPullAPI, "read", inPull(reading(createComment))},
		{"GET", note, readPull, readPullAPI, "read", inPull(onComment((*call).note, getComment))},
		{"PUT", note, readPull, readPullAPI, "read", inPull(reading(editComment))},
		{"DELETE", note, readPull, readPullAPI, "read", inPull(onComment((*call).note, deleteComment))},
		{"POST", note + "/resolve", readPull, readPullAPI, "read", inPull(onComment((*call).thread, resolve))},
		{"DELETE", note + "/resolve", readPull, readPullAPI, "read", inPull(onComment((*call).thread, reopen))},
		{"GET", pr + "/diff", readPull, readPullAPI, "read", inPull(redirectTo("diff"))},
		{"GET", pr + "/diffstat", readPull, readPullAPI, "read", inPull(redirectTo("diffstat"))},
		{"GET", pr + "/commits", readPull, readPullAPI, "read", inPull(pullCommits)},
		{"GET", pr + "/statuses", readPull, readPullAPI, "read", inPull(pullStatuses)},

		{"GET", repo + "/pipelines", pipelines, pipelinesAPI, "read", listPipelines},
		{"GET", pipe, pipelines, pipelinesAPI, "read", host.Locked(getPipeline)},
		{"GET", pipe + "/steps", pipelines, pipelinesAPI, "read", listSteps},
		{"GET", pipe + "/steps/{step_uuid}", pipelines, pipelinesAPI, "read", host.Locked(getStep)},
		{"GET", pipe + "/steps/{step_uuid}/log", pipelines, pipelinesAPI, "read", stepLog},
	}
	return list
}
