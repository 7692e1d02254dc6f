package intake

import (
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// maxEarlyReviews is how many pull requests of a repository are reviewed that were opened and left alone
// before it was connected, the newest first: as many as people may request per hour (design choice).
const maxEarlyReviews = 30

// byAge divides the open pull requests of a repository into due ones, in their order, and older ones,
// newest first. A pull request is due if it changed after the repository was connected, or was opened after
// the time from which a new repository is reviewed.
func byAge(repo store.Repository, pulls []codehost.PullRequest) (due, older []codehost.PullRequest) {
	for _, pr := range pulls {
		if pr.UpdatedAt.UnixMicro() < repo.CreatedUS {
			older = append(older, pr)
		}
	}
	run.NewestFirst(older)
	early := map[int]bool{}
	older = slices.DeleteFunc(older, func(pr codehost.PullRequest) bool {
		is := repo.ReviewFromUS > 0 && !pr.CreatedAt.IsZero() && pr.CreatedAt.UnixMicro() >= repo.ReviewFromUS &&
			len(early) < maxEarlyReviews
		if is {
			early[pr.Number] = true
		}
		return is
	})
	for _, pr := range pulls {
		if early[pr.Number] || pr.UpdatedAt.UnixMicro() >= repo.CreatedUS {
			due = append(due, pr)
		}
	}
	return due, older[:min(len(older), run.MaxListed)]
}
