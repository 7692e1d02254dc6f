package intake

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// jobEnded handles the end of a job, check or commit status: it enqueues a look at the jobs of each open pull request with the head.
// Ends of our own checks are ignored, by their app or by the name of their status, and so are successes of
// pull requests without a comment about failed jobs.
func (s *Service) jobEnded(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	check := ev.Check
	switch {
	case ev.Repository == nil || check.HeadSHA == "":
		return s.dispose(ctx, c, d, ignored("no check of a repository"), nil)
	case check.AppID != "" && check.AppID == ev.AppID, ev.Name == "status" && check.Name == codehost.CheckName:
		return s.dispose(ctx, c, d, ignored(oursEnded), nil)
	}
	repo, why, err := from.find(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	t := from.tenant()
	p, _, err := policy.Effective(ctx, s.Store, t, repo.ID)
	if err != nil {
		return err
	}
	if !p.Enabled || p.CIAnalysis == domain.CIOff {
		return s.dispose(ctx, c, d, ignored("the policy has no analyses of failed jobs"), nil)
	}
	if ours, err := s.reportsOurs(ctx, t, repo.ID, check); err != nil || ours {
		return s.disposeOr(ctx, c, d, ignored(oursEnded), err)
	}
	pulls, err := s.Store.OpenPullsOfHead(ctx, t, repo.ID, check.HeadSHA)
	if err != nil {
		return err
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		dec := ignored("no open pull request has this head")
		for _, row := range pulls {
			if !codehost.IsFailure(check.Conclusion) {
				if _, err := s.Store.CIComment(ctx, t, row.ID); errs.Is(err, errs.NotFound) {
					dec = ignored("no failed job of the pull request is known")
					continue
				} else if err != nil {
					return dec, err
				}
			}
			if err := s.Runs.LookAtJobs(ctx, t, row); err != nil {
				return dec, err
			}
			dec = applied
		}
		dec.tenant = t.ID
		return dec, nil
	})
}

const oursEnded = "the check is ours"

// reportsOurs reports whether a failed suite of commit statuses is explained by our own status, which shows a failure at the same head.
// GitLab does not name the statuses of such a pipeline. A status of another system that fails beside ours is found by the next event or
// sweep.
func (s *Service) reportsOurs(ctx context.Context, t domain.Tenant, repository string, check *codehost.EventCheckRun) (bool, error) {
	if !check.Statuses || !codehost.IsFailure(check.Conclusion) {
		return false, nil
	}
	list, err := s.Store.HeadChecks(ctx, t, repository, check.HeadSHA)
	return slices.ContainsFunc(list, func(c store.HeadCheck) bool { return c.ShowsVerdict(domain.CheckFailure) }), err
}

const (
	// maxSweptJobs is how many pull requests of a repository one sweep has looked at for failed jobs, and sweptJobsAge is how long ago
	// they may have changed: a lost event of an older one is not missed by people any more (design choices).
	maxSweptJobs = 20
	sweptJobsAge = 24 * time.Hour
)

// sweepJobs enqueues a look at the jobs of the most recently changed pull requests, whose events may be lost.
func (s *Service) sweepJobs(ctx context.Context, repo store.Repository, p domain.Policy, pulls []codehost.PullRequest) error {
	if !p.Enabled || p.CIAnalysis == domain.CIOff {
		return nil
	}
	t := domain.Tenant{ID: repo.Tenant}
	newest := slices.SortedStableFunc(slices.Values(pulls), func(a, b codehost.PullRequest) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for _, pr := range newest[:min(len(newest), maxSweptJobs)] {
		if time.Since(pr.UpdatedAt) > sweptJobsAge {
			return nil
		}
		row, err := s.Store.PullRequestNumbered(ctx, t, repo.ID, pr.Number)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.Runs.LookAtJobs(ctx, t, row); err != nil {
			return err
		}
	}
	return nil
}
