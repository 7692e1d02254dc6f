package intake

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// maxThreadAnswers is how many replies in the thread of a finding are answered (design choice: after three, people decide).
const maxThreadAnswers = 3

// The reasons for ignoring a reply.
const (
	noCommandNorFinding = "no command, and not in the thread of a finding"
	noMoreAnswers       = "not answered: the thread or the pull request has had its answers"
	severalFindings     = "several findings stand on its line"
	repliedBefore       = "the reply was handled before"
	findingIsClosed     = "the finding is not open any more"
)

// mayReply reports whether a comment without a command may answer a finding: one on lines, as far as its event says.
func mayReply(cm *codehost.EventComment) bool { return cm.Inline || cm.PlaceUnknown }

// handleReply stores a reply to a finding, which a job answers. It asks the host only if the pull request has a finding with a comment.
func (s *Service) handleReply(ctx context.Context, c *jobs.Claim, d store.Delivery, h history, from origin, ev codehost.Event) error {
	repo, why, err := from.find(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	t := domain.Tenant{ID: repo.Tenant}
	if why, err := s.noThread(ctx, t, repo, ev.Comment); err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	may, err := s.mayWrite(ctx, repo, *ev.Comment)
	if err != nil {
		return jobs.Waiting(err)
	}
	if !may {
		return s.dispose(ctx, c, d, ignored(noPermission), nil)
	}
	req, why, err := s.loadRequest(ctx, repo, *ev.Comment, h.age, s.replyRole(repo), s.readReply)
	if err != nil {
		return jobs.Waiting(err)
	}
	if why != "" {
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	if req.policy, _, err = policy.Effective(ctx, s.Store, t, repo.ID); err != nil {
		return err
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		dec, err := s.storeReply(ctx, t, repo, req)
		dec.tenant = t.ID
		return dec, err
	})
}

// mayWrite reports whether the author whom an event names may write to the repository, as far as the host said within the last ten
// minutes. It is asked before the comment is looked for, which may cost many requests. The host's version of the comment names the
// author who counts: the answer counts for no other one.
func (s *Service) mayWrite(ctx context.Context, repo store.Repository, cm codehost.EventComment) (bool, error) {
	if cm.Author == "" {
		return true, nil
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return false, err
	}
	return s.Authors.CommenterMayWrite(ctx, host, ref, repo, cm)
}

// replyRole is a [roleSource] with answers of the last ten minutes. It returns "write" for every role that may write.
func (s *Service) replyRole(repo store.Repository) roleSource {
	return func(ctx context.Context, host codehost.Host, ref codehost.Repo, cm codehost.EventComment) (string, error) {
		may, err := s.Authors.CommenterMayWrite(ctx, host, ref, repo, cm)
		if err != nil || !may {
			return "none", err
		}
		return "write", nil
	}
}

// readReply returns why the host's version of a comment is no reply that is answered.
func (s *Service) readReply(repo store.Repository, r *request, fromEvent codehost.EventComment) (why string) {
	cm := r.comment
	switch {
	case s.isAnswer(repo, cm):
		return answerOfOurs
	case cm.AuthorIsBot:
		return byBot
	case cm.Author == "" && cm.AuthorID == "": // the account is gone
		return noPermission
	case cm.Edited || cm.Body != fromEvent.Body:
		return editedSince
	case cm.OwnWords() == "":
		return "only a quotation"
	}
	return ""
}

// noThread returns why a comment cannot answer a finding, as far as our own rows tell; "" if it may.
func (s *Service) noThread(ctx context.Context, t domain.Tenant, repo store.Repository, cm *codehost.EventComment) (string, error) {
	row, err := s.Store.PullRequestNumbered(ctx, t, repo.ID, cm.Number)
	if errs.Is(err, errs.NotFound) {
		return noCommandNorFinding, nil
	}
	if err != nil {
		return "", err
	}
	has, err := s.Store.HasCommentedFindings(ctx, t, row.ID)
	if err != nil || !has {
		return noCommandNorFinding, err
	}
	return "", nil
}

// findingOf returns the finding in whose thread a comment stands. alone is false if the thread has other open findings, too. found is
// false if it stands in no such thread.
func (s *Service) findingOf(ctx context.Context, t domain.Tenant, row store.PullRequest,
	r request) (f store.KnownFinding, alone, found bool, err error) {
	if r.comment.InReplyTo == "" {
		return f, false, false, nil
	}
	f, err = s.Store.FindingOfComment(ctx, t, row.ID, r.comment.InReplyTo)
	if errs.Is(err, errs.NotFound) {
		return f, false, false, nil
	}
	if err != nil || !r.shared {
		return f, true, err == nil, err
	}
	known, err := s.Store.KnownFindings(ctx, t, row.ID)
	others := slices.ContainsFunc(known, func(k store.KnownFinding) bool {
		return k.ID != f.ID && k.State == domain.FindingOpen && k.CommentID != "" && k.Anchor.Path == f.Anchor.Path &&
			k.Anchor.Side == f.Anchor.Side && k.Anchor.EndLine == f.Anchor.EndLine
	})
	return f, !others, err == nil, err
}

// storeReply stores a reply with the job that answers it.
func (s *Service) storeReply(ctx context.Context, t domain.Tenant, repo store.Repository, r request) (decision, error) {
	row, err := s.Store.PullRequestNumbered(ctx, t, repo.ID, r.comment.Number)
	if err != nil {
		return decision{}, err
	}
	f, alone, found, err := s.findingOf(ctx, t, row, r)
	switch {
	case err != nil:
		return decision{}, err
	case !found:
		return ignored(noCommandNorFinding), nil
	case !alone:
		return ignored(severalFindings), nil
	case row.State != "open":
		return ignored("the pull request is not open"), nil
	}
	if err := s.Runs.ScheduleFeedback(ctx, t, row); err != nil {
		return decision{}, err
	}
	switch {
	case f.State != domain.FindingOpen:
		return ignored(findingIsClosed), nil
	case r.policy.PublishMode == domain.PublishSilent:
		return ignored("reviews are silent here"), nil
	}
	return s.enqueueReply(ctx, t, row, r, f, domain.ReplyFree)
}

// enqueueReply stores a reply of a kind and its job.
func (s *Service) enqueueReply(ctx context.Context, t domain.Tenant, row store.PullRequest, r request, f store.KnownFinding,
	kind domain.ReplyKind) (decision, error) {
	id, added, err := s.Store.AddReply(ctx, t, store.FindingReply{PullRequest: row.ID, Finding: f.ID, Kind: kind, Comment: r.comment.Name(),
		Thread: r.comment.InReplyTo, Words: r.comment.WordsHash()}, maxThreadAnswers, maxDailyAnswers)
	switch {
	case err != nil:
		return decision{}, err
	case added == store.AddedKnown:
		return ignored(repliedBefore), nil
	case added == store.AddedOverLimit:
		return ignored(noMoreAnswers), nil
	}
	_, err = s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindReply, FairKey: t.ID, Subject: id, Tenant: t.ID,
		Dedup: fmt.Sprint(domain.KindReply, ":", id)})
	return applied, err
}

// onFinding carries out a command about the finding in whose thread it stands.
func (s *Service) onFinding(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (decision, markdown.Text, error) {
	saying := r.texts()
	f, alone, found, err := s.findingOf(ctx, t, row, r)
	switch {
	case err != nil:
		return decision{}, markdown.Text{}, err
	case found && !alone:
		return ignored(severalFindings), saying.Say(wording.SaySeveralFindings), nil
	case !found:
		return ignored("the command does not stand in the thread of a finding"), saying.Say(wording.SayNoFinding, commandForm(r.word)), nil
	case row.State != "open":
		return ignored("the pull request is not open"), saying.Say(wording.SayNotOpenFinding), nil
	case r.word == wordExplain:
		dec, err := s.enqueueReply(ctx, t, row, r, f, domain.ReplyExplain)
		return dec, markdown.Text{}, err
	case r.note == "":
		return ignored("the command ignore needs a reason"), saying.Say(wording.SayNeedsReason, markdown.Span("/assay ignore <reason>")), nil
	}
	repository, err := s.Store.Repository(ctx, t, row.Repository)
	if err != nil {
		return decision{}, markdown.Text{}, err
	}
	out, err := s.Approvals.DismissByComment(ctx, t, repository, domain.DismissalByComment{Finding: f.ID, Reason: r.note,
		Source:  domain.SuppressedByCommand,
		Comment: r.comment.Name(), AuthorLogin: r.comment.Author, AuthorID: r.comment.AuthorID, PullAuthor: r.pull.AuthorID,
		PullLogin: r.pull.Author})
	switch {
	case err != nil:
		return decision{}, markdown.Text{}, err
	case out == domain.DismissalNotOpen:
		return ignored(findingIsClosed), saying.Say(wording.SayNotOpenFinding), nil
	case out == domain.DismissalBarred:
		return ignored(noPermission), saying.Say(wording.SayOwnFinding), nil
	}
	said := saying.Say(wording.SayDismissed)
	if r.shared { // such a host shows the answer in the conversation
		said = markdown.Blocks(markdown.Span(fmt.Sprintf("%s:%d", f.Anchor.Path, f.Anchor.EndLine)), said)
	}
	return applied, said, nil
}
