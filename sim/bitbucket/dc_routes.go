package bitbucket

import (
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// Doubts of Data Center.
const (
	noPending   = simapi.NoPending
	noUserID    = simapi.NoUserID
	movedGone   = simapi.MovedGone
	ownPrefixes = simapi.OwnPrefixes
)

// dcRepo is the pattern of a repository of Data Center.
const dcRepo = "/api/latest/projects/{projectKey}/repos/{repositorySlug}"

// dcRoutes returns every route of the interface of Data Center, below /rest. need is "" for everybody, else the role
// in the repository; outside of repositories every need asks for an account.
func dcRoutes() []route {
	const project = "/api/latest/projects/{projectKey}"
	const pr = dcRepo + "/pull-requests/{pullRequestId}"
	const note = pr + "/comments/{commentId}"
	const report = "/insights/latest/projects/{projectKey}/repos/{repositorySlug}/commits/{commitId}/reports/{key}"
	to := func(method, pattern, need string, h func(*call) *reply) route {
		return route{method, pattern, "", "", need, h}
	}
	return []route{
		to("GET", "/api/latest/application-properties", "", dcProperties),
		to("GET", "/api/latest/users", "read", dcUsers),
		to("GET", "/api/latest/users/{userSlug}", "read", host.Locked(dcUser)),
		to("GET", "/api/latest/repos", "", dcRepos),
		to("GET", project, "read", dcProject),
		to("GET", dcRepo, "read", host.Locked(dcGetRepo)),
		to("GET", dcRepo+"/webhooks", "admin", dcHooks),
		to("POST", dcRepo+"/webhooks", "admin", host.Locked(dcCreateHook)),
		to("PUT", dcRepo+"/webhooks/{id}", "admin", host.Locked(dcEditHook)),
		to("DELETE", dcRepo+"/webhooks/{id}", "admin", host.Locked(dcDeleteHook)),
		to("GET", dcRepo+"/branches", "read", dcBranches),
		to("POST", dcRepo+"/branches", "write", host.Reading(dcCreateBranch)),
		to("DELETE", "/branch-utils/latest/projects/{projectKey}/repos/{repositorySlug}/branches", "write", host.Reading(dcDeleteBranch)),
		to("GET", dcRepo+"/commits", "read", dcCommits),
		to("GET", dcRepo+"/commits/{commitId}", "read", dcGetCommit),
		to("GET", dcRepo+"/commits/{commitId}/merge-base", "read", dcMergeBase),
		to("GET", dcRepo+"/commits/{commitId}/builds", "read", dcBuild),
		to("POST", dcRepo+"/commits/{commitId}/builds", "read", host.Reading(dcSetBuild)),
		to("GET", "/build-status/latest/commits/{commitId}", "read", dcBuilds),
		to("PUT", report, "read", dcPutReport),
		to("GET", report, "read", host.Locked(dcGetReport)),
		to("GET", dcRepo+"/raw/{path...}", "read", dcRaw),

		to("GET", dcRepo+"/pull-requests", "read", dcPulls),
		to("POST", dcRepo+"/pull-requests", "read", host.Reading(dcOpenPull)),
		to("GET", pr, "read", dcGetPull),
		to("GET", pr+"/changes", "read", inDCPull(dcChanges)),
		to("GET", pr+"/commits", "read", inDCPull(dcPullCommits)),
		to("GET", pr+"/activities", "read", inDCPull(dcActivities)),
		to("POST", pr+"/participants", "write", inDCPull(dcAddReviewer)),
		to("DELETE", pr+"/participants/{userSlug}", "write", inDCPull(dcRemoveReviewer)),
		to("POST", pr+"/comments", "read", inDCPull(reading(dcCreateComment))),
		to("GET", note, "read", inDCPull(onComment((*call).dcNote, dcGetComment))),
		to("PUT", note, "read", inDCPull(reading(dcEditComment))),
		to("DELETE", note, "read", inDCPull(onComment((*call).dcNote, dcDeleteComment))),
		to("GET", pr+"/review", "read", inDCPull(dcReview)),
		to("PUT", pr+"/review", "read", inDCPull(dcFinishReview)),
		to("DELETE", pr+"/review", "read", inDCPull(dcDiscardReview)),
	}
}
