package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
)

// maxDailyAnswers is how many commands of a pull request are answered per day (UTC).
const maxDailyAnswers = 5

// storeAnswer stores the answer to a command with the job that posts it. It returns the reason of the delivery,
// to which it adds why a command stays unanswered. A silent policy allows no answers.
func (s *Service) storeAnswer(ctx context.Context, t domain.Tenant, row store.PullRequest, r request, say markdown.Text,
	reason string) (string, error) {
	if say.Empty() {
		return reason, nil
	}
	if r.policy.PublishMode == domain.PublishSilent {
		return unansweredReason(reason, "reviews are silent here"), nil
	}
	id, added, err := s.Store.AddAnswer(ctx, t, store.CommandAnswer{PullRequest: row.ID, Comment: r.comment.Name(),
		Thread: threadOf(r.comment), Body: say.String(), MarkKey: s.Marker.Key()}, maxDailyAnswers)
	if err != nil || added == store.AddedKnown {
		return reason, err
	}
	if added == store.AddedOverLimit {
		return unansweredReason(reason, fmt.Sprintf("the pull request has had %d answers today", maxDailyAnswers)), nil
	}
	_, err = s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindAnswer, FairKey: t.ID, Subject: id, Dedup: string(domain.KindAnswer) +
		":" + id, Tenant: t.ID})
	return reason, err
}

func unansweredReason(reason, why string) string {
	if reason != "" {
		reason += "; "
	}
	return reason + "not answered: " + why
}

// threadOf returns the first comment of a command's thread, on lines or in the conversation; "" for the
// conversation itself.
func threadOf(cm *codehost.EventComment) domain.HostID {
	switch {
	case !cm.Inline && !cm.Threaded:
		return ""
	case cm.InReplyTo != "":
		return cm.InReplyTo
	}
	return cm.ID
}

// numberingThread returns the thread within which a comment's name is unique, because a host may number comments
// on lines separately.
func numberingThread(cm *codehost.EventComment) domain.HostID {
	if cm.Once != "" {
		return ""
	}
	return threadOf(cm)
}

const (
	subjectAnswer = "answer" // subject of these writes in the intent log

	// draftTime is how long a review may be a draft. Meanwhile the host accepts no reply in a thread.
	draftTime = 10 * time.Second
)

// Answer is the job that posts the answer to a command, once.
func (s *Service) Answer(ctx context.Context, c *jobs.Claim) error {
	a, err := s.Store.AnswerForWork(ctx, c.Job.Subject)
	if err != nil || a.State != domain.AnswerWaiting {
		return err
	}
	t := domain.Tenant{ID: a.Tenant}
	repo, err := s.Store.Repository(ctx, t, a.Repository)
	if err != nil {
		return err
	}
	if repo.State != "active" {
		return s.endAnswer(ctx, c, a, domain.AnswerDropped, "", "the repository is disconnected")
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return jobs.Waiting(err)
	}
	c.Stage("answer", 2*time.Minute)
	say, err := s.answerComment(a, host, ref)
	if err != nil {
		return err
	}
	said, err := c.CommentOnce(ctx, say)
	switch class := codehost.ClassOf(err); {
	case err == nil:
		return s.endAnswer(ctx, c, a, domain.AnswerSaid, said, "")
	case codehost.IsAccessLost(err), class == codehost.ClassInvalid, class == codehost.ClassTooLarge:
		return s.endAnswer(ctx, c, a, domain.AnswerDropped, "", "the host refuses it: "+string(class))
	case class == codehost.ClassSlotTaken:
		return &jobs.Snooze{For: draftTime, Why: "a review is being published, and the host takes no reply meanwhile"}
	}
	return jobs.Waiting(err)
}

// endAnswer records the end of an answer and of its job.
func (s *Service) endAnswer(ctx context.Context, c *jobs.Claim, a store.CommandAnswer, to domain.AnswerState, said domain.HostID,
	reason string) error {
	if reason != "" {
		s.Logger.WarnContext(ctx, "a command was not answered", "answer", a.ID, "reason", reason)
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Store.EndAnswer(ctx, domain.Tenant{ID: a.Tenant}, a.ID, to, said, reason); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
}

// answerDead records that an answer was given up.
func (s *Service) answerDead(ctx context.Context, j store.Job, d jobs.Death) error {
	_, err := s.Store.EndAnswer(ctx, domain.Tenant{ID: j.Tenant}, j.Subject, domain.AnswerDropped, "", d.Reason)
	return err
}

// answerComment returns the comment of an answer.
func (s *Service) answerComment(a store.CommandAnswer, host codehost.Host, repo codehost.Repo) (jobs.Comment, error) {
	place := marker.Place{Tenant: a.Tenant, Repository: a.Repository, Number: a.Number}
	marks, err := s.Marker.WithKey(a.MarkKey)
	if err != nil {
		return jobs.Comment{}, err
	}
	mark, err := marks.InForm(host.Capabilities().Marks).Answer(place, a.ID)
	return jobs.Comment{Tenant: domain.Tenant{ID: a.Tenant}, Kind: subjectAnswer, ID: a.ID, Host: host, Repo: repo,
		At: codehost.Spot{Number: a.Number, Thread: a.Thread}, Since: time.UnixMicro(a.CreatedUS),
		Body: markdown.Blocks(markdown.Stored(a.Body), mark),
		Ours: func(body string) bool { id, ok := s.Marker.FindAnswer(place, body); return ok && id == a.ID }}, err
}
