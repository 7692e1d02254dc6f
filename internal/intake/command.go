package intake

import (
	"context"

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
const mayNot = "the author of the command may not do that"

// comment does what a command in a comment of a pull request asks for, and
// answers it.
func (s *Service) comment(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	cmd, why := s.commandOf(ev)
	if why != "" {
		return s.dispose(ctx, c, d, ignored(why), nil)
	}
	repo, why, err := from.see(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	at := marker.Place{Tenant: repo.Tenant, Repository: repo.ID, Number: ev.Comment.Number}
	if _, ours := s.Marker.FindAnswer(at, ev.Comment.Body); ours {
		return s.dispose(ctx, c, d, ignored("an answer of ours"), nil)
	}
	asked, why, err := s.ask(ctx, repo, ev.Comment)
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
	asked.command, asked.policy, asked.comment, asked.delivery = cmd, p, ev.Comment, d.ID
	if cmd.word == wordResume {
		if asked.outside, err = s.outside(ctx, repo, p, asked.pull, nextPush); err != nil {
			return jobs.Waiting(err)
		}
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) { return s.obey(ctx, repo, asked) })
}

// commandOf reads the command of an event, or says why there is none.
func (s *Service) commandOf(ev codehost.Event) (cmd command, why string) {
	cm := ev.Comment
	if cm == nil || !cm.OnPullRequest {
		return cmd, codehost.ReasonNotPullRequest
	}
	if cm.AuthorIsBot || ev.Sender.IsBot {
		return cmd, "written by a bot"
	}
	if ev.Action != "created" {
		return cmd, codehost.ReasonUnusedAction
	}
	cmd, found := read(cm.Body)
	if !found {
		return cmd, "no command"
	}
	if ev.Repository == nil {
		return cmd, "no repository"
	}
	return cmd, ""
}

// nextPush is the action of the event that an answer foretells.
const nextPush = "synchronize"

// request is a command by somebody who may write.
type request struct {
	command
	role     string
	pull     codehost.PullRequest
	outside  bool // the pull request is one from outside; known where something is said of the next push
	policy   domain.Policy
	comment  *codehost.EventComment
	delivery string
}

// saying has the words of the answer, in the repository's language.
func (r request) saying() saying { return saying{wording.In(r.policy.Language)} }

// ask asks the host who wrote a command and what the pull request is, or says
// why nothing comes of it: strangers get no answer.
func (s *Service) ask(ctx context.Context, repo store.Repository, cm *codehost.EventComment) (r request, why string, err error) {
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return r, "", err
	}
	r.role, err = roleOf(ctx, host, ref, cm)
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
	out, err := s.Runs.Start(ctx, t, row, run.CommandKey(r.comment.ID), run.Wish{Event: event, Delivery: r.delivery, Asker: domain.Asker{How: domain.AskedByCommand, Name: r.comment.Author}})
	return of(out), markdown.Text{}, err
}

// mayMaintain reports whether a role of the host is one for commands that cost more.
func mayMaintain(role string) bool { return role == "admin" || role == "maintain" }
