package bitbucket

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// millis returns a time of Data Center.
func millis(m micros) int64 { return int64(m) / 1000 }

// slugOf returns the slug of a login.
func slugOf(login string) string { return strings.ToLower(login) }

func (v view) dcAccount(id int64) obj {
	u := v.st.userByID(id)
	if u == nil {
		return obj{"id": id, "name": "former", "slug": "former", "displayName": "Former user", "active": false, "type": "NORMAL"}
	}
	kind := "NORMAL"
	if u.App {
		kind = "SERVICE"
	}
	return obj{"id": u.ID, "name": u.Login, "slug": slugOf(u.Login), "displayName": u.Name, "emailAddress": u.Email, "active": !u.Blocked,
		"type": kind, "links": selfLinks(v.base + "/users/" + slugOf(u.Login))}
}

func selfLinks(address string) obj { return obj{"self": []any{obj{"href": address}}} }

// keyOf returns the key of an account's project.
func keyOf(u *user) string {
	if u.Org {
		return u.Login
	}
	return "~" + u.Login
}

func (v view) dcProject(u *user) obj {
	o := obj{"id": u.ID, "key": keyOf(u), "name": u.Name, "public": false, "type": "NORMAL",
		"links": selfLinks(v.base + "/projects/" + keyOf(u))}
	if !u.Org {
		o["type"], o["owner"] = "PERSONAL", v.dcAccount(u.ID)
	}
	return o
}

// dcPage returns the page of a repository.
func (v view) dcPage(r *repository) string {
	return v.base + "/projects/" + keyOf(v.st.userByID(r.OwnerID)) + "/repos/" + r.Name
}

func (v view) dcRepository(r *repository) obj {
	o := obj{"id": r.ID, "slug": r.Name, "name": r.Name, "hierarchyId": fmt.Sprintf("%020x", r.ID), "scmId": "git", "state": "AVAILABLE",
		"statusMessage": "Available", "forkable": true, "project": v.dcProject(v.st.userByID(r.OwnerID)), "public": !r.Private,
		"archived": false,
		"links": obj{"clone": []any{obj{"href": v.base + "/scm/" + strings.ToLower(keyOf(v.st.userByID(r.OwnerID))+"/"+r.Name) + ".git",
			"name": "http"}}, "self": []any{obj{"href": v.dcPage(r) + "/browse"}}}}
	if parent := v.st.Repos[r.ForkOf]; parent != nil {
		o["origin"] = v.dcRepository(parent)
	}
	return o
}

func (v view) dcParticipant(id int64, role, state string) obj {
	words := map[string]string{"approved": "APPROVED", "changes_requested": "NEEDS_WORK", "": "UNAPPROVED"}
	return obj{"user": v.dcAccount(id), "role": role, "approved": state == "approved", "status": words[state]}
}

func (v view) dcPull(r *repository, p *pull) obj {
	end := func(in *repository, branch, sha string) obj {
		o := obj{"id": "refs/heads/" + branch, "displayId": branch, "latestCommit": sha, "type": "BRANCH"}
		if in != nil {
			o["repository"] = v.dcRepository(in)
		}
		return o
	}
	reviewers, participants := []any{}, []any{}
	for _, x := range p.Participants {
		if x.Reviewer {
			reviewers = append(reviewers, v.dcParticipant(x.User, "REVIEWER", x.State))
		} else if x.User != p.Author {
			participants = append(participants, v.dcParticipant(x.User, "PARTICIPANT", x.State))
		}
	}
	o := obj{"id": p.Number, "version": len(p.Events), "title": p.Title, "description": p.Body, "state": p.State,
		"open":   p.State == stateOpen,
		"closed": p.State != stateOpen, "draft": p.Draft, "locked": false, "createdDate": millis(p.Created), "updatedDate": millis(p.Updated),
		"fromRef": end(v.st.Repos[p.SourceRepoID], p.Source, p.HeadSHA), "toRef": end(r, p.Target, p.BaseSHA),
		"author": v.dcParticipant(p.Author, "AUTHOR", ""), "reviewers": reviewers, "participants": participants,
		"links": selfLinks(v.dcPullPage(r, p))}
	if p.State != stateOpen {
		for _, e := range p.Events {
			if e.Text == "merged this" || e.Text == "declined this" {
				o["closedDate"] = millis(e.At)
			}
		}
	}
	if p.MergeSHA != "" {
		o["properties"] = obj{"mergeCommit": obj{"id": p.MergeSHA, "displayId": p.MergeSHA[:11]}}
	}
	return o
}

func (v view) dcPullPage(r *repository, p *pull) string {
	return fmt.Sprintf("%s/pull-requests/%d", v.dcPage(r), p.Number)
}

// dcAnchor renders the place of a comment.
func (v view) dcAnchor(r *repository, p *pull, c *comment) obj {
	at := c.Place
	o := obj{"diffType": "EFFECTIVE", "fromHash": at.MergeBase, "toHash": at.Head, "path": at.Path, "srcPath": nil, "line": at.To,
		"fileType": "TO",
		"lineType": host.OrElse(at.LineType, "ADDED"), "orphaned": v.isOutdated(r, p, at)}
	first := at.StartTo
	if at.To == 0 {
		o["line"], o["fileType"], o["lineType"] = at.From, "FROM", host.OrElse(at.LineType, "REMOVED")
		first = at.StartFrom
	}
	if first > 0 {
		o["multilineMarker"] = obj{"startLine": first, "startLineType": o["lineType"]}
	}
	return o
}

// dcComment renders a comment with its answers.
func (v view) dcComment(p *pull, c *comment, viewer int64) obj {
	state := "OPEN"
	if c.Pending {
		state = "PENDING"
	}
	o := obj{"id": c.ID, "version": c.Version, "text": c.Body, "author": v.dcAccount(c.User), "createdDate": millis(c.Created),
		"updatedDate": millis(c.Updated), "severity": "NORMAL", "state": state, "threadResolved": c.ResolvedBy != 0, "tasks": []any{},
		"properties":          obj{"repositoryId": p.SourceRepoID},
		"permittedOperations": obj{"editable": c.User == viewer, "deletable": c.User == viewer}}
	answers := []any{}
	for _, x := range p.Comments {
		if x.Parent == c.ID && !x.Deleted && (!x.Pending || x.User == viewer) {
			answers = append(answers, v.dcComment(p, x, viewer))
		}
	}
	o["comments"] = answers
	if c.ResolvedBy != 0 {
		o["threadResolver"], o["threadResolvedDate"] = v.dcAccount(c.ResolvedBy), millis(c.ResolvedAt)
	}
	return o
}

// dcWhole renders a comment as the calls about one comment do: with its anchor and its parent.
func (v view) dcWhole(r *repository, p *pull, c *comment, viewer int64) obj {
	o := v.dcComment(p, c, viewer)
	if c.Place != nil && c.Parent == 0 {
		o["anchor"] = v.dcAnchor(r, p, c)
	}
	if c.Parent != 0 {
		o["parent"] = obj{"id": c.Parent}
	}
	return o
}

func (v view) dcCommit(k gitrepo.Commit) obj {
	who := obj{"name": k.AuthorName, "emailAddress": k.AuthorEmail}
	return obj{"id": k.SHA, "displayId": k.SHA[:11], "message": k.Message, "author": who, "committer": who,
		"authorTimestamp": k.CommittedAt.UnixMilli(), "committerTimestamp": k.CommittedAt.UnixMilli(),
		"parents": host.RenderAll(k.Parents, func(sha string) any { return obj{"id": sha, "displayId": sha[:11]} })}
}

func (v view) dcBuild(x *status) obj {
	return obj{"key": x.Key, "state": x.State, "name": x.Name, "description": x.Description, "url": x.URL, "ref": x.Ref,
		"createdDate": millis(x.Created), "updatedDate": millis(x.Updated), "dateAdded": millis(x.Updated)}
}

func (v view) dcHook(h *hook) obj {
	return obj{"id": h.ID, "name": h.Description, "url": h.URL, "active": h.Active, "events": h.Events, "configuration": obj{},
		"sslVerificationRequired": true, "createdDate": millis(h.Created), "updatedDate": millis(h.Created)}
}

func dcProperties(*call) *reply {
	return ok(obj{"version": "9.4.0", "buildNumber": "9004000", "buildDate": "1730764800000", "displayName": "Bitbucket"})
}

// dcUsers lists people, filtered by a part of the name and by a permission.
func dcUsers(c *call) *reply {
	c.s.Mu.Lock()
	st := c.s.st
	var r *repository
	project := st.user(strings.TrimPrefix(c.Query.Get("permission.1.projectKey"), "~"))
	if slug := c.Query.Get("permission.1.repositorySlug"); slug != "" && project != nil {
		r = st.repo(project.Login, slug)
	}
	permission, filter := c.Query.Get("permission.1"), strings.ToLower(c.Query.Get("filter"))
	if permission != "" && (dcWords[permission] == "" || project == nil || strings.HasPrefix(permission, "REPO") && r == nil) {
		c.s.Mu.Unlock()
		return dcInvalid("The permission filter is invalid")
	}
	var out []any
	for _, u := range st.people() {
		if !strings.Contains(strings.ToLower(u.Login+" "+u.Name), filter) || permission != "" && !st.permits(u, permission, r, project) {
			continue
		}
		out = append(out, c.view().dcAccount(u.ID))
	}
	c.s.Mu.Unlock()
	return c.dcList(out)
}

func dcUser(c *call) *reply {
	for _, u := range c.s.st.Users {
		if !u.Org && slugOf(u.Login) == c.Vars["userSlug"] {
			return ok(c.view().dcAccount(u.ID))
		}
	}
	return dcMissing("User '" + c.Vars["userSlug"] + "'")
}

func dcProject(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if t := c.actor.token; t.WorkspaceID != 0 && t.WorkspaceID != c.ws.ID {
		return dcDenied()
	}
	return ok(c.view().dcProject(c.ws))
}

// dcRepos lists the repositories that the caller has a permission on.
func dcRepos(c *call) *reply {
	c.s.Mu.Lock()
	need := max(rank[dcWords[c.Query.Get("permission")]], 1)
	key := strings.ToLower(strings.TrimPrefix(c.Query.Get("projectkey"), "~"))
	var out []any
	for _, r := range host.ByKey(c.s.st.Repos) {
		if rank[c.s.dcRole(c.actor, r)] >= need && (key == "" || strings.ToLower(c.s.st.login(r.OwnerID)) == key) {
			out = append(out, c.view().dcRepository(r))
		}
	}
	c.s.Mu.Unlock()
	return c.dcList(out)
}

func dcGetRepo(c *call) *reply {
	o := c.view().dcRepository(c.repo)
	o["defaultBranch"] = c.repo.DefaultBranch
	return ok(o)
}

func dcHooks(c *call) *reply {
	c.s.Mu.Lock()
	out := host.RenderAll(c.hooksOf(), func(h *hook) any { return c.view().dcHook(h) })
	c.s.Mu.Unlock()
	return c.dcList(out)
}

type dcHookInput struct {
	Name          string            `json:"name"`
	URL           string            `json:"url"`
	Active        bool              `json:"active"`
	Events        []string          `json:"events"`
	Configuration map[string]string `json:"configuration"`
}

// setHook reads a webhook into h; Server.Mu is held.
func (c *call) setHook(h *hook) *reply {
	var in dcHookInput
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	unknown := slices.ContainsFunc(in.Events, func(e string) bool { return !slices.Contains(dcEvents, e) })
	if in.Name == "" || host.CheckHookURL(in.URL) != nil || unknown {
		return dcInvalid("name, url and events are required")
	}
	h.Description, h.URL, h.Active, h.Events, h.Secret = in.Name, in.URL, in.Active, in.Events, in.Configuration["secret"]
	return nil
}

func dcCreateHook(c *call) *reply {
	h := &hook{RepoID: c.repo.ID, Created: c.s.NowMicros()}
	if bad := c.setHook(h); bad != nil {
		return bad
	}
	c.keepHook(h)
	return created(c.view().dcHook(h))
}

// dcHookOf finds the webhook of the path; Server.Mu is held.
func (c *call) dcHookOf() *hook {
	id := c.Number("id")
	return host.First(slices.Values(c.hooksOf()), func(h *hook) bool { return h.ID == id })
}

func dcEditHook(c *call) *reply {
	h := c.dcHookOf()
	if h == nil {
		return dcMissing("The webhook")
	}
	if bad := c.setHook(h); bad != nil {
		return bad
	}
	c.wrote("hook", "update", h.ID, 0)
	return ok(c.view().dcHook(h))
}

func dcDeleteHook(c *call) *reply { return c.dropHook(c.dcHookOf(), dcMissing("The webhook")) }
