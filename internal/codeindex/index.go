package codeindex

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Times of indexing (design choices).
const (
	checkEvery   = 15 * time.Minute // a branch is looked at again although no event said that it moved
	readTime     = 15 * time.Minute // the fetch of a repository
	batchTime    = 5 * time.Minute  // the reading and storing of one batch
	hostPatience = time.Second      // how long a request to the host waits for its share; reviews go first
	limitedPause = time.Minute      // the pause after a host wanted fewer requests
)

// Stages that people see.
const (
	stageRead  = "repository"
	stageFiles = "files"
)

// sayOff is why a repository without reviews has no index.
const sayOff = "Reviews are switched off in this repository, so that its code is not indexed."

// Want enqueues the indexing of a repository whose default branch may have moved.
func (s *Service) Want(ctx context.Context, t domain.Tenant, repository string) error {
	_, err := s.Store.EnqueueIndex(ctx, t, repository)
	return errs.IgnoreAbsent(err)
}

// Sweep enqueues the indexing of at most limit repositories that have no index, or whose branch was not looked at for checkEvery.
func (s *Service) Sweep(ctx context.Context, limit int) error {
	_, err := s.Store.EnqueueDueIndexes(ctx, checkEvery, limit)
	return err
}

// Rebuild starts a new build of a repository's index, beside the one that answers searches, and returns its job. Errors: Conflict
// if reviews are switched off or the repository is disconnected.
func (s *Service) Rebuild(ctx context.Context, t domain.Tenant, repository string) (job store.Job, err error) {
	r, err := s.Store.Repository(ctx, t, repository)
	if err != nil {
		return job, err
	}
	why, err := s.unwanted(ctx, r)
	switch {
	case err != nil:
		return job, err
	case why != "":
		return job, errs.New(errs.Conflict, "not_indexed", "%s", why)
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		var err error
		if r.DefaultBranch != "" { // without it there is nothing to rebuild yet
			var row store.CodeIndex
			if row, err = s.Store.OpenCodeIndex(ctx, t, r.ID, r.DefaultBranch); err == nil {
				err = s.Store.BeginCodeRebuild(ctx, t, row.ID)
			}
		}
		if err == nil {
			job, err = s.Store.EnqueueIndex(ctx, t, r.ID)
		}
		target := audit.Target{Kind: "repository", ID: r.ID, Name: r.Owner + "/" + r.Name}
		return audit.Act{Tenant: t, Action: "code-index.rebuild", Target: target}, err
	})
	return job, err
}

// unwanted returns why a repository is not indexed, or "".
func (s *Service) unwanted(ctx context.Context, r store.Repository) (string, error) {
	if r.State != "active" {
		return "The repository is not connected to its host any more.", nil
	}
	p, _, err := policy.Effective(ctx, s.Store, domain.Tenant{ID: r.Tenant}, r.ID)
	if err != nil || p.Enabled {
		return "", err
	}
	return sayOff, nil
}

// Index is the job that brings the index of a repository's default branch up to date.
func (s *Service) Index(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	r, err := s.Store.Repository(ctx, t, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return c.Outcome(ctx, domain.JobOutcome{}, "The repository was deleted.")
	}
	if err != nil {
		return err
	}
	why, err := s.unwanted(ctx, r)
	if err == nil && why == "" {
		if r, err = s.Code.WithBranch(codehost.WithSweep(ctx, hostPatience), r); errs.Is(err, errs.NotFound) {
			why, err = reasonOf(err), nil
		}
	}
	var row store.CodeIndex
	if err == nil {
		row, err = s.Store.OpenCodeIndex(ctx, t, r.ID, r.DefaultBranch)
	}
	if err == nil && why == "" {
		why, err = s.update(ctx, c, r, row)
	}
	switch {
	case err != nil:
		return s.failed(ctx, c, row, err)
	case why != "":
		if err := s.Store.ClearCodeIndex(ctx, t, row.ID, why); err != nil {
			return errs.IgnoreAbsent(err)
		}
		if err := c.Outcome(ctx, domain.JobOutcome{}, why); err != nil {
			return err
		}
	}
	return c.FinishUnasked(ctx)
}

// update reads the newest commit and indexes it. It returns why there is nothing to index, or "".
func (s *Service) update(ctx context.Context, c *jobs.Claim, r store.Repository, row store.CodeIndex) (why string, err error) {
	c.Stage(stageRead, readTime)
	if err := c.Progress(ctx, domain.JobProgress{Stage: stageRead}); err != nil {
		return "", err
	}
	code, commit, err := s.Code.Newest(codehost.WithSweep(ctx, hostPatience), r, "")
	if errs.Is(err, errs.NotFound) { // disconnected, or without a branch
		return reasonOf(err), nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = code.Close() }() // it was only read
	t := domain.Tenant{ID: r.Tenant}
	if row.CommitSHA == commit && row.NextGeneration == 0 {
		row.State, row.Reason = store.IndexReady, ""
		_, err := s.Store.SaveCodeIndex(ctx, t, row)
		return "", err
	}
	b := &build{Service: s, tenant: t, row: row, generation: cmp.Or(row.NextGeneration, row.Generation), code: code,
		held: held(c), until: time.Now().Add(s.Turn)}
	b.progress = func(ctx context.Context, done, total int) error {
		b.row.State, b.row.FilesDone = store.IndexStale, int64(done)
		if b.row.NextGeneration > 0 {
			b.row.State = store.IndexBuilding
		}
		if b.row.Generation == 0 {
			b.row.Files = int64(total)
		}
		if _, err := s.Store.SaveCodeIndex(ctx, t, b.row); err != nil {
			return err
		}
		c.Stage(stageFiles, batchTime)
		return c.Progress(ctx, domain.JobProgress{Stage: stageFiles, Done: done, Total: total})
	}
	err = b.run(ctx, commit)
	if errors.Is(err, errTurn) {
		return "", &jobs.Snooze{Why: err.Error()}
	}
	if err != nil {
		return "", err
	}
	return "", b.finish(ctx, c, commit)
}

// finish makes the generation answer searches, and stores what it holds.
func (b *build) finish(ctx context.Context, c *jobs.Claim, commit string) error {
	have, err := b.Store.CodeFiles(ctx, b.tenant, b.row.ID, b.generation)
	if err != nil {
		return err
	}
	b.row.Files, b.row.FilesDone = 0, int64(len(have))
	for _, f := range have {
		if f.Place < 0 {
			b.left.add(f.Reason, f.Path)
			continue
		}
		b.row.Files++
	}
	segments, err := b.segments(ctx, b.tenant, b.row.ID, b.generation)
	if err != nil {
		return err
	}
	b.row.Chunks = 0
	for _, seg := range segments {
		for _, k := range seg.chunks {
			if seg.isLive(k) {
				b.row.Chunks++
			}
		}
	}
	if b.row.Bytes, err = b.Store.CodeIndexBytes(ctx, b.tenant, b.row.ID, b.generation); err != nil {
		return err
	}
	b.row.State, b.row.CommitSHA, b.row.Reason, b.row.BuiltUS, b.row.LeftOut = store.IndexReady, commit, "", -1, store.JSON(b.left.list())
	return b.Store.InTx(ctx, func(ctx context.Context) error {
		if err := b.held(ctx); err != nil {
			return err
		}
		if err := b.Store.SwitchCodeIndex(ctx, b.tenant, b.row.ID); err != nil {
			return err
		}
		if _, err := b.Store.SaveCodeIndex(ctx, b.tenant, b.row); err != nil {
			return err
		}
		return c.Outcome(ctx, domain.JobOutcome{Counts: map[string]int{"files": int(b.row.Files), "chunks": int(b.row.Chunks)}}, "")
	})
}

// failed stores why an attempt failed. A rate limit and a turn that is over are no failures.
func (s *Service) failed(ctx context.Context, c *jobs.Claim, row store.CodeIndex, err error) error {
	if snooze, is := errors.AsType[*jobs.Snooze](err); is {
		return snooze
	}
	if errors.Is(err, jobs.ErrLost) || ctx.Err() != nil {
		return err
	}
	if errs.Is(err, errs.RateLimited) || codehost.ClassOf(err) == codehost.ClassLimited {
		return &jobs.Snooze{For: limitedPause, Why: err.Error()}
	}
	reason := reasonOf(err)
	if stored := s.fail(ctx, domain.Tenant{ID: c.Job.Tenant}, row, reason); stored != nil {
		return errors.Join(err, stored)
	}
	return errors.Join(err, c.Outcome(ctx, domain.JobOutcome{}, reason))
}

// fail stores why an index could not be brought up to date. Searches still get what is there.
func (s *Service) fail(ctx context.Context, t domain.Tenant, row store.CodeIndex, reason string) error {
	now, err := s.Store.CodeIndexOf(ctx, t, row.Repository, row.Branch)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	now.State, now.Reason = store.IndexStale, reason
	if now.Generation == 0 {
		now.State = store.IndexFailed
	}
	_, err = s.Store.SaveCodeIndex(ctx, t, now)
	return err
}

// dead stores that the indexing of a repository was given up. The next event or sweep tries again.
func (s *Service) dead(ctx context.Context, j store.Job, d jobs.Death) error {
	t := domain.Tenant{ID: j.Tenant}
	r, err := s.Store.Repository(ctx, t, j.Subject)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	row, err := s.Store.CodeIndexOf(ctx, t, r.ID, r.DefaultBranch)
	if err != nil || !d.Crashed {
		return errs.IgnoreAbsent(err) // the last attempt stored its reason
	}
	return s.fail(ctx, t, row, "Workers stopped while they indexed the repository. It is tried again later.")
}

// reasonOf returns the message of an error for people.
func reasonOf(err error) string {
	if e, is := errors.AsType[*errs.Error](err); is && e.Kind != errs.Internal {
		return e.Message
	}
	return "The index could not be built because of an internal error. The operator of the instance finds it in the log."
}
