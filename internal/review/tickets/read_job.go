package tickets

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// maxReadAttempts is how often a job asks a tracker that does not answer, while a person waits for an issue
// (design choice). The next review asks again.
const maxReadAttempts = 3

// readSoon schedules the reading of a link that was not looked at yet, once for each occasion. The job
// decides what may be known about the issue, as a review does.
func (s *Service) readSoon(ctx context.Context, t domain.Tenant, link store.TrackerLink, occasion string) error {
	_, err := s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindTicketRead, FairKey: t.ID, Subject: link.ID, Tenant: t.ID,
		Dedup: string(domain.KindTicketRead) + ":" + link.ID + ":" + occasion})
	return err
}

// ReadNow is the job handler that reads the issues of a link's pull request outside reviews.
func (s *Service) ReadNow(ctx context.Context, c *jobs.Claim) error {
	link, err := s.Store.TrackerLinkForWork(ctx, c.Job.Subject)
	if errs.Is(err, errs.NotFound) || err == nil && link.RemovedUS != 0 {
		return nil
	}
	if err != nil {
		return err
	}
	t := domain.Tenant{ID: link.Tenant}
	repository, err := s.Store.Repository(ctx, t, link.Repository)
	if err != nil || repository.State != "active" {
		return err
	}
	pull, err := s.Store.PullRequest(ctx, t, link.PullRequest)
	if err != nil || pull.State != "open" {
		return err
	}
	c.Stage("read", writeTime)
	_, err = s.LinkPullRequest(ctx, t, link.Connection, repository, pull)
	if wait, limited := tracker.Pause(err); limited {
		return &jobs.Snooze{For: wait, Why: err.Error()}
	}
	if codehost.IsAccessLost(err) || tracker.ClassOf(err) != "" && c.Job.Attempts+1 >= maxReadAttempts {
		return nil // the link says why it is not read
	}
	return jobs.Waiting(err)
}
