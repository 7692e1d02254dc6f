package gitea

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

func currentUser(c *call) *reply {
	return ok(c.view().user(c.actor.login))
}

func getUser(c *call) *reply {
	u := c.s.st.user(c.Vars["username"])
	if u == nil {
		return notFoundAt(c.s.Base)
	}
	return ok(c.view().user(u.Login))
}

// searchUsers finds people by a part of the login name, or one by id (routers/api/v1/user/user.go, Search).
func searchUsers(c *call) *reply {
	word, id := strings.ToLower(c.Query.Get("q")), c.Query.Get("uid")
	c.s.Mu.Lock()
	list := []any{}
	for _, u := range slices.SortedFunc(maps.Values(c.s.st.Users), func(a, b *user) int { return cmp.Compare(a.ID, b.ID) }) {
		if !u.Org && strings.Contains(strings.ToLower(u.Login), word) && (id == "" || id == strconv.FormatInt(u.ID, 10)) {
			list = append(list, c.view().user(u.Login))
		}
	}
	c.s.Mu.Unlock()
	rep := pageOf(c, list, host.Itself)
	rep.Body = append(append([]byte(`{"ok":true,"data":`), rep.Body...), '}')
	return rep
}

// org finds the organisation of the path; Server.Mu is held.
func (c *call) org() *user {
	if u := c.s.st.user(c.Vars["org"]); u != nil && u.Org {
		return u
	}
	return nil
}

func getOrg(c *call) *reply {
	if u := c.org(); u != nil {
		return ok(c.view().organization(u))
	}
	return notFoundAt(c.s.Base)
}

// repos lists, by id, the repositories that the caller sees and for which keep is true.
func (c *call) repos(keep func(*repository, string) bool) *reply {
	return c.sortedRepos(func(a, b *repository) int { return cmp.Compare(a.ID, b.ID) }, keep)
}

func (c *call) sortedRepos(before func(a, b *repository) int, keep func(*repository, string) bool) *reply {
	type seen struct {
		r    *repository
		role string
	}
	c.s.Mu.Lock()
	var list []seen
	for _, r := range slices.SortedFunc(maps.Values(c.s.st.Repos), before) {
		role := c.s.st.role(c.user(), r)
		if role != "none" && keep(r, role) {
			list = append(list, seen{r, role})
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, func(x seen) any {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return c.view().repository(x.r, x.role)
	})
}

// user returns the calling user; nil for an anonymous caller.
func (c *call) user() *user {
	if c.actor == nil {
		return nil
	}
	return c.actor.user
}

// userRepos lists the repositories that the caller owns or has explicit access to.
func userRepos(c *call) *reply {
	me := c.actor.user
	return c.repos(func(r *repository, role string) bool {
		return strings.EqualFold(r.Owner, me.Login) || r.Collaborators[me.Login] != "" || c.s.st.inTeamOf(me, r)
	})
}

func (st *state) inTeamOf(u *user, r *repository) bool {
	owner := st.user(r.Owner)
	for _, t := range st.Teams {
		if owner != nil && t.OrgID == owner.ID && t.has(u.Login) && t.covers(r) {
			return true
		}
	}
	return false
}

func accountRepos(c *call) *reply {
	return c.reposOf(c.Vars["username"])
}

func orgRepos(c *call) *reply { return c.reposOf(c.Vars["org"]) }

func (c *call) reposOf(login string) *reply {
	c.s.Mu.Lock()
	known := c.s.st.user(login) != nil
	c.s.Mu.Unlock()
	if !known {
		return c.notFound()
	}
	return c.repos(func(r *repository, _ string) bool { return strings.EqualFold(r.Owner, login) })
}

// searchRepos is GET /repos/search with the parameters q, uid of an owner, sort (created or id) and order.
// Without exclusive, the real host also shows repositories related to an owner; here uid is always the
// owner's.
func searchRepos(c *call) *reply {
	word, owner := strings.ToLower(c.Query.Get("q")), c.Query.Get("uid")
	before := func(a, b *repository) int { return cmp.Compare(a.ID, b.ID) }
	if c.Query.Get("sort") == "created" {
		before = func(a, b *repository) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) }
	}
	rep := c.sortedRepos(func(a, b *repository) int {
		if c.Query.Get("order") == "desc" {
			a, b = b, a
		}
		return before(a, b)
	}, func(r *repository, _ string) bool {
		u := c.s.st.user(r.Owner)
		return strings.Contains(strings.ToLower(r.Name), word) && (owner == "" || u != nil && owner == strconv.FormatInt(u.ID, 10))
	})
	rep.Body = append(append([]byte(`{"ok":true,"data":`), rep.Body...), '}')
	return rep
}

func userOrgs(c *call) *reply {
	return c.orgs(func(u *user) bool { return c.s.st.isMember(c.actor.user, u) })
}

func (c *call) orgs(keep func(*user) bool) *reply {
	c.s.Mu.Lock()
	var list []any
	for _, u := range slices.SortedFunc(maps.Values(c.s.st.Users), func(a, b *user) int { return cmp.Compare(a.ID, b.ID) }) {
		if u.Org && keep(u) {
			list = append(list, c.view().organization(u))
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, host.Itself)
}

// members returns the logins in any team of an organisation; Server.Mu is held.
func (st *state) members(org *user) []string {
	set := map[string]bool{}
	for _, t := range st.Teams {
		if t.OrgID == org.ID {
			for _, m := range t.Members {
				set[m] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// orgMembers shows all members to members and an empty list to others, because memberships are private by
// default.
func orgMembers(c *call) *reply {
	c.s.Mu.Lock()
	org := c.org()
	var list []any
	if org != nil && (c.s.st.isMember(c.user(), org) || c.user() != nil && c.user().Admin) {
		list = c.view().users(c.s.st.members(org))
	}
	c.s.Mu.Unlock()
	if org == nil {
		return c.notFound()
	}
	return pageOf(c, list, host.Itself)
}

func isOrgMember(c *call) *reply {
	org, u := c.org(), c.s.st.user(c.Vars["username"])
	if org == nil || u == nil || !c.s.st.isMember(u, org) || c.user() == nil || !c.s.st.isMember(c.user(), org) {
		return notFoundAt(c.s.Base)
	}
	return host.NoContent()
}

func orgPermissions(c *call) *reply {
	org, u := c.org(), c.s.st.user(c.Vars["username"])
	if org == nil || u == nil {
		return notFoundAt(c.s.Base)
	}
	owner, member := c.s.st.isOwner(u, org), c.s.st.isMember(u, org)
	return ok(obj{"is_owner": owner, "is_admin": owner, "can_write": owner || member, "can_read": owner ||
		member, "can_create_repository": owner})
}

func listCollaborators(c *call) *reply {
	c.s.Mu.Lock()
	list := c.view().users(slices.Sorted(maps.Keys(c.repo.Collaborators)))
	c.s.Mu.Unlock()
	return countedPage(c, list, host.Itself)
}

func isCollaborator(c *call) *reply {
	u := c.s.st.user(c.Vars["username"])
	switch {
	case u == nil:
		return host.JSON(http.StatusUnprocessableEntity, obj{"message": "user does not exist", "url": c.s.Base + "/api/swagger"})
	case c.repo.Collaborators[u.Login] == "":
		return notFoundAt(c.s.Base)
	}
	return host.NoContent()
}

func addCollaborator(c *call) *reply {
	in := struct {
		Permission string `json:"permission"`
	}{Permission: "write"}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if r := rank[in.Permission]; r == 0 || in.Permission == "owner" {
		return c.invalid("permission: must be read, write or admin")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	u := c.s.st.user(c.Vars["username"])
	if u == nil || u.Org {
		return host.JSON(http.StatusUnprocessableEntity, obj{"message": "user does not exist", "url": c.s.Base + "/api/swagger"})
	}
	c.repo.setCollaborator(u.Login, in.Permission)
	c.wrote("collaborator", "create", u.ID, 0)
	return host.NoContent()
}

func (r *repository) setCollaborator(login, permission string) {
	if permission == "" {
		delete(r.Collaborators, login)
		return
	}
	if r.Collaborators == nil {
		r.Collaborators = map[string]string{}
	}
	r.Collaborators[login] = permission
}

func removeCollaborator(c *call) *reply {
	u := c.s.st.user(c.Vars["username"])
	if u == nil {
		return host.JSON(http.StatusUnprocessableEntity, obj{"message": "user does not exist", "url": c.s.Base + "/api/swagger"})
	}
	c.repo.setCollaborator(u.Login, "")
	c.wrote("collaborator", "delete", u.ID, 0)
	return host.NoContent()
}

// collaboratorPermission answers administrators of the repository, and other callers only about themselves
// (routers/api/v1/repo/collaborators.go).
func collaboratorPermission(c *call) *reply {
	login := c.Vars["username"]
	if c.actor == nil {
		return host.JSON(http.StatusUnauthorized, obj{"message": "token is required", "url": c.s.Base + "/api/swagger"})
	}
	if !strings.EqualFold(login, c.actor.login) && rank[c.s.st.role(c.actor.user, c.repo)] < rank["admin"] {
		return host.JSON(http.StatusForbidden, obj{"message": "Only admins can query all permissions, repo admins can query all repo " +
			"permissions, collaborators can query only their own",
			"url": c.s.Base + "/api/swagger"})
	}
	u := c.s.st.user(login)
	if u == nil {
		return notFoundAt(c.s.Base)
	}
	role := c.s.st.directRole(u, c.repo)
	if c.s.forgejo {
		role = c.s.st.role(u, c.repo)
	}
	return ok(obj{"permission": role, "role_name": role, "user": c.view().user(u.Login)})
}
