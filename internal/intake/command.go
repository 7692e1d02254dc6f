package intake

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// noPermission is the reason for ignoring a command of a person without permission.
const noPermission = "the author of the command has no permission for it"

// handleComment executes a command in a comment of a pull request, and answers it. The body of a delivery only
// locates the comment: author and text come from the host.
func (s *Service) handleComment(ctx context.Context, c *jobs.Claim, d store.Delivery, h history, from origin, ev codehost.Event) error {
	switch why := s.noCommand(ev); {
	case why == noCommandAtAll && ev.Repository != nil && mayReply(ev.Comment):
		return s.handleReply(ctx, c, d, h, from, ev)
	case why != "":
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	repo, why, err := from.find(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	asked, why, err := s.writersComment(ctx, repo, *ev.Comment)
	if err != nil {
		return jobs.Waiting(err)
	}
	var req request
	if why == "" {
		req, why, err = s.loadRequest(ctx, repo, *ev.Comment, h.age, asked.roleOf, s.readCommand)
	}
	if why != "" {
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	p, _, err := policy.Effective(ctx, s.Store, domain.Tenant{ID: repo.Tenant}, repo.ID)
	if err != nil {
		return err
	}
	req.policy, req.delivery = p, d.ID
	if req.word == wordResume {
		if req.outside, err = s.outside(ctx, repo, p, req.pull, nextPush); err != nil {
			return jobs.Waiting(err)
		}
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) { return s.executeCommand(ctx, repo, req) })
}

// noCommand returns why an event cannot contain a command; "" if it may contain one.
func (s *Service) noCommand(ev codehost.Event) (why string) {
	cm := ev.Comment
	if cm == nil || !cm.OnPullRequest {
		return codehost.ReasonNotPullRequest
	}
	if cm.AuthorIsBot || ev.Sender.IsBot {
		return byBot
	}
	if ev.Action != "created" {
		return codehost.ReasonUnusedAction
	}
	if _, found := parseCommand(cm.Body); !found {
		return noCommandAtAll
	}
	if ev.Repository == nil {
		return "no repository"
	}
	return ""
}

// The reasons for ignoring a comment.
const (
	noCommandAtAll = "no command"
	answerOfOurs   = "an answer of ours"
	byBot          = "written by a bot"
	noSuchComment  = "the host has no such comment on this pull request"
	noMoreCommand  = "the comment on the host is not a command any more"
	editedSince    = "the comment was edited after it was written"
	obeyedBefore   = "the command of this comment was carried out before"
)

// nextPush is the event action whose outcome an answer predicts.
const nextPush = "synchronize"

// request is a command of a person with write permission.
type request struct {
	command
	role     string
	pull     codehost.PullRequest
	shared   bool // comments of one review on one line are one thread on the host
	outside  bool // the pull request is from outside; known for predictions about the next push
	policy   domain.Policy
	comment  *codehost.EventComment // as read from the host
	delivery string
}

// texts returns the texts of answers in the repository's language.
func (r request) texts() answerTexts { return answerTexts{wording.In(r.policy.Language)} }

// loadRequest reads a comment from the host, with its author's permission and the pull request. Otherwise it
// returns why the comment is ignored: people without permission get no answer. age is the delivery's age; role returns the role of
// the author whom the host's version names, and read returns why the text on the host is ignored. If the host refuses to tell the
// role, both why and err are set, and the caller chooses.
func (s *Service) loadRequest(ctx context.Context, repo store.Repository, fromEvent codehost.EventComment, age time.Duration,
	role roleSource, read func(store.Repository, *request, codehost.EventComment) string) (r request, why string, err error) {
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return r, "", err
	}
	cm, err := host.Comment(ctx, ref, fromEvent)
	switch class := codehost.ClassOf(err); {
	case class == codehost.ClassNotFound && age < s.Lag: // a host may show it a moment later
		return r, "", &jobs.Snooze{For: min(max(age, firstLook), s.Lag-age), Why: noSuchComment + ", which may be newer than what it shows"}
	case class == codehost.ClassNotFound, class == codehost.ClassInvalid, class == codehost.ClassTooLarge:
		return r, noSuchComment, nil
	case codehost.IsAccessLost(err):
		return r, repositoryGone, nil
	case err != nil:
		return r, "", err
	}
	r.comment, r.shared = &cm, host.Capabilities().LineThreads
	if why = read(repo, &r, fromEvent); why != "" {
		return r, why, nil
	}
	r.role, err = role(ctx, host, ref, cm)
	if codehost.IsAccessLost(err) {
		return r, repositoryGone, err
	}
	if err == nil && !policy.MayWrite(r.role) {
		return r, noPermission, nil
	}
	if err == nil {
		r.pull, err = host.PullRequest(ctx, ref, cm.Number)
	}
	if codehost.IsAccessLost(err) {
		return r, unreachable, nil
	}
	return r, "", err
}

// roleSource returns the role of a comment's author, asked from the host.
type roleSource func(ctx context.Context, host codehost.Host, ref codehost.Repo, cm codehost.EventComment) (string, error)

// askedRole is the host's answer about the role of the author whom an event names.
type askedRole struct {
	author string
	id     domain.HostID
	role   string // "" if the host was not asked
}

// roleOf is a [roleSource] that asks the host only about another author.
func (a askedRole) roleOf(ctx context.Context, host codehost.Host, ref codehost.Repo, cm codehost.EventComment) (string, error) {
	if a.role != "" && a.author == cm.Author && a.id == cm.AuthorID {
		return a.role, nil
	}
	return policy.CommenterRole(ctx, host, ref, cm)
}

// writersComment asks for the role of the person whom an event of a comment on lines names, because looking for such a comment may cost
// many requests. It returns why the comment is not looked for, "" if the person may write or the comment is in the conversation.
func (s *Service) writersComment(ctx context.Context, repo store.Repository, cm codehost.EventComment) (
	asked askedRole, why string, err error) {
	if !mayReply(&cm) || cm.Author == "" {
		return asked, "", nil
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return asked, "", err
	}
	role, err := policy.CommenterRole(ctx, host, ref, cm)
	switch {
	case codehost.IsAccessLost(err):
		return asked, repositoryGone, nil
	case err == nil && !policy.MayWrite(role):
		return asked, noPermission, nil
	}
	return askedRole{author: cm.Author, id: cm.AuthorID, role: role}, "", err
}

// firstLook is the pause before looking again for a comment that the host did not have (design choice).
const firstLook = 2 * time.Second

// readCommand reads the command from the host's version of a comment, or returns why the comment has no command.
// An edited comment has no command, because at most hosts people may edit others' comments, and could speak
// for them.
func (s *Service) readCommand(repo store.Repository, r *request, fromEvent codehost.EventComment) (why string) {
	cm := r.comment
	if s.isAnswer(repo, cm) {
		return answerOfOurs
	}
	found := false
	r.command, found = parseCommand(cm.Body)
	switch {
	case cm.AuthorIsBot:
		return byBot
	case !found:
		return noMoreCommand
	case cm.Author == "" && cm.AuthorID == "": // the account is gone
		return noPermission
	}
	if first, _ := parseCommand(fromEvent.Body); cm.Edited || first != r.command {
		return editedSince
	}
	return ""
}

// isAnswer reports whether a comment is an answer of ours.
func (s *Service) isAnswer(repo store.Repository, cm *codehost.EventComment) bool {
	_, ours := s.Marker.FindAnswer(marker.Place{Tenant: repo.Tenant, Repository: repo.ID, Number: cm.Number}, cm.Body)
	return ours
}

// executeCommand executes a command and stores its answer, in the transaction that ends its delivery.
func (s *Service) executeCommand(ctx context.Context, repo store.Repository, r request) (decision, error) {
	t := domain.Tenant{ID: repo.Tenant}
	row, err := s.Runs.UpsertPullRequest(ctx, t, run.PullRow(repo.ID, r.pull))
	if err != nil {
		return decision{}, err
	}
	dec, say, err := s.dispatchCommand(ctx, t, row, r)
	if err == nil {
		dec.reason, err = s.storeAnswer(ctx, t, row, r, say, dec.reason)
	}
	dec.tenant = t.ID
	return dec, err
}

// dispatchCommand executes a command. say is the answer; it is empty if the result is answer enough.
func (s *Service) dispatchCommand(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (dec decision,
	say markdown.Text, err error) {
	if r.word == wordPause || r.word == wordResume || r.word == wordIgnore ||
		r.comment.Once != "" { // a new run recognises its command by the comment
		if first, err := s.Store.ObeyCommand(ctx, t, row.ID, numberingThread(r.comment), r.comment.Name()); err != nil || !first {
			return ignored(obeyedBefore), say, err
		}
	}
	saying := r.texts()
	switch {
	case r.word == "":
		return ignored("no such command"), saying.mistake(r.command), nil
	case r.extra:
		return ignored("the command " + string(r.word) + " takes no such words"), saying.mistake(r.command), nil
	}
	switch r.word {
	case wordPause:
		return applied, saying.Say(wording.SayPaused), s.Store.SetPaused(ctx, t, row.ID, true)
	case wordResume:
		row.Paused = false
		return applied, saying.resume(completeRequest(r.policy, row, r.pull, nextPush, r.outside,
			run.Request{}).Skip), s.Store.SetPaused(ctx, t, row.ID, false)
	case wordReview:
		return s.review(ctx, t, row, r)
	case wordApprove, wordReject:
		return s.decideOn(ctx, t, row, r)
	case wordExplain, wordIgnore:
		return s.onFinding(ctx, t, row, r)
	case wordFix:
		return s.fix(ctx, t, row, r)
	}
	return applied, saying.help(), nil
}

// review starts the run that a command requests, or returns why not.
func (s *Service) review(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (decision, markdown.Text, error) {
	event := run.EventReview
	switch {
	case r.full && !mayMaintain(r.role):
		return ignored(noPermission), r.texts().Say(wording.SayRole), nil
	case row.State != "open":
		return ignored("the pull request is not open"), r.texts().Say(wording.SayNotOpen), nil
	case r.full:
		event = run.EventFull
	}
	out, err := s.Runs.Start(ctx, t, row, run.CommandKey(r.comment.Name()),
		run.Request{Event: event, Delivery: r.delivery, Asker: domain.Asker{How: domain.AskedByCommand, Name: r.comment.Author}})
	return decisionOf(out), markdown.Text{}, err
}

// mayMaintain reports whether a role may use the more expensive commands.
func mayMaintain(role string) bool { return role == "admin" || role == "maintain" }
