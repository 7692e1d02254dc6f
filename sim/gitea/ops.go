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

var _ simapi.Seeder = (*Server)(nil)

// reserved are first path segments that accounts must not have, because the REST interface or the pages use
// them.
var reserved = []string{"api", "login", "user", "explore", "org", "admin", "assets", "metrics", "_sim", "_static", "_avatars",
	".well-known"}

func checkLogin(login string) error {
	if !validName.MatchString(login) || slices.Contains(reserved, strings.ToLower(login)) {
		return errors.New("login: must be letters, digits, dots and dashes, and none of the reserved words")
	}
	return nil
}

// CreateUser makes a person or an organisation, or extends and returns an existing one. A person gets a token
// of all scopes. Admins of an organisation are its owners; members are in a team that may read everything.
func (s *Server) CreateUser(_ context.Context, spec simapi.UserSpec) (simapi.User, error) {
	if err := checkLogin(spec.Login); err != nil {
		return simapi.User{}, err
	}
	if spec.Type != "" && spec.Type != "User" && spec.Type != "Organization" {
		return simapi.User{}, errors.New(`type: must be "User" or "Organization"`)
	}
	org := spec.Type == "Organization"
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	u := s.st.addUser(spec.Login, spec.Name, org, s.NowMicros())
	if u.Org != org {
		return simapi.User{}, errors.New("login: an account of another type has it")
	}
	if err := s.setMembers(u, spec.Members); err != nil {
		return simapi.User{}, err
	}
	out := simapi.User{ID: u.ID, Login: u.Login, Type: u.kind()}
	if !org {
		out.Token, _ = s.st.newToken(u, "control", []string{scopeAll}, s.NowMicros())
	}
	return out, nil
}

// newToken makes an access token and returns its text, which is not stored.
func (st *state) newToken(u *user, name string, scopes []string, now micros) (text string, t *token) {
	text = host.RandomHex(20) // 40 hexadecimal digits, as the host's
	t = &token{ID: st.ID("token"), UserID: u.ID, Name: name, Scopes: scopes, Created: now}
	st.Tokens[host.HashHex([]byte(text))] = t
	return text, t
}

// membersTeam is the team of members who are not owners.
const membersTeam = "members"

// setMembers changes the members of an organisation: login to "admin", "member" or "". Server.Mu is held.
func (s *Server) setMembers(org *user, members map[string]string) error {
	for _, login := range slices.Sorted(maps.Keys(members)) {
		role := members[login]
		if role != "admin" && role != "member" && role != "" {
			return errors.New(`members: a role must be "admin", "member" or ""`)
		}
		m := s.st.addUser(login, "", false, s.NowMicros())
		for _, t := range s.st.teamsWhere(func(t *team) bool { return t.OrgID == org.ID }) {
			t.Members = host.Without(t.Members, func(x string) bool { return x == m.Login })
		}
		switch role {
		case "admin":
			t := s.st.teamsWhere(func(t *team) bool { return t.OrgID == org.ID && t.Permission == "owner" })[0]
			t.Members = append(t.Members, m.Login)
		case "member":
			t := s.teamNamed(org, membersTeam)
			t.Members = append(t.Members, m.Login)
		}
	}
	return nil
}

// teamNamed finds or makes a team that may read everything. Server.Mu is held.
func (s *Server) teamNamed(org *user, name string) *team {
	if list := s.st.teamsWhere(func(t *team) bool { return t.OrgID == org.ID && strings.EqualFold(t.Name, name) }); len(list) > 0 {
		return list[0]
	}
	t := &team{ID: s.st.ID("team"), OrgID: org.ID, Name: name, Permission: "read", All: true}
	s.st.Teams[t.ID] = t
	return t
}

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
	r := &repository{ID: id, GitID: id, Owner: owner.Login, Name: spec.Name, Description: spec.Description, Private: !spec.Public,
		DefaultBranch: spec.DefaultBranch,
		NextNumber:    1, Created: now, Updated: now, Required: spec.Required, Pulls: map[int]*pull{}, git: git}
	if err := s.setCollaborators(r, spec.Collaborators); err != nil {
		return simapi.Repo{}, err
	}
	s.st.Repos[id] = r
	delete(s.st.Moved, strings.ToLower(r.FullName()))
	s.emitRepository(r, "created", owner.Login)
	s.Touch()
	return simapi.Repo{ID: r.ID, FullName: r.FullName(), DefaultBranch: r.DefaultBranch, HeadSHA: sha, CloneURL: s.view().repoHTML(r) +
		".git"}, nil
}

// setCollaborators changes collaborators. Roles of other hosts become the nearest role of this one. Server.Mu
// is held.
func (s *Server) setCollaborators(r *repository, list map[string]string) error {
	words := map[string]string{"": "", "read": "read", "triage": "read", "write": "write", "maintain": "write", "admin": "admin"}
	for _, login := range slices.Sorted(maps.Keys(list)) {
		role, ok := words[list[login]]
		if !ok {
			return errors.New(`collaborators: a role must be "read", "write" or "admin", or "" to remove somebody`)
		}
		r.setCollaborator(s.st.addUser(login, "", false, s.NowMicros()).Login, role)
	}
	return nil
}

// author returns the author's name and address in a login's commits.
func (s *Server) author(login string) (name, email string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	name = login
	if u := s.st.user(login); u != nil && u.Name != "" {
		name = u.Name
	}
	return name, strings.ToLower(login) + "@" + emailDomain
}

// Commit makes a commit on a branch (or moves the branch). It then sends push, and an event of the type
// pull_request_sync for every open pull request with this branch as head.
func (s *Server) Commit(ctx context.Context, fullName string, c simapi.CommitSpec) (simapi.Commit, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Commit{}, err
	}
	s.Mu.Lock()
	c.Author = host.OrElse(c.Author, r.Owner)
	usual := r.DefaultBranch
	s.Mu.Unlock()
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	out, err := s.Advance(ctx, r.git, c, usual, s.author)
	if err != nil || out.SHA == out.Before {
		return out, err
	}
	return out, s.pushed(ctx, r, c.Branch, out.Before, out.SHA, out.Forced, c.Author)
}

// moved is a pull request with the new head after a push.
type moved struct {
	r    *repository
	p    *pull
	base string
	to   snapshot
	n    pullStats
}

// pushed updates pull requests and sends the events of a push. GitMu is held, Mu is not.
func (s *Server) pushed(ctx context.Context, r *repository, branch, before, after string, forced bool, sender string) error {
	s.Mu.Lock()
	var list []moved
	for _, base := range s.st.Repos {
		for _, p := range base.Pulls {
			if p.State == "open" && base.GitID == r.GitID && p.Head == branch {
				list = append(list, moved{r: base, p: p, base: p.BaseRef})
			}
		}
	}
	s.Mu.Unlock()
	info := s.describePush(ctx, r, "refs/heads/"+branch, before, after)
	for i := range list {
		m := &list[i]
		base, err := r.git.Resolve(ctx, "heads/"+m.base)
		if err != nil {
			return fmt.Errorf("base branch: %w", err)
		}
		merge, err := r.git.MergeBase(ctx, base, after)
		if err != nil {
			return fmt.Errorf("merge base: %w", err)
		}
		m.to = snapshot{base: base, head: after, mergeBase: merge}
		if m.n, err = s.stats(ctx, r, m.to); err != nil {
			return err
		}
		if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull/%d/head", m.p.Number), after); err != nil {
			return err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	now := s.NowMicros()
	r.Updated = now
	r.baseMoved(branch, after)
	s.emitPush(r, info, sender)
	for _, m := range list {
		m.p.HeadSHA, m.p.BaseSHA, m.p.MergeBase, m.p.Updated = after, m.to.base, m.to.mergeBase, now
		text := "pushed"
		if forced {
			text = "force-pushed"
		}
		m.p.Events = append(m.p.Events, timelineEvent{At: now, Actor: sender, Text: text, SHA: after})
		s.emitPull(m.r, m.p, m.n, "pull_request_sync", "synchronized", sender, obj{"commit_id": after})
	}
	return nil
}
