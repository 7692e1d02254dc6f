package bitbucket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// opening is a pull request to open.
type opening struct {
	simapi.PullSpec
	reviewers []int64
}

// OpenPull opens a pull request and sends pullrequest:created. The host has no labels: those of the request are ignored.
func (s *Server) OpenPull(ctx context.Context, fullName string, spec simapi.PullSpec) (simapi.Pull, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Pull{}, err
	}
	o := opening{PullSpec: spec}
	s.Mu.Lock()
	for _, login := range spec.Reviewers {
		o.reviewers = append(o.reviewers, s.st.addUser(login, "", s.NowMicros()).ID)
	}
	s.Mu.Unlock()
	p, err := s.open(ctx, r, o)
	if err != nil {
		return simapi.Pull{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.describePull(r, p), nil
}

func (s *Server) describePull(r *repository, p *pull) simapi.Pull {
	words := map[string]string{stateOpen: "open", stateMerged: "closed", stateDeclined: "closed"}
	return simapi.Pull{ID: p.ID, Number: p.Number, HeadSHA: p.HeadSHA, BaseSHA: p.BaseSHA, State: words[p.State], Draft: p.Draft,
		HTMLURL: s.view().pullHTML(r, p)}
}

func (s *Server) open(ctx context.Context, r *repository, o opening) (*pull, error) {
	if strings.TrimSpace(o.Title) == "" {
		return nil, errors.New("title: must not be empty")
	}
	s.Mu.Lock()
	o.Base, o.Author = host.OrElse(o.Base, r.DefaultBranch), host.OrElse(o.Author, s.st.login(r.OwnerID))
	s.Mu.Unlock()
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	head, err1 := r.git.Resolve(ctx, "heads/"+o.Head)
	base, err2 := r.git.Resolve(ctx, "heads/"+o.Base)
	if err1 != nil || err2 != nil {
		return nil, errors.New("source, destination: branch not found")
	}
	merge, err := r.git.MergeBase(ctx, base, head)
	if err != nil || merge == head {
		return nil, errors.New("There are no changes to be pulled") //nolint:staticcheck // the host's own words
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	now := s.NowMicros()
	if !o.At.IsZero() {
		now = micros(o.At.UnixMicro())
	}
	from := r
	if o.Fork != "" {
		from = s.fork(r, s.st.addUser(o.Fork, "", now))
	}
	author := s.st.addUser(o.Author, "", now)
	p := &pull{ID: s.st.ID("pull"), Number: r.NextNumber, Title: o.Title, Body: o.Body, Author: author.ID, State: stateOpen, Draft: o.Draft,
		Target: o.Base, Source: o.Head, SourceRepoID: from.ID, BaseSHA: base, MergeBase: merge, HeadSHA: head, Created: now, Updated: now}
	for _, other := range r.Pulls {
		if other.State == stateOpen && other.Source == p.Source && other.Target == p.Target && other.SourceRepoID == p.SourceRepoID {
			return nil, fmt.Errorf("There is already an open pull request for these branches: #%d", other.Number) //nolint:staticcheck // as above
		}
	}
	if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull-requests/%d/from", p.Number), head); err != nil {
		return nil, err
	}
	r.NextNumber++
	r.Pulls[p.Number] = p
	s.setReviewers(p, o.reviewers)
	s.emitPull(r, p, "created", author.ID, nil)
	s.Touch()
	return p, nil
}

// fork returns an account's fork of a repository, and makes it if the account lacks one. Server.Mu is held.
func (s *Server) fork(r *repository, owner *user) *repository {
	for _, f := range s.st.Repos {
		if f.ForkOf == r.ID && f.OwnerID == owner.ID {
			return f
		}
	}
	now := s.NowMicros()
	f := &repository{ID: s.st.ID("repository"), GitID: r.GitID, ForkOf: r.ID, OwnerID: owner.ID, Name: r.Name, Private: r.Private,
		DefaultBranch: r.DefaultBranch, NextNumber: 1, NextIssue: 1, Created: now, Updated: now, Pulls: map[int]*pull{},
		Collaborators: map[int64]string{}, git: r.git}
	s.st.Repos[f.ID] = f
	s.emit(r, "repo:fork", owner.ID, obj{"fork": s.view().repository(f)})
	return f
}

// UpdatePull changes a pull request. Each effective change sends its own event, in the order of the fields. A declined
// pull request cannot be opened again, and there are no labels.
func (s *Server) UpdatePull(ctx context.Context, fullName string, number int, in simapi.PullUpdate) (simapi.Pull, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	var at snapshot
	var state string
	if err == nil {
		state, at = p.State, snapshot{p.BaseSHA, p.HeadSHA, p.MergeBase}
		in.Actor = host.OrElse(in.Actor, s.st.login(p.Author))
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return simapi.Pull{}, err
	case len(in.Label)+len(in.Unlabel) > 0:
		return simapi.Pull{}, errors.New("label: the host has no labels")
	case in.State == "open" && state != stateOpen:
		return simapi.Pull{}, errors.New("state: the host opens no pull request again")
	case !slices.Contains([]string{"", "open", "closed", "merged"}, in.State):
		return simapi.Pull{}, errors.New(`state: must be "open", "closed" or "merged"`)
	}
	if in.Base != "" {
		if at.base, err = r.git.Resolve(ctx, "heads/"+in.Base); err != nil {
			return simapi.Pull{}, errors.New("destination: branch not found")
		}
		if at.mergeBase, err = r.git.MergeBase(ctx, at.base, at.head); err != nil {
			return simapi.Pull{}, errors.New("destination: the branches have no common history")
		}
	}
	var m host.Merged
	if in.State == "merged" {
		s.GitMu.Lock()
		defer s.GitMu.Unlock()
		if m, err = s.merge(ctx, r, p, in.Actor); err != nil {
			return simapi.Pull{}, err
		}
	}
	out, sender := s.changePull(r, p, at, m, in)
	if m.After != "" {
		err = s.pushed(ctx, r, push{branch: p.Target, before: m.Before, after: m.After, sender: sender})
	}
	return out, err
}

func (s *Server) changePull(r *repository, p *pull, at snapshot, m host.Merged, in simapi.PullUpdate) (simapi.Pull, int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	now, actor := s.NowMicros(), s.st.addUser(in.Actor, "", s.NowMicros()).ID
	emit := func(key, text string) {
		p.Updated = now
		p.Events = append(p.Events, timelineEvent{At: now, Actor: actor, Text: text})
		s.emitPull(r, p, key, actor, nil)
	}
	if p.State == stateOpen && in.State == "closed" {
		p.State, p.ClosedBy = stateDeclined, actor
		emit("rejected", "declined this")
	}
	if p.State == stateOpen && in.State == "merged" {
		p.State, p.ClosedBy, p.MergeSHA = stateMerged, actor, m.After
		emit("fulfilled", "merged this")
	}
	if in.Draft != nil && *in.Draft != p.Draft {
		p.Draft = *in.Draft
		emit("updated", map[bool]string{true: "made this a draft", false: "marked this as ready"}[p.Draft])
	}
	if in.Base != "" && in.Base != p.Target {
		p.Target, p.BaseSHA, p.MergeBase = in.Base, at.base, at.mergeBase
		emit("updated", "changed the target branch")
	}
	if in.Title != nil && *in.Title != p.Title {
		p.Title = *in.Title
		emit("updated", "changed the title")
	}
	if in.Body != nil && *in.Body != p.Body {
		p.Body = *in.Body
		emit("updated", "changed the description")
	}
	for _, login := range in.RequestBy {
		if x := s.st.user(login); x != nil && !p.participant(x.ID).Reviewer {
			p.participant(x.ID).Reviewer = true
			emit("updated", "asked "+login+" for a review")
		}
	}
	return s.describePull(r, p), actor
}
