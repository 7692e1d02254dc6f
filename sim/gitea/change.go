package gitea

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// maxChangedFiles bounds one request.
const maxChangedFiles = 1000

// changeFiles is POST …/contents: a commit of several files, on an existing or a new branch.
func changeFiles(c *call, in struct {
	Branch    string `json:"branch"`
	NewBranch string `json:"new_branch"`
	Message   string `json:"message"`
	ForcePush bool   `json:"force_push"`
	Files     []struct {
		Operation string `json:"operation"`
		Path      string `json:"path"`
		FromPath  string `json:"from_path"`
		Content   string `json:"content"`
		SHA       string `json:"sha"`
	} `json:"files"`
}) *reply {
	if len(in.Files) == 0 || len(in.Files) > maxChangedFiles {
		return c.invalid("[Files]: Required")
	}
	c.s.Mu.Lock()
	branch := host.OrElse(in.Branch, c.repo.DefaultBranch)
	c.s.Mu.Unlock()
	tip, err := c.repo.git.Resolve(c.Ctx, "heads/"+branch)
	if err != nil {
		return c.notFound()
	}
	to := host.OrElse(in.NewBranch, branch)
	if to != branch {
		if _, err := c.repo.git.Resolve(c.Ctx, "heads/"+to); err == nil && !in.ForcePush {
			return c.invalid(fmt.Sprintf("branch already exists [name: %s]", to))
		}
	}
	if to == branch && c.protected(branch) {
		return c.fail(http.StatusForbidden, fmt.Sprintf("user cannot commit to repo [name: %s]", c.actor.login))
	}
	spec := simapi.CommitSpec{Branch: to, Files: map[string]string{}, Message: host.OrElse(in.Message, "Update files"), Author: c.actor.login}
	if to != branch {
		spec.From = tip
	}
	for _, f := range in.Files {
		if !gitrepo.ValidPath(f.Path) {
			return c.invalid("path contains a malformed path component [path: " + f.Path + "]")
		}
		e, err := c.repo.git.Entry(c.Ctx, tip, f.Path)
		exists := err == nil
		if bad := c.folders(tip, f.Path); bad != nil {
			return bad
		}
		data, decodeErr := base64.StdEncoding.DecodeString(f.Content)
		switch {
		case decodeErr != nil:
			return c.invalid("content is not base64 encoded")
		case f.Operation == "create" && exists:
			return c.invalid(fmt.Sprintf("repository file already exists [path: %s]", f.Path))
		case (f.Operation == "update" || f.Operation == "delete") && !exists:
			return c.notFound()
		case f.Operation != "create" && f.Operation != "upload" && f.SHA == "":
			return c.invalid("a SHA or commit ID must be provided when updating or deleting a file")
		case f.SHA != "" && f.SHA != e.SHA && exists:
			return c.invalid(fmt.Sprintf("sha does not match [given: %s, expected: %s]", f.SHA, e.SHA))
		case f.Operation == "delete":
			spec.Delete = append(spec.Delete, f.Path)
			continue
		case f.Operation == "rename":
			if !gitrepo.ValidPath(f.FromPath) {
				return c.invalid("from_path contains a malformed path component")
			}
			spec.Delete = append(spec.Delete, f.FromPath)
		case f.Operation != "create" && f.Operation != "update" && f.Operation != "upload":
			return c.invalid("[Operation]: In(create,update,upload,rename,delete)")
		}
		spec.Files[f.Path] = string(data)
	}
	made, err := c.s.Commit(c.Ctx, c.repo.FullName(), spec)
	if err != nil {
		return c.broken(err)
	}
	c.wrote("commit", "create", 0, 0)
	k, err := c.repo.git.Lookup(c.Ctx, made.SHA)
	if err != nil {
		return c.broken(err)
	}
	return c.filesAnswer(k, to, spec.Files)
}

// protected reports whether pushes to a branch are forbidden.
func (c *call) protected(branch string) bool {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return slices.Contains(c.repo.Protected, branch)
}

// folders refuses a path whose parent is not a folder; nil if the path is fine.
func (c *call) folders(tip, p string) *reply {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if e, err := c.repo.git.Entry(c.Ctx, tip, dir); err == nil && e.Type != "dir" {
			return c.invalid(fmt.Sprintf("a file exists where you’re trying to create a subdirectory [path: %s]", dir))
		}
	}
	return nil
}

// createBranch is POST …/branches. Like the host, it answers 500 if the commit does not exist
// (routers/api/v1/repo/branch.go).
func createBranch(c *call, in struct {
	Name string `json:"new_branch_name"`
	From string `json:"old_ref_name"`
}) *reply {
	if !gitrepo.ValidBranch(in.Name) || len(in.Name) > 100 {
		return c.invalid("[BranchName]: GitRefName")
	}
	c.s.Mu.Lock()
	from := host.OrElse(in.From, c.repo.DefaultBranch)
	c.s.Mu.Unlock()
	sha, err := c.repo.git.Resolve(c.Ctx, from)
	if err != nil {
		return c.broken(err)
	}
	if _, err := c.repo.git.Resolve(c.Ctx, "heads/"+in.Name); err == nil {
		return c.fail(http.StatusConflict, "The branch already exists.")
	}
	if _, err := c.s.Commit(c.Ctx, c.repo.FullName(), simapi.CommitSpec{Branch: in.Name, MoveTo: sha, Author: c.actor.login}); err != nil {
		return c.broken(err)
	}
	c.wrote("branch", "create", 0, 0)
	o, err := c.branch(gitrepo.Branch{Name: in.Name, SHA: sha})
	if err != nil {
		return c.broken(err)
	}
	return created(o)
}

// deleteBranch is DELETE …/branches/{branch}.
func deleteBranch(c *call) *reply {
	branch := c.Vars["branch"]
	if _, err := c.repo.git.Resolve(c.Ctx, "heads/"+branch); err != nil {
		return c.notFound()
	}
	if c.protected(branch) {
		return c.fail(http.StatusForbidden, "branch protected")
	}
	if err := c.repo.git.DeleteRef(c.Ctx, "refs/heads/"+branch); err != nil {
		return c.broken(err)
	}
	c.wrote("branch", "delete", 0, 0)
	return host.NoContent()
}

func (c *call) filesAnswer(k gitrepo.Commit, branch string, files map[string]string) *reply {
	list := []any{}
	for path := range files {
		e, err := c.repo.git.Entry(c.Ctx, k.SHA, path)
		if err != nil {
			return c.broken(err)
		}
		o, err := c.entry(e, branch, k.SHA, true)
		if err != nil {
			return c.broken(err)
		}
		list = append(list, o)
	}
	full := c.commit(k, false)
	at := k.CommittedAt.Format(time.RFC3339)
	who := obj{"name": k.AuthorName, "email": k.AuthorEmail, "date": at}
	commit := obj{"sha": k.SHA, "url": full["url"], "html_url": full["html_url"], "created": at, "message": k.Message,
		"parents": full["parents"],
		"tree":    full["commit"].(obj)["tree"], "author": who, "committer": who}
	return host.JSON(http.StatusCreated, obj{"files": list, "commit": commit, "verification": full["commit"].(obj)["verification"]})
}
