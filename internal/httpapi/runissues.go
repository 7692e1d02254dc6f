package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// RunIssue is an issue of a run's pull request with the run's verdicts on its acceptance criteria.
type RunIssue struct {
	IssueKey string            `json:"issueKey" example:"SHOP-12"`
	KeyOnly  bool              `json:"keyOnly" doc:"Only the key is allowed to be shown"`
	Title    string            `json:"title" doc:"Text from outside"`
	URL      string            `json:"url" doc:"Empty if only the key is allowed to be shown"`
	Unread   string            `json:"unread,omitempty" doc:"Why the issue could not be read last"`
	Checks   []AcceptanceCheck `json:"checks" doc:"In the order of the criteria"`
}

// runIssues lists the issues of a run's pull request.
func (s *server) runIssues(ctx context.Context, run store.Run) ([]RunIssue, error) {
	out := []RunIssue{}
	if s.Tickets == nil {
		return out, nil
	}
	all, err := s.Tickets.Judged(ctx, domain.Tenant{ID: run.Tenant}, callerFrom(ctx).repository, run)
	for _, v := range all {
		issue := RunIssue{IssueKey: v.IssueKey, KeyOnly: v.KeyOnly, Title: v.Title, URL: webLink(v.URL), Unread: v.Unread,
			Checks: []AcceptanceCheck{}}
		for _, c := range v.Checks {
			issue.Checks = append(issue.Checks, acceptanceCheck(c))
		}
		out = append(out, issue)
	}
	return out, err
}

// newerRun returns the id of the newest completed run of a newer head of the pull request, or "".
func (s *server) newerRun(ctx context.Context, run store.Run) (string, error) {
	later, err := s.Store.ReviewsAfter(ctx, domain.Tenant{ID: run.Tenant}, run, 1)
	if err != nil || len(later) == 0 || later[0].HeadSHA == run.HeadSHA {
		return "", err
	}
	return later[0].ID, nil
}
