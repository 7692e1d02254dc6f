package wire

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
)

// CheckBranch is [CheckRepo] for what is asked about one of its branches.
func CheckBranch(op string, repo codehost.Repo, branch string) error {
	if err := CheckRepo(op, repo); err != nil {
		return err
	}
	return codehost.CheckBranch(op, branch)
}

// Expect looks whether a branch points to a commit; [codehost.ClassStale] where it
// points elsewhere.
func Expect(ctx context.Context, op string, c codehost.Committer, repo codehost.Repo, branch, commit string) error {
	head, err := c.BranchHead(ctx, repo, branch)
	if err == nil && head != commit {
		return &codehost.Error{Class: codehost.ClassStale, Op: op, Message: "the branch does not point to the expected commit"}
	}
	return err
}

// WhyNotCommitted looks at a branch that a host refused to give a commit: hosts say
// the same of a lost race and of a wrong request. Where the branch is as it was
// expected, the error stays, with the class otherwise.
func WhyNotCommitted(ctx context.Context, op string, c codehost.Committer, repo codehost.Repo, n codehost.NewCommit, refused error, otherwise codehost.Class) error {
	e, ok := errors.AsType[*codehost.Error](refused)
	if !ok || e.Class != codehost.ClassInvalid && e.Class != codehost.ClassNotFound {
		return refused
	}
	switch err := Expect(ctx, op, c, repo, n.Branch, n.Head); codehost.ClassOf(err) {
	case "":
		return classed(e, otherwise)
	case codehost.ClassStale, codehost.ClassNotFound:
		return err
	}
	return refused
}

// WhyNotOpened looks at the branches of a pull request that a host refused to open:
// one is open already, or a branch is not there, or else the error stays.
func WhyNotOpened(ctx context.Context, c codehost.Committer, repo codehost.Repo, p codehost.NewPull, refused error) error {
	e, ok := errors.AsType[*codehost.Error](refused)
	if !ok || e.Class != codehost.ClassInvalid && e.Class != codehost.ClassNotFound {
		return refused
	}
	open, err := c.PullsFrom(ctx, repo, p.Branch)
	if err != nil {
		return refused
	}
	if slices.ContainsFunc(open, func(o codehost.PullRequest) bool { return o.BaseRef == p.Base }) {
		return classed(e, codehost.ClassExists)
	}
	for _, branch := range []string{p.Branch, p.Base} {
		if _, err := c.BranchHead(ctx, repo, branch); codehost.ClassOf(err) == codehost.ClassNotFound {
			return err
		}
	}
	return refused
}

// classed is an error with another class.
func classed(e *codehost.Error, class codehost.Class) error {
	out := *e
	out.Class = class
	return &out
}
