package review

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
)

// Reasons why a reply gets no answer.
const (
	replyGone      = "The comment was deleted or edited before it was answered."
	replyClosed    = "The finding is not open any more."
	replyNoRight   = "Its author may not write to the repository any more."
	replyNoModel   = "No model is configured, or the budget has no room."
	replySilent    = "Reviews are silent here."
	replyNoAnswer  = "It needs no answer."
	replyApproval  = "A person approves what is published here, so findings are explained on their pages alone."
	replyGivenUp   = "It could not be answered: "
	replyTooLate   = "A review of the pull request did not end in time."
	replyOverLimit = "The pull request has had its answers of this day."
)

// Bounds of the work on a reply (design choices).
const (
	replyTime    = 10 * time.Minute // one step, except calls of models
	replyPause   = 20 * time.Second // until a review under way is looked at again
	maxPause     = 5 * time.Minute  // until a head that the host shows is expected again
	longestReply = time.Hour        // until a reply is given up because a review does not end, or a model does not answer
	maxMissed    = 2                // unusable answers of models
)

// maxDailyReplies is the most answers a pull request gets in a UTC day, commands included.
const maxDailyReplies = 5

// Reply answers a person's reply to a finding, once: it reads the comment from the host, sorts it, holds the finding against the code at
// the head where the reply disputes it, and stores decision and answer in one transaction. Calls of models count for the last
// published review, within its limits and the budgets.
func (s *Service) Reply(ctx context.Context, c *jobs.Claim) error {
	row, err := s.Store.ReplyForWork(ctx, c.Job.Subject)
	if err != nil || row.Outcome != domain.ReplyWaiting {
		return errs.IgnoreAbsent(err)
	}
	r := &reply{Service: s, claim: c, row: row, tenant: domain.Tenant{ID: row.Tenant}, redact: s.Scan}
	r.log = s.Logger.With("reply", row.ID, "finding", row.Finding, "number", row.Number)
	c.Stage("reply: load", replyTime)
	why, err := r.load(ctx)
	switch {
	case err != nil:
	case why != "":
		err = r.end(ctx, render.Reply{Outcome: domain.ReplyUnanswered}, why)
	case row.Kind == domain.ReplyExplain && r.policy.PublishMode == domain.PublishApproval:
		err = r.end(ctx, render.Reply{Outcome: domain.ReplyUnanswered}, replyApproval)
	case row.Kind == domain.ReplyExplain:
		err = r.end(ctx, render.Reply{Outcome: domain.ReplyExplained, Finding: r.finding.Finding}, "")
	default:
		err = r.judge(ctx)
	}
	if errs.Is(err, errs.Invalid) || errs.Is(err, errs.TooLarge) { // the same change would be refused again
		return &jobs.Fatal{Err: err}
	}
	return jobs.Waiting(err)
}

// replyDead records that a reply was given up.
func (s *Service) replyDead(ctx context.Context, j store.Job, d jobs.Death) error {
	_, err := s.Store.EndReply(ctx, domain.Tenant{ID: j.Tenant}, j.Subject, domain.ReplyUnanswered, "", replyGivenUp+d.Reason)
	return err
}

// reply is one attempt at one reply.
type reply struct {
	*Service
	claim  *jobs.Claim
	row    store.FindingReply
	tenant domain.Tenant
	log    *slog.Logger

	openPull
	comment  codehost.EventComment
	finding  store.KnownFinding
	placedAt string                   // the commit whose lines the place of the finding names; "" for the head of run
	gone     bool                     // the code of the head alone says so
	applied  bool                     // the head has the suggestion of the finding
	redact   func(text string) string // takes secrets out
	rule     engine.ReplyRule         // that the reply states; zero for none
}

// age is how long ago the reply was stored.
func (r *reply) age() time.Duration {
	return time.Duration(r.row.NowUS-r.row.CreatedUS) * time.Microsecond
}

// load reads the present state, or returns why the reply gets no answer.
func (r *reply) load(ctx context.Context) (why string, err error) {
	open, err := r.Store.OpenRuns(ctx, r.tenant, r.row.PullRequest, "")
	if err != nil {
		return "", err
	}
	open = slices.DeleteFunc(open, func(o store.Run) bool { return o.State == domain.RunAwaitingApproval }) // for days, maybe
	age := r.age()
	switch {
	case len(open) > 0 && age > longestReply:
		return replyTooLate, nil
	case len(open) > 0: // it may resolve the finding
		return "", &jobs.Snooze{For: replyPause, Why: "a review of the pull request is under way"}
	}
	known, err := r.Store.KnownFindings(ctx, r.tenant, r.row.PullRequest)
	if err != nil {
		return "", err
	}
	for _, k := range known {
		if k.ID == r.row.Finding {
			r.finding = k
		}
	}
	if r.finding.State != domain.FindingOpen && r.row.Kind != domain.ReplyExplain {
		return replyClosed, nil
	}
	if r.run, err = r.Store.LatestReview(ctx, r.tenant, r.row.PullRequest); err != nil {
		return notReviewed, errs.IgnoreAbsent(err)
	}
	if why, err = r.loadSettings(ctx, r.Service); err != nil || why != "" {
		return why, err
	}
	if r.policy.PublishMode == domain.PublishSilent {
		return replySilent, nil
	}
	if why, err = r.loadPull(ctx, r.Service); err != nil || why != "" {
		return why, err
	}
	return r.readComment(ctx)
}

// readComment reads the comment, with the role of its author, from the host.
func (r *reply) readComment(ctx context.Context) (why string, err error) {
	r.comment, err = r.host.Comment(ctx, r.repo, codehost.EventComment{ID: r.row.Comment, Number: r.row.Number, Inline: true})
	switch class := codehost.ClassOf(err); {
	case class == codehost.ClassNotFound, class == codehost.ClassInvalid, class == codehost.ClassTooLarge:
		return replyGone, nil
	case err != nil:
		return "", err
	case r.comment.WordsHash() != r.row.Words, r.comment.AuthorIsBot, r.comment.Author == "":
		return replyGone, nil // another person than its author may have edited it
	}
	role, err := policy.CommenterRole(ctx, r.host, r.repo, r.comment)
	switch {
	case codehost.IsAccessLost(err):
		return unreachable, nil
	case err != nil:
		return "", err
	case !policy.MayWrite(role):
		return replyNoRight, nil
	}
	return "", nil
}

// awaitHead returns an error that tries again later if the host shows another head than the stored one: the review of the push comes
// first, and an outcome from this head would not count.
func (r *reply) awaitHead(ctx context.Context) error {
	pull, err := r.Store.PullRequest(ctx, r.tenant, r.row.PullRequest)
	if err != nil || pull.HeadSHA == r.pull.HeadSHA || r.age() >= longestReply {
		return err
	}
	return &jobs.Snooze{For: r.pause(), Why: "the host shows a newer head, whose delivery has not come"}
}

// pause returns how long to wait for a newer head or review. It grows with the age of the reply.
func (r *reply) pause() time.Duration { return min(max(replyPause, r.age()/4), maxPause) }

// judge sorts the reply, holds the finding against the code, and stores what follows.
func (r *reply) judge(ctx context.Context) error {
	if err := r.awaitHead(ctx); err != nil {
		return err
	}
	models, recorder, err := r.Models.Open(ctx, r.run, nil) // a reply is judged by the code, without the tools of other servers
	if err != nil {
		return err
	}
	if models == nil {
		return r.end(ctx, render.Reply{Outcome: domain.ReplyUnanswered}, replyNoModel)
	}
	r.claim.Stage("reply: fetch", replyTime)
	base, err := r.mergeBase(ctx)
	if err != nil {
		return err
	}
	wanted := r.policy
	wanted.GuidelineFiles = false // the finding quotes the sentence that it is about
	in, snap, err := r.gatherer().Gather(ctx, r.host, r.repo, Subject{Tenant: r.tenant, Repository: r.row.Repository,
		PullRequest: r.pull, Base: r.pull.BaseSHA, MergeBase: base, Head: r.pull.HeadSHA, Policy: wanted, Depth: r.run.Depth})
	if err != nil {
		return err
	}
	defer func() { _ = snap.Close() }()
	in.Models, in.Known, in.Public = models, []domain.Finding{r.finding.Finding}, !r.repositoryRow.Private
	r.claim.Stage("reply: judge", r.CallTime+time.Minute)
	e := r.Engine(engine.Deps{
		Recorder: recorder,
		Stages:   &stages{store: r.Store, run: r.run},
		Progress: func(p ask.Progress) { r.claim.Stage("reply: "+p.Stage, r.CallTime+time.Minute) },
	})
	judged, err := e.Reply(ctx, in, r.comment.OwnWords())
	if err != nil {
		return r.failed(ctx, err)
	}
	return r.answer(ctx, judged)
}

// mergeBase returns the merge base of the present head.
func (r *reply) mergeBase(ctx context.Context) (string, error) {
	if r.pull.HeadSHA == r.run.HeadSHA && r.pull.BaseRef == r.run.BaseRef && r.run.MergeBase != "" {
		return r.run.MergeBase, nil
	}
	cmp, err := r.host.Compare(ctx, r.repo, r.pull.BaseSHA, r.pull.HeadSHA)
	if err == nil && cmp.MergeBase == "" {
		return "", errs.New(errs.Invalid, "no_merge_base", "The pull request and its base have no commit in common.")
	}
	return cmp.MergeBase, err
}

// failed handles a model that fails: one that is down is asked again later, any other ends the reply without an answer.
func (r *reply) failed(ctx context.Context, err error) error {
	down, isModel := errors.AsType[*llm.Error](err)
	age := r.age()
	switch {
	case errors.Is(err, ask.ErrBudget):
		return r.end(ctx, render.Reply{Outcome: domain.ReplyUnanswered}, replyNoModel)
	case isModel && down.Retryable() && age < longestReply:
		return AskAgain(down, longestReply, longestReply-age)
	case isModel:
		return r.end(ctx, render.Reply{Outcome: domain.ReplyUnanswered}, replyGivenUp+down.Words())
	case errors.Is(err, ask.ErrAnswer) && r.claim.Job.Attempts+1 >= maxMissed: // this attempt is not counted yet
		return r.end(ctx, render.Reply{Outcome: domain.ReplyUnanswered}, replyGivenUp+"the model gave no usable answer.")
	}
	return err
}
