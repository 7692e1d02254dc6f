package github

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// gitRoutes returns the routes of git's own objects, and those that make pull requests from branches.
func gitRoutes(repo string) []route {
	return []route{
		{method: "GET", pattern: repo + "/git/ref/{ref...}", who: withAny, need: "contents:read", h: getRef},
		{method: "POST", pattern: repo + "/git/refs", who: withAny, need: "contents:write", h: host.Reading(createRef)},
		{method: "PATCH", pattern: repo + "/git/refs/{ref...}", who: withAny, need: "contents:write", h: host.Reading(updateRef)},
		{method: "DELETE", pattern: repo + "/git/refs/{ref...}", who: withAny, need: "contents:write", h: deleteRef},
		{method: "GET", pattern: repo + "/git/commits/{sha}", who: withAny, need: "contents:read", h: getGitCommit},
		{method: "POST", pattern: repo + "/git/commits", who: withAny, need: "contents:write", h: host.Reading(createGitCommit)},
		{method: "GET", pattern: repo + "/git/trees/{sha}", who: withAny, need: "contents:read", h: getTree},
		{method: "POST", pattern: repo + "/git/trees", who: withAny, need: "contents:write", h: host.Reading(createTree)},
		{method: "POST", pattern: repo + "/git/blobs", who: withAny, need: "contents:write", h: host.Reading(createBlob)},
		{method: "POST", pattern: repo + "/pulls", who: withAny, need: "pull_requests:write", h: host.Reading(createPull)},
	}
}

func (c *call) ref(name, sha string) obj {
	api := c.repoAPI()
	return obj{"ref": name, "node_id": "REF_kw" + sha[:12], "url": api + "/git/" + name,
		"object": obj{"type": "commit", "sha": sha, "url": api + "/git/commits/" + sha}}
}

// branchOf returns the branch of a reference, "" if it is not a branch.
func branchOf(ref string) string {
	name, found := strings.CutPrefix(strings.TrimPrefix(ref, "refs/"), "heads/")
	if !found || !gitrepo.ValidBranch(name) {
		return ""
	}
	return name
}

// tip returns the commit of a branch; "" if the branch does not exist.
func (c *call) tip(branch string) (string, error) {
	list, err := c.repo.git.Branches(c.Ctx)
	for _, b := range list {
		if b.Name == branch {
			return b.SHA, err
		}
	}
	return "", err
}

func getRef(c *call) *reply {
	branch := branchOf(c.Vars["ref"])
	sha, err := c.tip(branch)
	switch {
	case err != nil:
		return broken(c, err)
	case branch == "" || sha == "":
		return notFound()
	}
	return ok(c.ref("refs/heads/"+branch, sha))
}

// errRule is the refusal of a push to a protected branch. [inference: the status and the first words are
// reported (googleapis/repo-automation-bots#5551); it is not confirmed that older protections answer 403]
const errRule = "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"

// protected reports whether a branch accepts changes by pull requests only.
func (c *call) protected(branch string) bool {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return slices.Contains(c.repo.Protected, branch)
}

func (c *call) isCommit(sha string) bool {
	kind, err := c.repo.git.ObjectType(c.Ctx, sha)
	return err == nil && kind == "commit"
}

func createRef(c *call, in struct{ Ref, SHA string }) *reply {
	branch := branchOf(in.Ref)
	if !strings.HasPrefix(in.Ref, "refs/") || branch == "" {
		return fail(http.StatusUnprocessableEntity, "Reference name must start with 'refs/' and name a branch")
	}
	switch sha, err := c.tip(branch); {
	case err != nil:
		return broken(c, err)
	case sha != "":
		return fail(http.StatusUnprocessableEntity, "Reference already exists")
	case !c.isCommit(in.SHA):
		return fail(http.StatusUnprocessableEntity, "Object does not exist")
	case c.protected(branch):
		return fail(http.StatusUnprocessableEntity, errRule)
	}
	if rep := c.moveTo(branch, "", in.SHA); rep != nil {
		return rep
	}
	c.wrote("ref", "create", 0, 0)
	return created(c.ref("refs/heads/"+branch, in.SHA))
}

func updateRef(c *call, in struct {
	SHA   string `json:"sha"`
	Force bool   `json:"force"`
}) *reply {
	branch := branchOf(c.Vars["ref"])
	sha, err := c.tip(branch)
	switch {
	case err != nil:
		return broken(c, err)
	case branch == "" || sha == "":
		return fail(http.StatusUnprocessableEntity, "Reference does not exist")
	case !c.isCommit(in.SHA):
		return fail(http.StatusUnprocessableEntity, "Object does not exist")
	case c.protected(branch):
		return fail(http.StatusUnprocessableEntity, errRule)
	case !in.Force && !c.repo.git.IsAncestor(c.Ctx, sha, in.SHA):
		return fail(http.StatusUnprocessableEntity, "Update is not a fast forward")
	}
	if rep := c.moveTo(branch, sha, in.SHA); rep != nil {
		return rep
	}
	c.wrote("ref", "update", 0, 0)
	return ok(c.ref("refs/heads/"+branch, in.SHA))
}

func deleteRef(c *call) *reply {
	branch := branchOf(c.Vars["ref"])
	sha, err := c.tip(branch)
	switch {
	case err != nil:
		return broken(c, err)
	case branch == "" || sha == "":
		return fail(http.StatusUnprocessableEntity, "Reference does not exist")
	case c.protected(branch):
		return fail(http.StatusUnprocessableEntity, errRule)
	}
	if err := c.repo.git.DeleteRef(c.Ctx, "refs/heads/"+branch); err != nil {
		return broken(c, err)
	}
	c.wrote("ref", "delete", 0, 0)
	return host.NoContent()
}

// moveTo points a branch from one commit to another and sends the events of the push; nil on success.
func (c *call) moveTo(branch, from, to string) *reply {
	c.s.GitMu.Lock()
	defer c.s.GitMu.Unlock()
	now, err := c.tip(branch)
	if err != nil {
		return broken(c, err)
	}
	if now != from { // another push was faster
		return fail(http.StatusUnprocessableEntity, "Update is not a fast forward")
	}
	if err := c.repo.git.SetRef(c.Ctx, "refs/heads/"+branch, to); err != nil {
		return broken(c, err)
	}
	if from == to {
		return nil
	}
	forced := from != "" && !c.repo.git.IsAncestor(c.Ctx, from, to)
	if err := c.s.pushed(c.Ctx, c.repo, branch, host.OrElse(from, gitrepo.ZeroSHA), to, forced, c.actor.login); err != nil {
		return broken(c, err)
	}
	return nil
}

// gitCommit returns a commit in the form of the interface of git's objects.
func (c *call) gitCommit(k gitrepo.Commit) obj {
	full := c.commit(k)["commit"].(obj)
	api, page := c.repoAPI(), c.repoHTML()
	parents := []any{}
	for _, p := range k.Parents {
		parents = append(parents, obj{"sha": p, "url": api + "/git/commits/" + p, "html_url": page + "/commit/" + p})
	}
	return obj{"sha": k.SHA, "node_id": "C_kw" + k.SHA[:20], "url": api + "/git/commits/" + k.SHA, "html_url": page + "/commit/" +
		k.SHA, "author": full["author"],
		"committer": full["committer"], "tree": full["tree"], "message": k.Message, "parents": parents, "verification": full["verification"]}
}

func getGitCommit(c *call) *reply {
	if !c.isCommit(c.Vars["sha"]) {
		return notFound()
	}
	k, err := c.repo.git.Lookup(c.Ctx, c.Vars["sha"])
	if err != nil {
		return broken(c, err)
	}
	return ok(c.gitCommit(k))
}

func createGitCommit(c *call, in struct {
	Message string   `json:"message"`
	Tree    string   `json:"tree"`
	Parents []string `json:"parents"`
}) *reply {
	if in.Message == "" {
		return invalid("Commit", "message", "missing_field", "")
	}
	if kind, err := c.repo.git.ObjectType(c.Ctx, in.Tree); err != nil || kind != "tree" {
		return fail(http.StatusUnprocessableEntity, "Tree SHA does not exist")
	}
	for _, p := range in.Parents {
		if !c.isCommit(p) {
			return fail(http.StatusUnprocessableEntity, "Parent SHA does not exist or is not a commit object")
		}
	}
	name, email := c.s.author(c.actor.login)
	sha, err := c.repo.git.CommitTree(c.Ctx, in.Tree, in.Parents, in.Message, gitrepo.Identity{Name: name, Email: email, At: c.s.Now()})
	if err != nil {
		return broken(c, err)
	}
	k, err := c.repo.git.Lookup(c.Ctx, sha)
	if err != nil {
		return broken(c, err)
	}
	c.wrote("git_commit", "create", 0, 0)
	return created(c.gitCommit(k))
}

func (c *call) tree(sha string) *reply {
	list, err := c.repo.git.Tree(c.Ctx, sha)
	if err != nil {
		return notFound()
	}
	api := c.repoAPI()
	out := []any{}
	for _, e := range list {
		o := obj{"path": e.Path, "mode": e.Mode, "type": e.Type, "sha": e.SHA, "url": api + "/git/" + e.Type + "s/" + e.SHA}
		if e.Type == "blob" {
			o["size"] = e.Size
		}
		out = append(out, o)
	}
	return ok(obj{"sha": sha, "url": api + "/git/trees/" + sha, "tree": out, "truncated": false})
}

func getTree(c *call) *reply { return c.tree(c.Vars["sha"]) }

func createTree(c *call, in struct {
	BaseTree string `json:"base_tree"`
	Tree     []struct {
		Path    string  `json:"path"`
		Mode    string  `json:"mode"`
		Type    string  `json:"type"`
		SHA     *string `json:"sha"`
		Content *string `json:"content"`
	} `json:"tree"`
}) *reply {
	var changes []gitrepo.TreeChange
	for _, e := range in.Tree {
		if !slices.Contains([]string{"100644", "100755", "040000", "160000", "120000"}, e.Mode) || e.SHA != nil && e.Content != nil {
			return invalid("Tree", "tree", "invalid", "")
		}
		change := gitrepo.TreeChange{Path: e.Path, Mode: e.Mode}
		switch {
		case e.Content != nil:
			sha, err := c.repo.git.WriteBlob(c.Ctx, []byte(*e.Content))
			if err != nil {
				return broken(c, err)
			}
			change.SHA = sha
		case e.SHA != nil:
			if _, err := c.repo.git.ObjectType(c.Ctx, *e.SHA); err != nil {
				return fail(http.StatusUnprocessableEntity, "tree.sha "+*e.SHA+" is not a valid "+e.Type)
			}
			change.SHA = *e.SHA
		}
		changes = append(changes, change)
	}
	sha, err := c.repo.git.ChangeTree(c.Ctx, in.BaseTree, changes)
	if errors.Is(err, gitrepo.ErrNotFound) {
		return fail(http.StatusUnprocessableEntity, "base_tree is not a valid tree oid")
	}
	if err != nil { // such as an invalid path
		return fail(http.StatusUnprocessableEntity, "GitRPC::BadObjectState")
	}
	c.wrote("tree", "create", 0, 0)
	rep := c.tree(sha)
	rep.Status = http.StatusCreated
	return rep
}

func createBlob(c *call, in struct{ Content, Encoding string }) *reply {
	data := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(in.Content, "\n", "")); err != nil {
			return invalid("Blob", "content", "invalid", "")
		}
	}
	sha, err := c.repo.git.WriteBlob(c.Ctx, data)
	if err != nil {
		return broken(c, err)
	}
	c.wrote("blob", "create", 0, 0)
	return created(obj{"sha": sha, "url": c.repoAPI() + "/git/blobs/" + sha})
}

func createPull(c *call, in struct {
	Title, Head, Base, Body string
	Draft                   bool
}) *reply {
	head := withoutOwner(c.repo, in.Head)
	for field, branch := range map[string]string{"head": head, "base": in.Base} {
		if sha, err := c.tip(branch); err != nil || sha == "" {
			return invalid("PullRequest", field, "invalid", "")
		}
	}
	made, err := c.s.OpenPull(c.Ctx, c.repo.FullName(), simapi.PullSpec{Title: in.Title, Body: in.Body, Head: head, Base: in.Base,
		Author: c.actor.login, Draft: in.Draft})
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "head: ")
		if strings.HasPrefix(text, "no commits") {
			text = fmt.Sprintf("No commits between %s and %s", in.Base, in.Head)
		} else if strings.HasPrefix(text, "a pull request already") {
			text = fmt.Sprintf("A pull request already exists for %s:%s.", c.repo.Owner, head)
		}
		return invalid("PullRequest", "base", "custom", text)
	}
	c.wrote("pull", "create", made.ID, made.Number)
	c.Vars["pull_number"] = fmt.Sprint(made.Number)
	rep := getPull(c)
	if rep.Status == http.StatusOK {
		rep.Status = http.StatusCreated
	}
	return rep
}
