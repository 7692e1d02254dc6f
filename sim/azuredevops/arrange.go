package azuredevops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

var _ host.CodeHost = (*Server)(nil)

// nameForm matches names of organisations, projects, repositories and accounts (learn.microsoft.com/azure/devops/organizations/settings/
// naming-restrictions).
var nameForm = regexp.MustCompile(`^[^\x00-\x1f\\/:*?"<>|;#$*{},+=\[\]_.][^\x00-\x1f\\/:*?"<>|;#$*{},+=\[\]]{0,63}$`)

func checkName(name string) error {
	if !nameForm.MatchString(name) || strings.TrimSpace(name) != name || strings.HasSuffix(name, ".") {
		return errors.New("a name must have at most 64 characters and none of those that the host forbids")
	}
	return nil
}

// roleWords maps the names of roles on other hosts to rights.
var roleWords = map[string]string{"": "", "read": "read", "triage": "read", "write": "write", "maintain": "admin", "admin": "admin"}

// CreateUser makes a person or, for the type "Organization", an organisation with a project, or extends and returns an existing one.
// Admins of an organisation without a project administer all of it, members read every project; those of "organisation/project"
// administer and read that project.
func (s *Server) CreateUser(_ context.Context, spec shared.UserSpec) (shared.User, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	if spec.Type != "Organization" {
		if spec.Login == "" || strings.ContainsAny(spec.Login, "/:") {
			return shared.User{}, errors.New("login: must be a unique name without slashes and colons")
		}
		u := s.st.addUser(spec.Login, spec.Name, s.NowMicros())
		return shared.User{ID: u.ID, Login: u.Login, Type: "User", Token: s.newToken(token{UserID: u.ID})}, nil
	}
	name, inner := divide(spec.Login)
	if err := errors.Join(checkName(name), checkName(inner)); err != nil {
		return shared.User{}, fmt.Errorf("login: %w", err)
	}
	o := s.st.Orgs[strings.ToLower(name)]
	if o == nil {
		o = &org{Name: name, Admins: map[int64]bool{}, People: map[int64]bool{}}
		s.st.Orgs[strings.ToLower(name)] = o
	}
	p := s.st.projectIn(name, inner)
	if p == nil {
		p = &project{ID: s.st.ID("project"), Org: o.Name, Name: inner, Roles: map[int64]string{}}
		s.st.Projects[p.ID] = p
	}
	return shared.User{ID: p.ID, Login: p.path(), Type: "Organization"}, s.setPeople(o, p, !strings.Contains(spec.Login, "/"), spec.Members)
}

// setPeople changes who belongs to an organisation (whole) or to a project. Server.Mu is held.
func (s *Server) setPeople(o *org, p *project, whole bool, members map[string]string) error {
	for _, login := range slices.Sorted(maps.Keys(members)) {
		word := members[login]
		if word != "" && word != "admin" && word != "member" {
			return errors.New(`members: a role must be "admin" or "member"`)
		}
		u := s.st.addUser(login, "", s.NowMicros())
		if whole {
			o.Admins[u.ID], o.People[u.ID] = word == "admin", word != ""
		} else {
			p.Roles[u.ID] = map[string]string{"admin": "admin", "member": "read"}[word]
		}
	}
	return nil
}

// UpdateUser renames a person, or an organisation or project and its people, without an event.
func (s *Server) UpdateUser(_ context.Context, login string, in shared.UserUpdate) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	name, _ := divide(login)
	if o, p := s.st.Orgs[strings.ToLower(name)], s.st.project(login); o != nil && p != nil {
		if err := s.setPeople(o, p, !strings.Contains(login, "/"), in.Members); err != nil || in.Login == "" {
			return err
		}
		organisation, inner := divide(in.Login)
		if checkName(inner) != nil || !strings.EqualFold(organisation, o.Name) || s.st.projectIn(o.Name, inner) != nil {
			return errors.New("login: must be a free name of a project of the same organisation")
		}
		p.Name = inner
		return nil
	}
	u := s.st.user(login)
	if u == nil {
		return errNoUser
	}
	if in.Login != "" && s.st.user(in.Login) != nil {
		return errors.New("login: another account has it")
	}
	u.Login = host.OrElse(in.Login, u.Login)
	return nil
}

// FlagUser blocks an account.
func (s *Server) FlagUser(_ context.Context, login string, in simapi.UserFlags) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	u := s.st.user(login)
	if u == nil {
		return errNoUser
	}
	host.Set(&u.Blocked, in.Blocked)
	s.Touch()
	return nil
}

// NewToken makes a personal access token.
func (s *Server) NewToken(_ context.Context, login string, _ struct{}) (simapi.Token, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	u := s.st.user(login)
	if u == nil {
		return simapi.Token{}, errNoUser
	}
	text := s.newToken(token{UserID: u.ID})
	s.Touch()
	return simapi.Token{ID: s.st.Tokens[hashToken(text)].ID, Text: text, Login: u.Login}, nil
}

// RevokeToken ends a personal access token, and the access tokens of every service principal.
func (s *Server) RevokeToken(_ context.Context, id int64) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	maps.DeleteFunc(s.st.Tokens, func(_ string, t *token) bool { return t.ID == id || t.Bearer })
	s.Touch()
	return nil
}

// RegisterApp registers a service principal with its account.
func (s *Server) RegisterApp(_ context.Context, app simapi.App) error {
	if app.Login == "" || app.Tenant == "" || app.Client == "" || app.Secret == "" {
		return errors.New("login, tenant, client, secret: must not be empty")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.st.addUser(app.Login, "", s.NowMicros()).App = true
	s.st.Apps[strings.ToLower(app.Client)] = app
	s.Touch()
	return nil
}

// CreateRepo makes a repository with a first commit on its default branch. The owner is an organisation's project.
func (s *Server) CreateRepo(ctx context.Context, spec shared.RepoSpec) (shared.Repo, error) {
	if err := checkName(spec.Name); err != nil {
		return shared.Repo{}, fmt.Errorf("name: %w", err)
	}
	s.Mu.Lock()
	p := s.st.project(spec.Owner)
	if p == nil || s.st.repoIn(p, spec.Name) != nil {
		s.Mu.Unlock()
		return shared.Repo{}, errors.New("owner, name: must be a project and a free name")
	}
	id := s.st.ID("repository")
	s.Mu.Unlock()
	spec.Author = host.OrElse(spec.Author, "root")
	git, sha, err := s.InitRepo(ctx, id, &spec, s.author)
	if err != nil {
		return shared.Repo{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := &repository{ID: id, GitID: id, ProjectID: p.ID, Name: spec.Name, Description: spec.Description, DefaultBranch: spec.DefaultBranch,
		Pulls: map[int]*pull{}, Required: spec.Required, Created: s.NowMicros(), git: git}
	p.Public = p.Public || spec.Public
	s.st.Repos[id] = r
	s.Touch()
	return shared.Repo{ID: r.ID, FullName: s.st.full(r), DefaultBranch: r.DefaultBranch, HeadSHA: sha, CloneURL: s.remote(r)},
		s.setRoles(p, spec.Collaborators)
}

// setRoles changes rights in a project. Server.Mu is held.
func (s *Server) setRoles(p *project, roles map[string]string) error {
	return host.Grant("collaborators", p.Roles, roles, roleWords, func(login string) int64 {
		return s.st.addUser(login, "", s.NowMicros()).ID
	})
}

// ChangeRepo renames or deletes a repository, or changes rights.
func (s *Server) ChangeRepo(_ context.Context, full string, in simapi.RepoChange) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r := s.st.repo(full)
	if r == nil {
		return errNoRepo
	}
	p := s.st.Projects[r.ProjectID]
	if in.Delete {
		delete(s.st.Repos, r.ID)
		maps.DeleteFunc(s.st.Subscriptions, func(_ int64, h *subscription) bool { return h.RepoID == r.ID })
		return nil
	}
	if in.Name != "" {
		if checkName(in.Name) != nil || s.st.repoIn(p, in.Name) != nil {
			return errors.New("name: must be a free name")
		}
		r.Name = in.Name
	}
	if in.Project != "" {
		if checkName(in.Project) != nil || s.st.projectIn(p.Org, in.Project) != nil {
			return errors.New("project: must be a free name")
		}
		p.Name = in.Project
	}
	host.Set(&r.Disabled, in.Disabled)
	r.Protected = append(r.Protected, in.Protect...)
	return s.setRoles(p, in.Collaborators)
}

// author returns the author's name and address in a login's commits.
func (s *Server) author(login string) (name, email string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	name = login
	if u := s.st.user(login); u != nil {
		name = u.Name
	}
	if strings.Contains(login, "@") {
		return name, login
	}
	return name, strings.ToLower(login) + "@users.azuredevops.test"
}

// OpenIssue implements [host.CodeHost]. Work items belong to Azure Boards, which sim/tracker simulates.
func (s *Server) OpenIssue(context.Context, string, shared.IssueSpec) (shared.Issue, error) {
	return shared.Issue{}, errors.New("issues: repositories of the host have none")
}

// React implements [host.CodeHost]. The host has likes alone.
func (s *Server) React(context.Context, string, int, shared.ReactionSpec) (shared.Comment, error) {
	return shared.Comment{}, errors.New("reactions: the host has none")
}
