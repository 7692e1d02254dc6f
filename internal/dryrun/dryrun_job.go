package dryrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/store"
)

// errCancelled is the cause of a context's end after a person cancelled the dry run.
var errCancelled = errors.New("the dry run was cancelled")

// Run is the job of a dry run. One attempt reviews one pull request and then returns the job to the queue,
// so that other dry runs get their turn. The next attempt continues after the stored results.
func (s *Service) Run(ctx context.Context, c *jobs.Claim) error {
	run, err := s.Store.DryRunForWork(ctx, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return c.Outcome(ctx, domain.JobOutcome{}, "The dry run was deleted with its repository.")
	}
	if err != nil {
		return err
	}
	if run.State == domain.DryRunQueued {
		if _, err := s.Store.MoveDryRun(ctx, run.Owner(), run.ID, store.DryRunMove{From: domain.DryRunQueued, To: domain.DryRunRunning,
			Cause: "begun"}); err != nil {
			return err
		}
		if run, err = s.Store.DryRunForWork(ctx, run.ID); err != nil {
			return err
		}
	}
	if run.State.Terminal() {
		return s.reportOutcome(ctx, c, run)
	}
	w := &work{Service: s, claim: c, run: run, log: s.Logger.With("dryRun", run.ID)}
	watched, stop := w.watch(ctx)
	err = w.step(watched)
	cancelled := errors.Is(context.Cause(watched), errCancelled) || errors.Is(err, errCancelled)
	stop()
	if err != nil && cancelled {
		if run, err = s.Store.DryRunForWork(ctx, run.ID); err == nil {
			return s.reportOutcome(ctx, c, run)
		}
	}
	return jobs.Waiting(err)
}

// reportOutcome reports the outcome of an ended dry run to callers that wait for its job.
func (s *Service) reportOutcome(ctx context.Context, c *jobs.Claim, run store.DryRun) error {
	problem := ""
	if run.State != domain.DryRunCompleted {
		problem = run.Reason
	}
	pulls, err := s.Store.DryPulls(ctx, run.Owner(), run.ID)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, p := range pulls {
		counts[string(p.State)]++
	}
	return c.Outcome(ctx, domain.JobOutcome{Counts: counts}, problem)
}

// dead ends a dry run whose job was given up.
func (s *Service) dead(ctx context.Context, j store.Job, d jobs.Death) error {
	run, err := s.Store.DryRunForWork(ctx, j.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil || run.State.Terminal() {
		return err
	}
	reason := "It was given up after too many errors. The operator of the instance finds the errors in the dead letters."
	if d.Crashed {
		reason = "It was given up, because its workers died again and again."
	}
	_, err = s.end(ctx, run, domain.DryRunFailed, "given up", reason)
	return err
}

// work is one attempt at a dry run.
type work struct {
	*Service
	claim *jobs.Claim
	run   store.DryRun
	log   *slog.Logger

	spent bool // the month's budget is used up
}

// watch returns a context that ends when a person cancels the dry run. stop waits for the watching
// goroutine.
func (w *work) watch(ctx context.Context) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for pause.For(watched, w.Look) == nil {
			run, err := w.Store.DryRunForWork(watched, w.run.ID)
			if err == nil && run.State != domain.DryRunRunning {
				cancel(errCancelled)
				return
			}
		}
	}()
	return watched, func() { cancel(nil); <-over }
}

// step reviews the next pull request, or ends the dry run.
func (w *work) step(ctx context.Context) error {
	t := w.run.Owner()
	w.claim.Stage("begin", time.Minute)
	repository, err := w.Store.Repository(ctx, t, w.run.Repository)
	if err != nil {
		return err
	}
	if repository.State != active {
		return w.fail(ctx, "The repository is not connected to its host any more.")
	}
	host, repo, err := w.Hosts.Reader(ctx, repository)
	if codehost.IsAccessLost(err) {
		return w.fail(ctx, "The repository is not connected to its host any more.")
	}
	if err != nil {
		return err
	}
	pulls, err := w.pulls(ctx, host, repo)
	if err != nil {
		return err
	}
	done := len(slices.DeleteFunc(slices.Clone(pulls), isOpen))
	if err := w.claim.Progress(ctx, domain.JobProgress{Stage: "pull requests", Done: done, Total: len(pulls)}); err != nil {
		return err
	}
	i := slices.IndexFunc(pulls, isOpen)
	if i < 0 {
		return w.finish(ctx, pulls)
	}
	p := &attempt{work: w, host: host, repo: repo, repository: repository, pull: pulls[i]}
	if err := p.do(ctx); err != nil {
		return err
	}
	if w.spent {
		if err := w.failRest(ctx, pulls[i+1:], budgetSpent); err != nil {
			return err
		}
	}
	return &jobs.Snooze{Why: "the next pull request"}
}

// isOpen reports whether a pull request still waits for its review.
func isOpen(p store.DryPull) bool {
	return p.State == domain.DryPullQueued || p.State == domain.DryPullRunning
}

// pulls returns the pull requests of the dry run. If the newest ones were requested, the first attempt asks
// the host for their numbers.
func (w *work) pulls(ctx context.Context, host codehost.Reader, repo codehost.Repo) ([]store.DryPull, error) {
	pulls, err := w.Store.DryPulls(ctx, w.run.Owner(), w.run.ID)
	if err != nil || len(pulls) > 0 || w.run.Newest == 0 {
		return pulls, err
	}
	w.claim.Stage("list pull requests", 2*time.Minute)
	all, err := host.OpenPullRequests(ctx, repo)
	if err != nil {
		return nil, err
	}
	merged, err := host.MergedPullRequests(ctx, repo, int(w.run.Newest))
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, pr := range append(all, merged...) {
		numbers = append(numbers, pr.Number)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	slices.Reverse(numbers)
	numbers = numbers[:min(len(numbers), int(w.run.Newest))]
	if err := w.Store.SetDryRunPulls(ctx, w.run.Owner(), w.run, numbers); err != nil {
		return nil, err
	}
	return w.Store.DryPulls(ctx, w.run.Owner(), w.run.ID)
}

// failRest fails the queued pull requests.
func (w *work) failRest(ctx context.Context, pulls []store.DryPull, why string) error {
	for _, p := range pulls {
		if p.State != domain.DryPullQueued {
			continue
		}
		if _, err := w.Store.MoveDryPull(ctx, w.run.Owner(), p.ID, store.DryPullMove{From: p.State, To: domain.DryPullFailed,
			Reason: why}); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a dry run whose pull requests have all ended.
func (w *work) finish(ctx context.Context, pulls []store.DryPull) error {
	failed := 0
	why := ""
	for _, p := range pulls {
		if p.State == domain.DryPullFailed {
			failed++
			why = p.Reason
		}
	}
	switch {
	case len(pulls) == 0:
		return w.fail(ctx, "The repository has no pull request that is open or merged.")
	case failed == len(pulls):
		return w.fail(ctx, fmt.Sprintf("None of the %d pull requests could be looked at; of the last one: %s", len(pulls), why))
	case failed > 0:
		return w.close(ctx, domain.DryRunCompleted, fmt.Sprintf("%d of %d pull requests could not be looked at; each says why.", failed,
			len(pulls)))
	}
	return w.close(ctx, domain.DryRunCompleted, "")
}

func (w *work) fail(ctx context.Context, reason string) error {
	return w.close(ctx, domain.DryRunFailed, reason)
}

// close ends the dry run and its job together, unless a person has cancelled it meanwhile.
func (w *work) close(ctx context.Context, to domain.DryRunState, reason string) error {
	told := w.run
	told.State, told.Reason = to, reason
	if err := w.reportOutcome(ctx, w.claim, told); err != nil {
		return err
	}
	return w.Store.InTx(ctx, func(ctx context.Context) error {
		ended, err := w.end(ctx, w.run, to, "every pull request has ended", reason)
		if err != nil {
			return err
		}
		if !ended {
			return errCancelled
		}
		return w.claim.Finish(ctx)
	})
}

// overrides returns the settings that replace stored ones in the dry run.
func (w *work) overrides() (o DryRunOverrides, err error) {
	if err := json.Unmarshal([]byte(w.run.Overrides), &o); err != nil {
		return o, fmt.Errorf("the stored overrides cannot be read: %w", err)
	}
	return o, nil
}
