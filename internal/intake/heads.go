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

// sweepHeads looks for open pull requests of a repository whose head has no run, or one that ended
// without a review for a reason that the host has taken away since: their webhook
// was lost, and the host does not repeat it, or not any more. What changed
// before the repository was connected is listed and left alone, unless it was opened while
// the repository could have been connected. Checks that are missing or say what
// does not hold are said again, and target branches that were rewritten looked for.
func (s *Service) sweepHeads(ctx context.Context, repo store.Repository) error {
	p, _, err := policy.Effective(ctx, s.Store, domain.Tenant{ID: repo.Tenant}, repo.ID)
	if err != nil || triedOut(repo, p) {
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
	due, older := byAge(repo, pulls)
	heads := map[string]bool{}
	for _, pr := range due {
		if err := s.recoverHead(ctx, repo, p, pr); err != nil {
			return err
		}
		heads[pr.HeadSHA] = true
	}
	if p.Enabled && p.PublishMode != domain.PublishSilent {
		for head := range heads {
			if err := s.Runs.MendHead(ctx, domain.Tenant{ID: repo.Tenant}, repo.ID, head); err != nil {
				return err
			}
		}
	}
	if err := s.list(ctx, repo, older); err != nil {
		return err
	}
	return s.sweepTargets(ctx, repo, p, host, ref, pulls)
}

// recoverHead makes the run that a lost webhook would have made.
func (s *Service) recoverHead(ctx context.Context, repo store.Repository, p domain.Policy, pr codehost.PullRequest) error {
	t := domain.Tenant{ID: repo.Tenant}
	action, err := s.lost(ctx, s.hear, t, repo, p, pr)
	if errors.Is(err, errContradicted) { // the list is older than an event of its second, or the event is
		if pr, err = s.currentPull(ctx, repo, pr.Number); codehost.Gone(err) {
			return nil
		}
		if err == nil && pr.Open {
			action, err = s.lost(ctx, s.Runs.See, t, repo, p, pr)
		}
	}
	if err != nil || action == "" {
		return err
	}
	if action == "reopened" { // a list may name what cannot be read, and a run of that would end at once, after each look
		if _, err := s.currentPull(ctx, repo, pr.Number); err != nil {
			if codehost.Gone(err) {
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
		row, err := s.hear(ctx, t, run.PullRow(repo.ID, pr))
		if errors.Is(err, errContradicted) { // an event came meanwhile
			action = ""
			return nil
		}
		if err != nil {
			return err
		}
		now, err := s.missed(ctx, t, row, p, pr)
		if err != nil || now != action { // an event came meanwhile, or the next sweep sees what it is
			action = ""
			return err
		}
		_, err = s.Runs.Auto(ctx, t, row, wish(p, row, pr, action, outside, run.Wish{Event: "found by the sweep", Asker: domain.Asker{How: domain.AskedBySweep}}))
		return err
	})
	if err != nil || action == "" || action == run.ActionRetargeted {
		return err
	}
	return s.doubtWebhook(ctx, t, repo) // a crash before it costs an hour at most: each connection is asked then
}

const (
	// doubtAtMost is how often a connection is asked about for its lost webhooks, and
	// doubtEach what each of its repositories adds to that: a question costs a few
	// requests for each, so they stay below about three in a second (design choices).
	doubtAtMost = 10 * time.Minute
	doubtEach   = time.Second
)

// doubtWebhook has the host asked whether the webhooks of a connection are still on, after
// one of its events did not come: hosts switch webhooks off after failures, and the
// question switches ours on again where the token may.
func (s *Service) doubtWebhook(ctx context.Context, t domain.Tenant, repo store.Repository) error {
	_, err := s.Store.EnqueueSyncOfAccess(ctx, t, repo.Access, doubtAtMost, doubtEach)
	return err
}

// lost keeps what the host says of a pull request, and returns what [Service.missed]
// says of it.
func (s *Service) lost(ctx context.Context, keep keepPull, t domain.Tenant, repo store.Repository, p domain.Policy, pr codehost.PullRequest) (action string, err error) {
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := keep(ctx, t, run.PullRow(repo.ID, pr))
		if err != nil {
			return err
		}
		action, err = s.missed(ctx, t, row, p, pr)
		return err
	})
	return action, err
}

// missed returns the action of the event that was lost, where the head that the host
// shows should have a run and has none: none at all, or one that ended without a review
// for what has changed on the host since, or is one onto another target branch. "": nothing is due. A head that a person had
// reviewed by a command has its review, and where the policy has changed since that run, it
// takes a later change on the host: else an administrator who asks for another label would
// have all old heads reviewed that bear it. Call it in the transaction that holds row.
func (s *Service) missed(ctx context.Context, t domain.Tenant, row store.PullRequest, p domain.Policy, pr codehost.PullRequest) (action string, err error) {
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
	if err != nil || row.HostUpdatedUS != run.PullRow(row.Repository, pr).HostUpdatedUS { // an event has told later things than the list
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

// policyChanged is when somebody last changed the policy of a repository, or what the
// tenant says of all; 0 for never.
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
