package gitea

import (
	"maps"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// teamsWhere lists teams by id; Server.Mu is held.
func (st *state) teamsWhere(keep func(*team) bool) []*team {
	return host.Without(host.ByKey(st.Teams), func(t *team) bool { return !keep(t) })
}

func (c *call) teams(keep func(*team) bool) *reply {
	c.s.Mu.Lock()
	var list []any
	for _, t := range c.s.st.teamsWhere(keep) {
		list = append(list, c.view().team(t))
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, host.Itself)
}

func userTeams(c *call) *reply {
	return c.teams(func(t *team) bool { return t.has(c.actor.login) })
}

func orgTeams(c *call) *reply {
	c.s.Mu.Lock()
	org := c.org()
	inside := org != nil && (c.s.st.isMember(c.actor.user, org) || c.actor.user.Admin)
	c.s.Mu.Unlock()
	switch {
	case org == nil:
		return c.notFound()
	case !inside:
		return c.fail(http.StatusForbidden, "Must be an organization member")
	}
	return c.teams(func(t *team) bool { return t.OrgID == org.ID })
}

func repoTeams(c *call) *reply {
	c.s.Mu.Lock()
	owner := c.s.st.user(c.repo.Owner)
	c.s.Mu.Unlock()
	if owner == nil || !owner.Org {
		return c.fail(http.StatusMethodNotAllowed, "repo is not owned by an organization")
	}
	return c.teams(func(t *team) bool { return t.OrgID == owner.ID && t.covers(c.repo) })
}

func (c *call) team() *team {
	t := c.s.st.Teams[c.Number("id")]
	if t == nil {
		return nil
	}
	org := c.s.st.userByID(t.OrgID)
	if org == nil || !c.s.st.isMember(c.actor.user, org) && !c.actor.user.Admin {
		return nil
	}
	return t
}

func getTeam(c *call) *reply {
	if t := c.team(); t != nil {
		return ok(c.view().team(t))
	}
	return notFoundAt(c.s.Base)
}

// requireTeamAccess refuses a caller who is neither a member of the team nor an owner of its organisation
// (reqTeamMembership of Gitea); Server.Mu is held.
func (c *call) requireTeamAccess(t *team) *reply {
	switch {
	case t == nil:
		return notFoundAt(c.s.Base)
	case !t.has(c.actor.login) && !c.s.st.isOwner(c.actor.user, c.s.st.userByID(t.OrgID)):
		return host.JSON(http.StatusForbidden, obj{"message": "Must be a team member", "url": c.s.Base + "/api/swagger"})
	}
	return nil
}

func teamMembers(c *call) *reply {
	c.s.Mu.Lock()
	t := c.team()
	refused := c.requireTeamAccess(t)
	var list []any
	if refused == nil {
		list = c.view().users(t.Members)
	}
	c.s.Mu.Unlock()
	if refused != nil {
		return refused
	}
	return countedPage(c, list, host.Itself)
}

func teamMember(c *call) *reply {
	t, u := c.team(), c.s.st.user(c.Vars["username"])
	if refused := c.requireTeamAccess(t); refused != nil {
		return refused
	}
	if u == nil || !t.has(u.Login) {
		return notFoundAt(c.s.Base)
	}
	return ok(c.view().user(u.Login))
}

// assignees lists the people who may write, and all members of the repository's teams, because each simulated
// team may at least read issues (GetRepoAssignees of Gitea).
func assignees(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	owner := c.s.st.user(c.repo.Owner)
	set := map[string]bool{}
	for login, role := range c.repo.Collaborators {
		set[login] = rank[role] >= rank["write"]
	}
	for _, t := range c.s.st.teamsWhere(func(t *team) bool { return owner.Org && t.OrgID == owner.ID && t.covers(c.repo) }) {
		for _, login := range t.Members {
			set[login] = true
		}
	}
	set[owner.Login] = !owner.Org
	return ok(c.view().users(slices.DeleteFunc(slices.Sorted(maps.Keys(set)), func(login string) bool { return !set[login] })))
}

func teamRepos(c *call) *reply {
	c.s.Mu.Lock()
	t := c.team()
	c.s.Mu.Unlock()
	if t == nil {
		return c.notFound()
	}
	return c.repos(func(r *repository, _ string) bool {
		owner := c.s.st.user(r.Owner)
		return owner != nil && owner.ID == t.OrgID && t.covers(r)
	})
}
