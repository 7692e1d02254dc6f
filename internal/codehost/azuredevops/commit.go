package azuredevops

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// noObject is the id that stands for an absent branch.
const noObject = "0000000000000000000000000000000000000000"

// maxBranches is the most branches with one beginning in which one is looked for (design choice).
const maxBranches = 10_000

// BranchHead implements [codehost.Committer]. The filter finds every branch whose name begins so.
func (h *Host) BranchHead(ctx context.Context, repo codehost.Repo, branch string) (string, error) {
	const op = "read branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return "", err
	}
	type refRef struct {
		Name   string `json:"name"`
		Object string `json:"objectId"`
	}
	list, _, err := listOn(ctx, h, op, maxBranches, request{path: repoPath(repo) + "/refs", query: url.Values{"filter": {"heads/" + branch}}},
		func(r refRef) (string, bool) { return r.Object, r.Name == heads+branch && codehost.IsCommit(r.Object) })
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "there is no such branch"}
	}
	return list[0], nil
}

// pushChange is the change of a file in a push.
type pushChange struct {
	Type string `json:"changeType"`
	Item struct {
		Path string `json:"path"`
	} `json:"item"`
	Content *pushContent `json:"newContent,omitempty"`
}

type pushContent struct {
	Content string `json:"content"`
	Type    string `json:"contentType"`
}

// Commit implements [codehost.Committer] with a push of one commit. The host refuses it unless the branch points to the expected commit.
// An existing file keeps its mode.
func (h *Host) Commit(ctx context.Context, repo codehost.Repo, c codehost.NewCommit) (codehost.MadeCommit, error) {
	const op = "commit"
	if err := checkRepo(op, repo); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := c.Check(op); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	changes := make([]pushChange, 0, len(c.Files))
	for _, f := range c.Files {
		x, err := h.pushChange(ctx, op, repo, c.Head, f)
		if err != nil {
			return codehost.MadeCommit{}, err
		}
		changes = append(changes, x)
	}
	var made struct {
		Commits []struct {
			ID string `json:"commitId"`
		} `json:"commits"`
	}
	err := h.write(ctx, op, request{method: http.MethodPost, path: repoPath(repo) + "/pushes", body: map[string]any{
		"refUpdates": []map[string]string{{"name": heads + c.Branch, "oldObjectId": c.Head}},
		"commits":    []map[string]any{{"comment": c.Message, "changes": changes}}}}, &made)
	switch {
	case err != nil:
		return codehost.MadeCommit{}, wire.ExplainCommitRefusal(ctx, op, h, repo, c, err, codehost.ClassOf(err))
	case len(made.Commits) != 1 || !codehost.IsCommit(made.Commits[0].ID):
		return codehost.MadeCommit{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no commit"}
	}
	return codehost.MadeCommit{ID: made.Commits[0].ID, Parent: c.Head}, nil
}

// pushChange returns the change of one file in the host's words. The host wants to know whether the file is new.
func (h *Host) pushChange(ctx context.Context, op string, repo codehost.Repo, head string,
	f codehost.FileChange) (out pushChange, err error) {
	out.Type, out.Item.Path = "edit", "/"+f.Path
	var at struct {
		Folder bool   `json:"isFolder"`
		Link   bool   `json:"isSymLink"`
		Kind   string `json:"gitObjectType"`
	}
	err = h.read(ctx, op, itemRequest(repo, f.Path, head), &at)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound && f.Delete:
		return out, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "a file to delete is not there"}
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		out.Type = "add"
	case err != nil:
		return out, err
	case at.Folder || at.Link || at.Kind != "" && at.Kind != "blob":
		return out, codehost.Refused(op, "a path names a folder, a link or a submodule")
	case f.Delete:
		out.Type = "delete"
		return out, nil
	}
	out.Content = &pushContent{base64.StdEncoding.EncodeToString(f.Content), "base64encoded"}
	return out, nil
}

// refusedRefs maps the states of refused updates of refs to classes (git description, GitRefUpdateResult).
var refusedRefs = map[string]codehost.Class{"staleOldObjectId": codehost.ClassExists, "refNameConflict": codehost.ClassExists,
	"unresolvableToCommit": codehost.ClassNotFound, "invalidRefName": codehost.ClassInvalid, "locked": codehost.ClassForbidden,
	"writePermissionRequired": codehost.ClassForbidden, "createBranchPermissionRequired": codehost.ClassForbidden,
	"rejectedByPolicy": codehost.ClassForbidden, "rejectedByPlugin": codehost.ClassForbidden}

// CreateBranch implements [codehost.Committer].
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return err
	}
	if !codehost.IsCommit(commit) {
		return codehost.Refused(op, "the commit must be a full commit id")
	}
	return h.moveRef(ctx, op, repo, branch, noObject, commit)
}

// DeleteBranch implements [codehost.Committer].
func (h *Host) DeleteBranch(ctx context.Context, repo codehost.Repo, branch, head string) error {
	const op = "delete branch"
	if err := wire.CheckHead(ctx, op, h, repo, branch, head); err != nil { // the host's answer to a missing branch is the one to a moved one
		return err
	}
	return h.moveRef(ctx, op, repo, branch, head, noObject)
}

// CommitAt implements [codehost.Committer].
func (h *Host) CommitAt(ctx context.Context, repo codehost.Repo, commit string) (codehost.CommitInfo, error) {
	const op = "read commit"
	if err := errors.Join(checkRepo(op, repo), codehost.CheckCommit(op, commit)); err != nil {
		return codehost.CommitInfo{}, err
	}
	var c struct {
		Comment string   `json:"comment"`
		Parents []string `json:"parents"`
	}
	if err := h.read(ctx, op, request{path: repoPath(repo) + "/commits/" + commit}, &c); err != nil {
		return codehost.CommitInfo{}, err
	}
	return codehost.CommitInfo{Message: clip.Bytes(c.Comment, codehost.MaxMessage), Parents: c.Parents}, nil
}

// moveRef moves a branch from one commit to another, where [noObject] stands for an absent branch. The host answers 200 also for a
// branch that it did not move.
func (h *Host) moveRef(ctx context.Context, op string, repo codehost.Repo, branch, from, to string) error {
	var got answerList[struct {
		Status  string `json:"updateStatus"`
		Success bool   `json:"success"`
	}]
	err := h.write(ctx, op, request{method: http.MethodPost, path: repoPath(repo) + "/refs",
		body: []map[string]string{{"name": heads + branch, "oldObjectId": from, "newObjectId": to}}}, &got)
	switch {
	case err != nil:
		return err
	case len(got.Value) != 1:
		return &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no branch"}
	case got.Value[0].Success:
		return nil
	}
	class, known := refusedRefs[got.Value[0].Status]
	if !known {
		class = codehost.ClassInvalid
	}
	return &codehost.Error{Class: class, Op: op, Status: http.StatusOK, Message: "the host refused the branch: " +
		wire.OneLine(got.Value[0].Status, 80)}
}

// PullsFrom implements [codehost.Committer].
func (h *Host) PullsFrom(ctx context.Context, repo codehost.Repo, branch string) ([]codehost.PullRequest, error) {
	const op = "list pull requests of a branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return nil, err
	}
	return h.openPulls(ctx, op, repo, url.Values{"searchCriteria.sourceRefName": {heads + branch}},
		func(p codehost.PullRequest) bool { return p.HeadRef == branch && !p.FromFork })
}

// maxPullBody is the most characters of a pull request's description (runatlantis/atlantis#1585).
const maxPullBody = 4000

// OpenPull implements [codehost.Committer].
func (h *Host) OpenPull(ctx context.Context, repo codehost.Repo, p codehost.NewPull) (codehost.PullRequest, error) {
	const op = "open pull request"
	if err := checkRepo(op, repo); err != nil {
		return codehost.PullRequest{}, err
	}
	if err := p.Check(op, maxPullBody); err != nil {
		return codehost.PullRequest{}, err
	}
	var made pullRef
	err := h.write(ctx, op, request{method: http.MethodPost, path: repoPath(repo) + "/pullrequests", body: map[string]any{
		"sourceRefName": heads + p.Branch, "targetRefName": heads + p.Base, "title": p.Title.String(), "description": p.Body.String()}}, &made)
	switch {
	case err != nil:
		return codehost.PullRequest{}, wire.ExplainPullRefusal(ctx, h, repo, p, err)
	case made.Number <= 0:
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no pull request"}
	}
	return made.pull(h.pullURL(repo, made.Number)), nil
}
