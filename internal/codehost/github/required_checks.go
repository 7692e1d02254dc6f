package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxRules is the most rules of a branch that are read: GitHub's largest page.
const maxRules = 100

var _ codehost.RequiredChecker = (*Host)(nil)

// RequiredChecks implements [codehost.RequiredChecker] with the protection of the branch and the rulesets that apply to it, which
// reading the repository suffices for. A branch without a required check counts as unknown.
func (h *Host) RequiredChecks(ctx context.Context, repo codehost.Repo, branch string) (checks codehost.RequiredChecks, known bool,
	err error) {
	const op = "read required checks"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return checks, false, err
	}
	err = h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
		b, _, err := h.client.Repositories.GetBranch(ctx, repo.Owner, repo.Name, branch, 0)
		checks.Names = b.GetProtection().GetRequiredStatusChecks().GetContexts()
		for _, c := range b.GetProtection().GetRequiredStatusChecks().GetChecks() {
			checks.Names = append(checks.Names, c.Context)
		}
		return err
	})
	if err == nil {
		err = h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
			rules, _, err := h.client.Repositories.ListRulesForBranch(ctx, repo.Owner, repo.Name, branch, &gh.ListOptions{PerPage: maxRules})
			if err != nil || rules == nil {
				return err
			}
			for _, r := range rules.RequiredStatusChecks {
				for _, c := range r.Parameters.RequiredStatusChecks {
					if c != nil {
						checks.Names = append(checks.Names, c.Context)
					}
				}
			}
			return nil
		})
	}
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden:
		return checks, false, nil
	}
	checks.Names = checks.Names[:min(len(checks.Names), codehost.MaxRequiredChecks)]
	return checks, err == nil && len(checks.Names) > 0, err
}
