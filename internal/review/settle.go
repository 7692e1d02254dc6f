package review

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// settleTime bounds the work on one publication that is not settled.
	settleTime = time.Minute
	// settleSpacing is how often the run of a newer head asks about an unsettled
	// publication before its own time comes.
	settleSpacing = 15 * time.Second
	// settleAgain is how often it is looked whether a disconnected repository is back
	// whose publication is not settled.
	settleAgain = time.Minute
	// settleMost is how long a repository may stay disconnected until its unsettled
	// publication is given up: it is taken for gone.
	settleMost = 30 * 24 * time.Hour
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
		if _, err := s.settle(ctx, run, settleTime); err != nil && !errors.Is(err, errDisconnected) {
			s.Logger.WarnContext(ctx, "it is not known yet whether a review is visible; the host is asked again later", "run", run.ID, "error", err)
		}
	}
	return nil
}

// settle ends what the publication of a run left open, see [publish.Publisher.Settle].
// [errDisconnected]: there is nobody to ask until the repository is back.
func (s *Service) settle(ctx context.Context, run store.Run, spacing time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, errDisconnected) {
		host, repo, err = s.last(ctx, run)
	}
	if errors.Is(err, errDisconnected) {
		return false, errors.Join(err, s.putOff(ctx, run))
	}
	if err != nil {
		return false, err
	}
	return s.Publisher.Settle(ctx, run, host, repo, spacing)
}

// putOff leaves an unsettled publication alone until its repository may be back, or ends it with its
// run, where that has been gone for long.
func (s *Service) putOff(ctx context.Context, run store.Run) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		over, err := s.Store.GiveUpSettling(ctx, run.Owner(), run.ID, errDisconnected.Error(), settleMost)
		if err != nil {
			return err
		}
		if !over {
			return s.Store.PutOffSettling(ctx, run.Owner(), run.ID, settleAgain)
		}
		if err := s.Store.MarkNotesPosted(ctx, run.Owner(), run); err != nil {
			return err
		}
		_, err = s.Runs.End(ctx, run, disconnected)
		return err
	})
}

// last opens the host of a repository that is disconnected as long as there is something
// to reach it by, where settling makes nothing visible any more: a review that is one
// object is read, and its draft deleted.
func (s *Service) last(ctx context.Context, run store.Run) (codehost.Host, codehost.Repo, error) {
	host, repo, err := s.atEnd(ctx, run)
	if err == nil && publish.LeavesDrafts(host) {
		err = errDisconnected
	}
	return host, repo, err
}

// waitForTurn is the end of an attempt at a run while another run works on the
// pull request. Where nothing works on that one any more because it is not known
// whether its review is visible, that is settled first; where its repository is
// disconnected, this run ends as well.
func (s *Service) waitForTurn(ctx context.Context, c *jobs.Claim, run store.Run) error {
	if err := s.Runs.Show(ctx, run, domain.RunQueued); err != nil {
		return err
	}
	snooze := &jobs.Snooze{For: 2 * time.Second, Why: "another run of this pull request is under way"}
	before, err := s.Store.UnsettledOf(ctx, run.Owner(), run.PullRequest)
	if errs.Is(err, errs.NotFound) {
		return snooze
	}
	if err != nil {
		return err
	}
	settled, err := s.settle(ctx, before, settleSpacing)
	if errors.Is(err, errDisconnected) {
		return s.Store.InTx(ctx, func(ctx context.Context) error {
			if _, err := s.Runs.End(ctx, run, disconnected); err != nil {
				return err
			}
			return c.Finish(ctx)
		})
	}
	if !settled {
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
		return errs.IgnoreAbsent(err)
	}
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, errDisconnected) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Publisher.Clean(ctx, run, host, repo)
}
