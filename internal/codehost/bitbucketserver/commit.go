package bitbucketserver

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Committer = (*Host)(nil)

// branchUtils is the root of the interface that deletes branches (the description, DELETE branch-utils/latest/…/branches).
const branchUtils = "/rest/branch-utils/latest"

func checkBranch(op string, repo codehost.Repo, branch string) error {
	return errors.Join(checkRepo(op, repo), codehost.CheckBranch(op, branch))
}

// BranchHead implements [codehost.Committer]. The filter finds every branch whose name has the text; boostMatches puts the branch itself
// first.
func (h *Host) BranchHead(ctx context.Context, repo codehost.Repo, branch string) (string, error) {
	const op = "read branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return "", err
	}
	q := url.Values{"filterText": {branch}, "boostMatches": {"true"}}
	var found string
	_, _, err := listWhile(ctx, h, op, at(api, repo)+"/branches?"+q.Encode(), maxBranches, func(r *ref) (struct{}, bool) {
		if r != nil && r.ID == branchPrefix+branch && codehost.IsCommit(r.Commit) {
			found = r.Commit
		}
		return struct{}{}, false
	}, func(p page[*ref]) bool {
		return !slices.ContainsFunc(p.Values, func(r *ref) bool { return r != nil && r.ID == branchPrefix+branch })
	})
	switch {
	case err != nil:
		return "", err
	case found == "":
		return "", notFound(op, "there is no such branch")
	}
	return found, nil
}

// maxBranches is the most branches in which one is looked for (design choice).
const maxBranches = 10_000

// Commit implements [codehost.Committer] with git: a call of the interface changes one file in a commit (the description, PUT
// R/browse/{path}) and deletes none. The push names the expected head.
func (h *Host) Commit(ctx context.Context, repo codehost.Repo, c codehost.NewCommit) (codehost.MadeCommit, error) {
	const op = "create commit"
	if err := checkRepo(op, repo); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := c.Check(op); err != nil {
		return codehost.MadeCommit{}, err
	}
	if h.git == nil {
		return codehost.MadeCommit{}, codehost.Refused(op, "this process has no git to make commits with")
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	by, err := h.author(ctx, op)
	if err != nil {
		return codehost.MadeCommit{}, err
	}
	access, err := h.Clone(ctx, repo)
	if err != nil {
		return codehost.MadeCommit{}, err
	}
	return h.git.PushCommit(ctx, access, repo, c, by)
}

// author returns the name and address of our account. Instances may accept only commits of the account that pushes them. An account of a
// token may lack an address.
func (h *Host) author(ctx context.Context, op string) (codehost.CommitAuthor, error) {
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.CommitAuthor{}, err
	}
	u, err := h.userOf(ctx, op, self.login)
	switch {
	case codehost.IsAccessLost(err):
		u = &user{}
	case err != nil:
		return codehost.CommitAuthor{}, err
	}
	at, err := url.Parse(h.client.Base)
	if err != nil {
		return codehost.CommitAuthor{}, unexpected(op, "the address of the instance cannot be read")
	}
	return codehost.CommitAuthor{Name: cmp.Or(u.Shown, self.login), Email: cmp.Or(u.Email, slugOf(self.login)+"@"+at.Hostname())}, nil
}

// CreateBranch implements [codehost.Committer].
func (h *Host) CreateBranch(ctx context.Context, repo codehost.Repo, branch, commit string) error {
	const op = "create branch"
	if err := errors.Join(checkBranch(op, repo, branch), codehost.CheckCommit(op, commit)); err != nil {
		return err
	}
	return h.client.Send(ctx, op, http.MethodPost, at(api, repo)+"/branches", map[string]string{"name": branch, "startPoint": commit}, nil)
}

// DeleteBranch implements [codehost.Committer]. The host compares endPoint with the branch, and answers 204 for a branch that it does
// not have, so DeleteBranch looks first.
func (h *Host) DeleteBranch(ctx context.Context, repo codehost.Repo, branch, head string) error {
	const op = "delete branch"
	if err := wire.CheckHead(ctx, op, h, repo, branch, head); err != nil {
		return err
	}
	return h.client.Send(ctx, op, http.MethodDelete, at(branchUtils, repo)+"/branches",
		map[string]any{"name": branchPrefix + branch, "endPoint": head, "dryRun": false}, nil)
}

// CommitAt implements [codehost.Committer].
func (h *Host) CommitAt(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CommitInfo, err error) {
	const op = "read commit"
	if err := errors.Join(checkRepo(op, repo), codehost.CheckCommit(op, commit)); err != nil {
		return out, err
	}
	var c struct {
		ID      string `json:"id"`
		Message string `json:"message"`
		Parents []struct {
			ID string `json:"id"`
		} `json:"parents"`
	}
	if err := h.client.Get(ctx, op, at(api, repo)+"/commits/"+commit, &c); err != nil {
		return out, err
	}
	if c.ID != commit {
		return out, unexpected(op, "the answer is not the commit")
	}
	out.Message = clip.Bytes(c.Message, codehost.MaxMessage)
	for _, p := range c.Parents {
		if codehost.IsCommit(p.ID) {
			out.Parents = append(out.Parents, p.ID)
		}
	}
	return out, nil
}

// PullsFrom implements [codehost.Committer].
func (h *Host) PullsFrom(ctx context.Context, repo codehost.Repo, branch string) ([]codehost.PullRequest, error) {
	const op = "list pull requests of a branch"
	if err := checkBranch(op, repo, branch); err != nil {
		return nil, err
	}
	q := url.Values{"direction": {"OUTGOING"}, "at": {branchPrefix + branch}}
	return h.openPulls(ctx, op, repo, "&"+q.Encode(), func(p codehost.PullRequest) bool { return p.HeadRef == branch && !p.FromFork })
}

// OpenPull implements [codehost.Committer].
func (h *Host) OpenPull(ctx context.Context, repo codehost.Repo, p codehost.NewPull) (codehost.PullRequest, error) {
	const op = "open pull request"
	if err := checkRepo(op, repo); err != nil {
		return codehost.PullRequest{}, err
	}
	if err := p.Check(op, h.Capabilities().MaxBody); err != nil {
		return codehost.PullRequest{}, err
	}
	end := func(branch string) map[string]any {
		return map[string]any{"id": branchPrefix + branch, "repository": map[string]any{"slug": repo.Name,
			"project": map[string]string{"key": repo.Owner}}}
	}
	var made pull
	err := h.client.Send(ctx, op, http.MethodPost, at(api, repo)+"/pull-requests", map[string]any{"title": p.Title.String(),
		"description": p.Body.String(), "fromRef": end(p.Branch), "toRef": end(p.Base)}, &made)
	switch {
	case err != nil:
		return codehost.PullRequest{}, wire.ExplainPullRefusal(ctx, h, repo, p, err)
	case made.ID <= 0 || !codehost.IsCommit(made.From.Commit):
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no pull request"}
	}
	return made.pullRequest(), nil
}
