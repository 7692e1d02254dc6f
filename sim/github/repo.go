package github

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

func getRepo(c *call) *reply {
	role := "read"
	if c.actor != nil && c.actor.instID == 0 {
		role = c.s.st.role(c.actor.user, c.repo)
	}
	return ok(c.view().fullRepository(c.repo, role))
}

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

func listBranches(c *call) *reply {
	list, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return broken(c, err)
	}
	api := c.repoAPI()
	return pageOf(c, list, func(b gitrepo.Branch) any {
		return obj{"name": b.Name, "commit": obj{"sha": b.SHA, "url": api + "/commits/" + b.SHA}, "protected": false}
	})
}

func getBranch(c *call) *reply {
	name := c.Vars["branch"]
	list, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return broken(c, err)
	}
	for _, b := range list {
		if b.Name == name {
			commit, err := c.repo.git.Lookup(c.Ctx, b.SHA)
			if err != nil {
				return broken(c, err)
			}
			api := c.repoAPI() + "/branches/" + name
			return ok(obj{"name": name, "commit": c.commit(commit), "protected": false, "protection_url": api + "/protection",
				"_links": obj{"self": api, "html": c.repoHTML() + "/tree/" + name}, "protection": obj{"enabled": false}})
		}
	}
	return fail(http.StatusNotFound, "Branch not found")
}

// broken returns the answer if git fails.
func broken(c *call, err error) *reply {
	c.s.Log.Error("git", "path", c.Rec.Path, "error", err)
	return fail(http.StatusInternalServerError, "Server Error")
}

// commit renders a commit without statistics and files.
func (c *call) commit(k gitrepo.Commit) obj {
	api, page := c.repoAPI(), c.repoHTML()
	parents := []any{}
	for _, p := range k.Parents {
		parents = append(parents, obj{"sha": p, "url": api + "/commits/" + p, "html_url": page + "/commit/" + p})
	}
	c.s.Mu.Lock()
	v := c.view()
	author, committer := v.user(loginOf(k.AuthorEmail)), v.user(loginOf(k.CommitterEmail))
	c.s.Mu.Unlock()
	git := api + "/git/commits/" + k.SHA
	return obj{"sha": k.SHA, "node_id": "C_kw" + k.SHA[:20], "url": api + "/commits/" + k.SHA, "html_url": page + "/commit/" + k.SHA,
		"comments_url": api + "/commits/" + k.SHA + "/comments", "author": author, "committer": committer, "parents": parents,
		"commit": obj{"url": git, "message": k.Message, "comment_count": 0, "tree": obj{"sha": k.Tree, "url": api + "/git/trees/" + k.Tree},
			"author":       obj{"name": k.AuthorName, "email": k.AuthorEmail, "date": rfc3339(k.AuthoredAt)},
			"committer":    obj{"name": k.CommitterName, "email": k.CommitterEmail, "date": rfc3339(k.CommittedAt)},
			"verification": obj{"verified": false, "reason": "unsigned", "payload": nil, "signature": nil, "verified_at": nil}}}
}

const emailDomain = "users.noreply.github.example"

// loginOf returns the login in an author's address that the simulator made.
func loginOf(email string) string {
	login, _ := strings.CutSuffix(email, "@"+emailDomain)
	return login
}

func getCommit(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["ref"])
	if err != nil {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.Vars["ref"])
	}
	k, err := c.repo.git.Lookup(c.Ctx, sha)
	if err != nil {
		return broken(c, err)
	}
	parent := browse.EmptyTree
	if len(k.Parents) > 0 {
		parent = k.Parents[0]
	}
	d, err := c.repo.git.Diff(c.Ctx, parent, sha)
	if err != nil {
		return broken(c, err)
	}
	if wantsDiff(c.R) {
		return diffText(d)
	}
	o := c.commit(k)
	adds, dels := 0, 0
	for _, f := range d.Files {
		adds, dels = adds+f.Additions, dels+f.Deletions
	}
	o["stats"] = obj{"additions": adds, "deletions": dels, "total": adds + dels}
	o["files"] = c.diffEntries(d.Files[:min(len(d.Files), 300)], sha)
	return ok(o)
}

// diffEntries renders changed files; ref is the commit after the change.
func (c *call) diffEntries(files []gitrepo.File, ref string) []any {
	api, page := c.repoAPI(), c.repoHTML()
	out := make([]any, 0, len(files))
	for _, f := range files {
		path, sha := browse.EscapePath(f.Path), f.NewBlob
		if f.Status == "removed" {
			sha = f.OldBlob
		}
		e := obj{"sha": sha, "filename": f.Path, "status": f.Status, "additions": f.Additions, "deletions": f.Deletions,
			"changes":  f.Additions + f.Deletions,
			"blob_url": page + "/blob/" + ref + "/" + path, "raw_url": page + "/raw/" + ref + "/" + path, "contents_url": api +
				"/contents/" + path + "?ref=" + ref}
		if f.Patch != "" && len(f.Patch) <= maxPatch {
			e["patch"] = f.Patch
		}
		if f.OldPath != "" {
			e["previous_filename"] = f.OldPath
		}
		out = append(out, e)
	}
	return out
}

// maxPatch is the size in bytes from which the host omits the patch of a file. [inference: github.com omits
// large patches; the exact limit is not documented]
const maxPatch = 400_000

func wantsDiff(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/vnd.github.diff") || strings.Contains(accept, "application/vnd.github.v3.diff")
}

func wantsRaw(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/vnd.github.raw") || strings.Contains(accept, "application/vnd.github.v3.raw")
}

// Limits of unified diffs (hosts documentation: above 300 files or 20,000 lines the host answers 406).
const (
	maxDiffFiles = 300
	maxDiffLines = 20_000
)

func diffText(d *gitrepo.Diff) *reply {
	tooLarge := func(text string) *reply {
		return fail(http.StatusNotAcceptable, text, obj{"resource": "PullRequest", "field": "diff", "code": "too_large"})
	}
	if len(d.Files) > maxDiffFiles {
		return tooLarge(fmt.Sprintf("Sorry, the diff exceeded the maximum number of files (%d). Consider using 'List pull requests "+
			"files' API or locally cloning the repository instead.", maxDiffFiles))
	}
	if d.Lines > maxDiffLines || d.Cut {
		return tooLarge(fmt.Sprintf("Sorry, the diff exceeded the maximum number of lines (%d)", maxDiffLines))
	}
	return (&reply{Status: http.StatusOK, Body: []byte(d.Text)}).Set("Content-Type", "application/vnd.github.diff; charset=utf-8")
}

func compare(c *call) *reply {
	base, head, found := strings.Cut(c.Vars["basehead"], "...")
	if !found {
		return notFound()
	}
	base, head = withoutOwner(c.repo, base), withoutOwner(c.repo, head)
	g := c.repo.git
	baseSHA, err1 := g.Resolve(c.Ctx, base)
	headSHA, err2 := g.Resolve(c.Ctx, head)
	if err1 != nil || err2 != nil {
		return notFound()
	}
	merge, err := g.MergeBase(c.Ctx, baseSHA, headSHA)
	if errors.Is(err, gitrepo.ErrNotFound) {
		return fail(http.StatusNotFound, fmt.Sprintf("No common ancestor between %s and %s.", base, head))
	}
	d, err := g.Diff(c.Ctx, merge, headSHA)
	if err != nil {
		return broken(c, err)
	}
	if wantsDiff(c.R) {
		return diffText(d)
	}
	commits, err := g.Between(c.Ctx, baseSHA, headSHA)
	if err != nil {
		return broken(c, err)
	}
	behind, err := g.Count(c.Ctx, headSHA, baseSHA)
	if err != nil {
		return broken(c, err)
	}
	baseCommit, err1 := g.Lookup(c.Ctx, baseSHA)
	mergeCommit, err2 := g.Lookup(c.Ctx, merge)
	if err1 != nil || err2 != nil {
		return broken(c, errors.Join(err1, err2))
	}
	status := "diverged"
	switch {
	case len(commits) == 0 && behind == 0:
		status = "identical"
	case behind == 0:
		status = "ahead"
	case len(commits) == 0:
		status = "behind"
	}
	p := c.paging()
	if c.Query.Get("page") == "" && c.Query.Get("per_page") == "" {
		p.Size = 250 // without paging parameters the host lists up to 250 commits
	}
	from, to := p.Slice(len(commits))
	list := []any{}
	for _, k := range commits[from:to] {
		list = append(list, c.commit(k))
	}
	api, page := c.repoAPI()+"/compare/"+c.Vars["basehead"], c.repoHTML()+"/compare/"+c.Vars["basehead"]
	out := obj{"url": api, "html_url": page, "permalink_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch",
		"base_commit": c.commit(baseCommit), "merge_base_commit": c.commit(mergeCommit), "status": status, "ahead_by": len(commits),
		"behind_by": behind, "total_commits": len(commits), "commits": list}
	if p.Number == 1 {
		out["files"] = c.diffEntries(d.Files[:min(len(d.Files), 300)], headSHA)
	}
	return c.link(ok(out), p, len(commits))
}

// withoutOwner removes "owner:" from a side of a comparison if it names the repository's own owner.
func withoutOwner(r *repository, ref string) string {
	if owner, rest, ok := strings.Cut(ref, ":"); ok && strings.EqualFold(owner, r.Owner) {
		return rest
	}
	return ref
}

// Sizes of contents (GitHub REST description, "Get repository content"): up to 1 MB in JSON, up to 100 MB raw.
const (
	maxJSONContent = 1 << 20
	maxRawContent  = 100 << 20
)

func contents(c *call) *reply {
	ref := c.Query.Get("ref")
	if ref == "" {
		ref = c.repo.DefaultBranch
	}
	sha, err := c.repo.git.Resolve(c.Ctx, ref)
	if err != nil {
		return fail(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	path := strings.Trim(c.Vars["path"], "/")
	entry, err := c.repo.git.Entry(c.Ctx, sha, path)
	if err != nil {
		return notFound()
	}
	if entry.Type == "dir" {
		return c.folder(sha, path, ref)
	}
	if entry.Type == "submodule" {
		return ok(c.entry(entry, ref))
	}
	if entry.Size > maxRawContent {
		return fail(http.StatusForbidden, "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API.",
			obj{"resource": "Blob", "field": "data", "code": "too_large"})
	}
	data, err := c.repo.git.Blob(c.Ctx, entry.SHA)
	if err != nil {
		return broken(c, err)
	}
	if wantsRaw(c.R) {
		return (&reply{Status: http.StatusOK, Body: data}).Set("Content-Type", "application/vnd.github.raw+json; charset=utf-8")
	}
	o := c.entry(entry, ref)
	o["encoding"], o["content"] = "base64", wrap64(data)
	if entry.Type == "symlink" {
		o["target"] = string(data)
	}
	if entry.Size > maxJSONContent {
		o["encoding"], o["content"] = "none", ""
	}
	return ok(o)
}

func (c *call) folder(sha, path, ref string) *reply {
	list, err := c.repo.git.List(c.Ctx, sha, path)
	if err != nil {
		return notFound()
	}
	out := make([]any, 0, len(list))
	for _, e := range list {
		out = append(out, c.entry(e, ref))
	}
	return ok(out)
}

func (c *call) entry(e gitrepo.Entry, ref string) obj {
	path := browse.EscapePath(e.Path)
	self := c.repoAPI() + "/contents/" + path + "?ref=" + url.QueryEscape(ref)
	kind, word := "blobs", "blob"
	if e.Type == "dir" {
		kind, word = "trees", "tree"
	}
	git, page := c.repoAPI()+"/git/"+kind+"/"+e.SHA, c.repoHTML()+"/"+word+"/"+ref+"/"+path
	var download any
	if e.Type == "file" || e.Type == "symlink" {
		download = c.repoHTML() + "/raw/" + ref + "/" + path
	}
	return obj{"type": e.Type, "size": e.Size, "name": e.Name, "path": e.Path, "sha": e.SHA, "url": self, "git_url": git, "html_url": page,
		"download_url": download, "_links": obj{"self": self, "git": git, "html": page}}
}

// wrap64 returns base64 with a line feed after every 60 characters, like the host.
func wrap64(data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for len(text) > 60 {
		b.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	if text != "" {
		b.WriteString(text + "\n")
	}
	return b.String()
}
