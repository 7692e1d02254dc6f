package github

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.RequiredChecker = (*Host)(nil)

// RequiredChecks implements [codehost.RequiredChecker] with the protection of the branch, which reading contents suffices for. It
// does not know checks that rulesets require: a branch whose protection names none counts as unknown.
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
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden:
		return nil, false, nil
	}
	names = names[:min(len(names), codehost.MaxRequiredChecks)]
	return names, err == nil && len(names) > 0, err
}
