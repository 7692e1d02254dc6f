package gitlab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

var _ shared.Seeder = (*Server)(nil)

// pathForm matches one part of a path of a login, a group or a project.
var pathForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)

func checkPath(full string, parts int) error {
	list := strings.Split(full, "/")
	if len(list) > parts {
		return errors.New("the path has too many parts")
	}
	for _, p := range list {
		if !pathForm.MatchString(p) || strings.HasSuffix(p, ".git") || p == "_sim" || p == "api" {
			return errors.New("a path must be letters, digits, dots, dashes and underscores, and no reserved word")
		}
	}
	return nil
}

// maxNesting bounds the nesting of groups (docs.gitlab.com/user/group/subgroups).
const maxNesting = 20

// levelWords maps the role names of other hosts to levels.
var levelWords = map[string]int{"": 0, "read": reporter, "triage": reporter, "write": developer, "maintain": maintainer,
	"admin": maintainer, "guest": guest, "owner": owner}

// groupWords maps the words for members of organisations to levels.
var groupWords = map[string]int{"": 0, "admin": owner, "member": reporter}

// CreateUser makes a person or, for the type "Organization", a group with that full path, or extends and
// returns an existing one. A person gets a token of the scope "api". Admins of a group are its owners, members
// its reporters.
func (s *Server) CreateUser(_ context.Context, spec shared.UserSpec) (shared.User, error) {
	isGroup := spec.Type == "Organization"
	if spec.Type != "" && spec.Type != "User" && !isGroup {
		return shared.User{}, errors.New(`type: must be "User" or "Organization"`)
	}
	parts := 1
	if isGroup {
		parts = maxNesting
	}
	if err := checkPath(spec.Login, parts); err != nil {
		return shared.User{}, fmt.Errorf("login: %w", err)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	if !isGroup {
		if s.st.group(spec.Login) != nil {
			return shared.User{}, errors.New("login: a group has it")
		}
		u := s.st.addUser(spec.Login, spec.Name, s.NowMicros())
		text, _ := s.st.newToken(u, simapi.TokenSpec{Name: "control"}, s.NowMicros())
		return shared.User{ID: u.ID, Login: u.Login, Type: "User", Token: text}, nil
	}
	g := s.st.group(spec.Login)
	if g == nil {
		if above, _, nested := cutLast(spec.Login); nested && s.st.group(above) == nil || s.st.user(spec.Login) != nil {
			return shared.User{}, errors.New("login: the group above it is not there, or a person has it")
		}
		g = &group{ID: s.st.ID("group"), Path: spec.Login, Name: host.OrElse(spec.Name, spec.Login), Members: map[int64]int{},
			Created: s.NowMicros()}
		s.st.Groups[g.ID] = g
	}
	return shared.User{ID: g.ID, Login: g.Path, Type: "Organization"}, s.setMembers(g.Members, spec.Members, groupWords)
}

// cutLast splits a full path before its last part.
func cutLast(path string) (before, last string, found bool) {
	at := strings.LastIndexByte(path, '/')
	if at < 0 {
		return "", path, false
	}
	return path[:at], path[at+1:], true
}

// setMembers changes levels, given as words; Server.Mu is held.
func (s *Server) setMembers(levels map[int64]int, list map[string]string, words map[string]int) error {
	return host.Grant("members", levels, list, words, func(login string) int64 { return s.st.addUser(login, "", s.NowMicros()).ID })
}

// UpdateUser renames a person, or changes the members of a group, without an event.
func (s *Server) UpdateUser(_ context.Context, login string, in shared.UserUpdate) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	if g := s.st.group(login); g != nil {
		if err := s.setMembers(g.Members, in.Members, groupWords); err != nil || in.Login == "" || in.Login == g.Path {
			return err
		}
		return s.moveGroup(g, in.Login)
	}
	u := s.st.user(login)
	if u == nil {
		return errNoUser
	}
	if in.Login == "" || in.Login == u.Login {
		return nil
	}
	if err := checkPath(in.Login, 1); err != nil {
		return fmt.Errorf("login: %w", err)
	}
	if other := s.st.user(in.Login); other != nil && other != u || s.st.group(in.Login) != nil {
		return errors.New("login: another account has it")
	}
	s.st.moveProjects(u.Login, in.Login)
	u.Login = in.Login
	return nil
}

// moveGroup gives another path to a group and everything below it. The interface finds projects by their
// former path, but not a group (lib/api/helpers.rb of gitlab-org/gitlab, find_group). Server.Mu is held.
func (s *Server) moveGroup(g *group, path string) error {
	if err := checkPath(path, 20); err != nil {
		return fmt.Errorf("login: %w", err)
	}
	if s.st.user(path) != nil || s.st.group(path) != nil {
		return errors.New("login: another account has it")
	}
	old := g.Path
	for _, other := range s.st.Groups {
		if rest, below := strings.CutPrefix(other.Path, old+"/"); below {
			s.st.moveProjects(other.Path, path+"/"+rest)
			other.Path = path + "/" + rest
		}
	}
	s.st.moveProjects(old, path)
	g.Path = path
	return nil
}

// moveProjects moves the projects of a namespace to another one.
func (st *state) moveProjects(from, to string) {
	for _, p := range st.Projects {
		if p.Namespace == from {
			st.Moved[strings.ToLower(p.FullPath())] = p.ID
			p.Namespace = to
		}
	}
}

// FlagUser makes a person an administrator of the host, or blocks the account.
func (s *Server) FlagUser(_ context.Context, login string, in simapi.UserFlags) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	u := s.st.user(login)
	if u == nil {
		return errNoUser
	}
	host.Set(&u.Admin, in.Admin)
	host.Set(&u.Blocked, in.Blocked)
	s.Touch()
	return nil
}

// NewToken makes an access token of a person, or of a new account of a project or group, whose login is
// "project_71_bot_…" or "group_131_bot_…" (docs.gitlab.com/user/project/settings/project_access_tokens, "Bot
// users for projects").
func (s *Server) NewToken(_ context.Context, login string, spec simapi.TokenSpec) (simapi.Token, error) {
	if err := spec.Check(); err != nil {
		return simapi.Token{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	level := spec.Level
	if level == 0 {
		level = maintainer
	}
	bot := func(kind string, id int64, members map[int64]int) *user {
		u := s.st.addUser(fmt.Sprintf("%s_%d_bot_%s", kind, id, host.RandomHex(16)), spec.Name, s.NowMicros())
		u.Bot, members[u.ID] = true, level
		return u
	}
	var u *user
	switch p, g := s.st.project(spec.Project), s.st.group(spec.Group); {
	case spec.Project != "" && p != nil:
		u = bot("project", p.ID, p.Members)
	case spec.Group != "" && g != nil:
		u = bot("group", g.ID, g.Members)
	case spec.Project == "" && spec.Group == "":
		u = s.st.user(login)
	}
	if u == nil {
		return simapi.Token{}, errors.New("login, project, group: no account, project or group has this name")
	}
	text, t := s.st.newToken(u, spec, s.NowMicros())
	return simapi.Token{ID: t.ID, Text: text, Login: u.Login}, nil
}

// RevokeToken ends an access token.
func (s *Server) RevokeToken(_ context.Context, id int64) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, t := range s.st.Tokens {
		if t.ID == id {
			t.Revoked = true
			s.Touch()
			return nil
		}
	}
	return errors.New("token: no token has this id")
}

// CreateRepo makes a project with a first commit on its default branch. The owner, a group or a person, must exist.
func (s *Server) CreateRepo(ctx context.Context, spec shared.RepoSpec) (shared.Repo, error) {
	if err := checkPath(spec.Name, 1); err != nil {
		return shared.Repo{}, fmt.Errorf("name: %w", err)
	}
	now := s.NowMicros()
	s.Mu.Lock()
	namespace := ""
	if g := s.st.group(spec.Owner); g != nil {
		namespace = g.Path
	} else if u := s.st.user(spec.Owner); u != nil {
		namespace = u.Login
	}
	taken := s.st.project(spec.Owner+"/"+spec.Name) != nil
	id := s.st.ID("project")
	s.Mu.Unlock()
	switch {
	case namespace == "":
		return shared.Repo{}, errors.New("owner: there is no such account or group")
	case taken:
		return shared.Repo{}, errors.New("name: the account or group has a project with that name")
	}
	spec.Author = host.OrElse(spec.Author, "root")
	git, sha, err := s.InitRepo(ctx, id, &spec, s.author)
	if err != nil {
		return shared.Repo{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	p := &project{ID: id, GitID: id, Namespace: namespace, Path: spec.Name, Description: spec.Description, Private: !spec.Public,
		DefaultBranch: spec.DefaultBranch,
		NextIID:       1, Created: now, Updated: now, Required: spec.Required, MRs: map[int]*mergeRequest{}, Members: map[int64]int{},
		git: git}
	if err := s.setMembers(p.Members, spec.Collaborators, levelWords); err != nil {
		return shared.Repo{}, err
	}
	s.st.Projects[id] = p
	delete(s.st.Moved, strings.ToLower(p.FullPath()))
	s.Touch()
	return shared.Repo{ID: p.ID, FullName: p.FullPath(), DefaultBranch: p.DefaultBranch, HeadSHA: sha, CloneURL: s.Base + "/" +
		p.FullPath() + ".git"}, nil
}

// ChangeRepo renames, transfers or deletes a project, or changes its visibility and its protected branches.
func (s *Server) ChangeRepo(_ context.Context, fullPath string, in simapi.RepoChange) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	p := s.st.project(fullPath)
	if p == nil {
		return errNoProject
	}
	if in.Delete {
		delete(s.st.Projects, p.ID)
		maps.DeleteFunc(s.st.Hooks, func(_ int64, h *hook) bool { return h.ProjectID == p.ID })
		return nil
	}
	if in.Name != "" || in.Owner != "" {
		name, namespace := host.OrElse(in.Name, p.Path), host.OrElse(in.Owner, p.Namespace)
		if s.st.group(namespace) == nil && s.st.user(namespace) == nil || s.st.project(namespace+"/"+name) != nil || checkPath(name, 1) != nil {
			return errors.New("name, owner: must be a free name of an account or group")
		}
		s.st.Moved[strings.ToLower(p.FullPath())] = p.ID
		p.Path, p.Namespace = name, namespace
	}
	host.Set(&p.Private, in.Private)
	p.Protected = append(p.Protected, in.Protect...)
	host.Set(&p.Tracker, in.Tracker)
	for path, word := range in.Share {
		g, level := s.st.group(path), levelWords[word]
		switch {
		case g == nil || word != "" && level == 0:
			return errors.New("share: must be groups with words such as read and write")
		case level == 0:
			delete(p.Shares, g.ID)
		case p.Shares == nil:
			p.Shares = map[int64]int{g.ID: level}
		default:
			p.Shares[g.ID] = level
		}
	}
	return s.setMembers(p.Members, in.Collaborators, levelWords)
}

// emailDomain is the domain of the addresses in commits.
const emailDomain = "users.noreply.gitlab.test"

// author returns the author's name and address in a login's commits.
func (s *Server) author(login string) (name, email string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	name = login
	if u := s.st.user(login); u != nil {
		name = u.Name
	}
	return name, strings.ToLower(login) + "@" + emailDomain
}
