package review

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// Reasons why edited criteria are not judged again.
const (
	notShown     = "The published review does not speak of the issue; the next one does."
	notReviewed  = "No review of the pull request is published yet."
	judgesItself = "A review of the pull request is under way, which reads the issue itself."
	reviewsOff   = "Reviews are off for this repository."
	unreachable  = "The repository or the pull request cannot be reached on the code host any more."
	notOpenNow   = "The pull request is not open any more."
	newerHead    = "The pull request has a newer head, whose review judges the criteria."
	otherTarget  = "The pull request has another target branch, and the review onto it judges the criteria."
)

// recheckTime is the longest time of one step, except calls of models.
const recheckTime = 10 * time.Minute

// Recheck judges the edited criteria of an issue again, at the head of the last published review. The
// verdicts and summary of that review change in place. It creates no run: calls of models count for that
// review, within its limits and the budgets. Unchanged criteria keep their verdicts without a call.
func (s *Service) Recheck(ctx context.Context, c *jobs.Claim) error {
	if s.Tickets == nil {
		return nil
	}
	edit, ok, err := s.Tickets.EditForWork(ctx, c.Job.Subject)
	if err != nil || !ok {
		return err
	}
	r := &recheck{Service: s, claim: c, edit: edit, tenant: domain.Tenant{ID: edit.Link.Tenant}}
	r.log = s.Logger.With("issue", edit.Link.IssueKey, "number", edit.Link.Number, "edit", edit.Seq)
	c.Stage("recheck: load", recheckTime)
	why, err := r.load(ctx)
	switch {
	case err != nil:
	case why != "" || edit.Judged(r.ticket):
		err = r.end(ctx, why)
	default:
		err = r.judge(ctx)
	}
	if errs.Is(err, errs.Invalid) || errs.Is(err, errs.TooLarge) { // the same change would be refused again
		return &jobs.Fatal{Err: err}
	}
	return jobs.Waiting(err)
}

// recheckDead records that edited criteria were given up.
func (s *Service) recheckDead(ctx context.Context, j store.Job, d jobs.Death) error {
	if s.Tickets == nil {
		return nil
	}
	edit, ok, err := s.Tickets.EditForWork(ctx, j.Subject)
	if err != nil || !ok {
		return errs.IgnoreAbsent(err)
	}
	_, err = s.Tickets.End(ctx, edit, domain.Ticket{}, "The criteria could not be judged again: "+d.Reason)
	return err
}

// recheck is one attempt at one edit.
type recheck struct {
	*Service
	claim  *jobs.Claim
	edit   tickets.Edit
	tenant domain.Tenant
	log    *slog.Logger

	openPull
	ticket domain.Ticket
}

// end ends the job without a call, and records why.
func (r *recheck) end(ctx context.Context, why string) error {
	return r.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.Tickets.End(ctx, r.edit, r.ticket, why); err != nil {
			return err
		}
		r.log.InfoContext(ctx, "criteria were edited, and no model is asked", "why", why)
		return r.claim.Finish(ctx)
	})
}

// load reads the present state, or returns why the criteria are not judged.
func (r *recheck) load(ctx context.Context) (why string, err error) {
	if why, err = r.findReview(ctx); err != nil || why != "" {
		return why, err
	}
	if why, err = r.loadSettings(ctx, r.Service); err != nil || why != "" {
		return why, err
	}
	if why, err = r.loadPull(ctx, r.Service); err != nil || why != "" {
		return why, err
	}
	switch {
	case r.pull.HeadSHA != r.run.HeadSHA:
		return newerHead, nil
	case r.pull.BaseRef != r.run.BaseRef:
		return otherTarget, nil
	}
	r.ticket, why, err = r.Tickets.Reread(ctx, tickets.Change{Tenant: r.tenant, Repository: r.repositoryRow, PullRequest: r.run.PullRequest,
		Host: r.host, Repo: r.repo, Now: r.pull}, r.edit)
	return why, err
}

// findReview finds the review whose verdicts are due, or returns why there is no such review.
func (r *recheck) findReview(ctx context.Context) (why string, err error) {
	open, err := r.Store.OpenRuns(ctx, r.tenant, r.edit.Link.PullRequest, "")
	if err != nil {
		return "", err
	}
	if len(open) > 0 {
		return judgesItself, nil
	}
	r.run, err = r.Store.LatestReview(ctx, r.tenant, r.edit.Link.PullRequest)
	if errs.Is(err, errs.NotFound) {
		return notReviewed, nil
	}
	if err != nil {
		return "", err
	}
	pub, err := r.Store.PublicationOf(ctx, r.tenant, r.run.ID)
	if errs.Is(err, errs.NotFound) {
		return notReviewed, nil
	}
	if err != nil {
		return "", err
	}
	var p publish.Payload
	if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
		return "", &jobs.Fatal{Err: err}
	}
	l := r.edit.Link
	if p.Issues == nil || !slices.ContainsFunc(p.Issues.Of, func(i publish.Issue) bool {
		return i.Connection == l.Connection &&
			i.Key == l.IssueKey
	}) {
		return notShown, nil
	}
	return "", nil
}

// judge gets verdicts on the present criteria and stores them.
func (r *recheck) judge(ctx context.Context) error {
	r.claim.Stage("recheck: fetch", recheckTime)
	wanted := r.policy
	wanted.GuidelineFiles = false // verdicts do not depend on them
	in, snap, err := r.gatherer().Gather(ctx, r.host, r.repo,
		Subject{Tenant: r.tenant, Repository: r.run.Repository, PullRequest: r.pull,
			Base: r.run.BaseSHA, MergeBase: r.run.MergeBase, Head: r.run.HeadSHA, Policy: wanted, Depth: r.run.Depth})
	if err != nil {
		return err
	}
	defer func() { _ = snap.Close() }()
	in.Tickets = []domain.Ticket{r.ticket}
	if in.EarlierChecks, err = r.Tickets.Earlier(ctx, r.tenant, r.run.PullRequest); err != nil {
		return err
	}
	models, recorder, err := r.Models.Open(ctx, r.run, nil) // criteria are judged by the code, without the tools of other servers
	if err != nil {
		return err
	}
	in.Models = models
	r.claim.Stage("recheck: judge", r.CallTime+time.Minute)
	e := r.Engine(engine.Deps{
		Recorder: recorder,
		Stages:   &stages{store: r.Store, run: r.run},
		Progress: func(p ask.Progress) { r.claim.Stage("recheck: "+p.Stage, r.CallTime+time.Minute) },
	})
	judged, err := e.Criteria(ctx, in)
	if err != nil {
		return err
	}
	if lacksAnswer(judged.Checks) && r.claim.Job.Attempts < maxUnanswered {
		return errors.New("the model gave no usable answer about edited criteria")
	}
	return r.saveVerdicts(ctx, judged)
}

// maxUnanswered is how often a model without a usable answer is asked; then that is reported.
const maxUnanswered = 2

// lacksAnswer reports whether a criterion was not judged because the model gave no usable answer.
func lacksAnswer(checks []domain.CriterionCheck) bool {
	return slices.ContainsFunc(checks, func(c domain.CriterionCheck) bool { return c.Reason == wording.English(wording.CriterionNoAnswer) })
}

// saveVerdicts replaces the former verdicts and schedules an update of the summary, in the transaction that ends
// the job. If a newer event has overtaken the verdicts, it does neither.
func (r *recheck) saveVerdicts(ctx context.Context, judged engine.CriteriaJudged) error {
	redact := r.Scan
	if judged.Redact != nil {
		redact = func(s string) string { return r.Scan(judged.Redact(s)) }
	}
	before := r.run.ID
	return r.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.Store.PullRequestForUpdate(ctx, r.tenant, r.run.PullRequest); err != nil {
			return err
		}
		why, err := r.findReview(ctx)
		if err != nil {
			return err
		}
		if why == "" && r.run.ID != before {
			why = newerHead
		}
		current, err := r.Tickets.End(ctx, r.edit, r.ticket, why)
		if err != nil {
			return err
		}
		if current && why == "" {
			if err := r.Tickets.Keep(ctx, r.tenant, r.run, []domain.Ticket{r.ticket}, redactChecks(redact, judged.Checks)); err != nil {
				return err
			}
			if err := r.Runs.ShowEnd(ctx, r.run, "criteria."+r.claim.Job.ID); err != nil {
				return err
			}
			r.log.InfoContext(ctx, "edited criteria were judged again", "run", r.run.ID, "criteria", len(judged.Checks))
		}
		return r.claim.Finish(ctx)
	})
}
