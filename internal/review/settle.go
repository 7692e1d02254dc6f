package review

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// settleTime bounds the work on one publication that is not settled.
	settleTime = time.Minute
	// settleSpacing is how often the run of a newer head asks about an unsettled
	// publication before its own time comes.
	settleSpacing = 15 * time.Second
)

// SettlePublications asks the host about publications whose jobs died after a
// draft was chosen, as far as they are due and at most limit of them. Many
// workers may do so at once.
func (s *Service) SettlePublications(ctx context.Context, limit int) error {
	due, err := s.Store.UnsettledRuns(ctx, limit)
	if err != nil {
		return err
	}
	for _, run := range due {
		if _, err := s.settle(ctx, run, settleTime); err != nil {
			s.Logger.WarnContext(ctx, "it is not known yet whether a review is visible; the host is asked again later", "run", run.ID, "error", err)
		}
	}
	return nil
}

// settle ends what the publication of a run left open, see [publish.Publisher.Settle].
func (s *Service) settle(ctx context.Context, run store.Run, spacing time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, ErrDisconnected) {
		return true, s.giveUp(ctx, run, domain.EndDisconnected, ErrDisconnected.Error(), func(context.Context) error { return nil })
	}
	if err != nil {
		return false, err
	}
	return s.Publisher.Settle(ctx, run, host, repo, spacing)
}

// waitForTurn is the end of an attempt at a run while another run works on the
// pull request. Where nothing works on that one any more because it is not known
// whether its review is visible, that is settled first.
func (s *Service) waitForTurn(ctx context.Context, run store.Run) error {
	if err := s.Runs.Show(ctx, run, domain.RunQueued); err != nil {
		return err
	}
	snooze := &jobs.Snooze{For: 2 * time.Second, Why: "another run of this pull request is under way"}
	before, err := s.Store.UnsettledOf(ctx, scope(run), run.PullRequest)
	if errs.Is(err, errs.NotFound) {
		return snooze
	}
	if err != nil {
		return err
	}
	if settled, err := s.settle(ctx, before, settleSpacing); !settled {
		snooze.For, snooze.Why = settleSpacing, "it is not known yet whether the review of an earlier head is visible"
		if err != nil {
			snooze.Why += ": " + err.Error()
		}
	}
	return snooze
}

// CleanDrafts looks for drafts that appeared after their publication had ended,
// at the pull requests that are due, and deletes them. At most limit of them are
// looked at; what fails is looked at again at the next of its times.
func (s *Service) CleanDrafts(ctx context.Context, limit int) error {
	ids, err := s.Store.TakeUnclean(ctx, limit)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.cleanDrafts(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "left drafts could not be looked for", "run", id, "error", err)
		}
	}
	return nil
}

func (s *Service) cleanDrafts(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	run, err := s.Store.RunForWork(ctx, id)
	if err != nil {
		return ignoreAbsent(err)
	}
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, ErrDisconnected) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Publisher.Clean(ctx, run, host, repo)
}
