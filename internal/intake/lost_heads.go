package intake

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// sweepHeads looks for open pull requests of a repository whose head has no run, or only one that ended
// without a review for a reason that no longer holds. Their webhook was lost, and the host does not repeat
// it. Pull requests that are unchanged since the repository was connected are only listed, unless they were
// opened while it could have been connected. Pull requests of a repository in a trial are only listed.
// The sweep also repeats missing or wrong checks, and looks for rewritten target branches.
func (s *Service) sweepHeads(ctx context.Context, repo store.Repository) error {
	p, _, err := policy.Effective(ctx, s.Store, domain.Tenant{ID: repo.Tenant}, repo.ID)
	if err != nil {
		return err
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return err
	}
	pulls, err := host.OpenPullRequests(ctx, ref)
	if err != nil {
		return err
	}
	if isTriedOut(repo, p) { // people see its pull requests, and none is reviewed
		run.NewestFirst(pulls)
		return s.Runs.StoreUnknown(ctx, domain.Tenant{ID: repo.Tenant}, repo.ID, pulls[:min(len(pulls), run.MaxListed)])
	}
	due, older := byAge(repo, pulls)
	heads := map[string]bool{}
	for _, pr := range due {
		if err := s.recoverHead(ctx, repo, p, pr); err != nil {
			return err
		}
		heads[pr.HeadSHA] = true
	}
	if err := s.sweepJobs(ctx, repo, p, due); err != nil {
		return err
	}
	if p.Enabled && p.PublishMode != domain.PublishSilent {
		for head := range heads {
			if err := s.Runs.MendHead(ctx, domain.Tenant{ID: repo.Tenant}, repo.ID, head, p.Check.Unreviewed); err != nil {
				return err
			}
		}
	}
	if err := s.Runs.StoreUnknown(ctx, domain.Tenant{ID: repo.Tenant}, repo.ID, older); err != nil {
		return err
	}
	return s.sweepTargets(ctx, repo, p, host, ref, pulls)
}

// recoverHead starts the run that a lost webhook would have started.
func (s *Service) recoverHead(ctx context.Context, repo store.Repository, p domain.Policy, pr codehost.PullRequest) error {
	t := domain.Tenant{ID: repo.Tenant}
	action, err := s.storeAndFindMissed(ctx, s.storeEventPull, t, repo, p, pr)
	if errors.Is(err, errContradicted) { // the list is older than an event of the same second, or the reverse
		if pr, err = s.currentPull(ctx, repo, pr.Number); codehost.IsAccessLost(err) {
			return nil
		}
		if err == nil && pr.Open {
			action, err = s.storeAndFindMissed(ctx, s.Runs.UpsertPullRequest, t, repo, p, pr)
		}
	}
	if err != nil || action == "" {
		return err
	}
	if action == "reopened" { // a list may name unreadable pull requests, whose runs would end at once after each sweep
		if _, err := s.currentPull(ctx, repo, pr.Number); err != nil {
			if codehost.IsAccessLost(err) {
				return nil
			}
			return err
		}
	}
	outside, err := s.outside(ctx, repo, p, pr, action)
	if err != nil {
		return err
	}
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := s.storeEventPull(ctx, t, run.PullRow(repo.ID, pr))
		if errors.Is(err, errContradicted) { // an event came meanwhile
			action = ""
			return nil
		}
		if err != nil {
			return err
		}
		now, err := s.missedAction(ctx, t, row, p, pr)
		if err != nil || now != action { // an event came meanwhile, or the next sweep decides
			action = ""
			return err
		}
		_, err = s.Runs.Auto(ctx, t, row, completeRequest(p, row, pr, action, outside,
			run.Request{Event: "found by the sweep", Asker: domain.Asker{How: domain.AskedBySweep}}))
		return err
	})
	if err != nil || action == "" || action == run.ActionRetargeted {
		return err
	}
	return s.checkWebhooks(ctx, t, repo) // a crash before it costs an hour at most, until the hourly synchronisation
}

const (
	// webhookCheckInterval is the minimum interval of a connection's checks for lost webhooks, and webhookCheckPerRepository is
	// added per repository. A check costs a few requests per repository, so they stay below about three per
	// second (design choices).
	webhookCheckInterval      = 10 * time.Minute
	webhookCheckPerRepository = time.Second
)

// checkWebhooks has the host asked whether the webhooks of a connection are still on, after a lost event.
// Hosts switch webhooks off after failures, and the check switches ours on again if the token may.
func (s *Service) checkWebhooks(ctx context.Context, t domain.Tenant, repo store.Repository) error {
	_, err := s.Store.EnqueueSyncOfAccess(ctx, t, repo.Access, webhookCheckInterval, webhookCheckPerRepository)
	return err
}

// storeAndFindMissed stores the host's data of a pull request, and returns the result of [Service.missedAction].
func (s *Service) storeAndFindMissed(ctx context.Context, keep storePull, t domain.Tenant, repo store.Repository, p domain.Policy,
	pr codehost.PullRequest) (action string, err error) {
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := keep(ctx, t, run.PullRow(repo.ID, pr))
		if err != nil {
			return err
		}
		action, err = s.missedAction(ctx, t, row, p, pr)
		return err
	})
	return action, err
}

// missedAction returns the action of a lost event, if the host's head should have a run and lacks one that counts:
// it has no run, or only one that ended without a review for a reason that no longer holds, or only one for
// another target branch. It returns "" if nothing is due. A head that a person had reviewed by a command has its review.
// After a change of the policy, a later change on the host is required: otherwise a newly configured label
// would start reviews of all old heads that have it. Call it in the transaction that locks row.
func (s *Service) missedAction(ctx context.Context, t domain.Tenant, row store.PullRequest, p domain.Policy,
	pr codehost.PullRequest) (action string, err error) {
	if row.HeadSHA != pr.HeadSHA || row.BaseRef != pr.BaseRef {
		return "", nil
	}
	moved, err := s.Runs.Retargeted(ctx, t, row.ID, row.HeadSHA, row.BaseRef)
	if err != nil {
		return "", err
	}
	if moved {
		return run.ActionRetargeted, nil
	}
	last, err := s.Store.LastRunOfHead(ctx, t, row.ID, row.HeadSHA)
	if errs.Is(err, errs.NotFound) {
		return "opened", nil
	}
	if err != nil || row.HostUpdatedUS != run.PullRow(row.Repository, pr).HostUpdatedUS { // an event has newer data than the list
		return "", err
	}
	action, settled := run.Missed(last, p, pr)
	if action == "" || run.Skip(p, row, pr, action) != "" {
		return "", nil
	}
	if _, err := s.Store.StandingRunOfHead(ctx, t, row.ID, row.HeadSHA, row.BaseRef); !errs.Is(err, errs.NotFound) {
		return "", err
	}
	if settled {
		return action, nil
	}
	changed, err := s.policyChanged(ctx, t, row.Repository)
	if err != nil || last.CreatedUS <= changed && row.HostUpdatedUS <= changed {
		return "", err
	}
	return action, nil
}

// policyChanged returns when the policy of a repository or the tenant's defaults last changed, in
// microseconds; 0 if never.
func (s *Service) policyChanged(ctx context.Context, t domain.Tenant, repository string) (us int64, err error) {
	for _, of := range []string{"", repository} {
		d, err := s.Store.Document(ctx, t, of, store.SettingPolicy)
		if err != nil {
			return 0, err
		}
		us = max(us, d.UpdatedUS)
	}
	return us, nil
}
