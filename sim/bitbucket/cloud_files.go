package bitbucket

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// branch renders a branch; Server.Mu is not held.
func (c *call) branch(b gitrepo.Branch) (any, error) {
	k, err := c.repo.git.Lookup(c.Ctx, b.SHA)
	if err != nil {
		return nil, err
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	v := c.view()
	return obj{"type": "branch", "name": b.Name, "target": v.commit(c.repo, k), "default_merge_strategy": "merge_commit",
		"merge_strategies": []string{"merge_commit", "squash", "fast_forward"}, "links": obj{
			"self": href(v.repoAPI(c.repo) + "/refs/branches/" + browse.EscapePath(b.Name)),
			"html": href(v.repoHTML(c.repo) + "/branch/" + browse.EscapePath(b.Name))}}, nil
}

func listBranches(c *call) *reply {
	list, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return c.broken(err)
	}
	var out []any
	for _, b := range list {
		o, err := c.branch(b)
		if err != nil {
			return c.broken(err)
		}
		out = append(out, o)
	}
	return c.list(out)
}

// findBranch returns the branch with a name, or nil.
func (c *call) findBranch(name string) *gitrepo.Branch {
	list, err := c.repo.git.Branches(c.Ctx)
	if i := slices.IndexFunc(list, func(b gitrepo.Branch) bool { return b.Name == name }); err == nil && i >= 0 {
		return &list[i]
	}
	return nil
}

func (c *call) branchReply(status int, b *gitrepo.Branch) *reply {
	o, err := c.branch(*b)
	if err != nil {
		return c.broken(err)
	}
	return host.JSON(status, o)
}

func getBranch(c *call) *reply {
	if b := c.findBranch(c.Vars["name"]); b != nil {
		return c.branchReply(http.StatusOK, b)
	}
	return fail(http.StatusNotFound, "Branch \""+c.Vars["name"]+"\" does not exist.")
}

func createBranch(c *call, in struct {
	Name   string `json:"name"`
	Target struct {
		Hash string `json:"hash"`
	} `json:"target"`
}) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, in.Target.Hash)
	switch {
	case !gitrepo.ValidBranch(in.Name) || err != nil:
		return invalid("name, target: The branch name or the target is invalid.")
	case c.findBranch(in.Name) != nil:
		return invalid("Branch \"" + in.Name + "\" already exists.")
	}
	if bad := c.move(in.Name, gitrepo.ZeroSHA, sha); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	c.wrote("branch", "create", 0, 0)
	c.s.Mu.Unlock()
	return c.branchReply(http.StatusCreated, &gitrepo.Branch{Name: in.Name, SHA: sha})
}

func deleteBranch(c *call) *reply {
	name := c.Vars["name"]
	if c.findBranch(name) == nil {
		return missing()
	}
	if c.protected(name) || c.repo.DefaultBranch == name {
		return fail(http.StatusForbidden, "Permission denied to delete branch "+name+".")
	}
	if err := c.repo.git.DeleteRef(c.Ctx, "refs/heads/"+name); err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("branch", "delete", 0, 0)
	return host.NoContent()
}

func (c *call) protected(name string) bool {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return slices.Contains(c.repo.Protected, name)
}

// move points a branch at a commit, with the events of a push.
func (c *call) move(name, before, after string) *reply {
	if c.protected(name) {
		return fail(http.StatusForbidden, "Permission denied to update branch "+name+".")
	}
	c.s.GitMu.Lock()
	defer c.s.GitMu.Unlock()
	if err := c.repo.git.SetRef(c.Ctx, "refs/heads/"+name, after); err != nil {
		return c.broken(err)
	}
	if err := c.s.pushed(c.Ctx, c.repo, push{branch: name, before: before, after: after, sender: c.actor.user.ID}); err != nil {
		return c.broken(err)
	}
	return nil
}

func noCommit(name string) *reply {
	return fail(http.StatusNotFound, "Commit not found: "+name)
}

func getCommit(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["commit"])
	if err != nil {
		return noCommit(c.Vars["commit"])
	}
	k, err := c.repo.git.Lookup(c.Ctx, sha)
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return ok(c.view().commit(c.repo, k))
}

// maxLog bounds the listed history.
const maxLog = 2000

// listCommits lists the history of a revision, newest first, without the commits that "exclude" reaches.
func listCommits(c *call) *reply {
	revision := c.Vars["revision"]
	if revision == "" {
		c.s.Mu.Lock()
		revision = host.OrElse(c.Query.Get("include"), c.repo.DefaultBranch)
		c.s.Mu.Unlock()
	}
	sha, err := c.repo.git.Resolve(c.Ctx, revision)
	if err != nil {
		return noCommit(revision)
	}
	list, err := c.repo.git.Log(c.Ctx, sha, maxLog)
	if err != nil {
		return c.broken(err)
	}
	for _, name := range c.Query["exclude"] {
		old, err := c.repo.git.Resolve(c.Ctx, name)
		if err != nil {
			return noCommit(name)
		}
		list = host.Without(list, func(k gitrepo.Commit) bool { return c.repo.git.IsAncestor(c.Ctx, k.SHA, old) })
	}
	c.s.Mu.Lock()
	out := host.RenderAll(list, func(k gitrepo.Commit) any { return c.view().commit(c.repo, k) })
	c.s.Mu.Unlock()
	rep := c.listUpTo(out, 30, longestPage)
	return rep
}

// revisions returns the two commits of a specification "a..b" or "owner/name:a..b"; b is empty for a single commit.
func (c *call) revisions() (a, b string, bad *reply) {
	spec := c.Vars["spec"]
	if i := strings.LastIndexByte(spec, ':'); i >= 0 {
		spec = spec[i+1:]
	}
	first, second, both := strings.Cut(spec, "..")
	a, err := c.repo.git.Resolve(c.Ctx, first)
	if err != nil {
		return "", "", noCommit(first)
	}
	if !both {
		return a, "", nil
	}
	if b, err = c.repo.git.Resolve(c.Ctx, second); err != nil {
		return "", "", noCommit(second)
	}
	return a, b, nil
}

func mergeBase(c *call) *reply {
	a, b, bad := c.revisions()
	if bad != nil {
		return bad
	}
	sha, err := c.repo.git.MergeBase(c.Ctx, a, b)
	if err != nil {
		return missing()
	}
	c.Vars["commit"] = sha
	return getCommit(c)
}

// change returns the difference that a specification names: from the second commit to the first, or from their merge
// base ("topic", the default).
func (c *call) change() (d *gitrepo.Diff, from, to string, bad *reply) {
	to, from, bad = c.revisions()
	if bad != nil {
		return nil, "", "", bad
	}
	if from == "" {
		k, err := c.repo.git.Lookup(c.Ctx, to)
		if err != nil {
			return nil, "", "", c.broken(err)
		}
		from = browse.EmptyTree
		if len(k.Parents) > 0 {
			from = k.Parents[0]
		}
	} else if c.Query.Get("topic") != "false" {
		base, err := c.repo.git.MergeBase(c.Ctx, to, from)
		if err != nil {
			return nil, "", "", missing()
		}
		from = base
	}
	d, err := c.repo.git.Diff(c.Ctx, from, to)
	if err != nil {
		return nil, "", "", c.broken(err)
	}
	return d, from, to, nil
}

// asked reports whether the request is about a changed file.
func (c *call) asked(f gitrepo.File) bool {
	paths := c.Query["path"]
	return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool {
		return p == f.Path || p == f.OldPath || strings.HasPrefix(f.Path, strings.TrimSuffix(p, "/")+"/")
	})
}

func diff(c *call) *reply {
	d, _, _, bad := c.change()
	if bad != nil {
		return bad
	}
	text := d.Text
	if len(c.Query["path"]) > 0 {
		text = ""
		for i, section := range sections(d.Text) {
			if i < len(d.Files) && c.asked(d.Files[i]) {
				text += section
			}
		}
	}
	return (&reply{Status: http.StatusOK, Body: []byte(text)}).Set("Content-Type", "text/plain")
}

// sections divides a diff into those of its files.
func sections(text string) (out []string) {
	const head = "diff --git "
	for i, part := range strings.Split("\n"+text, "\n"+head) {
		if i > 0 {
			out = append(out, head+strings.TrimSuffix(part, "\n")+"\n")
		}
	}
	return out
}

// maxDiffstat bounds a page of a diffstat.
const maxDiffstat = 500

func diffstat(c *call) *reply {
	d, from, to, bad := c.change()
	if bad != nil {
		return bad
	}
	words := map[string]string{"changed": "modified"}
	c.s.Mu.Lock()
	v := c.view()
	file := func(sha, name string) any {
		return obj{"type": "commit_file", "path": name, "escaped_path": browse.EscapePath(name), "links": obj{
			"self": href(v.repoAPI(c.repo) + "/src/" + sha + "/" + browse.EscapePath(name))}}
	}
	var out []any
	for _, f := range d.Files {
		if !c.asked(f) {
			continue
		}
		o := obj{"type": "diffstat", "status": host.OrElse(words[f.Status], f.Status), "lines_added": f.Additions, "lines_removed": f.Deletions,
			"old": nil, "new": nil}
		if f.Status != "added" {
			o["old"] = file(from, host.OrElse(f.OldPath, f.Path))
		}
		if f.Status != "removed" {
			o["new"] = file(to, f.Path)
		}
		out = append(out, o)
	}
	c.s.Mu.Unlock()
	return c.listUpTo(out, maxDiffstat, maxDiffstat)
}

// source answers a file as it is, a folder as a list, or the description of either ("format=meta").
func source(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["commit"])
	if err != nil {
		return noCommit(c.Vars["commit"])
	}
	name := strings.Trim(c.Vars["path"], "/")
	gone := fail(http.StatusNotFound, fmt.Sprintf("No such file or directory: %s", name))
	e, err := c.repo.git.Entry(c.Ctx, sha, name)
	if err != nil {
		return gone
	}
	if c.Query.Get("format") == "meta" {
		return ok(c.entry(sha, e))
	}
	if e.Type == "dir" {
		list, err := c.repo.git.List(c.Ctx, sha, name)
		if err != nil {
			return gone
		}
		return c.list(host.RenderAll(list, func(x gitrepo.Entry) any { return c.entry(sha, x) }))
	}
	data, err := c.repo.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return gone
	}
	kind := host.OrElse(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
	return (&reply{Status: http.StatusOK, Body: data}).Set("Content-Type", kind).Set("ETag", `"`+e.SHA+`"`).
		Set("Content-Disposition", `attachment; filename="`+path.Base(browse.EscapePath(name))+`"`)
}

// entry renders a file or folder; Server.Mu is not held.
func (c *call) entry(sha string, e gitrepo.Entry) any {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	v := c.view()
	o := obj{"type": "commit_file", "path": e.Path, "escaped_path": browse.EscapePath(e.Path), "size": e.Size, "attributes": []string{},
		"commit": v.commitShort(c.repo, sha), "links": obj{"self": href(v.repoAPI(c.repo) + "/src/" + sha + "/" + browse.EscapePath(e.Path))}}
	switch e.Type {
	case "dir":
		o["type"] = "commit_directory"
		delete(o, "size")
	case "symlink":
		o["attributes"] = []string{"link"}
	case "submodule":
		o["attributes"] = []string{"subrepository"}
	}
	return o
}
