package gitlab

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Committer = (*Host)(nil)

// BranchHead implements [codehost.Committer].
func (h *Host) BranchHead(ctx context.Context, repo codehost.Repo, branch string) (string, error) {
	const op = "read branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return "", err
	}
	var b *sdk.Branch
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		b, _, err = c.Branches.GetBranch(repo.FullName(), branch, with)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case b.Name != branch || b.Commit == nil || !codehost.IsCommit(b.Commit.ID):
		return "", unexpected(op, "the answer is not the branch")
	}
	return b.Commit.ID, nil
}

// Commit implements [codehost.Committer] (docs.gitlab.com/api/commits, "Create a commit with multiple files
// and actions"). GitLab compares updated and deleted files with their last commit, not with the head, so
// Commit reads the head just before. An existing file keeps its mode.
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
	opts := &sdk.CreateCommitOptions{Branch: &c.Branch, CommitMessage: &c.Message}
	for _, f := range c.Files {
		a, err := h.action(ctx, op, repo, c.Head, f)
		if err != nil {
			return codehost.MadeCommit{}, err
		}
		opts.Actions = append(opts.Actions, a)
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	var made *sdk.Commit
	err := h.write(ctx, op, func(client *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		made, _, err = client.Commits.CreateCommit(repo.FullName(), opts, with)
		return err
	})
	switch {
	case err != nil:
		return codehost.MadeCommit{}, wire.ExplainCommitRefusal(ctx, op, h, repo, c, err, codehost.ClassOf(err))
	case !codehost.IsCommit(made.ID) || len(made.ParentIDs) != 1:
		return codehost.MadeCommit{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no commit"}
	}
	return codehost.MadeCommit{ID: made.ID, Parent: made.ParentIDs[0]}, nil
}

// action returns the change of one file in GitLab's words.
func (h *Host) action(ctx context.Context, op string, repo codehost.Repo, commit string,
	f codehost.FileChange) (*sdk.CommitActionOptions, error) {
	out := &sdk.CommitActionOptions{FilePath: &f.Path, Action: sdk.Ptr(sdk.FileUpdate)}
	if !f.Delete {
		out.Content, out.Encoding = sdk.Ptr(base64.StdEncoding.EncodeToString(f.Content)), sdk.Ptr("base64")
	}
	var meta *sdk.File
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		meta, _, err = c.RepositoryFiles.GetFile(repo.FullName(), f.Path, &sdk.GetFileOptions{Ref: &commit}, with)
		return err
	})
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound && f.Delete:
		return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "a file to delete is not there"}
	case codehost.ClassOf(err) == codehost.ClassNotFound: // or the path is a folder, which GitLab refuses
		out.Action = sdk.Ptr(sdk.FileCreate)
		return out, nil
	case err != nil:
		return nil, err
	case !codehost.IsCommit(meta.LastCommitID):
		return nil, unexpected(op, "the answer does not say when the file was changed last")
	case f.Delete:
		out.Action = sdk.Ptr(sdk.FileDelete)
	}
	out.LastCommitID = &meta.LastCommitID
	return out, nil
}

// CreateBranch implements [codehost.Committer].
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return err
	}
	if err := codehost.CheckCommit(op, commit); err != nil {
		return err
	}
	err := h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		_, _, err := c.Branches.CreateBranch(repo.FullName(), &sdk.CreateBranchOptions{Branch: &branch, Ref: &commit}, with)
		return err
	})
	e, ok := err.(*codehost.Error)
	if !ok || e.Status != http.StatusBadRequest {
		return err
	}
	// GitLab answers 400 both for an existing branch and for a missing commit.
	why := *e
	switch _, looked := h.BranchHead(ctx, repo, branch); codehost.ClassOf(looked) {
	case "":
		if looked == nil {
			why.Class = codehost.ClassExists
			return &why
		}
		return err
	case codehost.ClassNotFound:
	default:
		return err
	}
	_, looked := h.CommitAt(ctx, repo, commit)
	if codehost.ClassOf(looked) == codehost.ClassNotFound {
		return looked
	}
	return err
}

// CommitAt implements [codehost.Committer].
func (h *Host) CommitAt(ctx context.Context, repo codehost.Repo, commit string) (codehost.CommitInfo, error) {
	const op = "read commit"
	if err := errors.Join(checkRepo(op, repo), codehost.CheckCommit(op, commit)); err != nil {
		return codehost.CommitInfo{}, err
	}
	var read *sdk.Commit
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		read, _, err = c.Commits.GetCommit(repo.FullName(), commit, nil, with)
		return err
	})
	if err != nil {
		return codehost.CommitInfo{}, err
	}
	return codehost.CommitInfo{Message: clip.Bytes(read.Message, codehost.MaxMessage), Parents: read.ParentIDs}, nil
}

// DeleteBranch implements [codehost.Committer].
func (h *Host) DeleteBranch(ctx context.Context, repo codehost.Repo, branch, head string) error {
	const op = "delete branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return err
	}
	if err := wire.CheckHead(ctx, op, h, repo, branch, head); err != nil {
		return err
	}
	return h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		_, err := c.Branches.DeleteBranch(repo.FullName(), branch, with)
		return err
	})
}

// PullsFrom implements [codehost.Committer].
func (h *Host) PullsFrom(ctx context.Context, repo codehost.Repo, branch string) ([]codehost.PullRequest, error) {
	const op = "list merge requests of a branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return nil, err
	}
	return h.openPulls(ctx, op, repo, sdk.ListProjectMergeRequestsOptions{SourceBranch: &branch},
		func(p codehost.PullRequest) bool { return p.HeadRef == branch && !p.FromFork })
}

// OpenPull implements [codehost.Committer].
func (h *Host) OpenPull(ctx context.Context, repo codehost.Repo, p codehost.NewPull) (codehost.PullRequest, error) {
	const op = "open merge request"
	if err := checkRepo(op, repo); err != nil {
		return codehost.PullRequest{}, err
	}
	if err := p.Check(op, h.Capabilities().MaxBody); err != nil {
		return codehost.PullRequest{}, err
	}
	title, body := p.Title.String(), p.Body.String()
	var made *sdk.MergeRequest
	err := h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		made, _, err = c.MergeRequests.CreateMergeRequest(repo.FullName(),
			&sdk.CreateMergeRequestOptions{Title: &title, Description: &body, SourceBranch: &p.Branch, TargetBranch: &p.Base}, with)
		return err
	})
	switch {
	case err != nil:
		return codehost.PullRequest{}, wire.ExplainPullRefusal(ctx, h, repo, p, err)
	case made.IID <= 0:
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no merge request"}
	}
	return completePull(made), nil
}
