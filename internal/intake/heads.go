package intake

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// SweepHeads looks for open pull requests whose head has no run: their webhook
// was lost, and the host does not repeat it, or not any more. Each repository is
// looked through as often as u says, at most limit of them per call; what changed
// before the repository was connected is left alone.
func (s *Service) SweepHeads(ctx context.Context, u store.Unswept, limit int) error {
	repos, err := s.Store.TakeUnswept(ctx, u, limit)
	if err != nil {
		return err
	}
	for _, repo := range repos {
		if err := s.sweepHeads(ctx, repo); err != nil {
			s.Logger.WarnContext(ctx, "lost heads could not be looked for; the repository is tried again later", "repository", repo.ID, "error", err)
		}
	}
	return nil
}

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
	for _, pr := range pulls {
		if pr.UpdatedAt.UnixMicro() < repo.CreatedUS {
			continue
		}
		if err := s.recoverHead(ctx, repo, p, pr); err != nil {
			return err
		}
	}
	return nil
}

// recoverHead makes the run that a lost webhook would have made. A head that
// has a run, however it ended, is left alone.
func (s *Service) recoverHead(ctx context.Context, repo store.Repository, p domain.Policy, pr codehost.PullRequest) error {
	t := domain.Tenant{ID: repo.Tenant}
	due, err := s.lost(ctx, t, repo, pr)
	if err != nil || !due {
		return err
	}
	outside, err := s.outside(ctx, repo, p, pr, "opened")
	if err != nil {
		return err
	}
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := s.Store.SeePullRequest(ctx, t, run.PullRow(repo.ID, pr))
		if err != nil || row.HeadSHA != pr.HeadSHA {
			return err
		}
		_, err = s.Runs.First(ctx, t, row, wish(p, row, pr, "opened", outside, run.Wish{Event: "found by the sweep", Asker: domain.Asker{How: domain.AskedBySweep}}))
		return err
	})
	if err != nil {
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

// lost keeps what the host says of a pull request, and reports whether its head
// has no run.
func (s *Service) lost(ctx context.Context, t domain.Tenant, repo store.Repository, pr codehost.PullRequest) (due bool, err error) {
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := s.Store.SeePullRequest(ctx, t, run.PullRow(repo.ID, pr))
		if err != nil || row.HeadSHA != pr.HeadSHA {
			return err
		}
		_, err = s.Store.LastRunOfHead(ctx, t, row.ID, row.HeadSHA)
		if due = errs.Is(err, errs.NotFound); due {
			return nil
		}
		return err
	})
	return due, err
}
