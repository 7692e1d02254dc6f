package azuredevops

import (
	"encoding/base64"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// sees reports whether the caller may see a project. Server.Mu is held.
func (c *call) sees(p *project) bool { return c.s.st.role(c.user, p) != "" }

// within lists the projects of the organisation that the caller sees, by name. Server.Mu is held.
func (c *call) within() (out []*project) {
	for _, p := range host.ByKey(c.s.st.Projects) {
		if strings.EqualFold(p.Org, c.Vars["org"]) && c.sees(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *project) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func getProject(c *call) *reply {
	return ok(c.s.showProject(c.project))
}

// reposOf renders the repositories of projects. The interface has no pages for them.
func (c *call) reposOf(projects ...*project) []any {
	out := []any{}
	for _, r := range host.ByKey(c.s.st.Repos) {
		if slices.Contains(projects, c.s.st.Projects[r.ProjectID]) {
			out = append(out, c.s.showRepo(r))
		}
	}
	return out
}

func listAllRepos(c *call) *reply {
	return list(c.reposOf(c.within()...))
}

func listRepos(c *call) *reply {
	return list(c.reposOf(c.project))
}

func getRepo(c *call) *reply {
	return ok(c.s.showRepo(c.repo))
}

// getAnyRepo finds a repository of the organisation by its id.
func getAnyRepo(c *call) *reply {
	for _, r := range c.s.st.Repos {
		p := c.s.st.Projects[r.ProjectID]
		if strings.EqualFold(r.guid(), c.Vars["anyrepo"]) && strings.EqualFold(p.Org, c.Vars["org"]) && c.sees(p) {
			return ok(c.s.showRepo(r))
		}
	}
	return failure(http.StatusNotFound, "GitRepositoryNotFoundException", "TF401019: The Git repository does not exist.")
}

// listRefs lists branches whose name begins with the filter, "heads/…".
func listRefs(c *call) *reply {
	branches, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return c.broken(err)
	}
	out := []any{}
	for _, b := range branches {
		if strings.HasPrefix("heads/"+b.Name, c.Query.Get("filter")) {
			out = append(out, obj{"name": heads + b.Name, "objectId": b.SHA})
		}
	}
	return c.pageOn(out, 1000)
}

// zero is the id of no object.
const zero = gitrepo.ZeroSHA

// protected reports whether pushes to a branch are forbidden.
func (c *call) protected(branch string) bool {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return slices.Contains(c.repo.Protected, branch)
}

// updateRefs makes or moves branches. It answers 200 with a state for each.
func updateRefs(c *call, in []struct{ Name, OldObjectID, NewObjectID string }) *reply {
	if len(in) == 0 {
		return badRequest("A ref is needed.")
	}
	c.s.GitMu.Lock()
	defer c.s.GitMu.Unlock()
	out := []any{}
	for _, u := range in {
		branch := strings.TrimPrefix(u.Name, heads)
		now, err := c.repo.git.Resolve(c.Ctx, "heads/"+branch)
		if err != nil {
			now = zero
		}
		_, unknown := c.repo.git.Lookup(c.Ctx, u.NewObjectID)
		state, verb, move := "succeeded", "update", func() error { return c.repo.git.SetRef(c.Ctx, u.Name, u.NewObjectID) }
		switch zero {
		case u.NewObjectID:
			unknown, verb, move = nil, "delete", func() error { return c.repo.git.DeleteRef(c.Ctx, u.Name) }
		case now:
			verb = "create"
		}
		switch {
		case !gitrepo.ValidBranch(branch):
			state = "invalidRefName"
		case now != u.OldObjectID:
			state = "staleOldObjectId"
		case unknown != nil:
			state = "unresolvableToCommit"
		case c.protected(branch):
			state = "rejectedByPolicy"
		default:
			if err := move(); err != nil {
				return c.broken(err)
			}
			c.wrote("ref", verb, 0)
		}
		out = append(out, obj{"name": u.Name, "oldObjectId": u.OldObjectID, "newObjectId": u.NewObjectID, "updateStatus": state,
			"success": state == "succeeded"})
	}
	return list(out)
}

// fileChange is a change of a file in a push.
type fileChange struct {
	ChangeType string
	Item       struct{ Path string }
	NewContent struct{ Content, ContentType string }
}

// createPush makes commits on a branch. The host refuses it if the branch does not point to oldObjectId.
func createPush(c *call, in struct {
	RefUpdates []struct{ Name, OldObjectID string }
	Commits    []struct {
		Comment string
		Changes []fileChange
	}
}) *reply {
	if len(in.RefUpdates) != 1 || len(in.Commits) != 1 || len(in.Commits[0].Changes) == 0 || in.Commits[0].Comment == "" {
		return badRequest("The push needs one ref and one commit with changes.")
	}
	up, branch := in.RefUpdates[0], strings.TrimPrefix(in.RefUpdates[0].Name, heads)
	c.s.GitMu.Lock()
	defer c.s.GitMu.Unlock()
	tip, err := c.repo.git.Resolve(c.Ctx, "heads/"+branch)
	switch {
	case c.protected(branch):
		return failure(http.StatusForbidden, "GitRefUpdateRejectedByPolicyException",
			"TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.")
	case err != nil || tip != up.OldObjectID:
		return failure(http.StatusConflict, "GitReferenceStaleException",
			"TF401028: The reference '"+up.Name+"' has already been updated by another client, so you cannot update it.")
	}
	changes := []gitrepo.TreeChange{}
	for _, f := range in.Commits[0].Changes {
		t, refused := c.treeChange(tip, f)
		if refused != nil {
			return refused
		}
		changes = append(changes, t)
	}
	tree, err := c.repo.git.ChangeTree(c.Ctx, tip, changes)
	if err != nil {
		return badRequest(err.Error())
	}
	name, email := c.s.author(c.user.Login)
	made, err := c.repo.git.CommitTree(c.Ctx, tree, []string{tip}, in.Commits[0].Comment,
		gitrepo.Identity{Name: name, Email: email, At: c.s.Now()})
	if err == nil {
		err = c.repo.git.SetRef(c.Ctx, heads+branch, made)
	}
	if err == nil {
		err = c.s.moved(c.Ctx, c.repo, branch, host.Merged{Before: tip, After: made}, c.user.Login)
	}
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("push", "create", 0)
	return created(obj{"commits": []any{obj{"commitId": made, "comment": in.Commits[0].Comment, "parents": []string{tip}}},
		"refUpdates": []any{obj{"name": up.Name, "oldObjectId": tip, "newObjectId": made}}, "pushId": 1})
}

// treeChange checks the change of one file against the commit below it.
func (c *call) treeChange(tip string, f fileChange) (t gitrepo.TreeChange, refused *reply) {
	name, isAbsolute := strings.CutPrefix(f.Item.Path, "/")
	if !isAbsolute || !gitrepo.ValidPath(name) {
		return t, badRequest("The path is not valid.")
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if e, err := c.repo.git.Entry(c.Ctx, tip, dir); err == nil && e.Type != "dir" {
			return t, badRequest("TF401035: The path " + dir + " is a file.")
		}
	}
	e, err := c.repo.git.Entry(c.Ctx, tip, name)
	t = gitrepo.TreeChange{Path: name, Mode: "100644"}
	switch exists := err == nil; {
	case f.ChangeType == "add" && exists:
		return t, badRequest("TF401030: The item " + name + " exists already.")
	case f.ChangeType != "add" && (!exists || e.Type == "dir"):
		return t, failure(http.StatusNotFound, "GitItemNotFoundException", "TF401174: The item '"+name+"' could not be found.")
	case f.ChangeType == "delete":
		return t, nil
	case f.ChangeType != "add" && f.ChangeType != "edit":
		return t, badRequest("The change type is not supported.")
	}
	data := []byte(f.NewContent.Content)
	if strings.EqualFold(f.NewContent.ContentType, "base64encoded") {
		if data, err = base64.StdEncoding.DecodeString(f.NewContent.Content); err != nil {
			return t, badRequest("The content is not base64 encoded.")
		}
	}
	if t.SHA, err = c.repo.git.WriteBlob(c.Ctx, data); err != nil {
		return t, c.broken(err)
	}
	return t, nil
}

// getItem answers a file at a commit: its bytes for $format=octetStream or Accept: application/octet-stream, else its description.
func getItem(c *call) *reply {
	sha := c.Query.Get("versionDescriptor.version")
	if c.Query.Get("versionDescriptor.versionType") != "commit" || sha == "" {
		return badRequest("The version must be a commit.")
	}
	if _, err := c.repo.git.Lookup(c.Ctx, sha); err != nil {
		return failure(http.StatusNotFound, "GitUnresolvableToCommitException", "TF401175: The version descriptor could not be resolved.")
	}
	name := strings.TrimPrefix(c.Query.Get("path"), "/")
	e, err := c.repo.git.Entry(c.Ctx, sha, name)
	if err != nil {
		return failure(http.StatusNotFound, "GitItemNotFoundException", "TF401174: The item '"+name+"' could not be found in the repository.")
	}
	raw := strings.EqualFold(c.Query.Get("$format"), "octetStream")
	if !raw {
		kind := map[string]string{"dir": "tree", "submodule": "commit"}[e.Type]
		return ok(obj{"objectId": e.SHA, "gitObjectType": host.OrElse(kind, "blob"), "commitId": sha, "path": "/" + name,
			"isFolder": e.Type == "dir", "isSymLink": e.Type == "symlink"})
	}
	if e.Type == "dir" {
		return badRequest("The item is a folder.")
	}
	data, err := c.repo.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return c.broken(err)
	}
	return (&reply{Status: http.StatusOK, Body: data}).Set("Content-Type", "application/octet-stream")
}

func getCommit(c *call) *reply {
	k, err := c.repo.git.Lookup(c.Ctx, c.Vars["sha"])
	if err != nil {
		return failure(http.StatusNotFound, "GitCommitDoesNotExistException", "TF401174: The commit does not exist.")
	}
	return ok(obj{"commitId": k.SHA, "comment": k.Message, "parents": k.Parents})
}

// compareCommits answers the merge base and the numbers of commits on both sides (Diffs - Get).
func compareCommits(c *call) *reply {
	base, err := c.repo.git.Lookup(c.Ctx, c.Query.Get("baseVersion"))
	target, err2 := c.repo.git.Lookup(c.Ctx, c.Query.Get("targetVersion"))
	if err != nil || err2 != nil {
		return failure(http.StatusNotFound, "GitUnresolvableToCommitException", "TF401175: The version descriptor could not be resolved.")
	}
	common, err := c.repo.git.MergeBase(c.Ctx, base.SHA, target.SHA)
	if err != nil {
		return failure(http.StatusNotFound, "GitNoCommonCommitException", "The commits have no common history.")
	}
	ahead, err := c.repo.git.Count(c.Ctx, common, target.SHA)
	if err != nil {
		return c.broken(err)
	}
	behind, err := c.repo.git.Count(c.Ctx, common, base.SHA)
	if err != nil {
		return c.broken(err)
	}
	return ok(obj{"allChangesIncluded": true, "changes": []any{}, "commonCommit": common, "baseCommit": base.SHA, "targetCommit": target.SHA,
		"aheadCount": ahead, "behindCount": behind})
}
