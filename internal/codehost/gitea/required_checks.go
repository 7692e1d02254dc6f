package gitea

import (
	"context"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.RequiredChecker = (*Host)(nil)

// RequiredChecks implements [codehost.RequiredChecker] with the protection of the branch, which reading the repository suffices for.
// A branch without a required status counts as unknown, and so does one with a pattern (services/pull/commit_status.go of Gitea), which
// assay cannot compare with the names of jobs.
func (h *Host) RequiredChecks(ctx context.Context, repo codehost.Repo, branch string) (checks codehost.RequiredChecks, known bool,
	err error) {
	const op = "read required checks"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return checks, false, err
	}
	var b *sdk.Branch
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		b, _, err = c.GetRepoBranch(repo.Owner, repo.Name, branch)
		return err
	})
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden:
		return checks, false, nil
	}
	if err != nil || b == nil || !b.EnableStatusCheck {
		return checks, false, err
	}
	for _, name := range b.StatusCheckContexts[:min(len(b.StatusCheckContexts), codehost.MaxRequiredChecks)] {
		if strings.ContainsAny(name, `*?[{\`) {
			return checks, false, nil
		}
		checks.Names = append(checks.Names, name)
	}
	return checks, len(checks.Names) > 0, nil
}
