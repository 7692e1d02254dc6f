package azuredevops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// refusal is an error with the host's status and words.
type refusal struct {
	status      int
	kind, words string
}

// Error implements error.
func (r refusal) Error() string { return r.words }

// OpenPull opens a pull request and sends its event.
func (s *Server) OpenPull(ctx context.Context, full string, spec shared.PullSpec) (shared.Pull, error) {
	r, err := s.FindRepo(full)
	if err != nil {
		return shared.Pull{}, err
	}
	p, err := s.open(ctx, r, spec)
	if err != nil {
		return shared.Pull{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.describePull(r, p), nil
}

func (s *Server) describePull(r *repository, p *pull) shared.Pull {
	state := map[string]string{"active": "open", "completed": "merged", "abandoned": "closed"}[p.Status]
	return shared.Pull{ID: int64(p.Number), Number: p.Number, HeadSHA: p.now().Source, BaseSHA: p.now().Target, State: state, Draft: p.Draft,
		HTMLURL: s.pullPage(r, p)}
}

// open opens a pull request.
func (s *Server) open(ctx context.Context, r *repository, o shared.PullSpec) (*pull, error) {
	if strings.TrimSpace(o.Title) == "" || len([]rune(o.Body)) > 4000 {
		return nil, refusal{http.StatusBadRequest, "InvalidArgumentValueException",
			"TF400898: A title is needed, and a description has at most 4000 characters."}
	}
	s.Mu.Lock()
	owner := s.st.Projects[r.ProjectID]
	o.Base, o.Author = host.OrElse(o.Base, r.DefaultBranch), host.OrElse(o.Author, owner.Org)
	s.Mu.Unlock()
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	at, err := s.iterate(ctx, r, o.Head, o.Base)
	if err != nil {
		return nil, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	now := s.NowMicros()
	if !o.At.IsZero() {
		now = micros(o.At.UnixMicro())
	}
	fork := int64(0)
	if o.Fork != "" {
		fork = s.fork(r, s.st.addUser(o.Fork, "", now)).ID
	}
	for _, p := range r.Pulls {
		if p.Status == "active" && p.Source == o.Head && p.Target == o.Base && p.ForkID == fork {
			return nil, refusal{http.StatusConflict, "GitPullRequestExistsException",
				"TF401179: An active pull request for the source and target branch already exists."}
		}
	}
	author := s.st.addUser(o.Author, "", now)
	at.ID, at.Created = 1, now
	p := &pull{Number: int(s.st.ID("pull of " + strings.ToLower(owner.Org))), Title: o.Title, Body: o.Body, Author: author.ID,
		Status: "active", Draft: o.Draft, Source: o.Head, Target: o.Base, ForkID: fork, Created: now, Iterations: []*iteration{&at}}
	if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull/%d/head", p.Number), at.Source); err != nil {
		return nil, err
	}
	r.Pulls[p.Number] = p
	for _, name := range o.Labels {
		p.Labels = append(p.Labels, label{ID: s.st.ID("label"), Name: name})
	}
	for _, login := range o.Reviewers {
		p.Reviewers = append(p.Reviewers, &reviewer{UserID: s.st.addUser(login, "", now).ID})
	}
	s.emitPull(r, p, eventCreated, "", author)
	s.Touch()
	return p, nil
}

// iterate computes the commits of an iteration.
func (s *Server) iterate(ctx context.Context, r *repository, head, base string) (at iteration, err error) {
	missing := refusal{http.StatusNotFound, "GitPullRequestBranchNotFoundException",
		"TF401398: The branch of the pull request does not exist."}
	if at.Source, err = r.git.Resolve(ctx, "heads/"+head); err != nil {
		return at, missing
	}
	if at.Target, err = r.git.Resolve(ctx, "heads/"+base); err != nil {
		return at, missing
	}
	if at.Common, err = r.git.MergeBase(ctx, at.Target, at.Source); err != nil {
		err = errors.New("head, base: the branches have no common history")
	}
	return at, err
}

// fork returns a person's fork of a repository, in the same project, and makes it if necessary. It shares the objects of the network;
// Server.Mu is held.
func (s *Server) fork(r *repository, u *user) *repository {
	name := r.Name + "." + strings.ReplaceAll(u.Login, "@", ".")
	p := s.st.Projects[r.ProjectID]
	if f := s.st.repoIn(p, name); f != nil {
		return f
	}
	f := &repository{ID: s.st.ID("repository"), GitID: r.GitID, ForkOf: r.ID, ProjectID: p.ID, Name: name, DefaultBranch: r.DefaultBranch,
		Pulls: map[int]*pull{}, Created: s.NowMicros(), git: r.git}
	s.st.Repos[f.ID] = f
	return f
}

// UpdatePull changes a pull request. A change of state or reviewers sends its event; the host sends nothing for titles, labels, drafts
// and targets.
func (s *Server) UpdatePull(ctx context.Context, full string, number int, in shared.PullUpdate) (shared.Pull, error) {
	if !slices.Contains([]string{"", "open", "closed", "merged"}, in.State) {
		return shared.Pull{}, errors.New(`state: must be "open", "closed" or "merged"`)
	}
	s.Mu.Lock()
	r, p, err := s.st.find(full, number)
	if err != nil {
		s.Mu.Unlock()
		return shared.Pull{}, err
	}
	u := s.st.Users[p.Author]
	if in.Actor != "" {
		u = s.st.addUser(in.Actor, "", s.NowMicros())
	}
	source, title := p.Source, p.Title
	s.Mu.Unlock()
	merge := ""
	if in.State == "merged" {
		if merge, err = s.merge(ctx, r, p, u, title); err != nil {
			return shared.Pull{}, err
		}
	}
	var target iteration
	if in.Base != "" {
		if target, err = s.iterate(ctx, r, source, in.Base); err != nil {
			return shared.Pull{}, err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	now := s.NowMicros()
	if in.Base != "" {
		target.ID, target.Created = p.now().ID+1, now
		p.Target, p.Iterations = in.Base, append(p.Iterations, &target)
		s.emitPull(r, p, eventUpdated, pushed, u)
	}
	host.Set(&p.Title, in.Title)
	host.Set(&p.Body, in.Body)
	host.Set(&p.Draft, in.Draft)
	p.Labels = host.Without(p.Labels, func(l label) bool { return slices.Contains(in.Unlabel, l.Name) })
	for _, name := range in.Label {
		p.Labels = append(p.Labels, label{ID: s.st.ID("label"), Name: name})
	}
	if state := map[string]string{"open": "active", "closed": "abandoned", "merged": "completed"}[in.State]; state != "" && state != p.Status {
		p.Status, p.Closed, p.ClosedBy, p.MergeCommit = state, now, u.ID, merge
		if state == "active" {
			p.Closed, p.ClosedBy = 0, 0
		}
		s.emitPull(r, p, eventUpdated, statusChanged, u)
		if state == "completed" {
			s.emitPull(r, p, eventMerged, "", u)
		}
	}
	for _, login := range in.RequestBy {
		p.review(s.st.addUser(login, "", now).ID)
		s.emitPull(r, p, eventUpdated, reviewersChanged, u)
	}
	s.Touch()
	return s.describePull(r, p), nil
}

// review returns the reviewer of an account, and adds it if necessary.
func (p *pull) review(id int64) *reviewer {
	for _, r := range p.Reviewers {
		if r.UserID == id {
			return r
		}
	}
	r := &reviewer{UserID: id}
	p.Reviewers = append(p.Reviewers, r)
	return r
}

// merge makes the merge commit of a pull request.
func (s *Server) merge(ctx context.Context, r *repository, p *pull, by *user, title string) (string, error) {
	if err := s.Mergeable(s.fullName(r), p.Number); err != nil {
		return "", err
	}
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	name, email := s.author(by.Login)
	s.Mu.Lock()
	target, head := p.Target, p.now().Source
	s.Mu.Unlock()
	made, err := s.Merge(ctx, r.git, target, head, fmt.Sprintf("Merged PR %d: %s", p.Number, title),
		gitrepo.Identity{Name: name, Email: email})
	if err == nil {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		s.emitPush(r, target, made, by)
	}
	return made.After, err
}

// fullName is [state.full] for a caller that does not hold Mu.
func (s *Server) fullName(r *repository) string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.st.full(r)
}

// unmet returns an error that explains why a pull request cannot be completed. Server.Mu is held.
func (s *Server) unmet(r *repository, p *pull) error {
	switch {
	case p.Status != "active":
		return host.ErrNotOpen
	case p.Draft:
		return errors.New("state: a draft cannot be completed")
	}
	return host.UnmetCheck(r.Required, func(name string) (string, bool) {
		for _, x := range slices.Backward(p.Statuses) {
			if x.Name == name {
				return x.State, x.State == "succeeded" || x.State == "notApplicable"
			}
		}
		return "", false
	})
}

// Commit makes a commit on a branch (or moves the branch) and sends its events.
func (s *Server) Commit(ctx context.Context, full string, c shared.CommitSpec) (shared.Commit, error) {
	r, err := s.FindRepo(full)
	if err != nil {
		return shared.Commit{}, err
	}
	c.Author = host.OrElse(c.Author, "root")
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	out, err := s.Advance(ctx, r.git, c, r.DefaultBranch, s.author)
	if err != nil || out.SHA == out.Before {
		return out, err
	}
	return out, s.moved(ctx, r, c.Branch, host.Merged{Before: out.Before, After: out.SHA}, c.Author)
}

// moved adds an iteration to the open pull requests of a branch that got other commits, and sends the events of this. GitMu is held,
// Mu is not.
func (s *Server) moved(ctx context.Context, r *repository, branch string, to host.Merged, by string) error {
	type change struct {
		r *repository
		p *pull
		iteration
	}
	var list []change
	s.Mu.Lock()
	for _, x := range s.st.Repos {
		for _, p := range x.Pulls {
			if x.GitID == r.GitID && p.Status == "active" && p.Source == branch {
				list = append(list, change{r: x, p: p})
			}
		}
	}
	s.Mu.Unlock()
	for i := range list {
		at, err := s.iterate(ctx, r, branch, list[i].p.Target)
		if err != nil {
			return err
		}
		list[i].iteration = at
		if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull/%d/head", list[i].p.Number), at.Source); err != nil {
			return err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	now := s.NowMicros()
	u := s.st.addUser(by, "", now)
	s.emitPush(r, branch, to, u)
	slices.SortFunc(list, func(a, b change) int { return a.p.Number - b.p.Number })
	for _, x := range list {
		if x.p.now().Source == x.Source {
			continue
		}
		x.ID, x.Created = x.p.now().ID+1, now
		x.p.Iterations = append(x.p.Iterations, &x.iteration)
		s.emitPull(x.r, x.p, eventUpdated, pushed, u)
	}
	return nil
}
