package review

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
)

// mayCallTools reports whether models may call the tools of the tenant's servers. They must not in a reduced review. They
// must not either if the change comes from outside a repository that everyone can read, even on a member's request: a
// stranger's text would choose the questions to the tenant's servers, and everyone would read the answers. If this cannot be
// determined, they must not.
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
