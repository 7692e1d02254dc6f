package bitbucket

import (
	"maps"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

func currentUser(c *call) *reply {
	return ok(c.view().account(c.actor.user.ID))
}

func getUser(c *call) *reply {
	u := c.s.st.person(c.Vars["selected_user"])
	if u == nil {
		return fail(http.StatusNotFound, c.Vars["selected_user"]+" is not a user")
	}
	return ok(c.view().account(u.ID))
}

// person finds a person by UUID or account id. The host has no addresses by user name since 2019.
func (st *state) person(name string) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool {
		return !u.Org && (u.ID == idOf(userUUID, name) || accountID(u) == name)
	})
}

func getWorkspace(c *call) *reply {
	return ok(c.view().workspace(c.ws))
}

// membership renders the place of a person in a workspace; Server.Mu is held.
func (c *call) membership(id int64) obj {
	return obj{"type": "workspace_membership", "user": c.view().account(id), "workspace": c.view().workspace(c.ws),
		"links": obj{"self": href(c.view().workspaceAPI(c.ws) + "/members/" + uuidOf(userUUID, id))}}
}

func members(c *call) *reply {
	c.s.Mu.Lock()
	out := host.RenderAll(slices.Sorted(maps.Keys(c.ws.Members)), func(id int64) any { return c.membership(id) })
	c.s.Mu.Unlock()
	return c.list(out)
}

func memberPermissions(c *call) *reply {
	c.s.Mu.Lock()
	out := host.RenderAll(slices.Sorted(maps.Keys(c.ws.Members)), func(id int64) any {
		o := c.membership(id)
		o["permission"] = c.ws.Members[id]
		return o
	})
	c.s.Mu.Unlock()
	return c.list(out)
}

// permission renders the right of an account in a repository; Server.Mu is held.
func (v view) permission(r *repository, id int64, role string) obj {
	return obj{"type": "repository_permission", "permission": role, "user": v.account(id), "repository": v.repositoryShort(r)}
}

// permissions lists the effective rights in a repository; Server.Mu is held.
func (v view) permissions(r *repository) (out []any) {
	ids := map[int64]bool{}
	for id := range r.Collaborators {
		ids[id] = true
	}
	if w := v.st.userByID(r.OwnerID); w != nil && w.Org {
		for id := range w.Members {
			ids[id] = true
		}
	} else {
		ids[r.OwnerID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		out = append(out, v.permission(r, id, v.st.role(v.st.userByID(id), r)))
	}
	return out
}

// repoPermissions answers admins of the repository only.
func repoPermissions(c *call) *reply {
	c.s.Mu.Lock()
	r := c.s.st.Repos[idOf(repoUUID, c.Vars["slug"])]
	if r == nil {
		r = c.s.st.repo(c.ws.Login, c.Vars["slug"])
	}
	var out []any
	refused := missing()
	if r != nil && r.OwnerID == c.ws.ID {
		refused = nil
		if c.s.st.roleOf(c.actor, r) != "admin" {
			refused = fail(http.StatusForbidden, "You must be an admin of this repository.")
		}
		out = c.view().permissions(r)
	}
	c.s.Mu.Unlock()
	if refused != nil {
		return refused
	}
	return c.list(out)
}

func defaultReviewers(c *call) *reply {
	c.s.Mu.Lock()
	out := host.RenderAll(c.repo.Reviewers, func(id int64) any {
		if c.route.pattern == repoRoute+"/default-reviewers" {
			return c.view().account(id)
		}
		return obj{"type": "default_reviewer_and_type", "reviewer_type": "repository", "user": c.view().account(id)}
	})
	c.s.Mu.Unlock()
	return c.list(out)
}

// workspaceRepos lists the repositories of a workspace that the caller sees, narrowed by the caller's role.
func workspaceRepos(c *call) *reply {
	atLeast := map[string]string{"": "read", "member": "read", "contributor": "write", "admin": "admin", "owner": "admin"}[c.Query.Get("role")]
	c.s.Mu.Lock()
	var out []any
	for _, r := range host.ByKey(c.s.st.Repos) {
		role := c.s.st.roleOf(c.actor, r)
		if r.OwnerID == c.ws.ID && rank[role] >= rank[host.OrElse(atLeast, "read")] && c.actor.reaches(r) {
			out = append(out, c.view().repository(r))
		}
	}
	c.s.Mu.Unlock()
	return c.list(out)
}

func getRepo(c *call) *reply {
	return ok(c.view().repository(c.repo))
}

func getIssue(c *call) *reply {
	i := host.IssueNumbered(c.repo.Issues, int(c.Number("issue_id")))
	if i == nil {
		return fail(http.StatusNotFound, "No Issue matches the given query.")
	}
	v := c.view()
	return ok(obj{"type": "issue", "id": i.Number, "title": i.Title, "content": rendered(i.Body), "state": "new", "kind": "bug",
		"priority": "major", "reporter": v.account(c.repo.OwnerID), "assignee": nil, "repository": v.repositoryShort(c.repo),
		"created_on": timeOf(i.Created), "updated_on": timeOf(i.Created), "links": obj{
			"self": href(v.repoAPI(c.repo) + "/issues/" + c.Vars["issue_id"]), "html": href(issueHTML(v, c.repo, i))}})
}
