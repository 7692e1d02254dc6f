package codehost

import "context"

// RequiredChecker tells which checks a host requires before a pull request into a branch can be merged. A host that does not tell
// lacks the interface.
type RequiredChecker interface {
	// RequiredChecks returns the required checks of a branch. known is false if the host does not tell, for example because the access
	// lacks a permission.
	RequiredChecks(ctx context.Context, repo Repo, branch string) (checks RequiredChecks, known bool, err error)
}

// RequiredChecks are the checks that a host requires for a merge.
type RequiredChecks struct {
	Names []string // at most [MaxRequiredChecks]; text from outside
	All   bool     // every job of the pipeline that must not fail
}

// MaxRequiredChecks is the most names of required checks (design choice).
const MaxRequiredChecks = 200

// RequiredChecksOf asks a host for the required checks of a branch. known is false if the host does not tell.
func RequiredChecksOf(ctx context.Context, h Host, repo Repo, branch string) (checks RequiredChecks, known bool, err error) {
	r, ok := optionalInterface[RequiredChecker](h, true)
	if !ok {
		return checks, false, nil
	}
	return r.RequiredChecks(ctx, repo, branch)
}
