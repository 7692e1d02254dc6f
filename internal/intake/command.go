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

// mayNot says that a command is for others.
const mayNot = "the author of the command has no permission for it"

// comment does what a command in a comment of a pull request asks for, and
// answers it. The body of a delivery only says where to look: author and text are what the host has.
func (s *Service) comment(ctx context.Context, c *jobs.Claim, d store.Delivery, h history, from origin, ev codehost.Event) error {
	if why := s.noCommand(ev); why != "" {
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	repo, why, err := from.find(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	asked, why, err := s.ask(ctx, repo, *ev.Comment, h.age)
	if err != nil {
		return jobs.Waiting(err)
	}
	if why != "" {
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	p, _, err := policy.Effective(ctx, s.Store, domain.Tenant{ID: repo.Tenant}, repo.ID)
	if err != nil {
		return err
	}
	asked.policy, asked.delivery = p, d.ID
	if asked.word == wordResume {
		if asked.outside, err = s.outside(ctx, repo, p, asked.pull, nextPush); err != nil {
			return jobs.Waiting(err)
		}
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) { return s.obey(ctx, repo, asked) })
}

// noCommand says why an event can have no command, "" if it may have one.
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
	if _, found := read(cm.Body); !found {
		return "no command"
	}
	if ev.Repository == nil {
		return "no repository"
	}
	return ""
}

// Why nothing comes of a comment.
const (
	byBot         = "written by a bot"
	noSuchComment = "the host has no such comment on this pull request"
	noMoreCommand = "the comment on the host is not a command any more"
	editedSince   = "the comment was edited after it was written"
	obeyedBefore  = "the command of this comment was carried out before"
)

// nextPush is the action of the event that an answer foretells.
const nextPush = "synchronize"

// request is a command by somebody who may write.
type request struct {
	command
	role     string
	pull     codehost.PullRequest
	outside  bool // the pull request is one from outside; known where something is said of the next push
	policy   domain.Policy
	comment  *codehost.EventComment // as the host has it
	delivery string
}

// saying has the words of the answer, in the repository's language.
func (r request) saying() saying { return saying{wording.In(r.policy.Language)} }

// ask reads a comment back from the host, and asks what its author may do and what the pull request
// is, or says why nothing comes of it: strangers get no answer. age is that of the delivery.
func (s *Service) ask(ctx context.Context, repo store.Repository, told codehost.EventComment, age time.Duration) (r request, why string, err error) {
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return r, "", err
	}
	cm, err := host.Comment(ctx, ref, told)
	switch class := codehost.ClassOf(err); {
	case class == codehost.ClassNotFound && age < s.Lag: // a host may show it a moment later
		return r, "", &jobs.Snooze{For: min(max(age, firstLook), s.Lag-age), Why: noSuchComment + ", which may be newer than what it shows"}
	case class == codehost.ClassNotFound, class == codehost.ClassInvalid, class == codehost.ClassTooLarge:
		return r, noSuchComment, nil
	case codehost.Gone(err):
		return r, repositoryGone, nil
	case err != nil:
		return r, "", err
	}
	r.comment = &cm
	if why = s.heed(repo, &r, told); why != "" {
		return r, why, nil
	}
	r.role, err = roleOf(ctx, host, ref, r.comment)
	if codehost.Gone(err) {
		return r, repositoryGone, nil
	}
	if err == nil && !policy.MayWrite(r.role) {
		return r, mayNot, nil
	}
	if err == nil {
		r.pull, err = host.PullRequest(ctx, ref, cm.Number)
	}
	if codehost.Gone(err) {
		return r, unreachable, nil
	}
	return r, "", err
}

// firstLook is after how long a comment is looked for again that the host did not have (design choice).
const firstLook = 2 * time.Second

// heed reads the command of a comment at the host, or says why the comment has none. An edited comment has none, because at
// most hosts people may edit the comments of others, and would speak for them.
func (s *Service) heed(repo store.Repository, r *request, told codehost.EventComment) (why string) {
	cm := r.comment
	at := marker.Place{Tenant: repo.Tenant, Repository: repo.ID, Number: cm.Number}
	if _, ours := s.Marker.FindAnswer(at, cm.Body); ours {
		return "an answer of ours"
	}
	found := false
	r.command, found = read(cm.Body)
	switch {
	case cm.AuthorIsBot:
		return byBot
	case !found:
		return noMoreCommand
	case cm.Author == "" && cm.AuthorID == "": // the account is gone
		return mayNot
	}
	if first, _ := read(told.Body); cm.Edited || first != r.command {
		return editedSince
	}
	return ""
}

// roleOf asks what the author of a comment may do: by their number, where the event tells it and the
// host is asked by it, because the login may be somebody else's by now.
func roleOf(ctx context.Context, host codehost.Host, ref codehost.Repo, cm *codehost.EventComment) (string, error) {
	byNumber, ok := host.(interface {
		PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, login string) (string, error)
	})
	if !ok || cm.AuthorID == "" || ref.ExternalID == "" {
		return host.Permission(ctx, ref, cm.Author)
	}
	word, err := byNumber.PermissionOf(ctx, ref, cm.AuthorID, cm.Author)
	if codehost.ClassOf(err) == codehost.ClassNotFound { // nobody has that number any more, or the login is another's
		return "none", nil
	}
	return word, err
}

// obey does what a command asks for, and stores its answer, in the transaction
// that ends its delivery.
func (s *Service) obey(ctx context.Context, repo store.Repository, r request) (decision, error) {
	t := domain.Tenant{ID: repo.Tenant}
	row, err := s.Runs.See(ctx, t, run.PullRow(repo.ID, r.pull))
	if err != nil {
		return decision{}, err
	}
	dec, say, err := s.act(ctx, t, row, r)
	if err == nil {
		dec.reason, err = s.answer(ctx, t, row, r, say, dec.reason)
	}
	dec.tenant = t.ID
	return dec, err
}

// act does what a command asks for. say is the answer; empty where what follows is
// answer enough.
func (s *Service) act(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (dec decision, say markdown.Text, err error) {
	if r.word == wordPause || r.word == wordResume || r.comment.Once != "" { // else a command knows its comment again
		if first, err := s.Store.ObeyCommand(ctx, t, row.ID, numberedIn(r.comment), r.comment.Name()); err != nil || !first {
			return ignored(obeyedBefore), say, err
		}
	}
	saying := r.saying()
	switch {
	case r.word == "":
		return ignored("no such command"), saying.mistake(r.command), nil
	case r.extra:
		return ignored("the command " + string(r.word) + " takes no such words"), saying.mistake(r.command), nil
	case !r.word.built():
		return ignored("the command " + string(r.word) + " is not built yet"), saying.unbuilt(r.word), nil
	}
	switch r.word {
	case wordPause:
		return applied, saying.Say(wording.SayPaused), s.Store.SetPaused(ctx, t, row.ID, true)
	case wordResume:
		row.Paused = false
		return applied, saying.resume(wish(r.policy, row, r.pull, nextPush, r.outside, run.Wish{}).Skip), s.Store.SetPaused(ctx, t, row.ID, false)
	case wordReview:
		return s.review(ctx, t, row, r)
	case wordApprove, wordReject:
		return s.decideOn(ctx, t, row, r)
	}
	return applied, saying.help(), nil
}

// review starts the run that a command asks for, or says why not.
func (s *Service) review(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (decision, markdown.Text, error) {
	event := run.EventReview
	switch {
	case r.full && !mayMaintain(r.role):
		return ignored(mayNot), r.saying().Say(wording.SayRole), nil
	case row.State != "open":
		return ignored("the pull request is not open"), r.saying().Say(wording.SayNotOpen), nil
	case r.full:
		event = run.EventFull
	}
	out, err := s.Runs.Start(ctx, t, row, run.CommandKey(r.comment.Name()), run.Wish{Event: event, Delivery: r.delivery, Asker: domain.Asker{How: domain.AskedByCommand, Name: r.comment.Author}})
	return of(out), markdown.Text{}, err
}

// mayMaintain reports whether a role of the host is one for commands that cost more.
func mayMaintain(role string) bool { return role == "admin" || role == "maintain" }
