package bitbucketcloud

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

var _ codehost.Committer = (*Host)(nil)

// BranchHead implements [codehost.Committer].
func (h *Host) BranchHead(ctx context.Context, repo codehost.Repo, branch string) (string, error) {
	const op = "read branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return "", err
	}
	escaped, _ := wire.EscapePath(branch) // a branch has no empty segments
	var b struct {
		Name   string    `json:"name"`
		Target commitRef `json:"target"`
	}
	if err := h.client.Get(ctx, op, at(repo)+"/refs/branches/"+escaped, &b); err != nil {
		return "", err
	}
	if b.Name != branch {
		return "", unexpected(op, "the answer is not the branch")
	}
	return h.expand(ctx, op, repo, repo, b.Target.Hash)
}

// Commit implements [codehost.Committer]. The host compares the parent with the head of the branch, and answers 409 if they differ (the
// description, POST R/src). It would make a branch that does not exist, and a plain file of a link or an executable one, so Commit looks
// first. A branch that is deleted between the look and the commit comes back.
func (h *Host) Commit(ctx context.Context, repo codehost.Repo, c codehost.NewCommit) (codehost.MadeCommit, error) {
	const op = "create commit"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := c.Check(op); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fields := [][2]string{{"branch", c.Branch}, {"parents", c.Head}, {"message", c.Message}}
	folders := map[string]bool{} // known to be folders, or free
	for _, f := range c.Files {
		attributes, err := h.checkFile(ctx, op, repo, c.Head, f, folders)
		if err != nil {
			return codehost.MadeCommit{}, err
		}
		if f.Delete {
			fields = append(fields, [2]string{"files", "/" + f.Path})
			continue
		}
		if err := addFile(form, f, attributes); err != nil {
			return codehost.MadeCommit{}, codehost.Refused(op, "a file cannot be encoded")
		}
	}
	for _, f := range fields {
		_ = form.WriteField(f[0], f[1]) // a buffer takes everything
	}
	_ = form.Close()
	call := h.client.Write(op)
	header, err := h.client.Do(ctx, call, wire.Request{Method: http.MethodPost, Address: at(repo) + "/src", Type: form.FormDataContentType(),
		Body: body.Bytes()}, nil)
	if err != nil {
		return codehost.MadeCommit{}, wire.ExplainCommitRefusal(ctx, op, h, repo, c, err, codehost.ClassOf(err))
	}
	return h.madeCommit(ctx, op, repo, c, header.Get("Location"))
}

// madeCommit returns the new commit, from the address that the host gives or else from the branch.
func (h *Host) madeCommit(ctx context.Context, op string, repo codehost.Repo, c codehost.NewCommit,
	location string) (codehost.MadeCommit, error) {
	lost := func(err error) error {
		return &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the host does not say which commit it made", Cause: err}
	}
	id := path.Base(location)
	if !codehost.IsCommit(id) {
		var err error
		if id, err = h.BranchHead(ctx, repo, c.Branch); err != nil {
			return codehost.MadeCommit{}, lost(err)
		}
	}
	made, err := h.commit(ctx, op, repo, id)
	if err != nil {
		return codehost.MadeCommit{}, lost(err)
	}
	if len(made.Parents) != 1 || made.Parents[0].Hash == "" || !strings.HasPrefix(c.Head, made.Parents[0].Hash) {
		return codehost.MadeCommit{}, lost(nil) // another push came after ours
	}
	return codehost.MadeCommit{ID: made.Hash, Parent: c.Head}, nil
}

// fileMeta is the description of a path at a commit.
type fileMeta struct {
	Type       string   `json:"type"` // commit_file or commit_directory
	Attributes []string `json:"attributes"`
}

func (h *Host) meta(ctx context.Context, op string, repo codehost.Repo, commit, file string) (out fileMeta, err error) {
	escaped, ok := wire.EscapePath(file)
	if !ok {
		return out, codehost.Refused(op, "the path must be relative to the repository's root and must not climb")
	}
	err = h.client.Get(ctx, op, at(repo)+"/src/"+commit+"/"+escaped+"?format=meta", &out)
	return out, err
}

// checkFile refuses a change that does not fit the files at a commit, and returns the attributes that the file keeps. folders collects
// the folders that need no other look.
func (h *Host) checkFile(ctx context.Context, op string, repo codehost.Repo, commit string, f codehost.FileChange,
	folders map[string]bool) (attributes string, err error) {
	m, err := h.meta(ctx, op, repo, commit, f.Path)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound && f.Delete:
		return "", &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "a file to delete is not there"}
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return "", h.checkFolders(ctx, op, repo, commit, f.Path, folders)
	case err != nil:
		return "", err
	case m.Type != "commit_file":
		return "", codehost.Refused(op, "a path names a folder")
	case slices.Contains(m.Attributes, "link"), slices.Contains(m.Attributes, "subrepository"):
		return "", codehost.Refused(op, "a path names a link or a submodule")
	case slices.Contains(m.Attributes, "executable"):
		return "executable", nil
	}
	return "", nil
}

// checkFolders refuses a new file below a path that is not a folder.
func (h *Host) checkFolders(ctx context.Context, op string, repo codehost.Repo, commit, file string, folders map[string]bool) error {
	for dir := path.Dir(file); dir != "." && !folders[dir]; dir = path.Dir(dir) {
		m, err := h.meta(ctx, op, repo, commit, dir)
		if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return err
		}
		if err == nil && m.Type != "commit_directory" {
			return codehost.Refused(op, "a path leads through a file")
		}
		folders[dir] = true
		if err == nil {
			return nil
		}
	}
	return nil
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// addFile adds a file to a form. A leading slash distinguishes it from the form's own fields, such as "message".
func addFile(form *multipart.Writer, f codehost.FileChange, attributes string) error {
	disposition := fmt.Sprintf(`form-data; name="/%s"; filename="%s"`, quoted.Replace(f.Path), quoted.Replace(path.Base(f.Path)))
	if attributes != "" {
		disposition += `; x-attributes="` + attributes + `"`
	}
	part, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {"application/octet-stream"}})
	if err != nil {
		return err
	}
	_, err = part.Write(f.Content)
	return err
}

// CreateBranch implements [codehost.Committer].
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return err
	}
	if !codehost.IsCommit(commit) {
		return codehost.Refused(op, "the commit must be a full commit id")
	}
	in := map[string]any{"name": branch, "target": map[string]string{"hash": commit}}
	err := h.client.Send(ctx, op, http.MethodPost, at(repo)+"/refs/branches", in, nil)
	e, ok := err.(*codehost.Error)
	if !ok || e.Status != http.StatusBadRequest && e.Status != http.StatusNotFound && e.Status != http.StatusConflict {
		return err
	}
	// The description names no answer for an existing branch, and 404 or 400 for a missing commit.
	switch _, looked := h.BranchHead(ctx, repo, branch); codehost.ClassOf(looked) {
	case codehost.ClassNotFound:
	default:
		if looked != nil {
			return err
		}
		why := *e
		why.Class = codehost.ClassExists
		return &why
	}
	if _, looked := h.commit(ctx, op, repo, commit); codehost.ClassOf(looked) == codehost.ClassNotFound {
		return looked
	}
	return err
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
	escaped, _ := wire.EscapePath(branch) // a branch has no empty segments
	return h.client.Send(ctx, op, http.MethodDelete, at(repo)+"/refs/branches/"+escaped, nil, nil)
}

// CommitAt implements [codehost.Committer]. The host names parents by short ids. CommitAt reads the first two to expand them, and
// leaves out further parents of a merge.
func (h *Host) CommitAt(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CommitInfo, err error) {
	const op = "read commit"
	if err := errors.Join(wire.CheckRepo(op, repo), codehost.CheckCommit(op, commit)); err != nil {
		return out, err
	}
	c, err := h.commit(ctx, op, repo, commit)
	if err != nil {
		return out, err
	}
	out.Message = clip.Bytes(c.Message, codehost.MaxMessage)
	for _, p := range c.Parents[:min(len(c.Parents), 2)] {
		full, err := h.expand(ctx, op, repo, repo, p.Hash)
		if err != nil {
			return codehost.CommitInfo{}, err
		}
		out.Parents = append(out.Parents, full)
	}
	return out, nil
}

// PullsFrom implements [codehost.Committer].
func (h *Host) PullsFrom(ctx context.Context, repo codehost.Repo, branch string) ([]codehost.PullRequest, error) {
	const op = "list pull requests of a branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return nil, err
	}
	list, err := h.openPulls(ctx, op, repo, `source.branch.name="`+quoted.Replace(branch)+`"`)
	return slices.DeleteFunc(list, func(p codehost.PullRequest) bool { return p.HeadRef != branch || p.FromFork }), err
}

// OpenPull implements [codehost.Committer]. The host may change an open pull request between the two branches instead of refusing
// another one, so OpenPull looks first. Default reviewers are only added on the host's page, so OpenPull adds them.
func (h *Host) OpenPull(ctx context.Context, repo codehost.Repo, p codehost.NewPull) (codehost.PullRequest, error) {
	const op = "open pull request"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.PullRequest{}, err
	}
	if err := p.Check(op, h.Capabilities().MaxBody); err != nil {
		return codehost.PullRequest{}, err
	}
	open, err := h.PullsFrom(ctx, repo, p.Branch)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	if slices.ContainsFunc(open, func(o codehost.PullRequest) bool { return o.BaseRef == p.Base }) {
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassExists, Op: op,
			Message: "a pull request between the two branches is open"}
	}
	reviewers, err := h.defaultReviewers(ctx, op, repo)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	var made pull
	err = h.client.Send(ctx, op, http.MethodPost, at(repo)+"/pullrequests", map[string]any{"title": p.Title.String(),
		"description": p.Body.String(), "source": branchNamed(p.Branch), "destination": branchNamed(p.Base), "reviewers": reviewers}, &made)
	if err != nil {
		return codehost.PullRequest{}, wire.ExplainPullRefusal(ctx, h, repo, p, err)
	}
	out, err := h.complete(ctx, op, repo, &made)
	if err != nil || made.ID <= 0 {
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the new pull request cannot be read",
			Cause: err}
	}
	return out, nil
}

func branchNamed(name string) map[string]any {
	return map[string]any{"branch": map[string]string{"name": name}}
}

// reviewerRef names a reviewer in a request.
type reviewerRef struct {
	UUID string `json:"uuid"`
}

func refOf(id domain.HostID) reviewerRef { return reviewerRef{"{" + string(id) + "}"} }

// defaultReviewers returns the default reviewers of a repository and its project, without our account, which becomes the author. It
// returns none if the host does not show them.
func (h *Host) defaultReviewers(ctx context.Context, op string, repo codehost.Repo) ([]reviewerRef, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	out, _, err := list(ctx, h, op, at(repo)+"/effective-default-reviewers?pagelen=100", maxReviewers, func(d struct {
		User *user `json:"user"`
	}) (reviewerRef, bool) {
		return refOf(d.User.id()), d.User.id() != "" && !self.is(d.User)
	})
	if codehost.IsAccessLost(err) {
		return nil, nil
	}
	return out, err
}
