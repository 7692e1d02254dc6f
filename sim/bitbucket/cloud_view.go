package bitbucket

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// Kinds of UUIDs: their first digits.
const (
	userUUID = 0x1a2b0001 + iota
	repoUUID
	hookUUID
	runUUID
	jobUUID
)

// uuidOf returns the UUID of an object, in the braces of the host.
func uuidOf(kind int, id int64) string { return fmt.Sprintf("{%08x-4d1c-4e0a-9c3d-%012x}", kind, id) }

// idOf returns the id of an object from its UUID, with or without braces; 0 if it is not one of the kind.
func idOf(kind int, text string) int64 {
	prefix, digits := uuidOf(kind, 0), strings.Trim(text, "{}")
	rest, isKind := strings.CutPrefix(digits, prefix[1:len(prefix)-13])
	id, err := strconv.ParseInt(rest, 16, 64)
	if !isKind || err != nil {
		return 0
	}
	return id
}

// workspace finds an account by its short name or UUID.
func (st *state) workspace(name string) *user {
	if u := st.user(name); u != nil {
		return u
	}
	return st.userByID(idOf(userUUID, name))
}

// timeOf returns a time in the form of the host; nil for 0.
func timeOf(m micros) any {
	if m == 0 {
		return nil
	}
	return m.Time().Format("2006-01-02T15:04:05.000000-07:00")
}

// view renders the state as JSON; Server.Mu is held.
type view struct {
	s    *Server
	st   *state
	base string
}

func (s *Server) view() view { return view{s: s, st: s.st, base: s.Base} }

func (c *call) view() view { return c.s.view() }

func href(address string) obj { return obj{"href": address} }

func (v view) api() string { return v.base + apiPrefix }

func (v view) workspaceAPI(u *user) string { return v.api() + "/workspaces/" + u.Login }

func (v view) repoAPI(r *repository) string { return v.api() + "/repositories/" + v.st.fullName(r) }

func (v view) repoHTML(r *repository) string {
	if v.s.dataCenter {
		return v.dcPage(r)
	}
	return v.base + "/" + v.st.fullName(r)
}

// cloneURL returns the address of a repository for git.
func (v view) cloneURL(r *repository) string {
	if v.s.dataCenter {
		return v.base + "/scm/" + strings.ToLower(keyOf(v.st.userByID(r.OwnerID))+"/"+r.Name) + ".git"
	}
	return v.repoHTML(r) + ".git"
}

func (v view) pullAPI(r *repository, p *pull) string {
	return v.repoAPI(r) + "/pullrequests/" + strconv.Itoa(p.Number)
}

func (v view) pullHTML(r *repository, p *pull) string {
	return v.repoHTML(r) + "/pull-requests/" + strconv.Itoa(p.Number)
}

// account renders a person, a workspace or the account of a token; nil for an unknown one.
func (v view) account(id int64) any {
	u := v.st.userByID(id)
	if u == nil {
		return nil
	}
	uuid := uuidOf(userUUID, u.ID)
	self := v.api() + "/users/" + url.PathEscape(uuid)
	o := obj{"type": "user", "display_name": u.Name, "uuid": uuid}
	switch {
	case u.Org:
		o["type"], o["username"] = "team", u.Login
		self = v.workspaceAPI(u)
	case u.App:
		o["type"], o["account_id"], o["account_status"], o["kind"] = "app_user", accountID(u), "active", "repository_access_token"
	default:
		o["account_id"], o["nickname"] = accountID(u), u.Login
	}
	o["links"] = obj{"self": href(self), "html": href(v.base + "/" + url.PathEscape(u.Login)), "avatar": href(fmt.Sprintf("%s/_avatars/%d",
		v.base, u.ID))}
	return o
}

func accountID(u *user) string {
	return fmt.Sprintf("557058:%08x-0000-4000-8000-%012x", userUUID, u.ID)
}

func (v view) accounts(ids []int64) []any {
	return host.RenderAll(ids, func(id int64) any { return v.account(id) })
}

func (v view) workspace(u *user) obj {
	self := v.workspaceAPI(u)
	return obj{"type": "workspace", "uuid": uuidOf(userUUID, u.ID), "name": u.Name, "slug": u.Login, "is_private": true,
		"links": obj{"self": href(self), "html": href(v.base + "/" + u.Login + "/"), "members": href(self + "/members"),
			"repositories": href(v.api() + "/repositories/" + u.Login), "avatar": href(fmt.Sprintf("%s/_avatars/%d", v.base, u.ID))}}
}

// repositoryShort renders a repository as other objects name it.
func (v view) repositoryShort(r *repository) obj {
	return obj{"type": "repository", "full_name": v.st.fullName(r), "name": r.Name, "uuid": uuidOf(repoUUID, r.ID),
		"links": obj{"self": href(v.repoAPI(r)), "html": href(v.repoHTML(r)), "avatar": href(v.base + "/_avatars/0")}}
}

func (v view) repository(r *repository) obj {
	o := v.repositoryShort(r)
	links := o["links"].(obj)
	for _, word := range []string{"pullrequests", "commits", "forks", "hooks", "branches"} {
		links[word] = href(v.repoAPI(r) + "/" + strings.Replace(word, "branches", "refs/branches", 1))
	}
	links["clone"] = []any{obj{"name": "https", "href": v.repoHTML(r) + ".git"},
		obj{"name": "ssh", "href": "git@bitbucket.test:" + v.st.fullName(r) + ".git"}}
	owner := v.st.userByID(r.OwnerID)
	o["slug"], o["scm"], o["is_private"], o["description"], o["owner"] = r.Name, "git", r.Private, r.Description, v.account(r.OwnerID)
	o["workspace"], o["mainbranch"] = v.workspace(owner), obj{"type": "branch", "name": r.DefaultBranch}
	o["project"] = obj{"type": "project", "key": "MAIN", "name": "Main", "uuid": uuidOf(userUUID, 0)}
	o["created_on"], o["updated_on"], o["size"], o["language"], o["website"] = timeOf(r.Created), timeOf(r.Updated), 4096, "", nil
	o["has_issues"], o["has_wiki"], o["fork_policy"], o["parent"] = len(r.Issues) > 0, false, "allow_forks", nil
	if parent := v.st.Repos[r.ForkOf]; parent != nil {
		o["parent"] = v.repositoryShort(parent)
	}
	return o
}

// hash shortens the name of a commit as pull requests show it.
func (v view) hash(sha string) string {
	if v.s.On(simapi.LongHashes) {
		return sha
	}
	return sha[:min(12, len(sha))]
}

func (v view) commitShort(r *repository, sha string) obj {
	return obj{"type": "commit", "hash": v.hash(sha), "links": obj{"self": href(v.repoAPI(r) + "/commit/" + v.hash(sha)),
		"html": href(v.repoHTML(r) + "/commits/" + v.hash(sha))}}
}

func rendered(text string) obj {
	return obj{"type": "rendered", "raw": text, "markup": "markdown", "html": string(page.Markdown(escaped(text)))}
}

func (v view) pull(r *repository, p *pull) obj {
	self, end := v.pullAPI(r, p), func(in *repository, branch, sha string) any {
		if in == nil { // its fork was deleted
			return obj{"repository": nil, "branch": obj{"name": branch}, "commit": nil}
		}
		return obj{"repository": v.repositoryShort(in), "branch": obj{"name": branch}, "commit": v.commitShort(in, sha)}
	}
	links := obj{"self": href(self), "html": href(v.pullHTML(r, p))}
	for _, word := range []string{"commits", "approve", "diff", "diffstat", "comments", "activity", "merge", "decline", "statuses",
		"request-changes"} {
		links[word] = href(self + "/" + word)
	}
	o := obj{"type": "pullrequest", "id": p.Number, "title": p.Title, "description": p.Body, "summary": rendered(p.Body), "state": p.State,
		"draft": p.Draft, "author": v.account(p.Author), "source": end(v.st.Repos[p.SourceRepoID], p.Source, p.HeadSHA),
		"destination": end(r, p.Target, p.BaseSHA), "merge_commit": nil, "close_source_branch": false, "closed_by": v.account(p.ClosedBy),
		"reason": "", "created_on": timeOf(p.Created), "updated_on": timeOf(p.Updated), "task_count": 0, "links": links}
	if p.MergeSHA != "" {
		o["merge_commit"] = v.commitShort(r, p.MergeSHA)
	}
	count := 0
	for _, c := range p.Comments {
		if !c.Deleted {
			count++
		}
	}
	reviewers, participants := []any{}, []any{}
	for _, x := range p.Participants {
		if x.Reviewer {
			reviewers = append(reviewers, v.account(x.User))
		}
		participants = append(participants, v.participant(x))
	}
	o["comment_count"], o["reviewers"], o["participants"] = count, reviewers, participants
	return o
}

func (v view) participant(x *participant) obj {
	o := obj{"type": "participant", "user": v.account(x.User), "role": "PARTICIPANT", "approved": x.State == "approved", "state": nil,
		"participated_on": timeOf(x.At)}
	if x.Reviewer {
		o["role"] = "REVIEWER"
	}
	if x.State != "" {
		o["state"] = x.State
	}
	return o
}

func numberOrNil(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (v view) comment(r *repository, p *pull, c *comment) obj {
	self := fmt.Sprintf("%s/comments/%d", v.pullAPI(r, p), c.ID)
	links := obj{"self": href(self), "html": href(fmt.Sprintf("%s/_/diff#comment-%d", v.pullHTML(r, p), c.ID))}
	o := obj{"type": "pullrequest_comment", "id": c.ID, "created_on": timeOf(c.Created), "updated_on": timeOf(c.Updated),
		"content": rendered(c.Body), "user": v.account(c.User), "deleted": c.Deleted, "pending": c.Pending, "links": links,
		"pullrequest": obj{"type": "pullrequest", "id": p.Number, "title": p.Title, "draft": p.Draft, "links": obj{
			"self": href(v.pullAPI(r, p)), "html": href(v.pullHTML(r, p))}}}
	if c.Parent != 0 {
		o["parent"] = obj{"id": c.Parent, "links": obj{"self": href(fmt.Sprintf("%s/comments/%d", v.pullAPI(r, p), c.Parent))}}
	}
	if at := c.Place; at != nil {
		inline := obj{"path": at.Path, "from": numberOrNil(at.From), "to": numberOrNil(at.To)}
		if at.StartFrom != 0 || at.StartTo != 0 {
			inline["start_from"], inline["start_to"] = numberOrNil(at.StartFrom), numberOrNil(at.StartTo)
		}
		if v.isOutdated(r, p, at) {
			inline["outdated"] = true
		}
		o["inline"] = inline
		links["code"] = href(v.repoAPI(r) + "/diff/" + v.st.fullName(r) + ":" + v.hash(at.Head) + ".." + v.hash(at.MergeBase) + "?path=" +
			url.QueryEscape(at.Path))
	}
	if c.ResolvedBy != 0 {
		o["resolution"] = v.resolution(c)
	}
	return o
}

// isOutdated reports whether a push has changed the lines of a comment on the new side, or moved them.
func (v view) isOutdated(r *repository, p *pull, at *place) bool {
	if at.Head == p.HeadSHA || at.To == 0 {
		return false
	}
	first := at.To
	if at.StartTo != 0 {
		first = at.StartTo
	}
	before, now := linesAt(r, at.Head, at.Path), linesAt(r, p.HeadSHA, at.Path)
	return len(now) < at.To || len(before) < at.To || !slices.Equal(before[first-1:at.To], now[first-1:at.To])
}

func linesAt(r *repository, commit, path string) []string {
	e, err := r.git.Entry(context.Background(), commit, path)
	if err != nil {
		return nil
	}
	text, _ := r.git.Blob(context.Background(), e.SHA)
	return strings.Split(string(text), "\n")
}

func (v view) resolution(c *comment) obj {
	return obj{"type": "comment_resolution", "user": v.account(c.ResolvedBy), "created_on": timeOf(c.ResolvedAt)}
}

func (v view) status(r *repository, x *status) obj {
	commit := v.repoAPI(r) + "/commit/" + x.SHA
	return obj{"type": "build", "key": x.Key, "state": x.State, "name": x.Name, "description": x.Description, "url": x.URL, "refname": x.Ref,
		"created_on": timeOf(x.Created), "updated_on": timeOf(x.Updated), "repository": v.repositoryShort(r),
		"commit": obj{"type": "commit", "hash": x.SHA, "links": obj{"self": href(commit)}},
		"links":  obj{"self": href(commit + "/statuses/build/" + url.PathEscape(x.Key)), "commit": href(commit)}}
}

func (v view) hook(h *hook) obj {
	o := obj{"type": "webhook_subscription", "uuid": uuidOf(hookUUID, h.ID), "url": h.URL, "description": h.Description, "active": h.Active,
		"created_at": timeOf(h.Created), "events": h.Events, "secret_set": h.Secret != "", "skip_cert_verification": false}
	if r := v.st.Repos[h.RepoID]; r != nil {
		o["subject_type"], o["subject"] = "repository", v.repositoryShort(r)
		o["links"] = obj{"self": href(v.repoAPI(r) + "/hooks/" + url.PathEscape(uuidOf(hookUUID, h.ID)))}
	} else if w := v.st.userByID(h.WorkspaceID); w != nil {
		o["subject_type"], o["subject"] = "workspace", v.workspace(w)
		o["links"] = obj{"self": href(v.workspaceAPI(w) + "/hooks/" + url.PathEscape(uuidOf(hookUUID, h.ID)))}
	}
	return o
}

// lineLink is the end of the page's address of a range of lines.
func lineLink(at *place) string { return "#" + browse.Anchor(at.Path) }
