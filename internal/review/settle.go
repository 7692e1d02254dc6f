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
	// settleTime bounds the work on one unsettled publication.
	settleTime = time.Minute
	// settleSpacing is how often the run of a newer head asks about an unsettled publication before its own
	// time comes.
	settleSpacing = 15 * time.Second
	// settleAgain is how often a disconnected repository with an unsettled publication is checked again.
	settleAgain = time.Minute
	// maxSettleTime is how long a repository may stay disconnected before its unsettled publication is given
	// up.
	maxSettleTime = 30 * 24 * time.Hour
)

// SettlePublications asks the host about due publications whose jobs died after a draft was chosen, at most
// limit of them. Several workers may call it at once.
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

// settle completes the open publication of a run, see [publish.Publisher.Settle]. [errDisconnected] means
// that the host cannot be asked until the repository is connected again.
func (s *Service) settle(ctx context.Context, run store.Run, spacing time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, errDisconnected) {
		host, repo, err = s.openDisconnected(ctx, run)
	}
	if errors.Is(err, errDisconnected) {
		return false, errors.Join(err, s.putOff(ctx, run))
	}
	if err != nil {
		return false, err
	}
	return s.Publisher.Settle(ctx, run, host, repo, spacing)
}

// putOff postpones an unsettled publication until its repository may be connected again. If the repository
// has been disconnected for longer than maxSettleTime, putOff ends the publication and its run.
func (s *Service) putOff(ctx context.Context, run store.Run) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		over, err := s.Store.GiveUpSettling(ctx, run.Owner(), run.ID, errDisconnected.Error(), maxSettleTime)
		if err != nil {
			return err
		}
		if !over {
			return s.Store.PostponeSettling(ctx, run.Owner(), run.ID, settleAgain)
		}
		if err := s.Store.MarkNotesPosted(ctx, run.Owner(), run); err != nil {
			return err
		}
		_, err = s.Runs.End(ctx, run, disconnected)
		return err
	})
}

// openDisconnected opens the host of a disconnected repository as long as credentials remain, if settling cannot make
// anything visible there: a review that is one object is read, and its draft deleted.
func (s *Service) openDisconnected(ctx context.Context, run store.Run) (codehost.Host, codehost.Repo, error) {
	host, repo, err := s.atEnd(ctx, run)
	if err == nil && publish.CommentByComment(host) {
		err = errDisconnected
	}
	return host, repo, err
}

// waitForTurn ends an attempt at a run while another run works on the pull request. If that run has no
// worker any more because its publication is unsettled, it is settled first. If its repository is
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

// CleanDrafts deletes drafts that appeared after their publication had ended, at due pull requests, at most
// limit of them. Failures are retried at the next due time.
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
