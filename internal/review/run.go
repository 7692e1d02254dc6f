package review

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// Run reads the change, judges it and freezes the output. It writes nothing to the host.
func (s *Service) Run(ctx context.Context, c *jobs.Claim) error {
	run, err := s.Store.RunForWork(ctx, c.Job.Subject)
	if err != nil {
		return err
	}
	if run.State == domain.RunFailed {
		return s.redrive(ctx, c, run)
	}
	if run.State != domain.RunQueued && run.State != domain.RunRunning {
		return nil
	}
	mine, err := s.Store.ClaimPullRequest(ctx, run.Owner(), run.PullRequest, run.ID)
	if err != nil {
		return err
	}
	if !mine {
		return s.waitForTurn(ctx, c, run)
	}
	if run.State == domain.RunQueued {
		run, err = s.begin(ctx, run)
		if errors.Is(err, runs.ErrMoved) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if err := s.awaitUpload(ctx, run); err != nil {
		return err
	}
	w := &work{Service: s, claim: c, run: run, log: s.Logger.With("run", run.ID, "number", run.Number, "head", run.HeadSHA)}
	err = w.do(ctx)
	if errors.Is(err, runs.ErrMoved) {
		w.log.InfoContext(ctx, "the run ended before its review did", "error", err)
		return nil
	}
	if errs.Is(err, errs.Invalid) || errs.Is(err, errs.TooLarge) { // the same change would be refused again
		return &jobs.Fatal{Err: err}
	}
	return jobs.Waiting(err)
}

// redrive handles a dead letter that an operator has revived. Its run has failed for good, so the head gets
// a new run, once for each redrive.
func (s *Service) redrive(ctx context.Context, c *jobs.Claim, run store.Run) error {
	out, err := s.Runs.Redrive(ctx, run, fmt.Sprintf("%s.%d", c.Job.ID, c.Job.Gen))
	if err == nil {
		s.Logger.InfoContext(ctx, "a dead letter was redriven", "run", run.ID, "again", out.Run, "made", out.Made, "refused", out.Refuse)
	}
	return err
}

// begin moves a run to running and measures how long its delivery has waited. A run starts once, whatever
// attempts follow.
func (s *Service) begin(ctx context.Context, run store.Run) (store.Run, error) {
	run, moved, err := s.Runs.Begin(ctx, run)
	if !moved {
		return run, err
	}
	waited, failed := s.Store.StartDelay(ctx, run.Owner(), run.ID)
	switch {
	case failed == nil:
		s.Observer.ReviewStarted(waited)
	case !errs.Is(failed, errs.NotFound):
		s.Logger.WarnContext(ctx, "the start of a review could not be measured", "run", run.ID, "error", failed)
	}
	return run, err
}

// work is one attempt at one run.
type work struct {
	*Service
	claim *jobs.Claim
	run   store.Run
	log   *slog.Logger
	pages func(path string, first, last int) string // pages of files at the head, on the host
	can   codehost.Capabilities                     // of the host
	host  codehost.Host
	repo  codehost.Repo
	clock clock // of the stages of this attempt
	round int   // completed reviews of the pull request, and this one

	tickets []domain.Ticket // issues of the change

	target target
	based  func(path string) string // pages of files at the target
}

func (w *work) do(ctx context.Context) error {
	w.stage(ctx, "load", 3*time.Minute)
	host, repo, err := w.repository(ctx, w.run)
	if errors.Is(err, errDisconnected) {
		return w.stop(ctx, domain.RunCancelled, domain.EndDisconnected, errDisconnected.Error())
	}
	if err != nil {
		return err
	}
	pr, err := host.PullRequest(ctx, repo, w.run.Number)
	if codehost.IsAccessLost(err) {
		return w.stop(ctx, domain.RunCancelled, domain.EndGone, "the pull request cannot be reached on the host any more")
	}
	if err != nil {
		return err
	}
	if !pr.Open {
		return w.stop(ctx, domain.RunCancelled, domain.EndClosed, "the pull request is not open")
	}
	if pr.HeadSHA != w.run.HeadSHA || pr.BaseRef != w.run.BaseRef {
		return w.followHead(ctx, pr)
	}
	if w.run.MergeBase == "" {
		if pr.BaseSHA, err = branchTip(ctx, host, repo, pr); err != nil {
			return err
		}
	}
	w.can, w.host, w.repo = host.Capabilities(), host, repo
	w.pages = func(path string, first, last int) string {
		return host.FileURL(repo, w.run.HeadSHA, path, first, last)
	}
	w.target = w.targetOf(pr)
	w.based = func(path string) string { return host.FileURL(repo, w.target.commit, path, 0, 0) }
	meant, err := w.readIssues(ctx, host, repo, pr)
	if err != nil {
		return err
	}
	w.tickets = meant.Tickets
	in, snap, err := w.input(ctx, host, repo, pr)
	if err != nil {
		return err
	}
	defer func() { _ = snap.Close() }()
	if in.Tickets, in.EarlierChecks, err = w.ticketsWithVerdicts(ctx); err != nil {
		return err
	}
	in.SilentTrackers = meant.Silent
	spent, err := w.limit(ctx, host, repo, pr)
	if err != nil {
		return err
	}
	return w.judge(ctx, in, spent, func() []engine.Comment { return w.otherComments(ctx, host, repo, pr.Author) },
		func(ctx context.Context) bool { return w.mayCallTools(ctx, host, repo, pr) })
}

// followHead makes sure that the host's present head and target get their run, because the webhook may be late
// or lost. The new run has the trigger of this one, so that a policy against reviews of pushes does not
// prevent it.
func (w *work) followHead(ctx context.Context, pr codehost.PullRequest) error {
	policy, err := w.Policy(ctx, w.run.Owner(), w.run.Repository)
	if err != nil {
		return err
	}
	return w.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := w.Store.PullRequest(ctx, w.run.Owner(), w.run.PullRequest)
		if err != nil {
			return err
		}
		if row, err = w.Runs.UpsertPullRequest(ctx, w.run.Owner(), runs.PullRow(row.Repository, pr)); err != nil {
			return err
		}
		why, depth := "", w.run.Depth
		action, byEvent := strings.CutPrefix(w.run.TriggerEvent, "pull_request.")
		if byEvent {
			why = runs.Skip(policy, row, pr, action)
		}
		switch {
		case why != "": // see [domain.UnreviewedEndOf]
			depth = domain.DepthFull
		case byEvent && depth == domain.DepthReduced: // the policy for outside changes may have changed
			depth, why = runs.Outside(policy)
		}
		// The event is kept together with the request: opening, or everything again.
		newer, err := w.Runs.Auto(ctx, w.run.Owner(), row, runs.Request{Event: w.run.TriggerEvent, Delivery: w.run.Delivery, Skip: why,
			Depth: depth, Asker: w.run.Asker})
		if err != nil {
			return err
		}
		end := runs.Superseded("the host has a newer head", newer.Run)
		if pr.HeadSHA == w.run.HeadSHA {
			end = runs.Retargeted("the host has another target branch", newer.Run)
		}
		if _, err := w.Runs.End(ctx, w.run, end); err != nil {
			return err
		}
		return w.claim.Finish(ctx)
	})
}

// stop ends the run and the job together.
func (w *work) stop(ctx context.Context, to domain.RunState, cause domain.EndCause, reason string) error {
	return w.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := w.Runs.End(ctx, w.run, runs.Ending{To: to, Cause: cause, Reason: reason}); err != nil {
			return err
		}
		return w.claim.Finish(ctx)
	})
}

// judge runs the engine, with the model while it answers or its window lasts. spent is the note of a limit
// that leaves only deterministic checks, or "". others reads the comments of other people, with which a
// model's findings are compared. tools reports whether models may call the tools of the tenant's servers.
func (w *work) judge(ctx context.Context, in engine.Input, spent string, others func() []engine.Comment,
	tools func(context.Context) bool) error {
	w.claim.Stage("review", w.CallTime+time.Minute)
	if spent != "" {
		return w.checksOnly(ctx, in, spent)
	}
	models, recorder, err := w.Models.Open(ctx, w.run, tools)
	if err != nil {
		return err
	}
	in.Models = models
	if models == nil {
		in.ModelNote = engine.NoteNotConfigured
	} else {
		in.Comments = others()
	}
	left, err := w.Store.StartModelWindow(ctx, w.run.Owner(), w.run.ID, w.Window)
	if err != nil {
		return err
	}
	result, err := w.review(ctx, in, recorder)
	if err == nil && result.Fruitless() {
		return w.stop(ctx, domain.RunFailed, domain.EndModelFruitless, result.ModelNote+foundNothing)
	}
	if err == nil {
		return w.freeze(ctx, in, result, "reviewed")
	}
	down, ok := errors.AsType[*llm.Error](err)
	switch {
	case !ok:
		return err
	case down.Class == llm.ClassEffort:
		return w.stop(ctx, domain.RunFailed, domain.EndModelRejected, wording.English(wording.EffortRejected, down.ProviderMessage))
	case down.Retryable() && left > 0:
		return AskAgain(down, w.Window, left)
	case errors.Is(err, engine.ErrVerifier):
		return w.withoutVerifier(ctx, in, w.describeSilence(down), recorder)
	default:
		return w.withoutModel(ctx, in, w.describeSilence(down), recorder)
	}
}

// withoutVerifier publishes after the last attempt when the findings cannot be verified: as questions, in
// an incomplete review.
func (w *work) withoutVerifier(ctx context.Context, in engine.Input, why string, recorder ask.Recorder) error {
	in.WithoutVerifier = true
	result, err := w.review(ctx, in, recorder)
	if _, down := errors.AsType[*llm.Error](err); down {
		return w.withoutModel(ctx, in, why, recorder)
	}
	if err != nil {
		return err
	}
	w.log.WarnContext(ctx, "published without verification")
	return w.freeze(ctx, in, result, "reviewed, not verified: "+why)
}

// AskAgain gives the job back until a model that is down is asked again, sooner the shorter it has been
// down. left is the rest of the window.
func AskAgain(down *llm.Error, window, left time.Duration) error {
	pause := min(max(2*time.Second, (window-left)/4, down.RetryAfter), time.Minute, max(left, time.Second))
	return &jobs.Snooze{For: pause, Why: "the model does not answer: " + down.Words(), Kind: domain.WaitModel, Detail: down.Words()}
}

const (
	foundNothing = ", and the deterministic checks found nothing"
	modelDown    = "the model was unavailable" + foundNothing
)

// describeSilence explains why there is no model: its error, and its waiting time if the previous attempt ended for
// the same reason. The attempt at the end of the window is always made, because the time may have passed in
// the queue.
func (w *work) describeSilence(down *llm.Error) string {
	if !down.Retryable() || w.claim.Job.WaitKind != domain.WaitModel {
		return down.Words()
	}
	return wording.English(wording.NoAnswerWithin, w.Window, down.Words())
}

// withoutModel decides after the last attempt. If the deterministic checks found something, it publishes
// that with a note. Otherwise the run has failed, and the next push is reviewed again.
func (w *work) withoutModel(ctx context.Context, in engine.Input, why string, recorder ask.Recorder) error {
	in.Models, in.ModelNote = nil, engine.NoteUnavailable
	result, err := w.review(ctx, in, recorder)
	if err != nil {
		return err
	}
	if result.Fruitless() {
		return w.stop(ctx, domain.RunFailed, domain.EndModelUnavailable, modelDown+": "+why)
	}
	w.log.WarnContext(ctx, "published with deterministic checks only")
	return w.freeze(ctx, in, result, "reviewed with deterministic checks only: "+why)
}

// lastAttempts reports whether few attempts are left before the run fails for good. These ignore stored
// answers, because such an answer may have caused the failures.
func (w *work) lastAttempts() bool {
	failed := w.claim.Job.Attempts
	return failed > 0 && failed+freshAttempts >= int64(w.Attempts)
}

// freshAttempts is how many attempts at the end ignore stored answers.
const freshAttempts = 2

// stages stores results of finished stages of one run.
type stages struct {
	store *store.Store
	run   store.Run
	fresh bool // stored results are not used
}

// Load implements [ask.StageStore].
func (s *stages) Load(ctx context.Context, stage, inputHash string) ([]byte, bool, error) {
	if s.fresh {
		return nil, false, nil
	}
	return s.store.StageResult(ctx, s.run.Owner(), s.run.ID, stage, inputHash)
}

// Save implements [ask.StageStore].
func (s *stages) Save(ctx context.Context, stage, inputHash string, out []byte) error {
	return s.store.SaveStageResult(ctx, s.run.Owner(), s.run.ID, stage, inputHash, out)
}
