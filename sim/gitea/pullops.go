package gitea

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// opening is a pull request to open.
type opening struct {
	simapi.PullSpec
	labels    []int64
	reviewers []string
}

// errNoBranch means that head or base of a new pull request is not a branch.
var errNoBranch = errors.New("head, base: both must be branches of the repository")

// errExists means that an open pull request has the same branches.
type errExists struct{ number int }

// Error implements error.
func (e errExists) Error() string {
	return fmt.Sprintf("pull request already exists for these targets [index: %d]", e.number)
}

// OpenPull opens a pull request and sends pull_request opened. A draft gets the prefix "WIP: " in its title.
func (s *Server) OpenPull(ctx context.Context, fullName string, spec simapi.PullSpec) (simapi.Pull, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Pull{}, err
	}
	if spec.Draft && wipPrefix(spec.Title) == "" {
		spec.Title = wip[0] + " " + spec.Title
	}
	p, err := s.open(ctx, r, opening{PullSpec: spec, reviewers: spec.Reviewers})
	if err != nil {
		return simapi.Pull{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.describePull(r, p), nil
}

func (s *Server) describePull(r *repository, p *pull) simapi.Pull {
	return simapi.Pull{ID: p.ID, Number: p.Number, HeadSHA: p.HeadSHA, BaseSHA: p.BaseSHA, State: p.State, Draft: p.draft(),
		HTMLURL: s.view().pullHTML(r, p)}
}

// open opens a pull request. It requests the reviews, with their events, before it sends the event of the
// opening.
func (s *Server) open(ctx context.Context, r *repository, o opening) (*pull, error) {
	if strings.TrimSpace(o.Title) == "" {
		return nil, errors.New("title: must not be empty")
	}
	s.Mu.Lock()
	o.Base, o.Author = host.OrElse(o.Base, r.DefaultBranch), host.OrElse(o.Author, r.Owner)
	s.Mu.Unlock()
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	head, err1 := r.git.Resolve(ctx, "heads/"+o.Head)
	base, err2 := r.git.Resolve(ctx, "heads/"+o.Base)
	if err1 != nil || err2 != nil {
		return nil, errNoBranch
	}
	merge, err := r.git.MergeBase(ctx, base, head)
	if err != nil {
		return nil, errors.New("head, base: the branches have no common history")
	}
	if merge == head {
		return nil, fmt.Errorf("head: no commits between %s and %s", o.Base, o.Head)
	}
	n, err := s.stats(ctx, r, snapshot{base: base, head: head, mergeBase: merge})
	if err != nil {
		return nil, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	now := s.NowMicros()
	if !o.At.IsZero() {
		now = micros(o.At.UnixMicro())
	}
	from := r
	if o.Fork != "" {
		owner := s.st.addUser(o.Fork, "", false, now)
		if from = s.st.forkBy(r, owner.Login); from == nil {
			from = s.fork(r, owner, r.Name, owner.Login)
		}
	}
	for _, p := range r.Pulls {
		if p.State == "open" && p.Head == o.Head && p.BaseRef == o.Base && p.HeadRepoID == from.ID {
			return nil, errExists{p.Number}
		}
	}
	author := s.st.addUser(o.Author, "", false, now)
	p := &pull{ID: s.st.ID("pull"), IssueID: s.st.ID("issue"), Number: r.NextNumber, Title: o.Title, Body: o.Body,
		Author: author.Login, State: "open", BaseRef: o.Base,
		Head: o.Head, HeadRepoID: from.ID, Branchless: o.Branchless, BaseSHA: base, MergeBase: merge, HeadSHA: head,
		Labels: slices.Clone(o.labels), Created: now, Updated: now}
	if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull/%d/head", p.Number), head); err != nil {
		return nil, err
	}
	r.NextNumber++
	r.Pulls[p.Number] = p
	for _, name := range o.Labels {
		p.Labels = append(p.Labels, s.label(r, name).ID)
	}
	u := pullChange{s: s, r: r, p: p, n: n, actor: author.Login, now: now}
	for _, login := range o.reviewers {
		u.reviewer(s.st.addUser(login, "", false, now).Login, true)
	}
	s.emitPull(r, p, n, "pull_request", "opened", author.Login, nil)
	s.Touch()
	return p, nil
}

// forkBy returns an account's fork of a repository.
func (st *state) forkBy(r *repository, login string) *repository {
	return host.First(maps.Values(st.Repos), func(f *repository) bool { return f.ForkOf == r.ID && strings.EqualFold(f.Owner, login) })
}

// UpdatePull changes a pull request. Each effective change sends its own event, in the order of the fields.
// Draft changes the prefix of the title, as people do.
func (s *Server) UpdatePull(ctx context.Context, fullName string, number int, in simapi.PullUpdate) (simapi.Pull, error) {
	if in.State != "" && in.State != "open" && in.State != "closed" && in.State != "merged" {
		return simapi.Pull{}, errors.New(`state: must be "open", "closed" or "merged"`)
	}
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	s.Mu.Unlock()
	if err != nil {
		return simapi.Pull{}, err
	}
	at := s.snapshot(p)
	if in.Base != "" {
		if at.base, err = r.git.Resolve(ctx, "heads/"+in.Base); err != nil {
			return simapi.Pull{}, errNoBranch
		}
		if at.mergeBase, err = r.git.MergeBase(ctx, at.base, at.head); err != nil {
			return simapi.Pull{}, errors.New("base: the branches have no common history")
		}
	}
	n, err := s.stats(ctx, r, at)
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
	out := s.changePull(pullChange{s: s, r: r, p: p, n: n, at: at, actor: actor, now: s.NowMicros(), merge: m}, in)
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
	for _, name := range in.Label {
		u.label(s.label(u.r, name), true)
	}
	for _, name := range in.Unlabel {
		u.label(s.label(u.r, name), false)
	}
	for _, login := range in.RequestBy {
		if x := s.st.user(login); x != nil {
			u.reviewer(x.Login, true)
		}
	}
	s.Touch()
	return s.describePull(u.r, u.p)
}

// pullChange applies changes to one pull request; Server.Mu is held.
type pullChange struct {
	s     *Server
	r     *repository
	p     *pull
	n     pullStats
	at    snapshot // with the requested target
	actor string
	now   micros
	merge host.Merged
}

func (u pullChange) emit(kind, action, text string, extra obj) {
	u.p.Updated = u.now
	if text != "" {
		u.p.Events = append(u.p.Events, timelineEvent{At: u.now, Actor: u.actor, Text: text})
	}
	u.s.emitPull(u.r, u.p, u.n, kind, action, u.actor, extra)
}

func (u pullChange) state(want string) {
	switch {
	case want == "" || want == u.p.State || (want == "merged" && u.p.State == "closed"):
	case want == "open":
		u.p.State, u.p.Closed = "open", 0
		u.emit("pull_request", "reopened", "reopened this", nil)
	default:
		u.p.State, u.p.Closed = "closed", u.now
		text := "closed this"
		if want == "merged" {
			u.p.Merged, u.p.MergedBy, u.p.MergeSHA, u.p.BaseSHA, text = u.now, u.actor, u.merge.After, u.merge.After, "merged this"
		}
		u.emit("pull_request", "closed", text, nil)
	}
}

func (u pullChange) draft(want *bool) {
	if want == nil || *want == u.p.draft() {
		return
	}
	title := wip[0] + " " + u.p.Title
	if !*want {
		title = strings.TrimSpace(u.p.Title[len(wipPrefix(u.p.Title)):])
	}
	u.text(&title, nil)
}

// target changes the target branch.
func (u pullChange) target(branch string) {
	if branch == "" || branch == u.p.BaseRef {
		return
	}
	before := u.p.BaseRef
	u.p.BaseRef, u.p.BaseSHA, u.p.MergeBase = branch, u.at.base, u.at.mergeBase
	u.emit("pull_request", "edited", "changed the target branch", obj{"changes": obj{"ref": obj{"from": before}}})
}

// text changes title and body, each with its own event.
func (u pullChange) text(title, body *string) {
	if title != nil && *title != u.p.Title {
		before := u.p.Title
		u.p.Title = *title
		u.emit("pull_request", "edited", "changed the title", obj{"changes": obj{"title": obj{"from": before}}})
	}
	if body != nil && *body != u.p.Body {
		before := u.p.Body
		u.p.Body = *body
		u.emit("pull_request", "edited", "", obj{"changes": obj{"body": obj{"from": before}}})
	}
}

// label adds or removes a label.
func (u pullChange) label(l *label, add bool) {
	if slices.Contains(u.p.Labels, l.ID) == add {
		return
	}
	text := "added the label "
	if add {
		u.p.Labels = append(slices.Clone(u.p.Labels), l.ID)
	} else {
		u.p.Labels, text = host.Without(u.p.Labels, func(x int64) bool { return x == l.ID }), "removed the label "
	}
	u.emit("pull_request_label", "label_updated", text+l.Name, nil)
}

// reviewer requests a review or withdraws the request; nil if that changes nothing.
func (u pullChange) reviewer(login string, add bool) *review {
	asked := slices.Contains(u.p.requested(), login)
	extra := obj{"requested_reviewer": u.s.view().user(login)}
	switch {
	case add && !asked:
		rv := &review{ID: u.s.st.ID("review"), User: login, State: stateRequest, Created: u.now, Updated: u.now}
		u.p.Reviews = append(u.p.Reviews, rv)
		u.emit("pull_request_review_request", "review_requested", "requested a review from "+login, extra)
		return rv
	case !add && asked:
		var gone *review
		u.p.Reviews = host.Without(u.p.Reviews, func(x *review) bool {
			if x.State == stateRequest && x.User == login {
				gone = x
				return true
			}
			return false
		})
		u.emit("pull_request_review_request", "review_request_removed", "no longer asks "+login+" for a review", extra)
		return gone
	}
	return nil
}
