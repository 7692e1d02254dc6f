package intake

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// handleCheck handles "Re-run" on one of our check runs, or on all checks of a head.
func (s *Service) handleCheck(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	check := ev.Check
	switch {
	case check != nil && check.Conclusion != "" && ev.Action != "rerequested" && ev.Action != "requested_action":
		return s.jobEnded(ctx, c, d, from, ev)
	case ev.Action != "rerequested":
		return s.dispose(ctx, c, d, ignored(codehost.ReasonUnusedAction), nil)
	case check == nil || ev.Repository == nil:
		return s.dispose(ctx, c, d, ignored("no check of a repository"), nil)
	case check.AppID != "" && ev.AppID != "" && check.AppID != ev.AppID:
		return s.dispose(ctx, c, d, ignored("the check is another app's"), nil)
	case ev.Sender.IsBot:
		return s.dispose(ctx, c, d, ignored("asked for by a bot"), nil)
	}
	repo, why, err := from.find(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	t := from.tenant()
	checked, err := s.checkedRuns(ctx, t, repo, *check)
	if err != nil {
		return err
	}
	if len(checked) == 0 {
		return s.dispose(ctx, c, d, ignored("no run has this check"), nil)
	}
	why, err = s.mayRerun(ctx, t, repo, ev.Sender)
	if err != nil {
		return jobs.Waiting(err)
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		dec, err := s.rerun(ctx, t, checked, d, ev.Sender, why)
		dec.tenant = t.ID
		return dec, err
	})
}

// checkedRuns returns the runs behind a check, the newest of each pull request: one for a check run, all of the
// head for a suite.
func (s *Service) checkedRuns(ctx context.Context, t domain.Tenant, repo store.Repository,
	check codehost.EventCheckRun) ([]store.Run, error) {
	if check.Suite {
		return s.Store.RunsOfHead(ctx, t, repo.ID, check.HeadSHA)
	}
	run, err := s.Store.Run(ctx, t, check.ExternalID)
	if errs.Is(err, errs.NotFound) || err == nil && (run.Repository != repo.ID || run.HeadSHA != check.HeadSHA) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, _, err := policy.Effective(ctx, s.Store, t, repo.ID)
	if err != nil {
		return nil, err
	}
	// The head's newest check shows the pull request with the worst verdict.
	verdicts, err := s.Store.HeadVerdicts(ctx, t, repo.ID, check.HeadSHA, "", run.ID, p.Check.Unreviewed)
	if err == nil && len(verdicts) > 0 && verdicts[0].Number != run.Number {
		run, err = s.Store.Run(ctx, t, verdicts[0].Run)
	}
	return []store.Run{run}, err
}

// mayRerun asks the host whether the person may start a review. It returns "", or the reason why not.
func (s *Service) mayRerun(ctx context.Context, t domain.Tenant, repo store.Repository, sender codehost.Sender) (why string, err error) {
	p, _, err := policy.Effective(ctx, s.Store, t, repo.ID)
	if err != nil {
		return "", err
	}
	if !p.Enabled {
		return "reviews are off for this repository", nil
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return "", err
	}
	role, err := host.Permission(ctx, ref, sender.Login)
	if codehost.IsAccessLost(err) {
		return repositoryGone, nil
	}
	if err == nil && !policy.MayWrite(role) {
		why = "the person who asked has no permission to start a review"
	}
	return why, err
}

// rerun starts another review of each pull request that still has the head, or else shows the run's end
// again, because a host may have reset the check. The first new run stands for the delivery.
func (s *Service) rerun(ctx context.Context, t domain.Tenant, checked []store.Run, d store.Delivery, by codehost.Sender,
	refused string) (decision, error) {
	var all []decision
	for _, run := range checked {
		dec, err := s.rerunOne(ctx, t, run, d, by, refused)
		if err != nil {
			return dec, err
		}
		all = append(all, dec)
	}
	made := slices.IndexFunc(all, func(dec decision) bool { return dec.disposition == domain.DispositionRun })
	return all[max(made, 0)], nil
}

func (s *Service) rerunOne(ctx context.Context, t domain.Tenant, run store.Run, d store.Delivery, by codehost.Sender,
	refused string) (decision, error) {
	row, err := s.Store.PullRequestForUpdate(ctx, t, run.PullRequest)
	switch {
	case err != nil:
		return decision{}, err
	case refused != "":
	case row.State != "open":
		refused = "the pull request is not open"
	case row.HeadSHA != run.HeadSHA:
		refused = "the pull request has a newer head"
	default:
		out, err := s.Runs.Again(ctx, t, row, d.ID, domain.Asker{How: domain.AskedByRerun, Name: by.Login})
		return decisionOf(out), err
	}
	return ignored(refused), s.Runs.ShowEnd(ctx, run, d.ID)
}
