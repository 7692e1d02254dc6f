package gitlab

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
)

var _ codehost.RequiredChecker = (*Host)(nil)

// RequiredChecks implements [codehost.RequiredChecker] with the project's setting "Pipelines must succeed", the API's
// only_allow_merge_if_pipeline_succeeds (docs.gitlab.com/api/projects): every job without allow_failure keeps a merge request from its
// merge. GitLab has the setting for all branches, and no list of names. A project without the setting counts as unknown, because then no
// job is required.
func (h *Host) RequiredChecks(ctx context.Context, repo codehost.Repo, branch string) (checks codehost.RequiredChecks, known bool,
	err error) {
	const op = "read required checks"
	if err := checkBranch(op, repo, branch); err != nil {
		return checks, false, err
	}
	p, err := h.projectOf(ctx, op, repo.FullName())
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassForbidden:
		return checks, false, nil
	}
	if err != nil {
		return checks, false, err
	}
	checks.All = p.OnlyAllowMergeIfPipelineSucceeds
	return checks, checks.All, nil
}
