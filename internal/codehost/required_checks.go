package codehost

import "context"

// RequiredChecker tells which checks a host requires before a pull request into a branch can be merged. A host that does not tell
// lacks the interface.
type RequiredChecker interface {
	// RequiredChecks returns the names of the required checks of a branch, at most [MaxRequiredChecks]; text from outside. known is
	// false if the host does not tell, for example because the access lacks a permission.
	RequiredChecks(ctx context.Context, repo Repo, branch string) (names []string, known bool, err error)
}

// MaxRequiredChecks is the most names of required checks (design choice).
const MaxRequiredChecks = 200

// RequiredChecksOf asks a host for the required checks of a branch. known is false if the host does not tell.
func RequiredChecksOf(ctx context.Context, h Host, repo Repo, branch string) (names []string, known bool, err error) {
	r, ok := optionalInterface[RequiredChecker](h, true)
	if !ok {
		return nil, false, nil
	}
	return r.RequiredChecks(ctx, repo, branch)
}
