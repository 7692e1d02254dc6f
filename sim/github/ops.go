package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// CreateRepo makes a repository with a first commit on its default branch. The owner must exist.
func (s *Server) CreateRepo(ctx context.Context, spec simapi.RepoSpec) (simapi.Repo, error) {
	if !validName.MatchString(spec.Name) || strings.HasSuffix(spec.Name, ".git") {
		return simapi.Repo{}, errors.New("name: must be letters, digits, dots and dashes, not ending in .git")
	}
	now := s.NowMicros()
	s.Mu.Lock()
	owner := s.st.user(spec.Owner)
	taken := s.st.repo(spec.Owner, spec.Name) != nil
	id := s.st.ID("repository")
	s.Mu.Unlock()
	switch {
	case owner == nil:
		return simapi.Repo{}, errors.New("owner: there is no such account")
	case taken:
		return simapi.Repo{}, errors.New("name: the account has a repository with that name")
	}
	spec.Author = host.OrElse(spec.Author, owner.Login)
	git, sha, err := s.InitRepo(ctx, id, &spec, s.author)
	if err != nil {
		return simapi.Repo{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for login := range spec.Collaborators {
		s.st.addUser(login, "", "User", now)
	}
	r := &repository{ID: id, Owner: owner.Login, Name: spec.Name, Description: spec.Description, Private: !spec.Public,
		DefaultBranch: spec.DefaultBranch,
		Collaborators: maps.Clone(spec.Collaborators), Required: spec.Required,
		NextNumber: 1, Created: now, Updated: now, Pushed: now, Pulls: map[int]*pull{},
		CheckRuns: map[int64]*checkRun{}, CheckSuites: map[int64]*checkSuite{}, Labels: map[string]*label{}, git: git}
	s.st.Repos[id] = r
	for _, i := range s.st.Installations {
		if i.All && i.covers(r) {
			s.emitInstallation(i, "installation_repositories", "added", s.st.adminOf(owner), obj{"repository_selection": "all",
				"repositories_added": briefRepos([]*repository{r}), "repositories_removed": []any{}, "requester": nil})
		}
	}
	s.Touch()
	return simapi.Repo{ID: r.ID, FullName: r.FullName(), DefaultBranch: r.DefaultBranch, HeadSHA: sha, CloneURL: s.view().repoHTML(r) +
		".git"}, nil
}

// author returns the author's name and address in a login's commits.
func (s *Server) author(login string) (name, email string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	name = login
	if u := s.st.user(login); u != nil && u.Name != "" {
		name = u.Name
	}
	return name, login + "@" + emailDomain
}

// Commit makes a commit on a branch (or moves the branch). It then sends push, and pull_request synchronize
// for every open pull request with this branch as head.
func (s *Server) Commit(ctx context.Context, fullName string, c simapi.CommitSpec) (simapi.Commit, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Commit{}, err
	}
	c.Author = host.OrElse(c.Author, r.Owner)
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	out, err := s.Advance(ctx, r.git, c, r.DefaultBranch, s.author)
	if err != nil || out.SHA == out.Before {
		return out, err
	}
	return out, s.pushed(ctx, r, c.Branch, out.Before, out.SHA, out.Forced, c.Author)
}

// pushed updates pull requests and sends the events of a push. GitMu is held, Mu is not.
func (s *Server) pushed(ctx context.Context, r *repository, branch, before, after string, forced bool, sender string) error {
	s.Mu.Lock()
	html := s.view().repoHTML(r)
	type moved struct {
		p    *pull
		base string
		n    pullStats
	}
	var list []moved
	for _, p := range r.Pulls {
		if p.State == "open" && p.Head == branch {
			list = append(list, moved{p: p, base: p.BaseRef})
		}
	}
	s.Mu.Unlock()
	info := s.describePush(ctx, r, html, "refs/heads/"+branch, before, after, forced)
	for i := range list {
		base, err := r.git.Resolve(ctx, "heads/"+list[i].base)
		if err != nil {
			return fmt.Errorf("base branch: %w", err)
		}
		if list[i].n, err = s.stats(ctx, r, base, after); err != nil {
			return err
		}
		list[i].base = base
		if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull/%d/head", list[i].p.Number), after); err != nil {
			return err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	now := s.NowMicros()
	r.Pushed, r.Updated = now, now
	s.emitPush(r, info, sender)
	for _, m := range list {
		old := m.p.HeadSHA
		m.p.HeadSHA, m.p.BaseSHA, m.p.Updated = after, m.base, now
		if !slices.Contains(m.p.Heads, after) {
			m.p.Heads = append(m.p.Heads, after)
		}
		text := "pushed"
		if forced {
			text = "force-pushed"
		}
		m.p.Events = append(m.p.Events, timelineEvent{At: now, Actor: sender, Text: text, SHA: after})
		s.emitPull(r, m.p, m.n, "synchronize", sender, obj{"before": old, "after": after})
	}
	return nil
}

// OpenPull opens a pull request and sends pull_request opened.
func (s *Server) OpenPull(ctx context.Context, fullName string, spec simapi.PullSpec) (simapi.Pull, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Pull{}, err
	}
	if strings.TrimSpace(spec.Title) == "" {
		return simapi.Pull{}, errors.New("title: must not be empty")
	}
	spec.Base, spec.Author = host.OrElse(spec.Base, r.DefaultBranch), host.OrElse(spec.Author, r.Owner)
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	head, err1 := r.git.Resolve(ctx, "heads/"+spec.Head)
	base, err2 := r.git.Resolve(ctx, "heads/"+spec.Base)
	if err1 != nil || err2 != nil {
		return simapi.Pull{}, errors.New("head, base: both must be branches of the repository")
	}
	n, err := s.stats(ctx, r, base, head)
	if err != nil {
		return simapi.Pull{}, errors.New("head, base: the branches have no common history")
	}
	if n.Commits == 0 {
		return simapi.Pull{}, fmt.Errorf("head: no commits between %s and %s", spec.Base, spec.Head)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, p := range r.Pulls {
		if p.State == "open" && p.Head == spec.Head && p.BaseRef == spec.Base {
			return simapi.Pull{}, fmt.Errorf("head: a pull request already exists for %s", spec.Head)
		}
	}
	now := s.NowMicros()
	if !spec.At.IsZero() {
		now = micros(spec.At.UnixMicro())
	}
	author := s.st.addUser(spec.Author, "", "User", now)
	fork, forkID := "", int64(0)
	if spec.Fork != "" {
		fork, forkID = s.st.addUser(spec.Fork, "", "User", now).Login, s.st.ID("repository")
	}
	p := &pull{ID: s.st.ID("pull"), IssueID: s.st.ID("issue"), Number: r.NextNumber, Title: spec.Title, Body: spec.Body,
		Author: author.Login, State: "open",
		Draft: spec.Draft, BaseRef: spec.Base, Head: spec.Head, BaseSHA: base, HeadSHA: head, Heads: []string{head}, Fork: fork,
		ForkID: forkID, Created: now, Updated: now,
		ResolvedThreads: map[int64]string{}}
	if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull/%d/head", p.Number), head); err != nil {
		return simapi.Pull{}, err
	}
	r.NextNumber++
	r.Pulls[p.Number] = p
	for _, l := range spec.Labels {
		s.st.addLabel(r, p, l)
	}
	s.emitPull(r, p, n, "opened", author.Login, obj{})
	s.Touch()
	return s.describePull(r, p), nil
}

func (s *Server) describePull(r *repository, p *pull) simapi.Pull {
	_, page := s.view().pullURL(r, p)
	return simapi.Pull{ID: p.ID, Number: p.Number, HeadSHA: p.HeadSHA, BaseSHA: p.BaseSHA, State: p.State, Draft: p.Draft, HTMLURL: page}
}

func (st *state) addLabel(r *repository, p *pull, name string) bool {
	key := strings.ToLower(name)
	if r.Labels[key] == nil {
		palette := []string{"0075ca", "d73a4a", "a2eeef", "7057ff", "008672", "e4e669"}
		r.Labels[key] = &label{ID: st.ID("label"), Name: name, Color: palette[len(r.Labels)%len(palette)]}
	}
	if slices.Contains(p.Labels, r.Labels[key].Name) {
		return false
	}
	p.Labels = append(slices.Clone(p.Labels), r.Labels[key].Name)
	return true
}

var _ simapi.Seeder = (*Server)(nil)
