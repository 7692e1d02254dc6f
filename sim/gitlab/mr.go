package gitlab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// opening is a merge request to open.
type opening struct {
	shared.PullSpec
	reviewers []int64
}

// refusal is an error with the host's status and words.
type refusal struct {
	status int
	words  any
}

// Error implements error.
func (r refusal) Error() string { return fmt.Sprint(r.words) }

// OpenPull opens a merge request and sends its event. A draft gets the prefix "Draft: " in its title.
func (s *Server) OpenPull(ctx context.Context, fullPath string, spec shared.PullSpec) (shared.Pull, error) {
	p, err := s.FindRepo(fullPath)
	if err != nil {
		return shared.Pull{}, err
	}
	if spec.Draft && !draftTitle.MatchString(spec.Title) {
		spec.Title = "Draft: " + spec.Title
	}
	o := opening{PullSpec: spec}
	s.Mu.Lock()
	for _, login := range spec.Reviewers {
		o.reviewers = append(o.reviewers, s.st.addUser(login, "", s.NowMicros()).ID)
	}
	s.Mu.Unlock()
	m, err := s.open(ctx, p, o)
	if err != nil {
		return shared.Pull{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.describeMR(p, m), nil
}

func (s *Server) describeMR(p *project, m *mergeRequest) shared.Pull {
	state := m.State
	if state == "opened" {
		state = "open"
	}
	return shared.Pull{ID: m.ID, Number: m.IID, HeadSHA: m.now().Head, BaseSHA: m.now().Start, State: state, Draft: m.draft(),
		HTMLURL: s.view().mrURL(p, m)}
}

// open opens a merge request.
func (s *Server) open(ctx context.Context, p *project, o opening) (*mergeRequest, error) {
	if strings.TrimSpace(o.Title) == "" {
		return nil, refusal{400, obj{"title": []string{"can't be blank"}}}
	}
	s.Mu.Lock()
	o.Base, o.Author = host.OrElse(o.Base, p.DefaultBranch), host.OrElse(o.Author, p.Namespace)
	s.Mu.Unlock()
	if o.Head == o.Base {
		return nil, refusal{409, []string{"You can't use same project/branch for source and target"}}
	}
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	head, err := p.git.Resolve(ctx, "heads/"+o.Head)
	if err != nil {
		return nil, refusal{400, obj{"source_branch": []string{"does not exist"}}}
	}
	start, err := p.git.Resolve(ctx, "heads/"+o.Base)
	if err != nil {
		return nil, refusal{400, obj{"target_branch": []string{"does not exist"}}}
	}
	base, err := p.git.MergeBase(ctx, start, head)
	if err != nil {
		return nil, errors.New("head, base: the branches have no common history")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	now := s.NowMicros()
	if !o.At.IsZero() {
		now = micros(o.At.UnixMicro())
	}
	from := p
	if o.Fork != "" {
		from = s.fork(p, s.st.addUser(o.Fork, "", now))
	}
	for _, m := range p.MRs {
		if m.State == "opened" && m.Source == o.Head && m.Target == o.Base && m.SourceID == from.ID {
			return nil, refusal{409, []string{fmt.Sprintf("Another open merge request already exists for this source branch: !%d", m.IID)}}
		}
	}
	author := s.st.addUser(o.Author, "", now)
	m := &mergeRequest{ID: s.st.ID("mr"), IID: p.NextIID, Title: o.Title, Body: o.Body, Author: author.ID, State: "opened",
		Source: o.Head, Target: o.Base, SourceID: from.ID,
		Created: now, Updated: now, Versions: []*version{{ID: s.st.ID("version"), Base: base, Start: start, Head: head, Created: now}},
		Prepared: !s.On(simapi.SlowDiff)}
	if err := p.git.SetRef(ctx, fmt.Sprintf("refs/merge-requests/%d/head", m.IID), head); err != nil {
		return nil, err
	}
	p.NextIID++
	p.MRs[m.IID] = m
	for _, name := range o.Labels {
		m.Labels = append(m.Labels, s.label(p, name).Name)
	}
	s.setReviewers(p, m, o.reviewers)
	s.emitMR(p, m, "open", author, nil, obj{})
	s.Touch()
	return m, nil
}

// fork returns a person's fork of a project, and makes it if necessary. It shares the objects of the network;
// Server.Mu is held.
func (s *Server) fork(p *project, u *user) *project {
	for _, f := range s.st.Projects {
		if f.ForkOf == p.ID && f.Namespace == u.Login {
			return f
		}
	}
	now := s.NowMicros()
	f := &project{ID: s.st.ID("project"), GitID: p.GitID, ForkOf: p.ID, Namespace: u.Login, Path: p.Path, Private: p.Private,
		DefaultBranch: p.DefaultBranch,
		NextIID:       1, Created: now, Updated: now, MRs: map[int]*mergeRequest{}, Members: map[int64]int{}, git: p.git}
	s.st.Projects[f.ID] = f
	return f
}

// UpdatePull changes a merge request. Each effective change sends its own event.
func (s *Server) UpdatePull(ctx context.Context, fullPath string, iid int, in shared.PullUpdate) (shared.Pull, error) {
	if !slices.Contains([]string{"", "open", "closed", "merged"}, in.State) {
		return shared.Pull{}, errors.New(`state: must be "open", "closed" or "merged"`)
	}
	s.Mu.Lock()
	p, m, err := s.st.find(fullPath, iid)
	s.Mu.Unlock()
	if err != nil {
		return shared.Pull{}, err
	}
	s.Mu.Lock()
	u := s.st.Users[m.Author]
	if in.Actor != "" {
		u = s.st.addUser(in.Actor, "", s.NowMicros())
	}
	s.Mu.Unlock()
	merge := ""
	if in.State == "merged" {
		if merge, err = s.merge(ctx, p, m, u); err != nil {
			return shared.Pull{}, err
		}
	}
	var target version
	if in.Base != "" {
		if target, err = s.onto(ctx, p, m, in.Base); err != nil {
			return shared.Pull{}, err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	e := edit{s: s, p: p, m: m, by: u, now: s.NowMicros(), merge: merge}
	e.state(in.State)
	e.draft(in.Draft)
	e.target(in.Base, target)
	e.text(in.Title, in.Body)
	if len(in.Label)+len(in.Unlabel) > 0 {
		e.labels(in.Label, in.Unlabel)
	}
	if len(in.RequestBy) > 0 {
		var ids []int64
		for _, r := range m.Reviewers {
			ids = append(ids, r.UserID)
		}
		for _, login := range in.RequestBy {
			ids = append(ids, s.st.addUser(login, "", e.now).ID)
		}
		e.reviewers(ids)
	}
	s.Touch()
	return s.describeMR(p, m), nil
}

// onto returns the version of a merge request against another target branch.
func (s *Server) onto(ctx context.Context, p *project, m *mergeRequest, branch string) (v version, err error) {
	s.Mu.Lock()
	v.Head = m.now().Head
	s.Mu.Unlock()
	if v.Start, err = p.git.Resolve(ctx, "heads/"+branch); err != nil {
		return v, errors.New("base: there is no such branch")
	}
	if v.Base, err = p.git.MergeBase(ctx, v.Start, v.Head); err != nil {
		err = errors.New("base: the branches have no common history")
	}
	return v, err
}

// edit applies changes to one merge request; Server.Mu is held.
type edit struct {
	s   *Server
	p   *project
	m   *mergeRequest
	by  *user
	now micros

	merge string // the commit of a merge
}

// merge makes the merge commit of an open merge request and moves its target there.
func (s *Server) merge(ctx context.Context, p *project, m *mergeRequest, by *user) (string, error) {
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	s.Mu.Lock()
	open, head, target := m.State == "opened", m.now().Head, m.Target
	message := fmt.Sprintf("Merge branch '%s' into '%s'\n\n%s\n\nSee merge request %s!%d", m.Source, m.Target, m.Title, p.FullPath(), m.IID)
	unmet := p.unmet(head)
	s.Mu.Unlock()
	if !open || unmet != nil {
		return "", unmet
	}
	made, err := s.Merge(ctx, p.git, target, head, message, gitrepo.Identity{Name: by.Name, Email: strings.ToLower(by.Login) + "@" +
		emailDomain})
	if err != nil {
		return "", err
	}
	return made.After, s.pushed(ctx, p, target, made.Before, made.After, by.Login)
}

func (e edit) emit(action string, changes obj) {
	e.m.Updated = e.now
	e.s.emitMR(e.p, e.m, action, e.by, nil, changes)
}

func (e edit) state(want string) {
	switch {
	case want == "open" && e.m.State == "closed":
		e.m.State, e.m.Closed = "opened", 0
		e.s.system(e.m, e.by.ID, "reopened")
		e.emit("reopen", obj{"state_id": obj{"previous": 2, "current": 1}})
	case want == "closed" && e.m.State == "opened":
		e.m.State, e.m.Closed = "closed", e.now
		e.s.system(e.m, e.by.ID, "closed")
		e.emit("close", obj{"state_id": obj{"previous": 1, "current": 2}})
	case want == "merged" && e.m.State == "opened":
		e.m.State, e.m.Merged, e.m.MergedBy, e.m.MergeCommit = "merged", e.now, e.by.ID, e.merge
		e.s.system(e.m, e.by.ID, "merged")
		e.emit("merge", obj{"state_id": obj{"previous": 1, "current": 3}})
	}
}

// target changes the target branch, which makes a new version of the diff.
func (e edit) target(branch string, v version) {
	if branch == "" || branch == e.m.Target {
		return
	}
	before := e.m.Target
	v.ID, v.Created = e.s.st.ID("version"), e.now
	e.m.Target, e.m.Versions = branch, append(e.m.Versions, &v)
	e.s.system(e.m, e.by.ID, "changed target branch")
	e.emit("update", obj{"target_branch": obj{"previous": before, "current": branch}})
}

func (e edit) draft(want *bool) {
	if want == nil || *want == e.m.draft() {
		return
	}
	title := "Draft: " + e.m.Title
	if !*want {
		title = strings.TrimSpace(draftTitle.ReplaceAllString(e.m.Title, ""))
	}
	e.text(&title, nil)
}

// text changes title and description with one event, like one request.
func (e edit) text(title, body *string) {
	changes := obj{}
	if title != nil && *title != e.m.Title {
		was := e.m.draft()
		changes["title"] = obj{"previous": e.m.Title, "current": *title}
		e.m.Title = *title
		if now := e.m.draft(); now != was {
			changes["draft"] = obj{"previous": was, "current": now}
		}
		e.s.system(e.m, e.by.ID, "changed title")
	}
	if body != nil && *body != e.m.Body {
		changes["description"] = obj{"previous": e.m.Body, "current": *body}
		e.m.Body = *body
	}
	if len(changes) > 0 {
		e.emit("update", changes)
	}
}

// labels adds and removes labels by name, with one event.
func (e edit) labels(add, remove []string) {
	before := slices.Clone(e.m.Labels)
	for _, name := range add {
		if l := e.s.label(e.p, name); !slices.Contains(e.m.Labels, l.Name) {
			e.m.Labels = append(e.m.Labels, l.Name)
		}
	}
	e.m.Labels = host.Without(e.m.Labels, func(x string) bool { return slices.Contains(remove, x) })
	if slices.Equal(before, e.m.Labels) {
		return
	}
	e.s.system(e.m, e.by.ID, "changed labels")
	v := e.s.view()
	e.emit("update", obj{"labels": obj{"previous": v.hookLabels(e.p, before), "current": v.hookLabels(e.p, e.m.Labels)}})
}

// label returns the label with a name, and makes it if necessary; names are case-sensitive. Server.Mu is held.
func (s *Server) label(p *project, name string) *label {
	for _, l := range p.Labels {
		if l.Name == name {
			return l
		}
	}
	l := &label{ID: s.st.ID("label"), Name: name, Color: "#6699cc"}
	p.Labels = append(p.Labels, l)
	return l
}

// reviewers replaces the reviewers.
func (e edit) reviewers(ids []int64) {
	before := e.s.view().hookUsers(e.m.reviewerIDs())
	if !e.s.setReviewers(e.p, e.m, ids) {
		return
	}
	e.s.system(e.m, e.by.ID, "requested review")
	e.emit("update", obj{"reviewers": obj{"previous": before, "current": e.s.view().hookUsers(e.m.reviewerIDs())}})
}

func (m *mergeRequest) reviewerIDs() (ids []int64) {
	for _, r := range m.Reviewers {
		ids = append(ids, r.UserID)
	}
	return ids
}

// setReviewers replaces the reviewers and reports whether anything changed. It silently drops people who must
// not read (app/services/issuable_base_service.rb of gitlab-org/gitlab, filter_reviewers). Server.Mu is held.
func (s *Server) setReviewers(p *project, m *mergeRequest, ids []int64) bool {
	var list []*reviewer
	for _, id := range ids {
		u := s.st.Users[id]
		if u == nil {
			continue
		}
		if sees, code := s.st.sees(u, p); !sees || !code || slices.ContainsFunc(list, func(r *reviewer) bool { return r.UserID == id }) {
			continue
		}
		at := slices.IndexFunc(m.Reviewers, func(r *reviewer) bool { return r.UserID == id })
		if at >= 0 {
			list = append(list, m.Reviewers[at])
		} else {
			list = append(list, &reviewer{UserID: id, State: "unreviewed", Created: s.NowMicros()})
		}
		if s.On(simapi.OneReviewer) {
			break
		}
	}
	changed := !slices.Equal(m.reviewerIDs(), (&mergeRequest{Reviewers: list}).reviewerIDs())
	m.Reviewers = list
	return changed
}
