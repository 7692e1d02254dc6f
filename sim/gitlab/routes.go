package gitlab

import (
	"net/http"

	"github.com/assay-dev/assay/sim/host"
)

// projectPath begins every path about a project.
const projectPath = "/projects/{id}"

// table returns every route of the REST interface. The order matters: literal segments come before variables.
func table() []route {
	const mrs = projectPath + "/merge_requests"
	const mr = mrs + "/{iid}"
	const repo = projectPath + "/repository"
	return append([]route{
		{method: "GET", pattern: "/version", h: getVersion},
		{method: "GET", pattern: "/metadata", h: getVersion},
		{method: "GET", pattern: "/personal_access_tokens/self", scopes: []string{anyScope}, h: host.Locked(tokenSelf)},
		{method: "GET", pattern: "/user", scopes: []string{"read_user"}, h: host.Locked(currentUser)},
		{method: "GET", pattern: "/users", scopes: []string{"read_user"}, h: listUsers},
		{method: "GET", pattern: "/users/{user_id}", scopes: []string{"read_user"}, h: host.Locked(getUser)},
		{method: "GET", pattern: "/users/{user_id}/projects", h: userProjects},
		{method: "GET", pattern: "/groups/{group}", open: true, h: host.Locked(getGroup)},
		{method: "GET", pattern: "/groups/{group}/projects", open: true, h: groupProjects},
		{method: "GET", pattern: "/groups/{group}/members/all", h: groupMembers},
		{method: "GET", pattern: "/groups/{group}/members/all/{user_id}", h: host.Locked(groupMember)},
		{method: "GET", pattern: "/projects", open: true, h: listProjects},
		{method: "GET", pattern: projectPath, open: true, h: host.Locked(getProject)},
		{method: "GET", pattern: projectPath + "/members/all", h: projectMembers},
		{method: "GET", pattern: projectPath + "/members/all/{user_id}", h: host.Locked(projectMember)},
		{method: "GET", pattern: projectPath + "/labels", open: true, h: listLabels},
		{method: "GET", pattern: projectPath + "/hooks", level: maintainer, h: listHooks},
		{method: "POST", pattern: projectPath + "/hooks", level: maintainer, h: host.LockedReading(createHook)},
		{method: "GET", pattern: projectPath + "/hooks/{hook_id}", level: maintainer, h: getHook},
		{method: "PUT", pattern: projectPath + "/hooks/{hook_id}", level: maintainer, h: host.Reading(editHook)},
		{method: "DELETE", pattern: projectPath + "/hooks/{hook_id}", level: maintainer, h: deleteHook},
		{method: "POST", pattern: projectPath + "/statuses/{sha}", level: developer, h: createStatus},
		{method: "GET", pattern: projectPath + "/pipelines", open: true, code: true, h: listPipelines},
		{method: "GET", pattern: projectPath + "/pipelines/{pipeline_id}/jobs", open: true, code: true, h: listJobs},
		{method: "GET", pattern: projectPath + "/jobs/{job_id}", open: true, code: true, h: host.Locked(getJob)},
		{method: "GET", pattern: projectPath + "/jobs/{job_id}/trace", open: true, code: true, h: jobTrace},

		{method: "GET", pattern: repo + "/branches/{branch}", open: true, code: true, h: getBranch},
		{method: "POST", pattern: repo + "/branches", level: developer, h: createBranch},
		{method: "DELETE", pattern: repo + "/branches/{branch}", level: developer, h: deleteBranch},
		{method: "GET", pattern: repo + "/compare", open: true, code: true, h: compare},
		{method: "GET", pattern: repo + "/merge_base", open: true, code: true, h: mergeBase},
		{method: "GET", pattern: repo + "/tree", open: true, code: true, h: tree},
		{method: "GET", pattern: repo + "/commits", open: true, code: true, h: listCommits},
		{method: "POST", pattern: repo + "/commits", level: developer, h: host.Reading(createCommit)},
		{method: "GET", pattern: repo + "/commits/{sha}", open: true, code: true, h: getCommit},
		{method: "GET", pattern: repo + "/commits/{sha}/statuses", open: true, code: true, h: listStatuses},
		{method: "GET", pattern: repo + "/files/{path}", open: true, code: true, scopes: []string{"read_repository"}, h: getFile},
		{method: "GET", pattern: repo + "/files/{path}/raw", open: true, code: true, scopes: []string{"read_repository"}, h: rawFile},

		{method: "GET", pattern: mrs, open: true, h: listMRs},
		{method: "POST", pattern: mrs, level: developer, h: host.Reading(createMR)},
		{method: "GET", pattern: mr, open: true, h: getMR},
		{method: "PUT", pattern: mr, level: developer, h: host.Reading(editMR)},
		{method: "GET", pattern: projectPath + "/issues/{issue_iid}", open: true, h: host.Locked(getIssue)},
		{method: "GET", pattern: mr + "/versions", open: true, code: true, h: listVersions},
		{method: "GET", pattern: mr + "/versions/{version_id}", open: true, code: true, h: getVersionOfMR},
		{method: "GET", pattern: mr + "/commits", open: true, code: true, h: listMRCommits},
		{method: "GET", pattern: mr + "/closes_issues", open: true, h: listClosed},
		{method: "GET", pattern: mr + "/diffs", open: true, code: true, h: listDiffs},
		{method: "GET", pattern: mr + "/raw_diffs", open: true, code: true, h: rawDiffs},
		{method: "GET", pattern: mr + "/reviewers", open: true, h: listReviewers},
		{method: "POST", pattern: mr + "/approve", level: developer, h: approve},
		{method: "GET", pattern: mr + "/draft_notes", h: listDrafts},
		{method: "POST", pattern: mr + "/draft_notes", h: host.Reading(createDraft)},
		{method: "POST", pattern: mr + "/draft_notes/bulk_publish", h: publishDrafts},
		{method: "GET", pattern: mr + "/draft_notes/{draft_id}", h: getDraft},
		{method: "PUT", pattern: mr + "/draft_notes/{draft_id}", h: host.Reading(editDraft)},
		{method: "DELETE", pattern: mr + "/draft_notes/{draft_id}", h: deleteDraft},
		{method: "PUT", pattern: mr + "/draft_notes/{draft_id}/publish", h: publishDraft},
		{method: "GET", pattern: mr + "/notes", open: true, h: listNotes},
		{method: "POST", pattern: mr + "/notes", h: host.Reading(createNote)},
		{method: "GET", pattern: mr + "/notes/{note_id}", open: true, h: getNote},
		{method: "GET", pattern: mr + "/notes/{note_id}/award_emoji", open: true, h: listAwards},
		{method: "PUT", pattern: mr + "/notes/{note_id}", h: host.Reading(editNote)},
		{method: "DELETE", pattern: mr + "/notes/{note_id}", h: deleteNote},
		{method: "GET", pattern: mr + "/discussions", open: true, h: listDiscussions},
		{method: "POST", pattern: mr + "/discussions", h: host.Reading(createDiscussion)},
		{method: "GET", pattern: mr + "/discussions/{discussion_id}", open: true, h: getDiscussion},
		{method: "PUT", pattern: mr + "/discussions/{discussion_id}", h: resolveDiscussion},
		{method: "POST", pattern: mr + "/discussions/{discussion_id}/notes", h: host.Reading(replyNote)},
		{method: "PUT", pattern: mr + "/discussions/{discussion_id}/notes/{note_id}", h: host.Reading(editNote)},
	}, signInRoutes()...)
}

// hostVersion is the simulated version of the host.
const hostVersion = "19.5.0-ee"

func getVersion(*call) *reply { return ok(obj{"version": hostVersion, "revision": "0simulated"}) }

// inMR runs a handler with the merge request of the path; Server.Mu is not held.
func inMR(c *call, h func(*mergeRequest) *reply) *reply {
	c.s.Mu.Lock()
	m := c.project.MRs[int(c.Number("iid"))]
	c.s.Mu.Unlock()
	if m == nil {
		return notFound("Merge Request")
	}
	return h(m)
}

// locked runs a handler with the merge request of the path while Server.Mu is held.
func locked(c *call, h func(*mergeRequest) *reply) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return h(m)
	})
}

// plain returns an answer of plain text.
func plain(data []byte) *reply {
	return (&reply{Status: http.StatusOK, Body: data}).Set("Content-Type", "text/plain")
}
