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
func (h *Host) RequiredChecks(ctx context.Context, repo codehost.Repo, branch string) (names []string, known bool, err error) {
	const op = "read required checks"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return nil, false, err
	}
	err = h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
		b, _, err := h.client.Repositories.GetBranch(ctx, repo.Owner, repo.Name, branch, 0)
		names = b.GetProtection().GetRequiredStatusChecks().GetContexts()
		for _, c := range b.GetProtection().GetRequiredStatusChecks().GetChecks() {
			names = append(names, c.Context)
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
						names = append(names, c.Context)
					}
				}
			}
			return nil
		})
	}
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden:
		return nil, false, nil
	}
	names = names[:min(len(names), codehost.MaxRequiredChecks)]
	return names, err == nil && len(names) > 0, err
}
