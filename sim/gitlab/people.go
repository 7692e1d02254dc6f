package gitlab

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// view renders objects in the form of the interface; Server.Mu must be held.
type view struct {
	s *Server
}

func (s *Server) view() view { return view{s} }

// user renders an account inside another object.
func (v view) user(id int64) obj {
	u := v.s.st.Users[id]
	if u == nil {
		u = &user{ID: 1, Login: "ghost", Name: "Ghost User"}
	}
	state := "active"
	if u.Blocked {
		state = "blocked"
	}
	return obj{"id": u.ID, "username": u.Login, "public_email": "", "name": u.Name, "state": state, "locked": false, "avatar_url": nil,
		"web_url": v.s.Base + "/" + u.Login}
}

// whole renders a requested account.
func (v view) whole(u *user) obj {
	o := v.user(u.ID)
	o["bot"], o["created_at"] = u.Bot, stamp(u.Created)
	return o
}

func currentUser(c *call) *reply {
	return ok(c.s.view().whole(c.actor.user))
}

// listUsers is GET /users with the parameters username and search.
func listUsers(c *call) *reply {
	c.s.Mu.Lock()
	list := host.Newest(c.s.st.Users)
	name, search := c.Query.Get("username"), strings.ToLower(c.Query.Get("search"))
	var out []any
	for _, u := range list {
		if name != "" && !strings.EqualFold(u.Login, name) || !strings.Contains(strings.ToLower(u.Login), search) {
			continue
		}
		out = append(out, c.s.view().user(u.ID))
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, host.Itself)
}

func getUser(c *call) *reply {
	u := c.s.st.Users[c.Number("user_id")]
	if u == nil {
		return notFound("User")
	}
	return ok(c.s.view().whole(u))
}

// group finds the group of the path by id or full path; Server.Mu is held.
func (c *call) group() *group {
	if id := c.Number("group"); id != 0 {
		return c.s.st.Groups[id]
	}
	return c.s.st.group(c.Vars["group"])
}

// seesGroup reports whether the caller may see a group. Groups are private here, and visible to accounts with
// access to anything in them.
func (c *call) seesGroup(g *group) bool {
	if c.actor == nil {
		return false
	}
	u := c.actor.user
	if u.Admin || c.s.st.groupLevel(u, g.Path) > 0 {
		return true
	}
	for _, p := range c.s.st.Projects {
		if (strings.HasPrefix(p.FullPath(), g.Path+"/") || p.Shares[g.ID] > 0) && c.s.st.level(u, p) > 0 {
			return true
		}
	}
	return false
}

func getGroup(c *call) *reply {
	g := c.group()
	if g == nil || !c.seesGroup(g) {
		return notFound("Group")
	}
	return ok(obj{"id": g.ID, "name": g.Name, "path": g.Path[strings.LastIndexByte(g.Path, '/')+1:], "full_path": g.Path,
		"full_name": g.Name, "visibility": "private",
		"web_url": c.s.Base + "/groups/" + g.Path, "parent_id": c.s.st.parent(g), "created_at": stamp(g.Created)})
}

// parent returns the id of the group above; nil for a top group.
func (st *state) parent(g *group) any {
	at := strings.LastIndexByte(g.Path, '/')
	if at < 0 {
		return nil
	}
	if above := st.group(g.Path[:at]); above != nil {
		return above.ID
	}
	return nil
}

// members answers one page of people with their levels.
func (c *call) members(levels map[int64]int) *reply {
	type entry struct {
		id    int64
		level int
	}
	var list []entry
	for id, level := range levels {
		if level > 0 {
			list = append(list, entry{id, level})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	return pageOf(c, list, func(e entry) any {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return c.s.view().member(e.id, e.level)
	})
}

func (v view) member(id int64, level int) obj {
	o := v.user(id)
	o["access_level"], o["expires_at"], o["created_at"], o["membership_state"] = level, nil, stamp(v.s.NowMicros()), "active"
	return o
}

// levelsOf returns the levels of all members of a group, from this group or one above; Server.Mu is held.
func (st *state) levelsOf(path string, more map[int64]int) map[int64]int {
	out := map[int64]int{}
	for id, u := range st.Users {
		if level := max(st.groupLevel(u, path), more[id]); level > 0 {
			out[id] = level
		}
	}
	return out
}

func groupMembers(c *call) *reply {
	c.s.Mu.Lock()
	g := c.group()
	if g == nil || !c.seesGroup(g) {
		c.s.Mu.Unlock()
		return notFound("Group")
	}
	levels := c.s.st.levelsOf(g.Path, nil)
	c.s.Mu.Unlock()
	return c.members(levels)
}

func groupMember(c *call) *reply {
	g := c.group()
	if g == nil || !c.seesGroup(g) {
		return notFound("Group")
	}
	return c.oneMember(c.s.st.levelsOf(g.Path, nil))
}

// oneMember answers with the person of the path; Server.Mu is held.
func (c *call) oneMember(levels map[int64]int) *reply {
	id := c.Number("user_id")
	if levels[id] == 0 {
		return failure(http.StatusNotFound, "404 Not found")
	}
	return ok(c.s.view().member(id, levels[id]))
}

// projectLevels returns the levels of all members of a project, also through a group with which it is shared,
// because the host reports effective rights (gitlab-org/gitlab, app/finders/members_finder.rb:
// member_columns). Server.Mu is held.
func (st *state) projectLevels(p *project) map[int64]int {
	levels := st.levelsOf(p.Namespace, p.Members)
	for id, u := range st.Users {
		if level := st.level(u, p); level > 0 && (!u.Admin || levels[id] > 0) {
			levels[id] = level
		}
	}
	return levels
}

func projectMembers(c *call) *reply {
	c.s.Mu.Lock()
	levels := c.s.st.projectLevels(c.project)
	c.s.Mu.Unlock()
	return c.members(levels)
}

func projectMember(c *call) *reply {
	return c.oneMember(c.s.st.projectLevels(c.project))
}

// project renders a project.
func (v view) project(p *project) obj {
	visibility := "public"
	if p.Private {
		visibility = "private"
	}
	kind, nsID, url := "user", int64(0), v.s.Base+"/"+p.FullPath()
	if g := v.s.st.group(p.Namespace); g != nil {
		kind, nsID = "group", g.ID
	} else if u := v.s.st.user(p.Namespace); u != nil {
		nsID = u.ID
	}
	o := obj{"id": p.ID, "name": p.Path, "path": p.Path, "path_with_namespace": p.FullPath(),
		"name_with_namespace": strings.ReplaceAll(p.FullPath(), "/", " / "),
		"description":         p.Description, "default_branch": p.DefaultBranch,
		"only_allow_merge_if_pipeline_succeeds": len(p.Required) > 0, "visibility": visibility, "archived": p.Archived,
		"web_url": url, "http_url_to_repo": url + ".git",
		"created_at": stamp(p.Created), "last_activity_at": stamp(p.Updated), "repository_access_level": "enabled",
		"merge_requests_access_level": "enabled",
		"namespace": obj{"id": nsID, "kind": kind, "full_path": p.Namespace,
			"path": p.Namespace[strings.LastIndexByte(p.Namespace, '/')+1:], "name": p.Namespace}}
	shares := []any{}
	for _, id := range slices.Sorted(maps.Keys(p.Shares)) {
		if g := v.s.st.Groups[id]; g != nil {
			shares = append(shares, obj{"group_id": id, "group_name": g.Name, "group_full_path": g.Path, "group_access_level": p.Shares[id],
				"expires_at": nil})
		}
	}
	o["shared_with_groups"] = shares
	if parent := v.s.st.Projects[p.ForkOf]; parent != nil {
		o["forked_from_project"] = obj{"id": parent.ID, "path_with_namespace": parent.FullPath()}
	}
	return o
}

// permissions renders a project with the caller's permissions, for a single project or a list that is not a
// group's. groups returns the caller's level through groups: for a single project the highest one, in a list
// only that of the group with the project (lib/api/entities/project_with_access.rb of gitlab-org/gitlab).
func (c *call) permissions(p *project, groups func(u *user, path string) int) obj {
	o := c.s.view().project(p)
	if c.actor == nil {
		return o
	}
	access := func(level int) any {
		if level == 0 {
			return nil
		}
		return obj{"access_level": level, "notification_level": 3}
	}
	u := c.actor.user
	o["permissions"] = obj{"project_access": access(p.Members[u.ID]), "group_access": access(groups(u, p.Namespace))}
	return o
}

// direct returns a person's level in a group itself; Server.Mu is held.
func (st *state) direct(u *user, path string) int {
	if g := st.group(path); g != nil {
		return g.Members[u.ID]
	}
	return 0
}

func getProject(c *call) *reply {
	return ok(c.permissions(c.project, c.s.st.groupLevel))
}

// projectsWhere answers one page of the projects that the caller sees, by id, rendered by show.
func (c *call) projectsWhere(keep func(*project) bool, show func(*project) obj) *reply {
	c.s.Mu.Lock()
	var u *user
	if c.actor != nil {
		u = c.actor.user
	}
	var list []*project
	before := func(a, b *project) int { return cmp.Compare(a.ID, b.ID) }
	if c.Query.Get("order_by") == "created_at" { // newest first by default
		before = func(a, b *project) int {
			if c.Query.Get("sort") != "asc" {
				a, b = b, a
			}
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		}
	}
	for _, p := range slices.SortedFunc(maps.Values(c.s.st.Projects), before) {
		sees, _ := c.s.st.sees(u, p)
		archived := c.Query.Get("archived")
		level, _ := strconv.Atoi(c.Query.Get("min_access_level"))
		after, _ := strconv.ParseInt(c.Query.Get("id_after"), 10, 64)
		if p.ID > after && sees && keep(p) && (archived == "" || archived == strconv.FormatBool(p.Archived)) && c.s.st.level(u, p) >= level {
			list = append(list, p)
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, func(p *project) any {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return show(p)
	})
}

// listed renders a project in a list that is not a group's.
func (c *call) listed(p *project) obj { return c.permissions(p, c.s.st.direct) }

func listProjects(c *call) *reply {
	return c.projectsWhere(func(p *project) bool {
		return c.Query.Get("membership") != "true" || c.actor != nil && c.s.st.level(c.actor.user, p) > 0
	}, c.listed)
}

func userProjects(c *call) *reply {
	c.s.Mu.Lock()
	u := c.s.st.Users[c.Number("user_id")]
	if u == nil {
		u = c.s.st.user(c.Vars["user_id"])
	}
	c.s.Mu.Unlock()
	if u == nil {
		return notFound("User")
	}
	return c.projectsWhere(func(p *project) bool { return strings.EqualFold(p.Namespace, u.Login) }, c.listed)
}

// groupProjects is GET /groups/{group}/projects, which omits the caller's permissions (lib/api/groups.rb of
// gitlab-org/gitlab, present_projects).
func groupProjects(c *call) *reply {
	c.s.Mu.Lock()
	g := c.group()
	seen := g != nil && c.seesGroup(g)
	c.s.Mu.Unlock()
	if !seen {
		return notFound("Group")
	}
	below := c.Query.Get("include_subgroups") == "true"
	return c.projectsWhere(func(p *project) bool {
		return strings.EqualFold(p.Namespace, g.Path) || p.Shares[g.ID] > 0 && c.Query.Get("with_shared") != "false" || below &&
			strings.HasPrefix(strings.ToLower(p.Namespace), strings.ToLower(g.Path)+"/")
	}, c.s.view().project)
}
