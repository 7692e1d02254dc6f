package github

import (
	"encoding/base64"
	"fmt"
	"github.com/assay-dev/assay/sim/host"
	"net/url"
	"strings"
	"time"
)

// view renders objects in the form of the REST interface. It reads the state, so Server.Mu must be held.
type view struct {
	s    *Server
	st   *state
	html string // address of the pages
	api  string // address of the REST interface
}

func (s *Server) view() view {
	return view{s: s, st: s.st, html: s.Base, api: s.Base + "/api/v3"}
}

func (c *call) view() view { return c.s.view() }

// nodeID returns an opaque id of the GraphQL interface: kind prefix and number.
func nodeID(kind string, id int64) string {
	return kind + "_kw" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d", id))
}

// parseNodeID parses an id that nodeID made.
func parseNodeID(kind, id string) (int64, bool) {
	rest, ok := strings.CutPrefix(id, kind+"_kw")
	raw, err := base64.RawURLEncoding.DecodeString(rest)
	if !ok || err != nil {
		return 0, false
	}
	var n int64
	_, err = fmt.Sscanf(string(raw), "%d", &n)
	return n, err == nil
}

func (v view) user(login string) any {
	u := v.st.user(login)
	if u == nil {
		return nil
	}
	base, esc := v.api+"/users/"+url.PathEscape(u.Login), url.PathEscape(u.Login)
	page := v.html + "/" + esc
	if u.Type == "Bot" {
		page = v.html + "/apps/" + url.PathEscape(strings.TrimSuffix(u.Login, "[bot]"))
	}
	return obj{"login": u.Login, "id": u.ID, "node_id": nodeID("U", u.ID), "avatar_url": fmt.Sprintf("%s/_avatars/%d.svg", v.html, u.ID),
		"gravatar_id": "", "url": base, "html_url": page, "followers_url": base + "/followers",
		"following_url": base + "/following{/other_user}", "gists_url": base + "/gists{/gist_id}", "starred_url": base +
			"/starred{/owner}{/repo}",
		"subscriptions_url": base + "/subscriptions", "organizations_url": base + "/orgs", "repos_url": base + "/repos",
		"events_url": base + "/events{/privacy}", "received_events_url": base + "/received_events", "type": u.Type, "site_admin": false}
}

func (v view) organization(login string) any {
	u := v.st.user(login)
	if u == nil || u.Type != "Organization" {
		return nil
	}
	base := v.api + "/orgs/" + url.PathEscape(u.Login)
	return obj{"login": u.Login, "id": u.ID, "node_id": nodeID("O", u.ID), "url": base, "repos_url": base + "/repos",
		"events_url": base + "/events",
		"hooks_url":  base + "/hooks", "issues_url": base + "/issues", "members_url": base + "/members{/member}",
		"public_members_url": base + "/public_members{/member}", "avatar_url": fmt.Sprintf("%s/_avatars/%d.svg", v.html, u.ID), "description": ""}
}

// repoLinks are the address templates of a repository, as suffixes of its API address.
var repoLinks = map[string]string{"forks": "/forks", "keys": "/keys{/key_id}", "collaborators": "/collaborators{/collaborator}",
	"teams": "/teams",
	"hooks": "/hooks", "issue_events": "/issues/events{/number}", "events": "/events", "assignees": "/assignees{/user}",
	"branches": "/branches{/branch}",
	"tags":     "/tags", "blobs": "/git/blobs{/sha}", "git_tags": "/git/tags{/sha}", "git_refs": "/git/refs{/sha}",
	"trees":    "/git/trees{/sha}",
	"statuses": "/statuses/{sha}", "languages": "/languages", "stargazers": "/stargazers", "contributors": "/contributors",
	"subscribers":  "/subscribers",
	"subscription": "/subscription", "commits": "/commits{/sha}", "git_commits": "/git/commits{/sha}", "comments": "/comments{/number}",
	"issue_comment": "/issues/comments{/number}", "contents": "/contents/{+path}", "compare": "/compare/{base}...{head}", "merges": "/merges",
	"archive": "/{archive_format}{/ref}", "downloads": "/downloads", "issues": "/issues{/number}", "pulls": "/pulls{/number}",
	"milestones": "/milestones{/number}", "notifications": "/notifications{?since,all,participating}", "labels": "/labels{/name}",
	"releases": "/releases{/id}", "deployments": "/deployments"}

func (v view) repoAPI(r *repository) string {
	return v.api + "/repos/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name)
}

func (v view) repoHTML(r *repository) string {
	return v.html + "/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name)
}

func (v view) repository(r *repository) obj {
	api, page := v.repoAPI(r), v.repoHTML(r)
	open := 0
	for _, p := range r.Pulls {
		if p.State == "open" {
			open++
		}
	}
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	host := strings.TrimPrefix(strings.TrimPrefix(v.html, "https://"), "http://")
	o := obj{"id": r.ID, "node_id": nodeID("R", r.ID), "name": r.Name, "full_name": r.FullName(), "private": r.Private,
		"owner":    v.user(r.Owner),
		"html_url": page, "description": orNil(r.Description), "fork": false, "url": api, "created_at": r.Created.RFC3339(),
		"updated_at": r.Updated.RFC3339(),
		"pushed_at":  r.Pushed.RFC3339(), "git_url": "git://" + host + "/" + r.FullName() + ".git", "ssh_url": "git@" + host + ":" +
			r.FullName() + ".git",
		"clone_url": page + ".git", "svn_url": page, "homepage": nil, "size": 64, "stargazers_count": 0, "watchers_count": 0, "language": nil,
		"has_issues": true, "has_projects": false, "has_downloads": true, "has_wiki": false, "has_pages": false, "has_discussions": false,
		"forks_count": 0, "mirror_url": nil, "archived": false, "disabled": false, "open_issues_count": open, "license": nil,
		"allow_forking": true,
		"is_template":   false, "web_commit_signoff_required": false, "topics": []string{}, "visibility": visibility, "forks": 0,
		"open_issues": open,
		"watchers":    0, "default_branch": r.DefaultBranch}
	for name, suffix := range repoLinks {
		o[name+"_url"] = api + suffix
	}
	return o
}

// hookRepository returns a repository in the form of webhooks.
func (v view) hookRepository(r *repository) obj {
	o := v.repository(r)
	o["custom_properties"] = obj{}
	return o
}

func (v view) fullRepository(r *repository, role string) obj {
	o := v.repository(r)
	rank := roleRank[role]
	o["permissions"] = obj{"admin": rank >= 5, "maintain": rank >= 4, "push": rank >= 3, "triage": rank >= 2, "pull": rank >= 1}
	o["subscribers_count"], o["network_count"], o["temp_clone_token"] = 0, 0, ""
	for k, b := range map[string]bool{"allow_squash_merge": true, "allow_merge_commit": true, "allow_rebase_merge": true,
		"allow_auto_merge": false, "delete_branch_on_merge": false, "allow_update_branch": false} {
		o[k] = b
	}
	if org := v.organization(r.Owner); org != nil {
		o["organization"] = v.user(r.Owner)
	}
	return o
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (v view) label(r *repository, name string) obj {
	l := r.Labels[strings.ToLower(name)]
	return obj{"id": l.ID, "node_id": nodeID("LA", l.ID), "url": v.repoAPI(r) + "/labels/" + url.PathEscape(l.Name), "name": l.Name,
		"color": l.Color, "default": false, "description": ""}
}

// association returns the author_association of a user in a repository.
func (v view) association(r *repository, login string) string {
	u := v.st.user(login)
	switch {
	case u == nil || u.Type == "Bot":
		return "NONE"
	case strings.EqualFold(u.Login, r.Owner):
		return "OWNER"
	}
	if owner := v.st.user(r.Owner); owner != nil && owner.Members[u.Login] != "" {
		return "MEMBER"
	}
	if _, is := r.Collaborators[u.Login]; is {
		return "COLLABORATOR"
	}
	for _, p := range r.Pulls {
		if p.Merged != 0 && p.Author == u.Login {
			return "CONTRIBUTOR"
		}
	}
	return "NONE"
}

// pullAssociation returns the author_association of a pull request. Only an author of pull requests, not a
// mere commenter, can be a first-time contributor.
func (v view) pullAssociation(r *repository, p *pull) string {
	u, is := v.st.user(p.Author), v.association(r, p.Author)
	if is == "NONE" && u != nil && u.Type != "Bot" {
		return "FIRST_TIME_CONTRIBUTOR"
	}
	return is
}

// head returns the place of a pull request's head: the repository, or the author's fork of it.
func (p *pull) head(v view, r *repository) (owner string, repo obj) {
	if p.Fork == "" {
		return r.Owner, v.hookRepository(r)
	}
	fork := *r
	fork.ID, fork.Owner, fork.Pulls = p.ForkID, p.Fork, nil
	repo = v.hookRepository(&fork)
	repo["fork"] = true
	return p.Fork, repo
}

// pullStats are the figures of a pull request from git.
type pullStats struct {
	MergeBase                            string
	Commits, Additions, Deletions, Files int
}

// simplePull returns a pull request in the form of lists.
func (v view) simplePull(r *repository, p *pull) obj {
	api, page := fmt.Sprintf("%s/pulls/%d", v.repoAPI(r), p.Number), fmt.Sprintf("%s/pull/%d", v.repoHTML(r), p.Number)
	issue := fmt.Sprintf("%s/issues/%d", v.repoAPI(r), p.Number)
	labels, reviewers := []any{}, []any{}
	for _, l := range p.Labels {
		labels = append(labels, v.label(r, l))
	}
	for _, u := range p.Requested {
		reviewers = append(reviewers, v.user(u))
	}
	side := func(owner, ref, sha string, repo obj) obj {
		return obj{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": v.user(owner), "repo": repo}
	}
	headOwner, headRepo := p.head(v, r)
	href := func(u string) obj { return obj{"href": u} }
	one := v.repoAPI(r) + "/pulls/comments{/number}"
	statuses := v.repoAPI(r) + "/statuses/" + p.HeadSHA
	return obj{"url": api, "id": p.ID, "node_id": nodeID("PR", p.ID), "html_url": page, "diff_url": page + ".diff", "patch_url": page +
		".patch",
		"issue_url": issue, "number": p.Number, "state": p.State, "locked": false, "title": p.Title, "user": v.user(p.Author),
		"body":       orNil(p.Body),
		"created_at": p.Created.RFC3339(), "updated_at": p.Updated.RFC3339(), "closed_at": p.Closed.RFC3339(), "merged_at": p.Merged.RFC3339(),
		"merge_commit_sha": orNil(p.MergeSHA), "assignee": nil, "assignees": []any{}, "requested_reviewers": reviewers,
		"requested_teams": []any{},
		"labels":          labels, "milestone": nil, "draft": p.Draft, "commits_url": api + "/commits", "review_comments_url": api + "/comments",
		"review_comment_url": one, "comments_url": issue + "/comments", "statuses_url": statuses,
		"head": side(headOwner, p.Head, p.HeadSHA, headRepo), "base": side(r.Owner, p.BaseRef, p.BaseSHA, v.hookRepository(r)),
		"_links": obj{"self": href(api), "html": href(page), "issue": href(issue), "comments": href(issue + "/comments"),
			"review_comments": href(api + "/comments"), "review_comment": href(one), "commits": href(api + "/commits"), "statuses": href(statuses)},
		"author_association": v.pullAssociation(r, p), "auto_merge": nil, "active_lock_reason": nil}
}

// pull returns a pull request with all its fields.
func (v view) pull(r *repository, p *pull, n pullStats) obj {
	o := v.simplePull(r, p)
	comments := 0
	for _, c := range p.Comments {
		if !p.pending(c) {
			comments++
		}
	}
	o["merged"], o["merged_by"] = p.Merged != 0, v.user(p.MergedBy)
	o["mergeable"], o["rebaseable"], o["mergeable_state"] = nil, nil, "unknown"
	if p.State == "open" {
		o["mergeable"], o["rebaseable"], o["mergeable_state"] = true, true, "clean"
		if p.Draft {
			o["mergeable_state"] = "draft"
		}
	}
	o["comments"], o["review_comments"], o["maintainer_can_modify"] = len(p.IssueComments), comments, false
	o["commits"], o["additions"], o["deletions"], o["changed_files"] = n.Commits, n.Additions, n.Deletions, n.Files
	return o
}

func (v view) pullURL(r *repository, p *pull) (api, page string) {
	return fmt.Sprintf("%s/pulls/%d", v.repoAPI(r), p.Number), fmt.Sprintf("%s/pull/%d", v.repoHTML(r), p.Number)
}

func (v view) review(r *repository, p *pull, rv *review) obj {
	api, page := v.pullURL(r, p)
	page = fmt.Sprintf("%s#pullrequestreview-%d", page, rv.ID)
	o := obj{"id": rv.ID, "node_id": nodeID("PRR", rv.ID), "user": v.user(rv.User), "body": rv.Body, "state": rv.State, "html_url": page,
		"pull_request_url": api, "author_association": v.association(r, rv.User), "commit_id": orNil(rv.CommitID),
		"_links": obj{"html": obj{"href": page}, "pull_request": obj{"href": api}}}
	if rv.Submitted != 0 {
		o["submitted_at"] = rv.Submitted.RFC3339()
	}
	return o
}

func (v view) reactions(at string, list host.Reactions) obj {
	o := obj{"url": at + "/reactions", "total_count": len(list)}
	for _, k := range reactionKinds {
		o[k] = 0
	}
	for _, x := range list {
		o[x.Content] = o[x.Content].(int) + 1
	}
	return o
}

func (v view) reviewComment(r *repository, p *pull, c *reviewComment, at placement) obj {
	pr, page := v.pullURL(r, p)
	api := fmt.Sprintf("%s/pulls/comments/%d", v.repoAPI(r), c.ID)
	page = fmt.Sprintf("%s#discussion_r%d", page, c.ID)
	o := obj{"url": api, "pull_request_review_id": c.ReviewID, "id": c.ID, "node_id": nodeID("PRRC", c.ID), "diff_hunk": c.DiffHunk,
		"path":      c.Path,
		"commit_id": at.CommitID, "original_commit_id": c.CommitID, "user": v.user(c.User), "body": c.Body, "created_at": c.Created.RFC3339(),
		"updated_at": c.Updated.RFC3339(), "html_url": page, "pull_request_url": pr, "author_association": v.association(r, c.User),
		"_links":    obj{"self": obj{"href": api}, "html": obj{"href": page}, "pull_request": obj{"href": pr}},
		"reactions": v.reactions(api, c.Reactions), "subject_type": c.SubjectType, "side": c.Side,
		"line": number(at.Line), "original_line": number(c.Line), "start_line": number(at.StartLine), "original_start_line": number(c.StartLine),
		"start_side": orNil(c.StartSide), "position": number(at.Position), "original_position": number(c.Position)}
	if c.SubjectType == "file" {
		o["position"], o["original_position"], o["line"], o["original_line"] = 1, 1, nil, nil
	}
	if c.InReplyTo != 0 {
		o["in_reply_to_id"] = c.InReplyTo
	}
	return o
}

func number(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (v view) issueComment(r *repository, p *pull, c *issueComment) obj {
	_, page := v.pullURL(r, p)
	api := fmt.Sprintf("%s/issues/comments/%d", v.repoAPI(r), c.ID)
	var via any
	if a := v.st.Apps[c.AppID]; a != nil {
		via = v.app(a)
	}
	return obj{"url": api, "html_url": fmt.Sprintf("%s#issuecomment-%d", page, c.ID),
		"issue_url": fmt.Sprintf("%s/issues/%d", v.repoAPI(r), p.Number),
		"id":        c.ID, "node_id": nodeID("IC", c.ID), "user": v.user(c.User), "created_at": c.Created.RFC3339(),
		"updated_at":         c.Updated.RFC3339(),
		"author_association": v.association(r, c.User), "body": c.Body, "reactions": v.reactions(api, c.Reactions),
		"performed_via_github_app": via}
}

func (v view) app(a *app) obj {
	return obj{"id": a.ID, "client_id": a.ClientID, "slug": a.Slug, "node_id": nodeID("A", a.ID), "owner": v.user(a.OwnerLogin),
		"name":        a.Name,
		"description": "", "external_url": v.html + "/apps/" + a.Slug, "html_url": v.html + "/apps/" + a.Slug,
		"created_at": a.Created.RFC3339(), "updated_at": a.Updated.RFC3339(), "permissions": a.Permissions, "events": a.Events}
}

func (v view) installation(i *installation) obj {
	a := v.st.Apps[i.AppID]
	u := v.st.user(i.Account)
	api := fmt.Sprintf("%s/app/installations/%d", v.api, i.ID)
	var by any
	if i.SuspendedAt != 0 {
		by = v.user(i.SuspendedBy)
	}
	return obj{"id": i.ID, "account": v.user(i.Account), "repository_selection": i.selection(), "access_tokens_url": api + "/access_tokens",
		"repositories_url": v.api + "/installation/repositories", "html_url": fmt.Sprintf("%s/organizations/%s/settings/installations/%d",
			v.html, url.PathEscape(u.Login), i.ID),
		"app_id": a.ID, "app_slug": a.Slug, "target_id": u.ID, "target_type": u.Type, "permissions": i.Permissions, "events": i.Events,
		"created_at": i.Created.RFC3339(), "updated_at": i.Updated.RFC3339(), "single_file_name": nil, "has_multiple_single_files": false,
		"single_file_paths": []string{}, "suspended_by": by, "suspended_at": i.SuspendedAt.RFC3339()}
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
