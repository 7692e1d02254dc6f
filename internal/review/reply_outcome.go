package review

import (
	"cmp"
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
)

// answer decides what follows from what the engine has found, and stores it.
func (r *reply) answer(ctx context.Context, j engine.ReplyJudged) error {
	r.redact, r.rule, r.gone = func(s string) string { return r.Scan(j.Redact(s)) }, j.Rule, j.ByCode
	out := render.Reply{Outcome: outcomeOf(j), Finding: j.Finding, Head: r.pull.HeadSHA, Reason: j.Reason, Quote: j.Quote}
	if r.policy.PublishMode == domain.PublishApproval { // only texts that a person has approved are published
		out.Reason, out.Quote = "", ""
	}
	if !j.Gone && (j.Intent == engine.ReplyDisputes || j.Intent == engine.ReplyMended) {
		r.placedAt = r.pull.HeadSHA
	}
	if out.Outcome == domain.ReplyMended {
		var err error
		if r.applied, err = r.suggestionApplied(ctx, place{r.tenant, r.host, r.repo}, r.finding, r.pull.HeadSHA); err != nil {
			return err
		}
	}
	why := ""
	switch {
	case out.Outcome == domain.ReplyUnanswered:
		why = replyNoAnswer
	case out.Outcome == domain.ReplyExplained && r.policy.PublishMode == domain.PublishApproval:
		out.Outcome, why = domain.ReplyUnanswered, replyApproval
	}
	return r.end(ctx, out, why)
}

// outcomeOf returns what follows from a reply and the code.
func outcomeOf(j engine.ReplyJudged) domain.ReplyOutcome {
	const yes, no = domain.VerdictConfirmed, domain.VerdictRefuted
	switch {
	case j.Intent == engine.ReplyDeclines:
		return domain.ReplyDeclined
	case j.Intent == engine.ReplyAsks:
		return domain.ReplyExplained
	case j.Intent != engine.ReplyDisputes && j.Intent != engine.ReplyMended:
		return domain.ReplyUnanswered
	case j.Gone, j.Verdict == no && j.Changed:
		return domain.ReplyMended
	case j.Verdict == no:
		return domain.ReplyRight
	case j.Verdict == yes && j.Intent == engine.ReplyMended:
		return domain.ReplyNotMended
	case j.Verdict == yes:
		return domain.ReplyStands
	}
	return domain.ReplyUndecided
}

// end stores the outcome with the decision and the answer that follow from it, in the transaction that ends the job.
func (r *reply) end(ctx context.Context, out render.Reply, why string) error {
	return r.Store.InTx(ctx, func(ctx context.Context) error {
		if err := r.isCurrent(ctx, out.Outcome); err != nil {
			return err
		}
		if err := r.decide(ctx, &out, &why); err != nil {
			return err
		}
		if err := r.proposeRule(ctx, &out, &why); err != nil {
			return err
		}
		if err := r.storeAnswer(ctx, out, &why); err != nil {
			return err
		}
		if _, err := r.Store.EndReply(ctx, r.tenant, r.row.ID, out.Outcome, out.Head, why); err != nil {
			return err
		}
		r.log.InfoContext(ctx, "a reply was read", "outcome", out.Outcome, "why", why)
		return r.claim.Finish(ctx)
	})
}

// isCurrent returns an error that tries again if a push or another review has overtaken an outcome that depends on the code.
func (r *reply) isCurrent(ctx context.Context, outcome domain.ReplyOutcome) error {
	pull, err := r.Store.PullRequestForUpdate(ctx, r.tenant, r.row.PullRequest) // first of all locks, in every outcome
	if err != nil || outcome == domain.ReplyUnanswered || outcome == domain.ReplyExplained || outcome == domain.ReplyDeclined {
		return err
	}
	last, err := r.Store.LatestReview(ctx, r.tenant, r.row.PullRequest)
	if err != nil {
		return err
	}
	if (pull.HeadSHA != r.pull.HeadSHA || last.ID != r.run.ID) && r.age() < longestReply {
		return &jobs.Snooze{For: r.pause(), Why: "the pull request has a newer head or review than the reply was judged by"}
	}
	return nil
}

// decide dismisses or resolves the finding as the outcome says. A finding that another person must decide on stays open, and one that
// was decided meanwhile needs no answer.
func (r *reply) decide(ctx context.Context, out *render.Reply, why *string) error {
	words := clip.Visible(r.comment.OwnWords()) // a secret that invisible characters interrupt is replaced, too
	if out.Outcome == domain.ReplyRight {
		words = fmt.Sprintf("the code at %.7s disproves it.", r.pull.HeadSHA)
	}
	dismissal := domain.DismissalByComment{Finding: r.finding.ID,
		Source: domain.SuppressedByDismissal, Reason: r.redact(words), Comment: r.comment.Name(),
		AuthorLogin: r.comment.Author, AuthorID: r.comment.AuthorID, PullLogin: r.pull.Author, PullAuthor: r.pull.AuthorID}
	switch out.Outcome {
	case domain.ReplyMended:
		return r.resolve(ctx, out, why, dismissal)
	case domain.ReplyRight, domain.ReplyDeclined:
	default:
		return nil
	}
	done, err := r.Decisions.DismissByComment(ctx, r.tenant, r.repositoryRow, dismissal)
	switch {
	case err != nil:
		return err
	case done == domain.DismissalBarred:
		out.Outcome = domain.ReplyKept
	case done == domain.DismissalNotOpen:
		out.Outcome, *why = domain.ReplyUnanswered, replyClosed
	}
	return nil
}

// resolve resolves a finding that the reply calls mended. Where another person must decide, an argument is not enough: the code of
// the finding must be gone.
func (r *reply) resolve(ctx context.Context, out *render.Reply, why *string, dismissal domain.DismissalByComment) error {
	if !r.gone {
		barred, err := r.Decisions.BarsCommenter(ctx, r.tenant, r.repositoryRow, r.finding.Finding, dismissal)
		if err != nil {
			return err
		}
		if barred {
			out.Outcome = domain.ReplyKept
			return nil
		}
	}
	open, err := r.Decisions.ResolveByComment(ctx, r.tenant, r.repositoryRow, r.run.ID, dismissal)
	if err != nil {
		return err
	}
	if !open {
		out.Outcome, *why = domain.ReplyUnanswered, replyClosed
		return nil
	}
	if r.applied {
		if _, err := r.Store.AddOutcome(ctx, r.tenant, domain.Outcome{Finding: r.finding.ID, Kind: domain.OutcomeApplied}); err != nil {
			return err
		}
	}
	_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindResolve, FairKey: r.tenant.ID, Subject: r.row.ID, Tenant: r.tenant.ID,
		Dedup: string(domain.KindResolve) + ":" + r.row.ID})
	return err
}

// storeAnswer stores the answer with the job that posts it.
func (r *reply) storeAnswer(ctx context.Context, out render.Reply, why *string) error {
	if out.Outcome == domain.ReplyUnanswered {
		return nil
	}
	out.Policy, out.Host = r.policy, r.host.Capabilities()
	out.LinkFor = func(path string, first, last int) string {
		return r.host.FileURL(r.repo, cmp.Or(r.placedAt, r.run.HeadSHA), path, first, last)
	}
	out.FindingsURL = r.findingsPage(r.run)
	out.Redact = r.redact
	body := render.Answer(out)
	id, added, err := r.Store.AddAnswer(ctx, r.tenant, store.CommandAnswer{PullRequest: r.row.PullRequest, Comment: r.row.Comment,
		Thread: r.row.Thread, Body: body.Scan(r.Scan).String(), MarkKey: r.Marker.Key()}, maxDailyReplies)
	if err != nil || added != store.AddedNew {
		if added == store.AddedOverLimit {
			*why = replyOverLimit
		}
		return err
	}
	_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindAnswer, FairKey: r.tenant.ID, Subject: id, Tenant: r.tenant.ID,
		Dedup: string(domain.KindAnswer) + ":" + id})
	return err
}
