package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// CreateBranch implements [codehost.Committer].
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return err
	}
	if !codehost.IsCommit(commit) {
		return codehost.Refused(op, "the commit must be a full commit id")
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
	look := h.run(ctx, h.installationCall(op, repo.Access, scopeWrite), func(ctx context.Context) error {
		_, _, err := h.client.Git.GetCommit(ctx, repo.Owner, repo.Name, commit)
		return err
	})
	switch codehost.ClassOf(look) {
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
