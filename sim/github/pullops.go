package github

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

var errNoPull = errors.New("number: there is no such pull request")

// UpdatePull changes a pull request. Each effective change sends its own event, in the order of the fields.
func (s *Server) UpdatePull(ctx context.Context, fullName string, number int, in simapi.PullUpdate) (simapi.Pull, error) {
	if in.State != "" && in.State != "open" && in.State != "closed" && in.State != "merged" {
		return simapi.Pull{}, errors.New(`state: must be "open", "closed" or "merged"`)
	}
	s.Mu.Lock()
	r, err := s.st.repoByFullName(fullName)
	var p *pull
	var base, head string
	if err == nil {
		if p = r.Pulls[number]; p == nil {
			err = errNoPull
		} else {
			base, head = p.BaseSHA, p.HeadSHA
		}
	}
	s.Mu.Unlock()
	if err != nil {
		return simapi.Pull{}, err
	}
	if in.Base != "" {
		if base, err = r.git.Resolve(ctx, "heads/"+in.Base); err != nil {
			return simapi.Pull{}, errors.New("base: there is no such branch")
		}
	}
	n, err := s.stats(ctx, r, base, head)
	if err != nil {
		return simapi.Pull{}, err
	}
	actor := host.OrElse(in.Actor, p.Author)
	var m host.Merged
	if in.State == "merged" {
		s.GitMu.Lock()
		defer s.GitMu.Unlock()
		if m, err = s.merge(ctx, r, p, actor); err != nil {
			return simapi.Pull{}, err
		}
	}
	out := s.changePull(pullChange{s: s, r: r, p: p, n: n, base: base, actor: actor, now: s.NowMicros(), merge: m}, in)
	if m.After != "" {
		err = s.pushed(ctx, r, p.BaseRef, m.Before, m.After, false, actor)
	}
	return out, err
}

func (s *Server) changePull(u pullChange, in simapi.PullUpdate) simapi.Pull {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	u.state(in.State)
	u.draft(in.Draft)
	u.target(in.Base)
	u.text(in.Title, in.Body)
	u.labels(in.Label, in.Unlabel)
	u.reviewers(in.RequestBy)
	s.Touch()
	return s.describePull(u.r, u.p)
}

// pullChange applies changes to one pull request; Server.Mu is held.
type pullChange struct {
	s     *Server
	r     *repository
	p     *pull
	n     pullStats
	base  string // newest commit of the target branch
	actor string
	now   micros
	merge host.Merged
}

func (u pullChange) emit(action, text string, extra obj) {
	u.p.Updated = u.now
	if text != "" {
		u.p.Events = append(u.p.Events, timelineEvent{At: u.now, Actor: u.actor, Text: text})
	}
	u.s.emitPull(u.r, u.p, u.n, action, u.actor, extra)
}

func (u pullChange) state(want string) {
	switch {
	case want == "" || want == u.p.State || (want == "merged" && u.p.State == "closed"):
	case want == "open":
		u.p.State, u.p.Closed = "open", 0
		u.emit("reopened", "reopened this", obj{})
	default:
		u.p.State, u.p.Closed = "closed", u.now
		text := "closed this"
		if want == "merged" {
			u.p.Merged, u.p.MergedBy, u.p.MergeSHA, u.p.BaseSHA, text = u.now, u.actor, u.merge.After, u.merge.Before, "merged this"
		}
		u.emit("closed", text, obj{})
	}
}

func (u pullChange) draft(want *bool) {
	if want == nil || *want == u.p.Draft {
		return
	}
	u.p.Draft = *want
	if *want {
		u.emit("converted_to_draft", "marked this as draft", obj{})
		return
	}
	u.emit("ready_for_review", "marked this as ready for review", obj{})
}

// target changes the target branch.
func (u pullChange) target(branch string) {
	if branch == "" || branch == u.p.BaseRef {
		return
	}
	from := obj{"ref": obj{"from": u.p.BaseRef}, "sha": obj{"from": u.p.BaseSHA}}
	u.p.BaseRef, u.p.BaseSHA = branch, u.base
	u.emit("edited", "changed the base branch", obj{"changes": obj{"base": from}})
}

func (u pullChange) text(title, body *string) {
	changes := obj{}
	if title != nil && *title != u.p.Title {
		changes["title"] = obj{"from": u.p.Title}
		u.p.Title = *title
	}
	if body != nil && *body != u.p.Body {
		changes["body"] = obj{"from": u.p.Body}
		u.p.Body = *body
	}
	if len(changes) > 0 {
		u.emit("edited", "", obj{"changes": changes})
	}
}

func (u pullChange) labels(add, remove []string) {
	for _, name := range add {
		if u.s.st.addLabel(u.r, u.p, name) {
			u.emit("labeled", "added the label "+name, obj{"label": u.s.view().label(u.r, name)})
		}
	}
	for _, name := range remove {
		if !slices.Contains(u.p.Labels, name) {
			continue
		}
		l := u.s.view().label(u.r, name)
		u.p.Labels = host.Without(u.p.Labels, func(x string) bool { return x == name })
		u.emit("unlabeled", "removed the label "+name, obj{"label": l})
	}
}

func (u pullChange) reviewers(logins []string) {
	for _, login := range logins {
		if x := u.s.st.user(login); x != nil && !slices.Contains(u.p.Requested, x.Login) {
			u.p.Requested = append(slices.Clone(u.p.Requested), x.Login)
			u.emit("review_requested", "requested a review from "+x.Login, obj{"requested_reviewer": u.s.view().user(x.Login)})
		}
	}
}

// React reacts to an inline comment as a person, or takes the reaction back.
func (s *Server) React(_ context.Context, fullName string, number int, in simapi.ReactionSpec) (simapi.Comment, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(_ *repository, p *pull) (simapi.Comment, error) {
		c := p.comment(in.Comment)
		if c == nil || p.pending(c) || in.Actor == "" || !slices.Contains(reactionKinds, in.Content) {
			return simapi.Comment{}, errors.New("actor, comment, content: no such comment or reaction")
		}
		in.Actor = s.st.addUser(in.Actor, "", "User", s.NowMicros()).Login
		c.Reactions = c.Reactions.Change(in, s.st.ID("reaction"), s.NowMicros())
		s.Touch()
		return p.describe(c), nil
	})
}

// Comment writes a comment in the conversation of a pull request as a person and sends issue_comment created.
func (s *Server) Comment(_ context.Context, fullName string, number int, in simapi.CommentSpec) (simapi.Comment, error) {
	if in.Body == "" || in.Author == "" {
		return simapi.Comment{}, errors.New("author, body: must not be empty")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return simapi.Comment{}, err
	}
	p := r.Pulls[number]
	if p == nil {
		return simapi.Comment{}, errNoPull
	}
	u := s.st.addUser(in.Author, "", "User", s.NowMicros())
	cm := &issueComment{User: u.Login, Body: in.Body}
	s.addIssueComment(r, p, cm)
	s.Touch()
	return simapi.Comment{ID: cm.ID, User: cm.User, Body: cm.Body, CreatedUS: int64(cm.Created)}, nil
}
