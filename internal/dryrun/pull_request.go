package dryrun

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// tries is how many attempts of a dry run may fail. The pull request of the next failure is given up, and
// the one after it begins.
const tries = 2

// The reasons why a pull request cannot be reviewed, for people.
const (
	gone     = "The pull request cannot be read on the host: it does not exist, or assay has no access."
	headGone = "The host does not have the head of the pull request any more, or it has no commit in common with its base, so " +
		"its changes are unknown."
	contained   = "The base already contained the head, and the host does not say what was merged, so that there is no change to look at."
	budgetSpent = "The budget for models was spent on the pull requests before it, so that no model was asked."
	noModel     = "No model was asked: "
	notRead     = "The change could not be read after several attempts."
)

// BudgetSpent reports whether the reason says that a pull request of a dry run failed for lack of budget.
func BudgetSpent(reason string) bool {
	return reason == budgetSpent || strings.HasPrefix(reason, noModel)
}

// attempt is one attempt at one pull request.
type attempt struct {
	*work
	host       codehost.Reader
	repo       codehost.Repo
	repository store.Repository
	pull       store.DryPull

	before store.Run // last published review; without an id if there is no such review
}

// failureReason is a sentence for people that explains why a pull request cannot be reviewed.
type failureReason string

// Error returns the sentence.
func (f failureReason) Error() string { return string(f) }

// do reviews the pull request and stores the result. After an error, the next attempt continues.
func (a *attempt) do(ctx context.Context) error {
	t := a.run.Owner()
	if a.pull.State == domain.DryPullQueued {
		begun, err := a.Store.MoveDryPull(ctx, t, a.pull.ID, store.DryPullMove{From: domain.DryPullQueued, To: domain.DryPullRunning})
		if err != nil {
			return err
		}
		if !begun {
			return errCancelled
		}
	}
	result, err := a.reviewPull(ctx)
	why, given := errors.AsType[failureReason](err)
	switch {
	case err == nil:
		return a.end(ctx, store.DryPullMove{To: domain.DryPullCompleted, Result: result})
	case given:
		return a.end(ctx, store.DryPullMove{To: domain.DryPullFailed, Reason: string(why)})
	case ctx.Err() == nil && hopeless(err):
		a.log.WarnContext(ctx, "a pull request of a dry run cannot be looked at", "number", a.pull.Number, "error", err)
		return a.end(ctx, store.DryPullMove{To: domain.DryPullFailed, Reason: hopelessReason(err)})
	case ctx.Err() == nil && a.claim.Job.Attempts >= tries && !isWaiting(err):
		a.log.WarnContext(ctx, "a pull request of a dry run is given up", "number", a.pull.Number, "error", err)
		return a.end(ctx, store.DryPullMove{To: domain.DryPullFailed, Reason: notRead})
	}
	return err
}

func (a *attempt) end(ctx context.Context, m store.DryPullMove) error {
	m.From = domain.DryPullRunning
	moved, err := a.Store.MoveDryPull(ctx, a.run.Owner(), a.pull.ID, m)
	if err == nil && !moved {
		err = errCancelled
	}
	return err
}

// hopeless reports whether the host or the engine would refuse the same change again.
func hopeless(err error) bool {
	return errs.Is(err, errs.Invalid) || errs.Is(err, errs.TooLarge) || codehost.IsAccessLost(err) ||
		codehost.ClassOf(err) == codehost.ClassTooLarge
}

// hopelessReason returns the sentence that people read for a hopeless error.
func hopelessReason(err error) string {
	if e, ok := errors.AsType[*errs.Error](err); ok && e.Message != "" {
		return e.Message
	}
	if codehost.IsAccessLost(err) {
		return headGone
	}
	return notRead
}

// reviewPull reviews the pull request and returns the result as JSON.
func (a *attempt) reviewPull(ctx context.Context) (string, error) {
	t := a.run.Owner()
	a.claim.Stage("read the pull request", 3*time.Minute)
	pr, err := a.host.PullRequest(ctx, a.repo, int(a.pull.Number))
	if codehost.IsAccessLost(err) {
		return "", failureReason(gone)
	}
	if err != nil {
		return "", err
	}
	if a.before, err = a.Store.LastPublished(ctx, t, a.run.Repository, int(a.pull.Number)); err != nil && !errs.Is(err, errs.NotFound) {
		return "", err
	}
	if err := a.commits(ctx, pr); err != nil {
		return "", err
	}
	subject, models, err := a.subject(ctx, pr)
	if err != nil {
		return "", err
	}
	a.claim.Stage("fetch", 10*time.Minute)
	in, snap, err := review.Gatherer{Store: a.Store, Snapshots: a.Snapshots, DigestKeys: a.DigestKeys,
		CodeIndex: a.CodeIndex}.Gather(ctx, a.host, a.repo, subject)
	if err != nil {
		return "", err
	}
	defer func() { _ = snap.Close() }()
	result, err := a.judge(ctx, in, models)
	if err != nil {
		return "", err
	}
	return a.compose(ctx, pr, subject, result)
}

// commits determines the change once for all attempts: the head against its merge base. For a merged pull
// request the host returns a base from before the merge. The merge base of a published review of the same
// head takes precedence.
func (a *attempt) commits(ctx context.Context, pr codehost.PullRequest) error {
	if a.pull.HeadSHA != "" {
		return nil
	}
	p := &a.pull
	head, base, mergeBase := pr.HeadSHA, pr.BaseSHA, ""
	cmp, err := a.host.Compare(ctx, a.repo, base, head)
	switch {
	case head == "" || base == "" || codehost.IsAccessLost(err), codehost.ClassOf(err) == codehost.ClassInvalid:
		return failureReason(headGone)
	case err != nil:
		return err
	case a.before.HeadSHA == head && a.before.MergeBase != "":
		mergeBase = a.before.MergeBase
	case cmp.MergeBase == "":
		return failureReason(headGone)
	case cmp.MergeBase == head:
		return failureReason(contained)
	default:
		mergeBase = cmp.MergeBase
	}
	p.HeadSHA, p.BaseSHA, p.MergeBase = head, base, mergeBase
	return a.Store.SetDryPullBase(ctx, a.run.Owner(), p.ID, head, base, mergeBase)
}

// subject returns the engine's input, and the overriding model policy of the repository; nil if the stored
// one applies.
func (a *attempt) subject(ctx context.Context, pr codehost.PullRequest) (review.Subject, *domain.ModelPolicy, error) {
	t := a.run.Owner()
	out := review.Subject{Tenant: t, Repository: a.run.Repository, PullRequest: pr, Base: a.pull.BaseSHA, MergeBase: a.pull.MergeBase,
		Head: a.pull.HeadSHA, Depth: domain.DepthFull}
	o, err := a.overrides()
	if err != nil {
		return out, nil, err
	}
	if out.Levels, err = policy.Sources(ctx, a.Store, t, a.run.Repository, o.Policy); err != nil {
		return out, nil, err
	}
	if out.Policy, _, err = policy.Resolve(out.Levels); err != nil {
		return out, nil, err
	}
	if o.Rules != nil {
		out.Rules, err = a.Tenant.TriedRules(ctx, t, a.run.Repository, out.Policy, o.Rules)
	} else {
		out.Rules, err = policy.Rules(ctx, a.Store, t, a.run.Repository, out.Policy)
	}
	if err != nil {
		return out, nil, err
	}
	if out.Depth, err = a.depth(ctx, out.Policy, pr); err != nil {
		return out, nil, err
	}
	if o.LlmPolicy == nil {
		return out, nil, nil
	}
	own, err := a.Tenant.TriedModels(ctx, t, a.run.Repository, *o.LlmPolicy)
	return out, &own, err
}

// depth returns the depth of the review under the tried policy.
func (a *attempt) depth(ctx context.Context, p domain.Policy, pr codehost.PullRequest) (domain.Depth, error) {
	if p.OutsideContributors == domain.OutsideFull {
		return domain.DepthFull, nil
	}
	outside, known := policy.Outsider(pr)
	if !known {
		may, err := a.Authors.MayWrite(ctx, a.host, a.repo, a.repository, pr.Author, pr.AuthorID)
		if err != nil {
			return "", err
		}
		outside = !may
	}
	if !outside {
		return domain.DepthFull, nil
	}
	depth, _ := run.Outside(p)
	return depth, nil
}

// judge runs the engine, with models if they are routed and answer.
func (a *attempt) judge(ctx context.Context, in engine.Input, own *domain.ModelPolicy) (engine.Result, error) {
	t := a.run.Owner()
	a.claim.Stage("review", a.CallTime+time.Minute)
	models, recorder, err := a.Models.OpenFor(ctx, review.Caller{Tenant: t, Repository: a.run.Repository, Run: a.pull.ID,
		Kind: store.RunKindDryRun, Own: own})
	if err != nil {
		return engine.Result{}, err
	}
	in.Models = models
	if models == nil {
		in.ModelNote = engine.NoteNotConfigured
	}
	left, err := a.Store.StartDryPullWindow(ctx, t, a.pull.ID, a.Window)
	if err != nil {
		return engine.Result{}, err
	}
	result, refusal, err := a.review(ctx, in, recorder)
	down, isModel := errors.AsType[*llm.Error](err)
	switch {
	case err == nil && result.ModelState == engine.ModelUnavailable && result.ModelNote == engine.NoteBudget:
		return result, failureReason(noModel + refusal)
	case err == nil && result.Fruitless():
		return result, failureReason(fmt.Sprintf("No model could review it: %s.", a.redactor(result)(result.ModelNote)))
	case !isModel:
		return result, err
	case down.Class == llm.ClassEffort:
		return result, failureReason(a.Scan(wording.English(wording.EffortRejected, down.ProviderMessage)))
	case down.Retryable() && left > 0:
		return result, review.AskAgain(down, a.Window, left)
	}
	if errors.Is(err, engine.ErrVerifier) { // keep the findings without verification
		in.WithoutVerifier = true
		if result, _, err = a.review(ctx, in, recorder); err == nil {
			return result, nil
		}
	}
	in.Models, in.ModelNote = nil, engine.NoteUnavailable
	if result, _, err = a.review(ctx, in, recorder); err == nil && result.Fruitless() {
		err = failureReason("The model was unavailable: " + a.Scan(down.Words()))
	}
	return result, err
}

// review runs the engine once. refusal is the reason why a model call was refused, or "".
func (a *attempt) review(ctx context.Context, in engine.Input, recorder ask.Recorder) (result engine.Result, refusal string, err error) {
	deps := engine.Deps{
		Stages:   &stages{store: a.Store, pull: a.pull},
		Progress: func(p ask.Progress) { a.claim.Stage("review: "+p.Stage, a.CallTime+time.Minute) },
	}
	noted := &refusalRecorder{Recorder: recorder, work: a.work}
	if recorder != nil { // models are routed
		deps.Recorder = noted
	}
	result, err = a.Engine(deps).Review(ctx, in)
	return result, noted.why, err
}

// redactor returns a function that removes the secrets of the change, and other text that looks like a
// secret, before results are stored.
func (a *attempt) redactor(result engine.Result) func(string) string {
	if result.Redact == nil {
		return a.Scan
	}
	return func(s string) string { return a.Scan(result.Redact(s)) }
}
