package gitea

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxNewBranch is the most bytes of the name of a new branch (modules/structs/repo.go,
// CreateBranchRepoOption).
const maxNewBranch = 100

var _ codehost.Committer = (*Host)(nil)

// decode decodes the JSON of an answer.
func decode(op string, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not what the API describes"}
	}
	return nil
}

// BranchHead implements [codehost.Committer].
func (h *Host) BranchHead(ctx context.Context, repo codehost.Repo, branch string) (string, error) {
	const op = "read branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return "", err
	}
	escaped, _ := wire.EscapePath(branch) // the name of a branch has the form of a path
	body, err := h.get(ctx, op, "/repos/"+repo.FullName()+"/branches/"+escaped)
	if err != nil {
		return "", err
	}
	var b struct {
		Name   string `json:"name"`
		Commit struct {
			ID string `json:"id"`
		} `json:"commit"`
	}
	if err := decode(op, body, &b); err != nil {
		return "", err
	}
	if b.Name != branch || !codehost.IsCommit(b.Commit.ID) {
		return "", &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not the branch"}
	}
	return b.Commit.ID, nil
}

// Commit implements [codehost.Committer]. The host compares the files with the expected ones, not the head
// (routers/api/v1/repo/file.go, ChangeFiles: "there is no LastCommitID in FileOptions"), so Commit reads
// the head just before. An existing file keeps its mode (services/repository/files/update.go,
// handleCheckErrors).
func (h *Host) Commit(ctx context.Context, repo codehost.Repo, c codehost.NewCommit) (codehost.MadeCommit, error) {
	const op = "commit"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := c.Check(op); err != nil {
		return codehost.MadeCommit{}, err
	}
	opts := sdk.ChangeFilesOptions{Branch: c.Branch, Message: c.Message}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	for _, f := range c.Files {
		o, err := h.operation(ctx, op, repo, c.Head, f)
		if err != nil {
			return codehost.MadeCommit{}, err
		}
		opts.Files = append(opts.Files, o)
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	var made *sdk.FileResponse
	err := h.write(ctx, op, func(client *sdk.Client) (err error) {
		made, _, err = client.ChangeFiles(repo.Owner, repo.Name, opts)
		return err
	})
	switch {
	case err != nil:
		return codehost.MadeCommit{}, wire.ExplainCommitRefusal(ctx, op, h, repo, c, err, codehost.ClassOf(err))
	case made.Commit == nil || !codehost.IsCommit(made.Commit.SHA) || len(made.Commit.Parents) != 1 || made.Commit.Parents[0] == nil:
		return codehost.MadeCommit{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no commit"}
	}
	return codehost.MadeCommit{ID: made.Commit.SHA, Parent: made.Commit.Parents[0].SHA}, nil
}

// operation returns the change of one file in the host's words.
func (h *Host) operation(ctx context.Context, op string, repo codehost.Repo, commit string,
	f codehost.FileChange) (*sdk.ChangeFileOperation, error) {
	out := &sdk.ChangeFileOperation{Path: f.Path, Operation: "update"}
	if !f.Delete {
		out.Content = base64.StdEncoding.EncodeToString(f.Content)
	}
	kind, id, err := h.entry(ctx, op, repo, commit, f.Path)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound && f.Delete:
		return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "a file to delete is not there"}
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		out.Operation = "create"
		return out, nil
	case err != nil:
		return nil, err
	case kind != "file":
		return nil, codehost.Refused(op, "a path leads to something that is not a file")
	case f.Delete:
		out.Operation = "delete"
	}
	out.SHA = id
	return out, nil
}

// entry returns the kind of the entry at a path of a commit ("file", "dir", "symlink" or "submodule") and
// its object.
func (h *Host) entry(ctx context.Context, op string, repo codehost.Repo, commit, path string) (kind, id string, err error) {
	escaped, _ := wire.EscapePath(path) // already checked
	body, err := h.get(ctx, op, "/repos/"+repo.FullName()+"/contents/"+escaped+"?ref="+commit)
	if err != nil {
		return "", "", err
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		return "dir", "", nil
	}
	var e struct {
		Type string `json:"type"`
		SHA  string `json:"sha"`
	}
	if err := decode(op, body, &e); err != nil {
		return "", "", err
	}
	return e.Type, e.SHA, nil
}

// post sends a write that the library lacks.
func (h *Host) post(ctx context.Context, op, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return codehost.Refused(op, "the request cannot be written")
	}
	c := &wire.Call{Op: op, Key: h.instance.Key, Write: true, Effect: true, Authorize: h.authorize}
	return wire.Run(ctx, c, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.instance.Base+"/api/v1"+path, bytes.NewReader(raw))
		if err != nil {
			return err
		}
		req.Header.Set("User-Agent", wire.UserAgent)
		req.Header.Set("Content-Type", "application/json")
		resp, err := h.instance.Client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// CreateBranch implements [codehost.Committer]. The host answers 500 for a missing commit
// (routers/api/v1/repo/branch.go, CreateBranch), so CreateBranch looks for the commit first. The library
// can only start a branch from another branch.
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return err
	}
	if len(branch) > maxNewBranch {
		return codehost.Refused(op, "the name of a new branch has at most %d bytes", maxNewBranch)
	}
	if _, err := h.CommitAt(ctx, repo, commit); err != nil {
		return err
	}
	err := h.post(ctx, op, "/repos/"+repo.FullName()+"/branches", map[string]string{"new_branch_name": branch, "old_ref_name": commit})
	return asExisting(err)
}

// CommitAt implements [codehost.Committer].
func (h *Host) CommitAt(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CommitInfo, err error) {
	const op = "read commit"
	if err := errors.Join(wire.CheckRepo(op, repo), codehost.CheckCommit(op, commit)); err != nil {
		return out, err
	}
	body, err := h.get(ctx, op, "/repos/"+repo.FullName()+"/git/commits/"+url.PathEscape(commit)+"?stat=false&files=false&verification=false")
	if err != nil {
		return out, err
	}
	var c sdk.Commit
	if err := decode(op, body, &c); err != nil {
		return out, err
	}
	if c.RepoCommit != nil {
		out.Message = clip.Bytes(c.RepoCommit.Message, codehost.MaxMessage)
	}
	for _, p := range c.Parents {
		if p != nil {
			out.Parents = append(out.Parents, p.SHA)
		}
	}
	return out, nil
}

// DeleteBranch implements [codehost.Committer].
func (h *Host) DeleteBranch(ctx context.Context, repo codehost.Repo, branch, head string) error {
	const op = "delete branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return err
	}
	if err := wire.CheckHead(ctx, op, h, repo, branch, head); err != nil {
		return err
	}
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, _, err := c.DeleteRepoBranch(repo.Owner, repo.Name, branch)
		return err
	})
}

// asExisting returns a conflict as [codehost.ClassExists].
func asExisting(err error) error {
	if e, ok := err.(*codehost.Error); ok && e.Status == http.StatusConflict {
		there := *e
		there.Class = codehost.ClassExists
		return &there
	}
	return err
}

// PullsFrom implements [codehost.Committer]. It reads all open pull requests, because the host's list
// cannot select a branch.
func (h *Host) PullsFrom(ctx context.Context, repo codehost.Repo, branch string) ([]codehost.PullRequest, error) {
	if err := wire.CheckBranch("list pull requests of a branch", repo, branch); err != nil {
		return nil, err
	}
	all, err := h.OpenPullRequests(ctx, repo)
	if err != nil {
		return nil, err
	}
	var out []codehost.PullRequest
	for _, p := range all {
		if p.HeadRef == branch && !p.FromFork {
			out = append(out, p)
		}
	}
	return out, nil
}

// OpenPull implements [codehost.Committer].
func (h *Host) OpenPull(ctx context.Context, repo codehost.Repo, p codehost.NewPull) (codehost.PullRequest, error) {
	const op = "open pull request"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.PullRequest{}, err
	}
	if err := p.Check(op, h.Capabilities().MaxBody); err != nil {
		return codehost.PullRequest{}, err
	}
	var made *sdk.PullRequest
	err := h.write(ctx, op, func(c *sdk.Client) (err error) {
		made, _, err = c.CreatePullRequest(repo.Owner, repo.Name, sdk.CreatePullRequestOption{Title: p.Title.String(),
			Body: p.Body.String(), Head: p.Branch, Base: p.Base})
		return err
	})
	switch {
	case err != nil:
		return codehost.PullRequest{}, wire.ExplainPullRefusal(ctx, h, repo, p, asExisting(err))
	case made.Index <= 0:
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no pull request"}
	}
	return pullRequest(made), nil
}
