package bitbucket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

var _ shared.Seeder = (*Server)(nil)

var validName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,61}$`)

// reserved are first path segments that accounts must not have, because the REST interface or the pages use them.
var reserved = []string{"2.0", "site", "account", "dashboard", "_sim", "_static", "_avatars", "_logs"}

func checkLogin(login string) error {
	if !validName.MatchString(login) || slices.Contains(reserved, strings.ToLower(login)) {
		return errors.New("login: must be letters, digits, dots and dashes, and none of the reserved words")
	}
	return nil
}

// CreateUser makes a person or a workspace, or extends and returns an existing one. A person gets an API token of all
// scopes. Admins of a workspace own it; members may read everything.
func (s *Server) CreateUser(_ context.Context, spec shared.UserSpec) (shared.User, error) {
	if err := checkLogin(spec.Login); err != nil {
		return shared.User{}, err
	}
	if spec.Type != "" && spec.Type != "User" && spec.Type != "Organization" {
		return shared.User{}, errors.New(`type: must be "User" or "Organization"`)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	known, org := s.st.user(spec.Login) != nil, spec.Type == "Organization"
	u := s.st.addUser(spec.Login, spec.Name, s.NowMicros())
	if known && u.Org != org {
		return shared.User{}, errors.New("login: an account of another type has it")
	}
	u.Org = org
	if err := s.setMembers(u, spec.Members); err != nil {
		return shared.User{}, err
	}
	out := shared.User{ID: u.ID, Login: u.Login, Type: host.OrElse(spec.Type, "User")}
	if !org {
		out.Token = s.st.newToken(&token{Kind: simapi.APIToken, UserID: u.ID, Name: "control"}, "ATATT3xFfGF0")
	}
	return out, nil
}

// newToken keeps a token and returns its new text, which is not stored.
func (st *state) newToken(t *token, prefix string) (text string) {
	text, t.ID = prefix+host.RandomHex(24), st.ID("token")
	st.Tokens[host.HashHex([]byte(text))] = t
	return text
}

// setMembers changes the members of a workspace: login to "admin", "member" or "". Server.Mu is held.
func (s *Server) setMembers(w *user, list map[string]string) error {
	words := map[string]string{"admin": "owner", "member": "member", "": ""}
	return host.Grant("members", w.Members, list, words, s.account)
}

// account returns the id of a login, and makes an account for a new one. Server.Mu is held.
func (s *Server) account(login string) int64 { return s.st.addUser(login, "", s.NowMicros()).ID }

// UpdateUser renames an account, or changes the members of a workspace, without an event.
func (s *Server) UpdateUser(_ context.Context, login string, in shared.UserUpdate) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	u := s.st.user(login)
	if u == nil {
		return errNoUser
	}
	if err := s.setMembers(u, in.Members); err != nil {
		return err
	}
	if in.Login == "" || in.Login == u.Login {
		return nil
	}
	if err := checkLogin(in.Login); err != nil {
		return err
	}
	if other := s.st.user(in.Login); other != nil && other != u {
		return errors.New("login: another account has it")
	}
	for _, r := range s.st.Repos {
		if r.OwnerID == u.ID {
			s.st.Moved[strings.ToLower(s.st.fullName(r))] = r.ID
		}
	}
	delete(s.st.Users, strings.ToLower(u.Login))
	u.Login = in.Login
	s.st.Users[strings.ToLower(in.Login)] = u
	return nil
}

// CreateRepo makes a repository with a first commit on its default branch. The owner must exist.
func (s *Server) CreateRepo(ctx context.Context, spec shared.RepoSpec) (shared.Repo, error) {
	if !validName.MatchString(spec.Name) || strings.HasSuffix(spec.Name, ".git") {
		return shared.Repo{}, errors.New("name: must be letters, digits, dots and dashes, not ending in .git")
	}
	s.Mu.Lock()
	owner, now := s.st.user(spec.Owner), s.NowMicros()
	taken, id := s.st.repo(spec.Owner, spec.Name) != nil, s.st.ID("repository")
	s.Mu.Unlock()
	switch {
	case owner == nil:
		return shared.Repo{}, errors.New("owner: there is no such account")
	case taken:
		return shared.Repo{}, errors.New("name: the account has a repository with that name")
	}
	spec.Author = host.OrElse(spec.Author, owner.Login)
	git, sha, err := s.InitRepo(ctx, id, &spec, s.author)
	if err != nil {
		return shared.Repo{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := &repository{ID: id, GitID: id, OwnerID: owner.ID, Name: spec.Name, Description: spec.Description, Private: !spec.Public,
		DefaultBranch: spec.DefaultBranch, NextNumber: 1, NextIssue: 1, Created: now, Updated: now, Required: spec.Required,
		Pulls: map[int]*pull{}, Collaborators: map[int64]string{}, git: git}
	if err := s.setCollaborators(r, spec.Collaborators); err != nil {
		return shared.Repo{}, err
	}
	s.st.Repos[id] = r
	delete(s.st.Moved, strings.ToLower(s.st.fullName(r)))
	s.emit(r, "repo:created", owner.ID, obj{})
	s.Touch()
	return shared.Repo{ID: r.ID, FullName: s.st.fullName(r), DefaultBranch: r.DefaultBranch, HeadSHA: sha,
		CloneURL: s.view().cloneURL(r)}, nil
}

// setCollaborators changes explicit rights. Roles of other hosts become the nearest role of this one. Server.Mu is held.
func (s *Server) setCollaborators(r *repository, list map[string]string) error {
	words := map[string]string{"": "", "read": "read", "triage": "read", "write": "write", "maintain": "write", "admin": "admin"}
	return host.Grant("collaborators", r.Collaborators, list, words, s.account)
}

// author returns the author's name and address in a login's commits.
func (s *Server) author(login string) (name, email string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.user(login); u != nil {
		return u.Name, u.Email
	}
	return login, strings.ToLower(login) + "@" + emailDomain
}

// Commit makes a commit on a branch (or moves the branch). It then sends repo:push, and pullrequest:updated for every
// open pull request with this branch as source.
func (s *Server) Commit(ctx context.Context, fullName string, c shared.CommitSpec) (shared.Commit, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return shared.Commit{}, err
	}
	s.Mu.Lock()
	c.Author = host.OrElse(c.Author, s.st.login(r.OwnerID))
	usual, sender := r.DefaultBranch, s.st.addUser(c.Author, "", s.NowMicros()).ID
	s.Mu.Unlock()
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	out, err := s.Advance(ctx, r.git, c, usual, s.author)
	if err != nil || out.SHA == out.Before {
		return out, err
	}
	return out, s.pushed(ctx, r, push{branch: c.Branch, before: out.Before, after: out.SHA, forced: out.Forced, sender: sender})
}

// push is a branch that was moved.
type push struct {
	branch, before, after string
	forced                bool
	sender                int64
}

// pushed updates pull requests and sends the events of a push. GitMu is held, Mu is not.
func (s *Server) pushed(ctx context.Context, r *repository, u push) error {
	type moved struct {
		r  *repository
		p  *pull
		to snapshot
	}
	var list []moved
	s.Mu.Lock()
	for _, target := range s.st.Repos {
		for _, p := range target.Pulls {
			if p.State == stateOpen && target.GitID == r.GitID && (p.Source == u.branch || p.Target == u.branch) {
				list = append(list, moved{r: target, p: p, to: snapshot{base: p.BaseSHA, head: p.HeadSHA}})
			}
		}
	}
	s.Mu.Unlock()
	info := s.describePush(ctx, r, u.branch, u.before, u.after, u.forced)
	for i := range list {
		m := &list[i]
		if m.p.Source == u.branch {
			m.to.head = u.after
		} else {
			m.to.base = u.after
		}
		var err error
		if m.to.mergeBase, err = r.git.MergeBase(ctx, m.to.base, m.to.head); err != nil {
			return fmt.Errorf("merge base: %w", err)
		}
		if err := r.git.SetRef(ctx, fmt.Sprintf("refs/pull-requests/%d/from", m.p.Number), m.to.head); err != nil {
			return err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	now := s.NowMicros()
	r.Updated = now
	s.emitPush(r, info, u.sender)
	for _, m := range list {
		m.p.HeadSHA, m.p.BaseSHA, m.p.MergeBase = m.to.head, m.to.base, m.to.mergeBase
		if m.p.Source != u.branch {
			continue
		}
		text := "pushed"
		if u.forced {
			text = "force-pushed"
		}
		m.p.Updated = now
		m.p.Events = append(m.p.Events, timelineEvent{At: now, Actor: u.sender, Text: text, SHA: u.after})
		s.emitPull(m.r, m.p, "updated", u.sender, nil)
		if s.On(simapi.PushEvents) {
			s.emitPull(m.r, m.p, "push", u.sender, nil)
		}
	}
	return nil
}

// merge makes the merge commit of an open pull request and moves its target there. GitMu is held, Mu is not.
func (s *Server) merge(ctx context.Context, r *repository, p *pull, actor string) (host.Merged, error) {
	s.Mu.Lock()
	open, head, target := p.State == stateOpen, p.HeadSHA, p.Target
	message := fmt.Sprintf("Merged in %s (pull request #%d)\n\n%s", p.Source, p.Number, p.Title)
	unmet := s.unmet(r, head)
	s.Mu.Unlock()
	if !open || unmet != nil {
		return host.Merged{}, unmet
	}
	name, email := s.author(actor)
	return s.Merge(ctx, r.git, target, head, message, gitrepo.Identity{Name: name, Email: email})
}

// unmet returns the error of a required build that does not pass at a head. The host counts successful builds; the
// simulator names them, so that a page can say which one is missing. Mu is held.
func (s *Server) unmet(r *repository, head string) error {
	return host.UnmetCheck(r.Required, func(name string) (string, bool) {
		for _, x := range slices.Backward(r.Statuses) {
			if x.SHA == head && (x.Key == name || x.Name == name) {
				return x.State, x.State == "SUCCESSFUL"
			}
		}
		return "", false
	})
}
