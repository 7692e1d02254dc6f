package gitea

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

func (c *call) repoAPI() string {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return c.view().repoAPI(c.repo)
}

func (c *call) repoHTML() string {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return c.view().repoHTML(c.repo)
}

// loginOf returns the login in an author's address that the simulator made.
func loginOf(email string) string {
	login, _ := strings.CutSuffix(email, "@"+emailDomain)
	return login
}

// payloadCommit returns a commit in the form of events and branches.
func (v view) payloadCommit(page string, k gitrepo.Commit, changed map[string][]string) obj {
	who := func(name, email string) obj {
		login := ""
		if u := v.st.user(loginOf(email)); u != nil {
			login = u.Login
		}
		return obj{"name": name, "email": email, "username": login}
	}
	return obj{"id": k.SHA, "message": k.Message + "\n", "url": page + "/commit/" + k.SHA, "author": who(k.AuthorName, k.AuthorEmail),
		"committer": who(k.CommitterName, k.CommitterEmail), "verification": nil, "timestamp": k.CommittedAt.Format(time.RFC3339),
		"added": changed["added"], "removed": changed["removed"], "modified": changed["modified"]}
}

func (c *call) branch(b gitrepo.Branch) (obj, error) {
	k, err := c.repo.git.Lookup(c.Ctx, b.SHA)
	if err != nil {
		return nil, err
	}
	page, protected := c.repoHTML(), c.protected(b.Name)
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return obj{"name": b.Name, "commit": c.view().payloadCommit(page, k, nil), "protected": protected, "required_approvals": 0,
		"enable_status_check":   len(c.repo.Required) > 0,
		"status_check_contexts": append([]string{}, c.repo.Required...), "user_can_push": false, "user_can_merge": false,
		"effective_branch_protection_name": ""}, nil
}

func listBranches(c *call) *reply {
	list, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return c.broken(err)
	}
	var broken error
	rep := pageOf(c, list, func(b gitrepo.Branch) any {
		o, err := c.branch(b)
		broken = errors.Join(broken, err)
		return o
	})
	if broken != nil {
		return c.broken(broken)
	}
	return rep
}

func getBranch(c *call) *reply {
	list, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return c.broken(err)
	}
	for _, b := range list {
		if b.Name == c.Vars["branch"] {
			o, err := c.branch(b)
			if err != nil {
				return c.broken(err)
			}
			return ok(o)
		}
	}
	return c.notFound()
}

// commit renders a commit; with files, it adds the names of the changed files.
func (c *call) commit(k gitrepo.Commit, withFiles bool) obj {
	api, page := c.repoAPI(), c.repoHTML()
	at := k.CommittedAt.Format(time.RFC3339)
	parents, first := []any{}, browse.EmptyTree
	for i, p := range k.Parents {
		if i == 0 {
			first = p
		}
		parents = append(parents, obj{"sha": p, "url": api + "/git/commits/" + p, "created": zeroTime})
	}
	known := func(email string) any {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		if u := c.s.st.user(loginOf(email)); u != nil {
			return c.view().user(u.Login)
		}
		return nil
	}
	o := obj{"url": api + "/git/commits/" + k.SHA, "sha": k.SHA, "created": at, "html_url": page + "/commit/" + k.SHA,
		"author":    known(k.AuthorEmail),
		"committer": known(k.CommitterEmail), "parents": parents, "files": nil, "stats": nil,
		"commit": obj{"url": api + "/git/commits/" + k.SHA, "message": k.Message + "\n",
			"tree":         obj{"url": api + "/git/trees/" + k.Tree, "sha": k.Tree, "created": at},
			"author":       obj{"name": k.AuthorName, "email": k.AuthorEmail, "date": k.AuthoredAt.Format(time.RFC3339)},
			"committer":    obj{"name": k.CommitterName, "email": k.CommitterEmail, "date": at},
			"verification": obj{"verified": false, "reason": "gpg.error.not_signed_commit", "signature": "", "signer": nil, "payload": ""}}}
	d, err := c.repo.git.Diff(c.Ctx, first, k.SHA)
	if err != nil || !withFiles {
		return o
	}
	adds, dels, files := 0, 0, []any{}
	for _, f := range d.Files {
		adds, dels = adds+f.Additions, dels+f.Deletions
		files = append(files, obj{"filename": f.Path, "status": f.Status})
	}
	o["files"], o["stats"] = files, obj{"total": adds + dels, "additions": adds, "deletions": dels}
	return o
}

func getCommit(c *call) *reply {
	name, isDiff := strings.CutSuffix(c.Vars["sha"], ".diff")
	sha, err := c.repo.git.Resolve(c.Ctx, name)
	if err != nil {
		return c.notFound()
	}
	k, err := c.repo.git.Lookup(c.Ctx, sha)
	if err != nil {
		return c.broken(err)
	}
	if !isDiff {
		return ok(c.commit(k, true))
	}
	parent := browse.EmptyTree
	if len(k.Parents) > 0 {
		parent = k.Parents[0]
	}
	d, err := c.repo.git.Diff(c.Ctx, parent, sha)
	if err != nil {
		return c.broken(err)
	}
	return plain([]byte(d.Text))
}

func plain(data []byte) *reply {
	return (&reply{Status: http.StatusOK, Body: data}).Set("Content-Type", "text/plain; charset=utf-8")
}

// maxLog bounds the listed history.
const maxLog = 2000

func listCommits(c *call) *reply {
	c.s.Mu.Lock()
	ref := host.OrElse(c.Query.Get("sha"), c.repo.DefaultBranch)
	c.s.Mu.Unlock()
	sha, err := c.repo.git.Resolve(c.Ctx, ref)
	if err != nil {
		return c.notFound()
	}
	list, err := c.repo.git.Log(c.Ctx, sha, maxLog)
	if err != nil {
		return c.broken(err)
	}
	return pageOf(c, list, func(k gitrepo.Commit) any { return c.commit(k, c.Query.Get("files") != "false") })
}

// compare answers the commits that head has beyond the merge base. The answer has no merge base and no diff.
func compare(c *call) *reply {
	base, head, found := strings.Cut(c.Vars["basehead"], "...")
	if !found {
		if base, head, found = strings.Cut(c.Vars["basehead"], ".."); !found {
			return c.notFound()
		}
	}
	if _, branch, ok := strings.Cut(head, ":"); ok {
		head = branch
	}
	g := c.repo.git
	baseSHA, err1 := g.Resolve(c.Ctx, base)
	headSHA, err2 := g.Resolve(c.Ctx, head)
	if err1 != nil || err2 != nil {
		return c.notFound()
	}
	if _, err := g.MergeBase(c.Ctx, baseSHA, headSHA); err != nil {
		return c.notFound()
	}
	list, err := g.Between(c.Ctx, baseSHA, headSHA)
	if err != nil {
		return c.broken(err)
	}
	files := c.Query.Get("files") == "true" || c.s.Has("compare-files")
	commits := []any{}
	for i := len(list) - 1; i >= 0; i-- { // newest first
		commits = append(commits, c.commit(list[i], files))
	}
	return ok(obj{"total_commits": len(list), "commits": commits})
}

// at resolves the query parameter ref, or the default branch.
func (c *call) at() (ref, sha string, err error) {
	c.s.Mu.Lock()
	ref = host.OrElse(c.Query.Get("ref"), c.repo.DefaultBranch)
	c.s.Mu.Unlock()
	sha, err = c.repo.git.Resolve(c.Ctx, ref)
	return ref, sha, err
}

func raw(c *call) *reply {
	_, sha, err := c.at()
	if err != nil {
		return c.notFound()
	}
	e, err := c.repo.git.Entry(c.Ctx, sha, c.Vars["path"])
	if err != nil || e.Type != "file" && e.Type != "symlink" {
		return c.notFound()
	}
	data, err := c.repo.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return c.broken(err)
	}
	rep := &reply{Status: http.StatusOK, Body: data}
	return rep.Set("Content-Type", http.DetectContentType(data)).Set("Etag", `"`+e.SHA+`"`)
}

func contents(c *call) *reply {
	ref, sha, err := c.at()
	if err != nil {
		return c.notFound()
	}
	path := strings.Trim(c.Vars["path"], "/")
	e, err := c.repo.git.Entry(c.Ctx, sha, path)
	if err != nil {
		return c.notFound()
	}
	if e.Type != "dir" {
		o, err := c.entry(e, ref, sha, true)
		if err != nil {
			return c.broken(err)
		}
		return ok(o)
	}
	list, err := c.repo.git.List(c.Ctx, sha, path)
	if err != nil {
		return c.notFound()
	}
	out := []any{}
	for _, e := range list {
		o, err := c.entry(e, ref, sha, false)
		if err != nil {
			return c.broken(err)
		}
		out = append(out, o)
	}
	return ok(out)
}

// maxBlob is the size in bytes from which the host omits contents in JSON (DEFAULT_MAX_BLOB_SIZE).
const maxBlob = 10 << 20

func (c *call) entry(e gitrepo.Entry, ref, commit string, whole bool) (obj, error) {
	path := browse.EscapePath(e.Path)
	self := c.repoAPI() + "/contents/" + path + "?ref=" + url.QueryEscape(ref)
	page := c.repoHTML() + "/src/branch/" + browse.EscapePath(ref) + "/" + path
	git := c.repoAPI() + "/git/blobs/" + e.SHA
	if e.Type == "dir" {
		git = c.repoAPI() + "/git/trees/" + e.SHA
	}
	o := obj{"name": e.Name, "path": e.Path, "sha": e.SHA, "last_commit_sha": commit, "type": e.Type, "size": e.Size, "encoding": nil,
		"content": nil, "target": nil,
		"url": self, "html_url": page, "git_url": git, "download_url": nil, "submodule_git_url": nil,
		"_links": obj{"self": self, "git": git, "html": page}}
	if e.Type == "dir" || e.Type == "submodule" {
		return o, nil
	}
	o["download_url"] = c.repoHTML() + "/raw/branch/" + browse.EscapePath(ref) + "/" + path
	if !whole || e.Size > maxBlob {
		return o, nil
	}
	data, err := c.repo.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return nil, err
	}
	o["encoding"], o["content"] = "base64", base64.StdEncoding.EncodeToString(data)
	if e.Type == "symlink" {
		o["target"] = string(data)
	}
	return o, nil
}
