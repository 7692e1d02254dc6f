package github

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

func getApp(c *call) *reply {
	o := c.view().app(c.actor.app)
	n := 0
	for _, i := range c.s.st.Installations {
		if i.AppID == c.actor.app.ID {
			n++
		}
	}
	o["installations_count"] = n
	return ok(o)
}

func listInstallations(c *call) *reply {
	c.s.Mu.Lock()
	var list []*installation
	for _, i := range c.s.st.Installations {
		if i.AppID == c.actor.app.ID {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b *installation) int { return int(a.ID - b.ID) })
	v := c.view()
	out := make([]any, len(list))
	for n, i := range list {
		out[n] = v.installation(i)
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

// ownInstallation returns the installation of the path, if it belongs to the calling app. Server.Mu is held.
func (c *call) ownInstallation() *installation {
	if i := c.s.st.Installations[c.Number("installation_id")]; i != nil && i.AppID == c.actor.app.ID {
		return i
	}
	return nil
}

func getInstallation(c *call) *reply {
	if i := c.ownInstallation(); i != nil {
		return ok(c.view().installation(i))
	}
	return notFound()
}

func deleteInstallation(c *call) *reply {
	c.s.Mu.Lock()
	i := c.ownInstallation()
	c.s.Mu.Unlock()
	if i == nil || c.s.Uninstall(c.Ctx, i.ID) != nil {
		return notFound()
	}
	c.wrote("installation", "delete", i.ID, 0)
	return host.NoContent()
}

func repoInstallation(c *call) *reply {
	if c.repo != nil {
		if i := c.s.st.installationFor(c.actor.app.ID, c.repo); i != nil {
			return ok(c.view().installation(i))
		}
	}
	return notFound()
}

func accountInstallation(c *call) *reply {
	for _, i := range c.s.st.Installations {
		if i.AppID == c.actor.app.ID && strings.EqualFold(i.Account, c.Vars["org"]) {
			return ok(c.view().installation(i))
		}
	}
	return notFound()
}

func installationRepositories(c *call) *reply {
	c.s.Mu.Lock()
	i := c.s.st.Installations[c.actor.instID]
	var list []*repository
	for _, r := range c.s.st.Repos {
		if i.covers(r) && c.actor.sees(r.ID) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *repository) int { return int(a.ID - b.ID) })
	v, p := c.view(), c.paging()
	from, to := p.Slice(len(list))
	out := []any{}
	for _, r := range list[from:to] {
		o := v.fullRepository(r, "write")
		delete(o, "organization")
		delete(o, "subscribers_count")
		delete(o, "network_count")
		o["permissions"] = obj{"admin": false, "maintain": false, "push": false, "triage": false, "pull": false}
		out = append(out, o)
	}
	body := ok(obj{"total_count": len(list), "repository_selection": i.selection(), "repositories": out})
	c.s.Mu.Unlock()
	return c.link(body, p, len(list))
}

func getMeta(*call) *reply {
	return ok(obj{"verifiable_password_authentication": false, "hooks": []string{"127.0.0.0/8"}, "git": []string{"127.0.0.0/8"}})
}

func getCurrentUser(c *call) *reply {
	if c.actor.instID != 0 {
		return noAccess()
	}
	return ok(c.view().publicUser(c.actor.user))
}

func getUser(c *call) *reply {
	if u := c.s.st.user(c.Vars["username"]); u != nil {
		return ok(c.view().publicUser(u))
	}
	return notFound()
}

func (v view) publicUser(u *user) obj {
	o := v.user(u.Login).(obj)
	for k, x := range map[string]any{"name": orNil(u.Name), "company": nil, "user_view_type": "public", "blog": "", "location": nil,
		"email": nil, "hireable": nil, "bio": nil,
		"public_repos": 0, "public_gists": 0, "followers": 0, "following": 0, "created_at": u.Created.RFC3339(),
		"updated_at": u.Created.RFC3339()} {
		o[k] = x
	}
	return o
}

// orgRead finds an organisation whose members the caller may read.
func (c *call) orgRead() (*user, *reply) {
	org := c.s.st.user(c.Vars["org"])
	if org == nil || org.Type != "Organization" {
		return nil, notFound()
	}
	if c.actor.instID != 0 {
		i := c.s.st.Installations[c.actor.instID]
		if !strings.EqualFold(i.Account, org.Login) {
			return nil, notFound()
		}
		if !granted(c.actor.perms["members"], "read") {
			return nil, noAccess()
		}
	} else if org.Members[c.actor.login] == "" {
		return nil, notFound()
	}
	return org, nil
}

func listMembers(c *call) *reply {
	c.s.Mu.Lock()
	org, refused := c.orgRead()
	if refused != nil {
		c.s.Mu.Unlock()
		return refused
	}
	v := c.view()
	var logins []string
	for login, role := range org.Members {
		if want := c.Query.Get("role"); want == "" || want == "all" || want == role {
			logins = append(logins, login)
		}
	}
	slices.Sort(logins)
	out := make([]any, len(logins))
	for i, l := range logins {
		out[i] = v.user(l)
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

func getMembership(c *call) *reply {
	org, refused := c.orgRead()
	if refused != nil {
		return refused
	}
	u := c.s.st.user(c.Vars["username"])
	if u == nil || org.Members[u.Login] == "" {
		return notFound()
	}
	v := c.view()
	api := v.api + "/orgs/" + org.Login
	return ok(obj{"url": api + "/memberships/" + u.Login, "state": "active", "role": org.Members[u.Login], "organization_url": api,
		"organization": v.organization(org.Login), "user": v.user(u.Login)})
}

func collaboratorPermission(c *call) *reply {
	u := c.s.st.user(c.Vars["username"])
	if u == nil {
		return notFound()
	}
	role := c.s.st.role(u, c.repo)
	if u.Type == "Bot" {
		role = "none"
	}
	// The old field has only admin, write, read and none (GitHub REST description,
	// repository-collaborator-permission).
	legacy := map[string]string{"maintain": "write", "triage": "read"}[role]
	if legacy == "" {
		legacy = role
	}
	o := c.view().user(u.Login).(obj)
	rank := roleRank[role]
	o["role_name"] = role
	o["permissions"] = obj{"admin": rank >= 5, "maintain": rank >= 4, "push": rank >= 3, "triage": rank >= 2, "pull": rank >= 1}
	return host.JSON(http.StatusOK, obj{"permission": legacy, "role_name": role, "user": o})
}
