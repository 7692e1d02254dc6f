package github

import (
	"context"
	"errors"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// CreateBranch implements [codehost.Committer].
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return err
	}
	if err := codehost.CheckCommit(op, commit); err != nil {
		return err
	}
	err := h.run(ctx, h.writeCall(op, repo.Access, scopeWrite), func(ctx context.Context) error {
		_, _, err := h.client.Git.CreateRef(ctx, repo.Owner, repo.Name, gh.CreateRef{Ref: "refs/heads/" + branch, SHA: commit})
		return err
	})
	e, ok := err.(*codehost.Error)
	if !ok || e.Class != codehost.ClassInvalid {
		return err
	}
	// GitHub answers 422 for a taken name, for a missing commit, and for a forbidding rule.
	why := *e
	switch _, look := h.BranchHead(ctx, repo, branch); codehost.ClassOf(look) {
	case "":
		why.Class = codehost.ClassExists
		return &why
	case codehost.ClassNotFound:
	default:
		return err
	}
	_, look := h.gitCommit(ctx, op, repo, commit)
	switch codehost.ClassOf(look) {
	case "":
		why.Class = codehost.ClassForbidden
	case codehost.ClassNotFound:
		why.Class = codehost.ClassNotFound
	}
	return &why
}

// gitCommit reads a commit.
func (h *Host) gitCommit(ctx context.Context, op string, repo codehost.Repo, commit string) (c *gh.Commit, err error) {
	err = h.run(ctx, h.installationCall(op, repo.Access, scopeWrite), func(ctx context.Context) (err error) {
		c, _, err = h.client.Git.GetCommit(ctx, repo.Owner, repo.Name, commit)
		return err
	})
	return c, err
}

// CommitAt implements [codehost.Committer].
func (h *Host) CommitAt(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CommitInfo, err error) {
	const op = "read commit"
	if err := errors.Join(wire.CheckRepo(op, repo), codehost.CheckCommit(op, commit)); err != nil {
		return out, err
	}
	c, err := h.gitCommit(ctx, op, repo, commit)
	out.Message = clip.Bytes(c.GetMessage(), codehost.MaxMessage)
	for _, p := range c.GetParents() {
		out.Parents = append(out.Parents, p.GetSHA())
	}
	return out, err
}

// DeleteBranch implements [codehost.Committer]. GitHub answers 422 both for a missing branch and for a forbidding rule.
func (h *Host) DeleteBranch(ctx context.Context, repo codehost.Repo, branch, head string) error {
	const op = "delete branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return err
	}
	if err := wire.CheckHead(ctx, op, h, repo, branch, head); err != nil {
		return err
	}
	err := h.run(ctx, h.writeCall(op, repo.Access, scopeWrite), func(ctx context.Context) error {
		_, err := h.client.Git.DeleteRef(ctx, repo.Owner, repo.Name, "refs/heads/"+branch)
		return err
	})
	e, ok := err.(*codehost.Error)
	if !ok || e.Class != codehost.ClassInvalid {
		return err
	}
	why := *e
	switch _, look := h.BranchHead(ctx, repo, branch); codehost.ClassOf(look) {
	case "":
		why.Class = codehost.ClassForbidden
	case codehost.ClassNotFound:
		why.Class = codehost.ClassNotFound
	}
	return &why
}

// PullsFrom implements [codehost.Committer].
func (h *Host) PullsFrom(ctx context.Context, repo codehost.Repo, branch string) ([]codehost.PullRequest, error) {
	const op = "list pull requests of a branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return nil, err
	}
	return h.openPulls(ctx, op, repo, gh.PullRequestListOptions{Head: repo.Owner + ":" + branch},
		func(p codehost.PullRequest) bool { return p.HeadRef == branch && !p.FromFork })
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
	title, body := p.Title.String(), p.Body.String()
	var made *gh.PullRequest
	err := h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) (err error) {
		made, _, err = h.client.PullRequests.Create(ctx, repo.Owner, repo.Name,
			gh.CreatePullRequest{Title: &title, Head: p.Branch, Base: p.Base, Body: &body})
		return err
	})
	switch {
	case err != nil:
		return codehost.PullRequest{}, wire.ExplainPullRefusal(ctx, h, repo, p, err)
	case made.GetNumber() <= 0:
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no pull request"}
	}
	return pullRequest(made), nil
}
