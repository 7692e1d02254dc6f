package fixrun

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// errMoved is the cause of a context's end after the stored head of the pull request has moved.
var errMoved = errors.New("the head of the pull request moved")

// stepTime is how long one step without a model may take (design choice).
const stepTime = 10 * time.Minute

// Run is the job of a fix run. A second attempt continues after what the first has stored.
func (s *Service) Run(ctx context.Context, c *jobs.Claim) error {
	row, err := s.Store.FixRunForWork(ctx, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return c.Outcome(ctx, domain.JobOutcome{}, "The fix run was deleted with its review.")
	}
	if err != nil || row.State.Terminal() {
		return err
	}
	w := &work{Service: s, claim: c, run: row, tenant: row.Owner(), log: s.Logger.With("fixRun", row.ID)}
	err = w.do(ctx)
	if end, ok := errors.AsType[ending](err); ok {
		err = w.end(ctx, end.to, end.why, "")
	}
	return jobs.Waiting(err)
}

// work is one attempt at one fix run.
type work struct {
	*Service
	claim  *jobs.Claim
	run    store.FixRun
	tenant domain.Tenant
	log    *slog.Logger

	review   store.Run
	policy   domain.Policy
	host     codehost.Host
	repo     codehost.Repo
	pull     codehost.PullRequest
	findings []store.KnownFinding // the chosen ones, in rank order
	snap     review.Snapshot
	result   fix.Result
	refusal  string // why the host refused the last refused comment; "" for lost access
}

// do takes the fix run as far as it gets.
func (w *work) do(ctx context.Context) error {
	w.claim.Stage("fix: load", stepTime)
	if err := w.load(ctx); err != nil {
		return err
	}
	if w.run.State == domain.FixQueued {
		if err := w.advance(ctx, domain.FixRunning); err != nil {
			return err
		}
	}
	defer func() {
		if w.snap != nil {
			_ = w.snap.Close()
		}
	}()
	if w.run.State == domain.FixRunning {
		watched, stop := w.watch(ctx)
		err := w.propose(watched)
		if errors.Is(context.Cause(watched), errMoved) {
			err = ending{domain.FixCancelled, headMoved}
		}
		stop()
		if err != nil {
			return err
		}
		if err := w.load(ctx); err != nil { // the models took minutes
			return err
		}
	}
	w.result = store.FromJSON[fix.Result](w.run.Result)
	return w.deliver(ctx)
}

// advance moves the fix run to a state that is not its end.
func (w *work) advance(ctx context.Context, to domain.FixState) error {
	if _, err := w.Store.MoveFixRun(ctx, w.tenant, w.run.ID, store.FixMove{From: w.run.State, To: to}); err != nil {
		return err
	}
	var err error
	w.run, err = w.Store.FixRunForWork(ctx, w.run.ID)
	return err
}

// watch returns a context that ends when the stored head of the pull request moves. stop waits for the watching goroutine; further
// calls do nothing.
func (w *work) watch(ctx context.Context) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for pause.For(watched, w.Look) == nil {
			row, err := w.Store.PullRequest(watched, w.tenant, w.run.PullRequest)
			if err == nil && row.HeadSHA != w.run.HeadSHA && w.run.State != domain.FixPublishing {
				cancel(errMoved)
				return
			}
		}
	}()
	return watched, func() { cancel(nil); <-over }
}

// load reads the present state of policy, repository, pull request and findings.
func (w *work) load(ctx context.Context) (err error) {
	if w.review, err = w.Store.Run(ctx, w.tenant, w.run.Run); err != nil {
		return err
	}
	if w.policy, _, err = policy.Effective(ctx, w.Store, w.tenant, w.run.Repository); err != nil {
		return err
	}
	writes := w.run.CommitSHA != ""
	allowed := w.policy.Enabled && publishes(w.policy) && w.run.Delivery.Within(domain.FixDelivery(w.policy.Fixes))
	if !writes && !allowed {
		return ending{domain.FixCancelled, fixesOff}
	}
	repository, err := w.Store.Repository(ctx, w.tenant, w.run.Repository)
	if err != nil {
		return err
	}
	if repository.State != active {
		return ending{domain.FixFailed, disconnected}
	}
	if w.host, w.repo, err = w.Hosts.Repository(ctx, repository); codehost.IsAccessLost(err) {
		return ending{domain.FixFailed, disconnected}
	}
	if err != nil {
		return err
	}
	w.pull, err = w.host.PullRequest(ctx, w.repo, w.run.Number)
	switch {
	case codehost.IsAccessLost(err):
		return ending{domain.FixFailed, disconnected}
	case err != nil:
		return err
	case !w.pull.Open && !writes:
		return ending{domain.FixCancelled, pullClosed}
	}
	return w.loadFindings(ctx)
}

// loadFindings reads the chosen findings with their places at the head and their comments.
func (w *work) loadFindings(ctx context.Context) error {
	ranked, err := w.Store.RunFindings(ctx, w.tenant, w.run.Run)
	if err != nil {
		return err
	}
	known, err := w.Store.KnownFindings(ctx, w.tenant, w.run.PullRequest)
	if err != nil {
		return err
	}
	wanted := store.FromJSON[[]string](w.run.FindingIDs)
	w.findings = nil
	for _, f := range ranked {
		at := slices.IndexFunc(known, func(k store.KnownFinding) bool { return k.ID == f.ID })
		if at < 0 || !slices.Contains(wanted, f.ID) {
			continue
		}
		k := known[at]
		f.State = k.State
		k.Finding = f
		w.findings = append(w.findings, k)
	}
	return nil
}

// propose has the edits made and checked, and stores the result.
func (w *work) propose(ctx context.Context) error {
	if w.pull.HeadSHA != w.run.HeadSHA {
		return ending{domain.FixCancelled, headMoved}
	}
	models, recorder, err := w.Models.OpenFor(ctx, review.Caller{Tenant: w.tenant, Repository: w.run.Repository, Run: w.run.ID,
		Kind: store.RunKindFix})
	if err != nil {
		return err
	}
	in, err := w.input(ctx)
	if err != nil {
		return err
	}
	if len(in.Findings) == 0 {
		return ending{domain.FixCancelled, notOpen}
	}
	in.Models = models
	w.claim.Stage("fix: edits", w.CallTime+time.Minute)
	fixer := w.Fixer(recorder, stages{w.Store, w.run}, func(p ask.Progress) { w.claim.Stage("fix: "+p.Stage, w.CallTime+time.Minute) })
	result, err := fixer.Run(ctx, in)
	if err != nil {
		return w.failed(ctx, err)
	}
	proposed := 0
	for _, o := range result.Findings {
		if o.Passed || slices.ContainsFunc(o.Checks, func(c fix.Check) bool {
			return c.Name == fix.CheckProposed && c.Outcome == fix.OutcomePassed
		}) {
			proposed++
		}
	}
	if _, err := w.Store.SetFixOutcome(ctx, w.tenant, w.run.ID, store.FixOutcome{Result: store.JSON(result), Proposed: proposed,
		Passed: result.Passed(), Findings: fixFindings(result)}); err != nil {
		return err
	}
	w.run, err = w.Store.FixRunForWork(ctx, w.run.ID)
	return err
}

// fixFindings returns the outcomes of a result for figures.
func fixFindings(result fix.Result) (out []store.FixFinding) {
	for _, o := range result.Findings {
		f := store.FixFinding{Finding: o.FindingID, Reason: string(o.Reason)}
		for _, e := range o.Edits {
			f.Edits = append(f.Edits, domain.Suggestion{Path: e.Path, Start: e.Start, End: e.End, Old: e.Removed, New: e.Replacement})
		}
		out = append(out, f)
	}
	return out
}

// failed handles an error of the fixer. A model that is down is asked again within the window.
func (w *work) failed(ctx context.Context, err error) error {
	down, isModel := errors.AsType[*llm.Error](err)
	if !isModel || ctx.Err() != nil {
		return err
	}
	left, err := w.Store.StartFixWindow(ctx, w.tenant, w.run.ID, w.Window)
	if err != nil {
		return err
	}
	if down.Retryable() && left > 0 {
		return review.AskAgain(down, w.Window, left)
	}
	return ending{domain.FixFailed, wording.English(wording.FixEndModel, down.Words())}
}

// input gathers the change for the fixer.
func (w *work) input(ctx context.Context) (in fix.Input, err error) {
	rules, err := policy.Rules(ctx, w.Store, w.tenant, w.run.Repository, w.policy)
	if err != nil {
		return in, err
	}
	gathered, err := w.open(ctx, rules)
	if err != nil {
		return in, err
	}
	in = fix.Input{Diff: gathered.Diff, Source: gathered.Source, Policy: w.policy}
	for _, r := range gathered.Rules {
		if r.Matcher != nil {
			in.Rules = append(in.Rules, r.Checked())
		}
	}
	for _, f := range w.findings {
		if f.State == domain.FindingOpen {
			in.Findings = append(in.Findings, f.Finding)
		}
	}
	return in, nil
}
