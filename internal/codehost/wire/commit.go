package wire

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
)

// CheckBranch is [CheckRepo] with the name of a branch.
func CheckBranch(op string, repo codehost.Repo, branch string) error {
	if err := CheckRepo(op, repo); err != nil {
		return err
	}
	return codehost.CheckBranch(op, branch)
}

// CheckHead returns [codehost.ClassStale] if a branch does not point to a commit.
func CheckHead(ctx context.Context, op string, c codehost.Committer, repo codehost.Repo, branch, commit string) error {
	head, err := c.BranchHead(ctx, repo, branch)
	if err == nil && head != commit {
		return &codehost.Error{Class: codehost.ClassStale, Op: op, Message: "the branch does not point to the expected commit"}
	}
	return err
}

// ExplainCommitRefusal finds the reason for a refused commit by looking at the branch, because hosts answer the
// same to a lost race and to a wrong request. If the branch still has the expected head, it returns the
// error with the class otherwise.
func ExplainCommitRefusal(ctx context.Context, op string, c codehost.Committer, repo codehost.Repo, n codehost.NewCommit,
	refused error, otherwise codehost.Class) error {
	e, ok := errors.AsType[*codehost.Error](refused)
	if !ok || e.Class != codehost.ClassInvalid && e.Class != codehost.ClassNotFound {
		return refused
	}
	switch err := CheckHead(ctx, op, c, repo, n.Branch, n.Head); codehost.ClassOf(err) {
	case "":
		return withClass(e, otherwise)
	case codehost.ClassStale, codehost.ClassNotFound:
		return err
	}
	return refused
}

// ExplainPullRefusal finds the reason for a refused pull request: [codehost.ClassExists] if one is open, or
// [codehost.ClassNotFound] if a branch is missing. Otherwise it returns the error unchanged.
func ExplainPullRefusal(ctx context.Context, c codehost.Committer, repo codehost.Repo, p codehost.NewPull, refused error) error {
	e, ok := errors.AsType[*codehost.Error](refused)
	if !ok || e.Class != codehost.ClassInvalid && e.Class != codehost.ClassNotFound {
		return refused
	}
	open, err := c.PullsFrom(ctx, repo, p.Branch)
	if err != nil {
		return refused
	}
	if slices.ContainsFunc(open, func(o codehost.PullRequest) bool { return o.BaseRef == p.Base }) {
		return withClass(e, codehost.ClassExists)
	}
	for _, branch := range []string{p.Branch, p.Base} {
		if _, err := c.BranchHead(ctx, repo, branch); codehost.ClassOf(err) == codehost.ClassNotFound {
			return err
		}
	}
	return refused
}

// withClass returns a copy of an error with another class.
func withClass(e *codehost.Error, class codehost.Class) error {
	out := *e
	out.Class = class
	return &out
}
