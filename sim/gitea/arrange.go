package gitea

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// NewToken makes an access token for a person.
func (s *Server) NewToken(_ context.Context, login string, spec simapi.TokenSpec) (simapi.Token, error) {
	if len(spec.Scopes) == 0 {
		spec.Scopes = []string{scopeAll}
	}
	if err := checkScopes(spec.Scopes); err != nil {
		return simapi.Token{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	u := s.st.user(login)
	if u == nil || u.Org {
		return simapi.Token{}, errNoUser
	}
	text, t := s.st.newToken(u, host.OrElse(spec.Name, "token"), slices.Clone(spec.Scopes), s.NowMicros())
	s.Touch()
	return simapi.Token{ID: t.ID, Text: text}, nil
}

// RevokeToken ends an access token.
func (s *Server) RevokeToken(_ context.Context, id int64) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for hash, t := range s.st.Tokens {
		if t.ID == id {
			delete(s.st.Tokens, hash)
			s.Touch()
			return nil
		}
	}
	return errors.New("token: no token has this id")
}

// FlagUser makes a person an administrator of the host, or blocks the sign-in.
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

// UpdateUser renames an account, or changes the members of an organisation, without an event.
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
	s.st.rename(u, in.Login)
	return nil
}

// rename gives an account another login name. Its contents keep their author.
func (st *state) rename(u *user, login string) {
	old := u.Login
	delete(st.Users, strings.ToLower(old))
	u.Login = login
	st.Users[strings.ToLower(login)] = u
	st.Renamed[strings.ToLower(old)] = u.ID
	delete(st.Renamed, strings.ToLower(login))
	swap := func(s *string) {
		if *s == old {
			*s = login
		}
	}
	for _, t := range st.Teams {
		for i := range t.Members {
			swap(&t.Members[i])
		}
	}
	for _, r := range st.Repos {
		if role, ok := r.Collaborators[old]; ok {
			delete(r.Collaborators, old)
			r.Collaborators[login] = role
		}
		if r.Owner == old {
			st.Moved[strings.ToLower(r.FullName())] = r.ID
			r.Owner = login
		}
		for _, p := range r.Pulls {
			swap(&p.Author)
			for _, v := range p.Reviews {
				swap(&v.User)
			}
			for _, v := range p.Comments {
				swap(&v.User)
			}
			for _, v := range p.IssueComments {
				swap(&v.User)
			}
		}
	}
}

// SetTeam makes or replaces a team of an organisation.
func (s *Server) SetTeam(_ context.Context, org string, spec simapi.TeamSpec) error {
	if spec.Permission != "read" && spec.Permission != "write" && spec.Permission != "admin" {
		return errors.New(`permission: must be "read", "write" or "admin"`)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	o := s.st.user(org)
	if o == nil || !o.Org || spec.Name == "" || strings.EqualFold(spec.Name, ownersTeam) {
		return errors.New("team: needs an organisation and a name other than that of the owners")
	}
	t := s.teamNamed(o, spec.Name)
	t.Permission, t.All, t.RepoIDs, t.Members = spec.Permission, len(spec.Repositories) == 0, nil, nil
	for _, m := range spec.Members {
		t.Members = append(t.Members, s.st.addUser(m, "", false, s.NowMicros()).Login)
	}
	for _, name := range spec.Repositories {
		r := s.st.repo(o.Login, name)
		if r == nil {
			return errNoRepo
		}
		t.RepoIDs = append(t.RepoIDs, r.ID)
	}
	s.Touch()
	return nil
}

// ChangeRepo renames, transfers or deletes a repository, or changes its visibility and its protected branches.
func (s *Server) ChangeRepo(_ context.Context, fullName string, in simapi.RepoChange) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	if in.Delete {
		s.dropRepo(r, r.Owner)
		return nil
	}
	if in.Name != "" || in.Owner != "" {
		if err := s.st.renameRepo(r, host.OrElse(in.Owner, r.Owner), host.OrElse(in.Name, r.Name)); err != nil {
			return err
		}
	}
	host.Set(&r.Private, in.Private)
	r.Protected = append(r.Protected, in.Protect...)
	return s.setCollaborators(r, in.Collaborators)
}

// AddHook makes a webhook of a repository, like a person in the settings.
func (s *Server) AddHook(_ context.Context, fullName string, spec simapi.HookSpec) (simapi.Hook, error) {
	if err := host.CheckHookURL(spec.URL); err != nil {
		return simapi.Hook{}, err
	}
	if len(spec.Events) == 0 {
		spec.Events = allWords()
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return simapi.Hook{}, err
	}
	now := s.NowMicros()
	h := &hook{ID: s.st.ID("hook"), RepoID: r.ID, URL: spec.URL, Secret: spec.Secret, ContentType: "json",
		Events: s.expand(spec.Events), Active: !spec.Inactive,
		Created: now, Updated: now}
	s.st.Hooks[h.ID] = h
	s.Touch()
	return s.describeHook(h), nil
}

func (s *Server) describeHook(h *hook) simapi.Hook {
	o := simapi.Hook{ID: h.ID, URL: h.URL, Active: h.Active, HasSecret: h.Secret != "", Events: h.Events}
	if r := s.st.Repos[h.RepoID]; r != nil {
		o.Repository = r.FullName()
	}
	if u := s.st.userByID(h.OrgID); u != nil {
		o.Organization = u.Login
	}
	return o
}

// Hooks lists all webhooks by id.
func (s *Server) Hooks() []simapi.Hook {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	out := []simapi.Hook{}
	for _, h := range s.hooks(func(*hook) bool { return true }) {
		out = append(out, s.describeHook(h))
	}
	return out
}

// Replay sends a delivery again, like the page of a webhook: with the same body and a new UUID.
func (s *Server) Replay(_ context.Context, id int64) error {
	again, err := s.Sender.Again(id)
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	h := s.st.Hooks[again.Owner]
	if h == nil {
		return errors.New("the webhook of this delivery is gone")
	}
	again.GUID, again.URL = host.NewGUID(), h.URL
	again.Headers = s.headers(h, again.Event, again.GUID, again.Payload)
	s.Sender.Send(again)
	return nil
}

// Comment writes a comment in the conversation of a pull request as a person.
func (s *Server) Comment(_ context.Context, fullName string, number int, in shared.CommentSpec) (shared.Comment, error) {
	if in.Body == "" || in.Author == "" {
		return shared.Comment{}, errors.New("author, body: must not be empty")
	}
	return host.OnPull(&s.Lookup, fullName, number, func(r *repository, p *pull) (shared.Comment, error) {
		x := s.addComment(r, p, s.st.addUser(in.Author, "", false, s.NowMicros()).Login, in.Body, "")
		s.Touch()
		return shared.Comment{ID: x.ID, User: x.User, Body: x.Body, CreatedUS: int64(x.Created)}, nil
	})
}

// Review writes a review as a person.
func (s *Server) Review(ctx context.Context, fullName string, number int, in simapi.ReviewSpec) (shared.Review, error) {
	in.State = host.OrElse(in.State, stateComment)
	if !slices.Contains([]string{stateComment, stateApproved, stateChanges, statePending}, in.State) || in.Author == "" {
		return shared.Review{}, errors.New("author, state: an author and one of COMMENT, APPROVED, REQUEST_CHANGES, PENDING")
	}
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	s.Mu.Unlock()
	if err != nil {
		return shared.Review{}, err
	}
	at := s.snapshot(p)
	n, err := s.stats(ctx, r, at)
	if err != nil {
		return shared.Review{}, err
	}
	s.Mu.Lock()
	login := s.st.addUser(in.Author, "", false, s.NowMicros()).Login
	s.Mu.Unlock()
	for _, c := range in.Comments {
		d := draftInline{Path: c.Path, Body: c.Body, NewPosition: c.NewLine, OldPosition: c.OldLine}
		if err := s.comment(ctx, r, p, login, "", at, at.head, d, func(*inline) {}); err != nil {
			return shared.Review{}, err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	rv := s.pendingOf(p, login, "") // a draft from the page is private and not mailed
	if in.State != statePending {
		rv = s.submit(r, p, n, login, "", in.State, in.Body, at.head)
	}
	s.Touch()
	return s.describeReview(r, p, rv), nil
}

// Reply answers an inline comment, like a person on the page.
func (s *Server) Reply(_ context.Context, fullName string, number int, in shared.ReplySpec) (shared.Comment, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(r *repository, p *pull) (shared.Comment, error) {
		root := p.comment(in.Comment)
		if root == nil || p.pending(root) || in.Author == "" || in.Body == "" {
			return shared.Comment{}, errNoComment
		}
		x := s.reply(r, p, root, s.st.addUser(in.Author, "", false, s.NowMicros()).Login, in.Body, "")
		s.Touch()
		return s.describeInline(x), nil
	})
}

// EditComment changes, removes or resolves a comment as a person.
func (s *Server) EditComment(_ context.Context, fullName string, id int64, in shared.EditSpec) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	for _, p := range r.Pulls {
		for _, x := range p.IssueComments {
			if x.ID == id && in.Delete {
				s.dropComment(r, p, x, host.OrElse(in.Actor, x.User))
				return nil
			}
			if x.ID == id && in.Body != "" {
				s.editComment(r, p, x, in.Body, host.OrElse(in.Actor, x.User))
				return nil
			}
		}
		if x := p.comment(id); x != nil {
			s.editInline(p, x, in)
			return nil
		}
	}
	return errNoComment
}

func (s *Server) editInline(p *pull, x *inline, in shared.EditSpec) {
	if in.Delete {
		p.Comments = host.Without(p.Comments, func(y *inline) bool { return y == x })
		return
	}
	if in.Body != "" {
		x.Body, x.Updated = in.Body, s.NowMicros()
	}
	if in.Resolve != nil {
		x.ResolvedBy = ""
		if *in.Resolve {
			x.ResolvedBy = host.OrElse(in.Actor, p.Author)
		}
	}
}
