package gitlab

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

func (c *call) commit(k gitrepo.Commit) obj {
	title, _, _ := strings.Cut(k.Message, "\n")
	return obj{"id": k.SHA, "short_id": k.SHA[:8], "title": title, "message": k.Message,
		"parent_ids": append([]string{}, k.Parents...), "author_name": k.AuthorName,
		"author_email": k.AuthorEmail, "authored_date": dated(k.AuthoredAt), "committer_name": k.CommitterName,
		"committer_email": k.CommitterEmail,
		"committed_date":  dated(k.CommittedAt), "created_at": dated(k.CommittedAt), "web_url": c.s.BaseURL() + "/" +
			c.project.FullPath() + "/-/commit/" + k.SHA}
}

func (c *call) branch(b gitrepo.Branch) (any, error) {
	k, err := c.project.git.Lookup(c.Ctx, b.SHA)
	if err != nil {
		return nil, err
	}
	c.s.Mu.Lock()
	kept, usual := slices.Contains(c.project.Protected, b.Name), b.Name == c.project.DefaultBranch
	c.s.Mu.Unlock()
	return obj{"name": b.Name, "commit": c.commit(k), "merged": false, "protected": kept, "default": usual, "can_push": !kept}, nil
}

func getBranch(c *call) *reply {
	sha, err := c.project.git.Resolve(c.Ctx, "heads/"+c.Vars["branch"])
	if err != nil {
		return notFound("Branch")
	}
	o, err := c.branch(gitrepo.Branch{Name: c.Vars["branch"], SHA: sha})
	if err != nil {
		return c.broken(err)
	}
	return ok(o)
}

func createBranch(c *call) *reply {
	in := struct{ Branch, Ref string }{c.Query.Get("branch"), c.Query.Get("ref")}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	if in.Branch == "" || in.Ref == "" {
		return missing("branch is missing, ref is missing")
	}
	if !gitrepo.ValidBranch(in.Branch) {
		return failure(http.StatusBadRequest, "Branch name is invalid")
	}
	if _, err := c.project.git.Resolve(c.Ctx, "heads/"+in.Branch); err == nil {
		return failure(http.StatusBadRequest, "Branch already exists")
	}
	sha, err := c.project.git.Resolve(c.Ctx, in.Ref)
	if err != nil {
		return failure(http.StatusBadRequest, "Invalid reference name: "+in.Ref)
	}
	if _, err := c.s.Commit(c.Ctx, c.project.FullPath(), simapi.CommitSpec{Branch: in.Branch, MoveTo: sha,
		Author: c.actor.user.Login}); err != nil {
		return c.broken(err)
	}
	c.wrote("branch", "create", 0, 0)
	o, err := c.branch(gitrepo.Branch{Name: in.Branch, SHA: sha})
	if err != nil {
		return c.broken(err)
	}
	return created(o)
}

// deleteBranch is DELETE …/repository/branches/{branch}.
func deleteBranch(c *call) *reply {
	branch := c.Vars["branch"]
	if _, err := c.project.git.Resolve(c.Ctx, "heads/"+branch); err != nil {
		return notFound("Branch")
	}
	if slices.Contains(c.project.Protected, branch) {
		return failure(http.StatusForbidden, "Protected branch cannot be removed")
	}
	if err := c.project.git.DeleteRef(c.Ctx, "refs/heads/"+branch); err != nil {
		return c.broken(err)
	}
	c.wrote("branch", "delete", 0, 0)
	return host.NoContent()
}

// compare is GET …/repository/compare, from the merge base or, with straight, from "from" itself.
func compare(c *call) *reply {
	from, err1 := c.project.git.Resolve(c.Ctx, c.Query.Get("from"))
	to, err2 := c.project.git.Resolve(c.Ctx, c.Query.Get("to"))
	if err1 != nil || err2 != nil {
		return notFound("Ref")
	}
	base := from
	if c.Query.Get("straight") != "true" {
		var err error
		if base, err = c.project.git.MergeBase(c.Ctx, from, to); err != nil {
			return notFound("Merge Base")
		}
	}
	d, err := c.project.git.Diff(c.Ctx, base, to)
	if err != nil {
		return c.broken(err)
	}
	commits, err := c.project.git.Between(c.Ctx, from, to)
	if err != nil {
		return c.broken(err)
	}
	list := host.RenderAll(commits, func(k gitrepo.Commit) any { return c.commit(k) })
	var last any
	if len(list) > 0 {
		last = list[len(list)-1]
	}
	return ok(obj{"commit": last, "commits": list, "diffs": host.RenderAll(d.Files, c.diffEntry), "compare_timeout": false,
		"compare_same_ref": from == to})
}

// mergeBase is GET …/repository/merge_base (lib/api/repositories.rb of gitlab-org/gitlab).
func mergeBase(c *call) *reply {
	refs := c.Query["refs[]"]
	if len(refs) != 2 {
		return failure(http.StatusBadRequest, "Provide at least 2 refs")
	}
	var shas []string
	for _, r := range refs {
		sha, err := c.project.git.Resolve(c.Ctx, r)
		if err != nil {
			return failure(http.StatusBadRequest, "Could not find ref: "+r)
		}
		shas = append(shas, sha)
	}
	base, err := c.project.git.MergeBase(c.Ctx, shas[0], shas[1])
	if err != nil {
		return notFound("Merge Base")
	}
	return c.oneCommit(base)
}

func (c *call) oneCommit(sha string) *reply {
	k, err := c.project.git.Lookup(c.Ctx, sha)
	if err != nil {
		return notFound("Commit")
	}
	return ok(c.commit(k))
}

func getCommit(c *call) *reply {
	sha, err := c.project.git.Resolve(c.Ctx, c.Vars["sha"])
	if err != nil {
		return notFound("Commit")
	}
	return c.oneCommit(sha)
}

// listCommits lists the commits of a reference, or of a range "a..b", newest first.
func listCommits(c *call) *reply {
	name := c.Query.Get("ref_name")
	if base, head, isRange := strings.Cut(name, ".."); isRange {
		from, err1 := c.project.git.Resolve(c.Ctx, base)
		to, err2 := c.project.git.Resolve(c.Ctx, head)
		if err1 != nil || err2 != nil {
			return notFound("Tree")
		}
		list, err := c.project.git.Between(c.Ctx, from, to)
		if err != nil {
			return c.broken(err)
		}
		slices.Reverse(list)
		return c.uncounted(pageOf(c, list, func(k gitrepo.Commit) any { return c.commit(k) }))
	}
	c.s.Mu.Lock()
	name = host.OrElse(name, c.project.DefaultBranch)
	c.s.Mu.Unlock()
	sha, err := c.project.git.Resolve(c.Ctx, name)
	if err != nil {
		return notFound("Tree")
	}
	list, err := c.project.git.Log(c.Ctx, sha, 10*mostOfPage)
	if err != nil {
		return c.broken(err)
	}
	return c.uncounted(pageOf(c, list, func(k gitrepo.Commit) any { return c.commit(k) }))
}

// uncounted removes the counts, which the list of commits lacks.
func (c *call) uncounted(rep *reply) *reply {
	rep.Header.Del("X-Total")
	rep.Header.Del("X-Total-Pages")
	return rep
}

// entry finds the file of the path at the reference of the query.
func (c *call) entry() (e gitrepo.Entry, sha string, refused *reply) {
	ref := c.Query.Get("ref")
	if ref == "" || ref == "HEAD" {
		c.s.Mu.Lock()
		ref = c.project.DefaultBranch
		c.s.Mu.Unlock()
	}
	sha, err := c.project.git.Resolve(c.Ctx, ref)
	if err != nil {
		return e, "", notFound("Commit")
	}
	e, err = c.project.git.Entry(c.Ctx, sha, c.Vars["path"])
	if err != nil || e.Type == "dir" || e.Type == "submodule" {
		return e, "", notFound("File")
	}
	return e, sha, nil
}

func rawFile(c *call) *reply {
	e, sha, refused := c.entry()
	if refused != nil {
		return refused
	}
	data, err := c.project.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return c.broken(err)
	}
	return plain(data).Set("X-Gitlab-Commit-Id", sha).Set("X-Gitlab-Blob-Id", e.SHA)
}

func getFile(c *call) *reply {
	e, sha, refused := c.entry()
	if refused != nil {
		return refused
	}
	data, err := c.project.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return c.broken(err)
	}
	last, err := c.lastChange(sha, e.Path)
	if err != nil {
		return c.broken(err)
	}
	return ok(obj{"file_name": e.Name, "file_path": e.Path, "size": e.Size, "encoding": "base64",
		"content":        base64.StdEncoding.EncodeToString(data),
		"content_sha256": host.HashHex(data), "ref": c.Query.Get("ref"), "blob_id": e.SHA, "commit_id": sha, "last_commit_id": last,
		"execute_filemode": false})
}

// maxLooked bounds the commits that are searched for the last change of a file.
const maxLooked = 1000

// lastChange returns the newest commit up to sha that changed a file.
func (c *call) lastChange(sha, file string) (string, error) {
	list, err := c.project.git.Log(c.Ctx, sha, maxLooked)
	if err != nil {
		return "", err
	}
	blob := func(at string) string {
		e, err := c.project.git.Entry(c.Ctx, at, file)
		if err != nil {
			return ""
		}
		return e.SHA
	}
	now := blob(sha)
	for _, k := range list {
		if len(k.Parents) == 0 || blob(k.Parents[0]) != now {
			return k.SHA, nil
		}
	}
	return "", errors.New("the history of a file is too long for the simulator")
}

// tree lists a folder.
func tree(c *call) *reply {
	ref := host.OrElse(c.Query.Get("ref"), c.project.DefaultBranch)
	sha, err := c.project.git.Resolve(c.Ctx, ref)
	if err != nil {
		return notFound("Tree")
	}
	list, err := c.project.git.List(c.Ctx, sha, c.Query.Get("path"))
	if err != nil || len(list) == 0 {
		return notFound("Tree")
	}
	kinds := map[string]string{"dir": "tree", "submodule": "commit"}
	modes := map[string]string{"dir": "040000", "submodule": "160000", "symlink": "120000"}
	return pageOf(c, list, func(e gitrepo.Entry) any {
		return obj{"id": e.SHA, "name": e.Name, "type": host.OrElse(kinds[e.Type], "blob"), "path": e.Path,
			"mode": host.OrElse(modes[e.Type], "100644")}
	})
}

// fileAction is one change of POST …/repository/commits.
type fileAction struct {
	Action       string `json:"action"`
	FilePath     string `json:"file_path"`
	PreviousPath string `json:"previous_path"`
	Content      string `json:"content"`
	Encoding     string `json:"encoding"`
	LastCommitID string `json:"last_commit_id"`
}

// createCommit is POST …/repository/commits (app/services/files/multi_service.rb of gitlab-org/gitlab). The
// branch may have moved; only files with a last commit id are checked for that.
func createCommit(c *call, in struct {
	Branch        string       `json:"branch"`
	CommitMessage string       `json:"commit_message"`
	StartBranch   string       `json:"start_branch"`
	StartSHA      string       `json:"start_sha"`
	Actions       []fileAction `json:"actions"`
}) *reply {
	if in.Branch == "" || in.CommitMessage == "" || len(in.Actions) == 0 {
		return missing("branch is missing, commit_message is missing, actions is missing")
	}
	c.s.Mu.Lock()
	kept := slices.Contains(c.project.Protected, in.Branch)
	c.s.Mu.Unlock()
	if kept {
		return failure(http.StatusForbidden, "403 Forbidden - You are not allowed to push into this branch")
	}
	tip, err := c.project.git.Resolve(c.Ctx, "heads/"+in.Branch)
	spec := simapi.CommitSpec{Branch: in.Branch, Files: map[string]string{}, Message: in.CommitMessage, Author: c.actor.user.Login}
	if err != nil {
		start := host.OrElse(in.StartSHA, in.StartBranch)
		if start == "" {
			return failure(http.StatusBadRequest, "You can only create or edit files when you are on a branch")
		}
		if tip, err = c.project.git.Resolve(c.Ctx, start); err != nil {
			return failure(http.StatusBadRequest, "Invalid reference name: "+start)
		}
		spec.From = tip
	} else if in.StartBranch != "" || in.StartSHA != "" {
		return failure(http.StatusBadRequest, fmt.Sprintf("A branch called '%s' already exists. Switch to that branch in order to "+
			"make changes", in.Branch))
	}
	for _, a := range in.Actions {
		if bad := c.fileAction(tip, a, &spec); bad != nil {
			return bad
		}
	}
	made, err := c.s.Commit(c.Ctx, c.project.FullPath(), spec)
	if err != nil {
		return c.broken(err)
	}
	c.wrote("commit", "create", 0, 0)
	k, err := c.project.git.Lookup(c.Ctx, made.SHA)
	if err != nil {
		return c.broken(err)
	}
	return created(c.commit(k))
}

// fileAction adds one change to a commit, or returns the refusal.
func (c *call) fileAction(tip string, a fileAction, spec *simapi.CommitSpec) *reply {
	bad := func(text string) *reply { return failure(http.StatusBadRequest, text) }
	if !gitrepo.ValidPath(a.FilePath) {
		return bad("Path cannot include directory traversal")
	}
	e, err := c.project.git.Entry(c.Ctx, tip, a.FilePath)
	there := err == nil
	for dir := path.Dir(a.FilePath); dir != "."; dir = path.Dir(dir) {
		if e, err := c.project.git.Entry(c.Ctx, tip, dir); err == nil && e.Type != "dir" {
			return bad("A file with this name already exists")
		}
	}
	content := a.Content
	if a.Encoding == "base64" {
		data, err := base64.StdEncoding.DecodeString(a.Content)
		if err != nil {
			return bad("content is not base64")
		}
		content = string(data)
	}
	switch a.Action {
	case "create":
		if there && e.Type == "dir" {
			return bad("A directory with this name already exists")
		}
		if there {
			return bad("A file with this name already exists")
		}
	case "update", "delete":
		if !there || e.Type == "dir" {
			return bad("A file with this name doesn't exist")
		}
		if last, err := c.lastChange(tip, a.FilePath); a.LastCommitID != "" && (err != nil || last != a.LastCommitID) {
			return bad("The file has changed since you started editing it: " + a.FilePath)
		}
	default:
		return missing("actions[" + strconv.Itoa(len(spec.Files)) + "][action] does not have a valid value")
	}
	if a.Action == "delete" {
		spec.Delete = append(spec.Delete, a.FilePath)
		return nil
	}
	spec.Files[a.FilePath] = content
	return nil
}
