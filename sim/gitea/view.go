package gitea

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

// view renders objects in the form of the REST interface and of webhooks (definitions of the Swagger
// description). It reads the state, so Server.Mu must be held.
type view struct {
	s    *Server
	st   *state
	html string // address of the pages
	api  string // address of the REST interface
}

func (s *Server) view() view { return view{s: s, st: s.st, html: s.Base, api: s.Base + apiPrefix} }

func (c *call) view() view { return c.s.view() }

// zeroTime is the host's text for a missing time.
const zeroTime = "0001-01-01T00:00:00Z"

func timeOf(m micros) string {
	if m == 0 {
		return zeroTime
	}
	return m.Time().Format(time.RFC3339)
}

const emailDomain = "noreply.gitea.example"

// user renders an account; a deleted one becomes the ghost.
func (v view) user(login string) any {
	if login == "" {
		return nil
	}
	u := v.st.user(login)
	switch {
	case u == nil && login == actionsUser:
		u = &user{ID: -2, Login: actionsUser}
	case u == nil:
		u = &user{ID: -1, Login: "Ghost"}
	}
	return obj{"id": u.ID, "login": u.Login, "login_name": "", "source_id": 0, "full_name": u.Name, "email": strings.ToLower(u.Login) +
		"@" + emailDomain,
		"avatar_url": fmt.Sprintf("%s/_avatars/%d.svg", v.html, u.ID), "html_url": v.html + "/" + u.Login, "language": "", "is_admin": u.Admin,
		"last_login": zeroTime, "created": timeOf(u.Created), "restricted": false, "active": true, "prohibit_login": u.Blocked,
		"location": "", "website": "",
		"description": "", "visibility": "public", "followers_count": 0, "following_count": 0, "starred_repos_count": 0, "username": u.Login}
}

func (v view) users(logins []string) []any {
	return host.RenderAll(logins, func(l string) any { return v.user(l) })
}

func (v view) organization(u *user) obj {
	return obj{"id": u.ID, "name": u.Login, "full_name": u.Name, "email": "",
		"avatar_url": fmt.Sprintf("%s/_avatars/%d.svg", v.html, u.ID), "description": "",
		"website": "", "location": "", "visibility": "public", "repo_admin_change_team_access": true, "username": u.Login}
}

// units are the parts of a repository that a team may have access to.
var units = []string{"repo.code", "repo.issues", "repo.pulls", "repo.releases", "repo.wiki", "repo.ext_wiki", "repo.ext_issues",
	"repo.projects", "repo.packages", "repo.actions"}

func (v view) team(t *team) obj {
	each, word := obj{}, t.Permission
	for _, u := range units {
		each[u] = t.Permission
	}
	if t.byUnit() && !v.s.forgejo {
		word = "none"
	}
	o := obj{"id": t.ID, "name": t.Name, "description": "", "includes_all_repositories": t.All, "permission": word, "units": units,
		"units_map":           each,
		"can_create_org_repo": t.Permission == "owner", "organization": nil}
	if org := v.st.userByID(t.OrgID); org != nil {
		o["organization"] = v.organization(org)
	}
	return o
}

func (v view) repoHTML(r *repository) string {
	return v.html + "/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name)
}

func (v view) repoAPI(r *repository) string {
	return v.api + "/repos/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name)
}

func permission(role string) obj {
	return obj{"admin": rank[role] >= rank["admin"], "push": rank[role] >= rank["write"], "pull": rank[role] >= rank["read"]}
}

// repository renders a repository with the rights of a role.
func (v view) repository(r *repository, role string) obj {
	open := 0
	for _, p := range r.Pulls {
		if p.State == "open" {
			open++
		}
	}
	page := v.repoHTML(r)
	o := obj{"id": r.ID, "owner": v.user(r.Owner), "name": r.Name, "full_name": r.FullName(), "description": r.Description,
		"empty": false, "private": r.Private,
		"fork": r.ForkOf != 0, "template": false, "mirror": false, "size": 24, "language": "", "languages_url": v.repoAPI(r) +
			"/languages", "html_url": page,
		"url": v.repoAPI(r), "link": "", "ssh_url": "git@" + strings.TrimPrefix(strings.TrimPrefix(v.html, "http://"), "https://") + ":" +
			r.FullName() + ".git",
		"clone_url": page + ".git", "original_url": "", "website": "", "stars_count": 0, "forks_count": 0, "watchers_count": 1,
		"open_issues_count": 0,
		"open_pr_counter":   open, "release_counter": 0, "default_branch": r.DefaultBranch, "archived": r.Archived,
		"created_at": timeOf(r.Created),
		"updated_at": timeOf(r.Updated), "archived_at": "1970-01-01T00:00:00Z", "permissions": permission(role), "has_code": true,
		"has_issues":       true,
		"internal_tracker": obj{"enable_time_tracker": true, "allow_only_contributors_to_track_time": true, "enable_issue_dependencies": true},
		"has_wiki":         true, "has_pull_requests": true, "has_projects": true, "projects_mode": "all", "has_releases": true,
		"has_packages": true, "has_actions": true,
		"ignore_whitespace_conflicts": false, "allow_merge_commits": true, "allow_rebase": true, "allow_rebase_explicit": true,
		"allow_squash_merge":            true,
		"allow_fast_forward_only_merge": true, "allow_rebase_update": true, "allow_manual_merge": false, "autodetect_manual_merge": false,
		"default_delete_branch_after_merge": false, "default_merge_style": "merge", "default_allow_maintainer_edit": false,
		"avatar_url": "", "internal": false,
		"mirror_interval": "", "object_format_name": "sha1", "mirror_updated": zeroTime, "topics": []any{}, "licenses": []any{}}
	o["parent"] = nil
	if parent := v.st.Repos[r.ForkOf]; parent != nil {
		o["parent"] = v.repository(parent, role)
	}
	return o
}

func (v view) label(r *repository, l *label) obj {
	return obj{"id": l.ID, "name": l.Name, "exclusive": false, "is_archived": false, "color": l.Color, "description": l.Description,
		"url": fmt.Sprintf("%s/labels/%d", v.repoAPI(r), l.ID)}
}

func (v view) orgLabel(org *user, l *label) obj {
	return obj{"id": l.ID, "name": l.Name, "exclusive": false, "is_archived": false, "color": l.Color, "description": l.Description,
		"url": fmt.Sprintf("%s/orgs/%s/labels/%d", v.api, org.Login, l.ID)}
}

func (v view) labels(r *repository, p *pull) []any {
	out := []any{}
	for _, l := range v.st.labels(r) {
		for _, id := range p.Labels {
			if l.ID == id {
				out = append(out, v.label(r, l))
			}
		}
	}
	return out
}

func (v view) status(r *repository, x *status) obj {
	return obj{"id": x.ID, "status": x.State, "target_url": x.TargetURL, "description": x.Description, "context": x.Context,
		"creator": v.user(x.Creator),
		"url":     fmt.Sprintf("%s/statuses/%s", v.repoAPI(r), x.SHA), "created_at": timeOf(x.Created), "updated_at": timeOf(x.Updated)}
}

func (v view) hook(h *hook) obj {
	return obj{"id": h.ID, "type": strings.ToLower(v.s.Product()), "branch_filter": h.BranchFilter,
		"config": obj{"content_type": h.ContentType, "url": h.URL}, "name": "",
		"events": h.Events, "authorization_header": h.Authorization, "active": h.Active, "updated_at": timeOf(h.Updated),
		"created_at": timeOf(h.Created)}
}

// product returns the name of the host.
func (s *Server) product() string {
	if s.forgejo {
		return "Forgejo"
	}
	return "Gitea"
}

// Versions that the simulator reports. Forgejo's version contains that of the compatible Gitea.
const (
	giteaVersion   = "1.26.4"
	forgejoVersion = "10.0.0+gitea-1.22.0"
)

func (s *Server) version() string {
	if s.forgejo {
		return forgejoVersion
	}
	return giteaVersion
}
