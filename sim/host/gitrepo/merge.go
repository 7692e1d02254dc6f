package gitrepo

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// ErrConflict means that two commits change the same lines in different ways.
var ErrConflict = errors.New("the branches conflict")

// Merge makes the merge commit of two commits, without moving a branch, and returns its name. Its parents are
// base and head, in this order, as in "git merge --no-ff".
func (r *Repo) Merge(ctx context.Context, base, head, message string, by Identity) (string, error) {
	out, err := r.git(ctx, nil, "merge-tree", "--write-tree", "--no-messages", base, head)
	if e, isExit := errors.AsType[*exec.ExitError](err); isExit && e.ExitCode() == 1 {
		return "", ErrConflict // git-merge-tree(1), "EXIT STATUS"
	}
	if err != nil {
		return "", err
	}
	return r.CommitTree(ctx, strings.TrimSpace(string(out)), []string{base, head}, message, by)
}
