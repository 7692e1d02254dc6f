package tickets

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// JudgedIssue is an issue of a pull request with the verdicts of one run.
type JudgedIssue struct {
	TrackerLink
	Checks []store.ACCheck // in the order of the criteria; empty if only the key may be known
}

// Judged lists the issues of a run's pull request, the oldest link first, with the run's verdicts on their acceptance
// criteria. Like [Service.Shown] it asks the host who can read the repository. It returns nil for a pull request without
// issues.
func (s *Service) Judged(ctx context.Context, t domain.Tenant, repository store.Repository, run store.Run) ([]JudgedIssue, error) {
	links, err := s.Store.TrackerLinksOf(ctx, t, run.PullRequest)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	checks, err := s.Store.RunACChecks(ctx, t, run.PullRequest, run.ID)
	if err != nil {
		return nil, err
	}
	hidden, err := s.hidden(ctx, t, repository)
	if err != nil {
		return nil, err
	}
	var out []JudgedIssue
	for _, l := range links {
		issue := JudgedIssue{TrackerLink: asTrackerLink(l, l.KeyOnly || hidden(l.Connection, l.Stranger))}
		for _, c := range checks {
			if !issue.KeyOnly && c.Connection == l.Connection && c.IssueKey == l.IssueKey {
				issue.Checks = append(issue.Checks, c)
			}
		}
		out = append(out, issue)
	}
	return out, nil
}
