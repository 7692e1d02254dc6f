package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// actions are what people and the CI do at a simulated host.
type actions interface {
	// GetPull describes a pull request.
	GetPull(ctx context.Context, repository string, number int) (simapi.Pull, error)
	// AddRun makes a run of a workflow.
	AddRun(ctx context.Context, repository string, spec simapi.RunSpec) (simapi.Run, error)
	// Reply answers a comment on lines in its thread.
	Reply(ctx context.Context, repository string, number int, spec simapi.ReplySpec) (simapi.Comment, error)
}

// stepTimeout bounds the wait for one step after the reviews (design choice). The demo goes on without the step.
const stepTimeout = 2 * time.Minute

// sweptTimeout bounds the wait for a failed job that the service finds by asking (design choice: two searches for lost heads).
const sweptTimeout = 12 * time.Minute

// Outcome is the page of an analysis of a failed job, or of a fix run.
type Outcome struct {
	Pull int    // number of the pull request
	Job  string // name of the failed job; "" for a fix run
	// Passed reports whether the fix was delivered, or whether the job passed when it was repeated.
	Passed bool
	Path   string // of the page in the console
}

// FollowReviews allows analyses of failed jobs in the first sample repository. After the reviews the host's CI has
// jobs fail, and the admin of the organisation asks for fixes by comments. Call it after [Demo.Seed], beside [Demo.Watch]. ended is
// called for each analysis and fix run, also at the same time. It does nothing if the repository has a policy of an earlier
// demo, and ends with ctx.
func (d *Demo) FollowReviews(ctx context.Context, s Service, ended func(Outcome)) error {
	repository, err := s.await(ctx, d.stored(demo.Repository))
	if err != nil || repository.ID == "" {
		return err
	}
	before, err := s.Tenant.Policy(ctx, s.ID, repository.ID)
	if err != nil || before.Version > 0 {
		return err
	}
	jobs := domain.CIAll
	if _, err := s.Tenant.PutPolicy(operator(ctx), s.ID, repository, 0, policy.RepositoryPolicyUpdate{CIAnalysis: &jobs}); err != nil {
		return fmt.Errorf("the policy of %s: %w", demo.Repository, err)
	}
	f := follower{d, s, repository, ended}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		for _, j := range demo.FailedJobs() {
			if err := f.fail(ctx, j); err != nil {
				return fmt.Errorf("the failed job %s: %w", j.Name, err)
			}
		}
		return nil
	})
	both.Go(func() error {
		for _, a := range demo.AskedFixes() {
			if err := f.ask(ctx, a); err != nil {
				return fmt.Errorf("a fix of %s: %w", a.Path, err)
			}
		}
		return nil
	})
	return both.Wait()
}

// follower does the steps of [Demo.FollowReviews].
type follower struct {
	*Demo
	Service
	repository store.Repository
	ended      func(Outcome)
}

// path returns the path of a page below the repository's.
func (f follower) path(kind, id string) string {
	return "/t/" + f.ID.ID + "/repositories/" + f.repository.ID + "/" + kind + "/" + id
}

// poll calls a function until it returns true. It returns false after [stepTimeout], and an error if ctx ends.
func poll(ctx context.Context, done func() (bool, error)) (bool, error) {
	return pollFor(ctx, stepTimeout, done)
}

// pollFor is [poll] with another bound.
func pollFor(ctx context.Context, most time.Duration, done func() (bool, error)) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if is, err := done(); is || err != nil {
			return is, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-bounded.Done():
			return false, nil
		case <-tick.C:
		}
	}
}

// reviewed waits for the end of the first review of a pull request.
func (f follower) reviewed(ctx context.Context, number int) (bool, error) {
	return poll(ctx, func() (bool, error) {
		runs, err := f.Store.SearchRuns(ctx, store.OperatorFilter{Repository: f.stored(demo.Repository), Number: number,
			State: domain.RunCompleted, Limit: 1})
		return len(runs) > 0, err
	})
}

// fail has a job fail, and pass when it is repeated if the sample says so. It waits for the analysis in between.
func (f follower) fail(ctx context.Context, j demo.FailedJob) error {
	if there, err := f.reviewed(ctx, j.Pull); err != nil || !there {
		return err
	}
	pull, err := f.host.actions().GetPull(ctx, demo.Repository, j.Pull)
	if err != nil {
		return err
	}
	if _, err := f.host.actions().AddRun(ctx, demo.Repository, j.Run(pull.HeadSHA, false)); err != nil {
		return err
	}
	if there, err := f.analysed(ctx, j, false); err != nil || !there || !j.Repeated {
		return err
	}
	if _, err := f.host.actions().AddRun(ctx, demo.Repository, j.Run(pull.HeadSHA, true)); err != nil {
		return err
	}
	_, err = f.analysed(ctx, j, true)
	return err
}

// analysed waits for the analysis of a job, flaky if the job has passed since.
func (f follower) analysed(ctx context.Context, j demo.FailedJob, flaky bool) (bool, error) {
	most := stepTimeout
	if f.kind == domain.BitbucketDataCenter { // it sends no event of builds, and the service asks for them every few minutes
		most = sweptTimeout
	}
	return pollFor(ctx, most, func() (bool, error) {
		all, err := f.Store.CIAnalyses(ctx, f.ID, f.repository.ID, store.CIFilter{Number: j.Pull, Flaky: flaky, Limit: 1})
		if err != nil || len(all) == 0 || !all[0].State.Terminal() {
			return false, err
		}
		if flaky == j.Repeated {
			f.ended(Outcome{Pull: j.Pull, Job: all[0].Job, Passed: flaky, Path: f.path("ci-analyses", all[0].ID)})
		}
		return true, nil
	})
}

// knows waits until the service knows the comment of a finding on a line, which it learns just after the review.
func (f follower) knows(ctx context.Context, number int, path string, line int) (bool, error) {
	row, err := f.Store.PullRequestNumbered(ctx, f.ID, f.repository.ID, number)
	if err != nil {
		return false, err
	}
	return poll(ctx, func() (bool, error) {
		all, err := f.Store.KnownFindings(ctx, f.ID, row.ID)
		return slices.ContainsFunc(all, func(k store.KnownFinding) bool {
			return k.Anchor.Path == path && k.Anchor.EndLine == line && k.CommentID != ""
		}), err
	})
}

// ask asks for a fix in the thread of a finding, and waits for its end, because a pull request has one fix run at a time.
func (f follower) ask(ctx context.Context, a demo.AskedFix) error {
	if there, err := f.reviewed(ctx, a.Pull); err != nil || !there {
		return err
	}
	reviews, err := f.host.reviews(ctx, a.Pull)
	if err != nil || len(reviews) == 0 {
		return err
	}
	at := slices.IndexFunc(reviews[0].Comments, func(c simapi.Comment) bool { return c.Path == a.Path && c.Line == a.Line })
	if at < 0 {
		return nil // the comment is gone
	}
	if there, err := f.knows(ctx, a.Pull, a.Path, a.Line); err != nil || !there {
		return err
	}
	known, err := f.Store.FixRuns(ctx, f.ID, f.repository.ID, store.FixRunFilter{Number: a.Pull})
	if err != nil {
		return err
	}
	if _, err := f.host.actions().Reply(ctx, demo.Repository, a.Pull, simapi.ReplySpec{Comment: reviews[0].Comments[at].ID,
		Author: demo.Admin, Body: "/assay fix"}); err != nil {
		return err
	}
	_, err = poll(ctx, func() (bool, error) {
		all, err := f.Store.FixRuns(ctx, f.ID, f.repository.ID, store.FixRunFilter{Number: a.Pull})
		if err != nil || len(all) == len(known) || !all[0].State.Terminal() {
			return false, err
		}
		f.ended(Outcome{Pull: a.Pull, Passed: all[0].Passed > 0, Path: f.path("fix-runs", all[0].ID)})
		return true, nil
	})
	return err
}
