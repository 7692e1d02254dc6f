package github

import (
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

const (
	tokenRoute  = "/app/installations/{installation_id}/access_tokens"
	graphqlPath = "/graphql"
	repoRoute   = "/repos/{owner}/{repo}" // the beginning of the patterns in a repository
)

// table returns every route of the API. The order matters: literal segments come before variables.
func table() []route {
	const pr = "/repos/{owner}/{repo}/pulls"
	const repo = repoRoute
	return slices.Concat([]route{
		{method: "GET", pattern: "/app", who: asApp, h: host.Locked(getApp)},
		{method: "GET", pattern: "/app/installations", who: asApp, h: listInstallations},
		{method: "GET", pattern: "/app/installations/{installation_id}", who: asApp, h: host.Locked(getInstallation)},
		{method: "DELETE", pattern: "/app/installations/{installation_id}", who: asApp, h: deleteInstallation},
		{method: "POST", pattern: tokenRoute, who: asApp, h: host.Reading(createToken)},
		{method: "GET", pattern: "/app/hook/config", who: asApp, h: host.Locked(getHookConfig)},
		{method: "PATCH", pattern: "/app/hook/config", who: asApp, h: host.LockedReading(patchHookConfig)},
		{method: "GET", pattern: "/app/hook/deliveries", who: asApp, h: listDeliveries},
		{method: "GET", pattern: "/app/hook/deliveries/{delivery_id}", who: asApp, h: getDelivery},
		{method: "POST", pattern: "/app/hook/deliveries/{delivery_id}/attempts", who: asApp, h: redeliver},
		{method: "GET", pattern: repo + "/installation", who: asApp, h: host.Locked(repoInstallation)},
		{method: "GET", pattern: "/orgs/{org}/installation", who: asApp, h: host.Locked(accountInstallation)},
		{method: "GET", pattern: "/users/{org}/installation", who: asApp, h: host.Locked(accountInstallation)},
		{method: "GET", pattern: "/installation/repositories", who: asInst, h: installationRepositories},
		{method: "DELETE", pattern: "/installation/token", who: asInst, h: host.Locked(revokeToken)},
		{method: "GET", pattern: "/rate_limit", who: anyone, h: rateLimit},
		{method: "GET", pattern: "/meta", who: anyone, h: getMeta},
		{method: "GET", pattern: authorizeRoute, who: anyone, h: host.Locked(authorizePage)},
		{method: "POST", pattern: accessTokenRoute, who: anyone, h: host.Locked(accessToken)},
		{method: "POST", pattern: manifestRoute, who: anyone, h: createApp},
		{method: "POST", pattern: orgManifestRoute, who: anyone, h: createApp},
		{method: "POST", pattern: conversionRoute, who: anyone, h: host.Locked(convertManifest)},
		{method: "GET", pattern: "/apps/{slug}/installations/new", who: anyone, h: installPage},
		{method: "GET", pattern: "/github-apps/{slug}/installations/new", who: anyone, h: installPage},
		{method: "GET", pattern: "/user", who: withAny, h: host.Locked(getCurrentUser)},
		{method: "GET", pattern: "/user/installations", who: withAny, h: userInstallations},
		{method: "GET", pattern: "/user/installations/{installation_id}/repositories", who: withAny, h: userInstallationRepositories},
		{method: "GET", pattern: "/users/{username}", who: anyone, h: host.Locked(getUser)},
		{method: "GET", pattern: "/orgs/{org}/members", who: withAny, h: listMembers},
		{method: "GET", pattern: "/orgs/{org}/memberships/{username}", who: withAny, h: host.Locked(getMembership)},
		{method: "POST", pattern: graphqlPath, who: withAny, h: host.Reading(graphQL)},
		{method: "GET", pattern: "/repositories/{repository_id}", who: withAny, h: host.Locked(getRepo)},
		{method: "GET", pattern: repo, who: withAny, h: host.Locked(getRepo)},
		{method: "GET", pattern: repo + "/branches", who: withAny, need: "contents:read", h: listBranches},
		{method: "GET", pattern: repo + "/branches/{branch...}", who: withAny, need: "contents:read", h: getBranch},
		{method: "GET", pattern: repo + "/rules/branches/{branch...}", who: withAny, need: "metadata:read", h: host.Locked(branchRules)},
		{method: "GET", pattern: repo + "/collaborators/{username}/permission", who: withAny, h: host.Locked(collaboratorPermission)},
		{method: "GET", pattern: repo + "/compare/{basehead...}", who: withAny, need: "contents:read", h: compare},
		{method: "GET", pattern: repo + "/contents", who: withAny, need: "contents:read", h: contents},
		{method: "GET", pattern: repo + "/contents/{path...}", who: withAny, need: "contents:read", h: contents},
		{method: "GET", pattern: repo + "/commits/{ref}/check-runs", who: withAny, need: "checks:read", h: listCheckRuns},
		{method: "GET", pattern: repo + "/commits/{ref}/statuses", who: withAny, need: "statuses:read", h: listStatuses},
		{method: "GET", pattern: repo + "/commits/{ref...}", who: withAny, need: "contents:read", h: getCommit},
		{method: "POST", pattern: repo + "/statuses/{sha}", who: withAny, need: "statuses:write", h: host.Reading(createStatus)},
		{method: "POST", pattern: repo + "/check-runs", who: withAny, need: "checks:write", h: host.Reading(createCheckRun)},
		{method: "GET", pattern: repo + "/check-runs/{check_run_id}", who: withAny, need: "checks:read", h: host.Locked(getCheckRun)},
		{method: "PATCH", pattern: repo + "/check-runs/{check_run_id}", who: withAny, need: "checks:write", h: host.LockedReading(updateCheckRun)},
		{method: "GET", pattern: repo + "/check-runs/{check_run_id}/annotations", who: withAny, need: "checks:read", h: listAnnotations},

		{method: "GET", pattern: pr, who: withAny, need: "pull_requests:read", h: listPulls},
		{method: "GET", pattern: pr + "/comments/{comment_id}", who: withAny, need: "pull_requests:read", h: getReviewComment},
		{method: "PATCH", pattern: pr + "/comments/{comment_id}", who: withAny, need: "pull_requests:write", h: updateReviewComment},
		{method: "DELETE", pattern: pr + "/comments/{comment_id}", who: withAny, need: "pull_requests:write", h: deleteReviewComment},
		{method: "POST", pattern: pr + "/comments/{comment_id}/reactions", who: withAny, need: "pull_requests:write", h: reactReviewComment},
		{method: "GET", pattern: pr + "/comments/{comment_id}/reactions", who: withAny, need: "pull_requests:read", h: listReviewCommentReactions},
		{method: "GET", pattern: pr + "/{pull_number}", who: withAny, need: "pull_requests:read", h: getPull},
		{method: "GET", pattern: pr + "/{pull_number}/files", who: withAny, need: "pull_requests:read", h: listFiles},
		{method: "GET", pattern: pr + "/{pull_number}/commits", who: withAny, need: "pull_requests:read", h: listPullCommits},
		{method: "GET", pattern: pr + "/{pull_number}/comments", who: withAny, need: "pull_requests:read", h: listReviewComments},
		{method: "POST", pattern: pr + "/{pull_number}/comments", who: withAny, need: "pull_requests:write", h: createReviewComment},
		{method: "POST", pattern: pr + "/{pull_number}/comments/{comment_id}/replies", who: withAny, need: "pull_requests:write", h: replyToComment},
		{method: "GET", pattern: pr + "/{pull_number}/reviews", who: withAny, need: "pull_requests:read", h: listReviews},
		{method: "POST", pattern: pr + "/{pull_number}/reviews", who: withAny, need: "pull_requests:write", h: createReview},
		{method: "GET", pattern: pr + "/{pull_number}/reviews/{review_id}", who: withAny, need: "pull_requests:read", h: getReview},
		{method: "PUT", pattern: pr + "/{pull_number}/reviews/{review_id}", who: withAny, need: "pull_requests:write", h: updateReview},
		{method: "DELETE", pattern: pr + "/{pull_number}/reviews/{review_id}", who: withAny, need: "pull_requests:write", h: deleteReview},
		{method: "POST", pattern: pr + "/{pull_number}/reviews/{review_id}/events", who: withAny, need: "pull_requests:write", h: submitReview},
		{method: "PUT", pattern: pr + "/{pull_number}/reviews/{review_id}/dismissals", who: withAny, need: "pull_requests:write", h: dismissReview},
		{method: "GET", pattern: pr + "/{pull_number}/reviews/{review_id}/comments", who: withAny, need: "pull_requests:read", h: listCommentsOfReview},

		{method: "GET", pattern: repo + "/issues/comments/{comment_id}", who: withAny, need: "issues:read|pull_requests:read", h: host.Locked(getIssueComment)},
		{method: "PATCH", pattern: repo + "/issues/comments/{comment_id}", who: withAny, need: "issues:write|pull_requests:write", h: updateIssueComment},
		{method: "DELETE", pattern: repo + "/issues/comments/{comment_id}", who: withAny, need: "issues:write|pull_requests:write", h: deleteIssueComment},
		{method: "POST", pattern: repo + "/issues/comments/{comment_id}/reactions", who: withAny, need: "issues:write|pull_requests:write", h: reactIssueComment},
		{method: "GET", pattern: repo + "/issues/comments/{comment_id}/reactions", who: withAny, need: "issues:read|pull_requests:read", h: listIssueCommentReactions},
		{method: "GET", pattern: repo + "/issues/{pull_number}", who: withAny, need: "issues:read|pull_requests:read", h: host.Locked(getIssue)},
		{method: "GET", pattern: repo + "/issues/{pull_number}/comments", who: withAny, need: "issues:read|pull_requests:read", h: listIssueComments},
		{method: "POST", pattern: repo + "/issues/{pull_number}/comments", who: withAny, need: "issues:write|pull_requests:write", h: createIssueComment},
		{method: "POST", pattern: repo + "/issues/{pull_number}/reactions", who: withAny, need: "issues:write|pull_requests:write", h: reactIssue},
	}, gitRoutes(repo), triageRoutes(repo), actionRoutes(repo))
}
