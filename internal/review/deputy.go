package review

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
)

// mayCallTools reports whether models may call the tools of the tenant's servers. They
// may not in a review that is reduced, nor where the change comes from outside of a
// repository that everybody reads, whoever asked for the review: what a stranger writes
// would choose what the tenant's servers are asked, and everybody would read the answer.
// Where that cannot be found out, they may not.
func (w *work) mayCallTools(ctx context.Context, host codehost.Reader, repo codehost.Repo, pr codehost.PullRequest) bool {
	if w.run.Depth == domain.DepthReduced {
		return false
	}
	row, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
	if err != nil {
		w.log.WarnContext(ctx, "models are offered no tools: the repository could not be read", "error", err)
		return false
	}
	if row, err = policy.Visible(ctx, w.Store, host, repo, row); err != nil {
		w.log.WarnContext(ctx, "models are offered no tools: the host does not say who reads the repository", "error", err)
		return false
	}
	if row.Private {
		return true
	}
	if outside, known := policy.Outsider(pr); known {
		return !outside
	}
	may, err := w.Authors.MayWrite(ctx, host, repo, row, pr.Author, pr.AuthorID)
	if err != nil {
		w.log.WarnContext(ctx, "models are offered no tools: the author's permission to write to the repository could not be read", "error", err)
	}
	return err == nil && may
}
