package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// outside reports whether a pull request comes from outside of its repository, if the policy distinguishes
// this. It comes from outside if it is from a fork, because people who push to a fork need no rights on the
// repository, or if its author may not write to the repository. The host is asked only if a review would
// start and the event does not show it.
func (s *Service) outside(ctx context.Context, repo store.Repository, p domain.Policy, pr codehost.PullRequest,
	action string) (bool, error) {
	switch {
	case p.OutsideContributors == domain.OutsideFull, !canStartReview(action), run.Skip(p, run.PullRow(repo.ID, pr), pr, action) != "":
		return false, nil
	}
	if outside, known := policy.Outsider(pr); known {
		return outside, nil
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return false, err
	}
	may, err := s.Authors.MayWrite(ctx, host, ref, repo, pr.Author, pr.AuthorID)
	return !may, err
}

// completeRequest completes a request for a run with the policy's reason to skip it and the depth of the review. A run that
// is skipped for another reason than that it comes from outside has the full depth; see [domain.UnreviewedEndOf].
func completeRequest(p domain.Policy, row store.PullRequest, pr codehost.PullRequest, action string, outside bool,
	w run.Request) run.Request {
	w.Skip, w.Unseen = run.Skip(p, row, pr, action), !p.Enabled
	if outside && w.Skip == "" {
		w.Depth, w.Skip = run.Outside(p)
	}
	return w
}
