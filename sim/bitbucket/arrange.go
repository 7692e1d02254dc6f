package bitbucket

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/patch"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// NewToken makes an API token of a person, or, with login "" or "-", an access token or an OAuth consumer.
func (s *Server) NewToken(_ context.Context, login string, spec simapi.TokenSpec) (simapi.Token, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	t := &token{Kind: host.OrElse(spec.Kind, simapi.APIToken), Name: host.OrElse(spec.Name, "token"), Scopes: spec.Scopes}
	if t.Kind == simapi.APIToken {
		u := s.st.user(login)
		if u == nil || u.Org {
			return simapi.Token{}, errNoUser
		}
		t.UserID = u.ID
		text := s.st.newToken(t, "ATATT3xFfGF0")
		return simapi.Token{ID: t.ID, Text: text, Email: u.Email, Account: u.Login}, nil
	}
	w := s.st.user(spec.Workspace)
	if r, err := s.st.repoByFullName(spec.Repository); err == nil {
		t.RepoID, w = r.ID, s.st.userByID(r.OwnerID)
	}
	if w == nil || !w.Org {
		return simapi.Token{}, errors.New("workspace, repository: one of them must exist")
	}
	if t.RepoID == 0 {
		t.WorkspaceID = w.ID
	}
	switch t.Kind {
	case simapi.AccessToken:
		u := s.st.addUser(fmt.Sprintf("%s-token-%d", w.Login, len(s.st.Tokens)), t.Name, s.NowMicros())
		u.App, t.UserID = true, u.ID
		text := s.st.newToken(t, "ATCTT3xFfGN0")
		return simapi.Token{ID: t.ID, Text: text, Account: u.Login}, nil
	case simapi.Consumer:
		owner := host.First(maps.Values(s.st.Users), func(u *user) bool { return w.Members[u.ID] == "owner" })
		if owner == nil {
			return simapi.Token{}, errors.New("workspace: has no owner")
		}
		t.UserID, t.Key = owner.ID, host.RandomHex(9)
		text := s.st.newToken(t, "")
		return simapi.Token{ID: t.ID, Text: text, Key: t.Key, Account: owner.Login}, nil
	}
	return simapi.Token{}, errors.New(`kind: must be "api", "access" or "consumer"`)
}

// RevokeToken ends a token. The grants of a consumer end, too.
func (s *Server) RevokeToken(_ context.Context, id int64) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for hash, t := range s.st.Tokens {
		if t.ID != id {
			continue
		}
		delete(s.st.Tokens, hash)
		maps.DeleteFunc(s.st.Tokens, func(_ string, x *token) bool {
			return t.Kind == simapi.Consumer && x.Expires != 0 && x.UserID == t.UserID
		})
		s.Touch()
		return nil
	}
	return errors.New("token: no token has this id")
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

// ChangeRepo renames, transfers or deletes a repository, or changes its visibility and rights.
func (s *Server) ChangeRepo(_ context.Context, fullName string, in simapi.RepoChange) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	if in.Delete {
		s.emit(r, "repo:deleted", r.OwnerID, obj{})
		delete(s.st.Repos, r.ID)
		maps.DeleteFunc(s.st.Hooks, func(_ int64, h *hook) bool { return h.RepoID == r.ID })
		return nil
	}
	if err := s.rename(r, in); err != nil {
		return err
	}
	if in.Private != nil && *in.Private != r.Private {
		before := r.Private
		r.Private = *in.Private
		s.emit(r, "repo:updated", r.OwnerID, obj{"changes": obj{"is_private": obj{"old": before, "new": r.Private}}})
	}
	r.Protected = append(r.Protected, in.Protect...)
	if in.DefaultReviewers != nil {
		r.Reviewers = nil
		for _, login := range in.DefaultReviewers {
			r.Reviewers = append(r.Reviewers, s.st.addUser(login, "", s.NowMicros()).ID)
		}
	}
	return s.setCollaborators(r, in.Collaborators)
}

// rename gives a repository another name or workspace, with its events. Server.Mu is held.
func (s *Server) rename(r *repository, in simapi.RepoChange) error {
	owner, before := s.st.userByID(r.OwnerID), s.st.fullName(r)
	if in.Owner != "" {
		if owner = s.st.user(in.Owner); owner == nil {
			return errNoUser
		}
	}
	name := host.OrElse(in.Name, r.Name)
	if owner.ID == r.OwnerID && name == r.Name {
		return nil
	}
	if s.st.repo(owner.Login, name) != nil {
		return errors.New("name: the account has a repository with that name")
	}
	old := r.Name
	moved := owner.ID != r.OwnerID
	if moved { // the workspace that loses it gets the event, too
		s.emit(r, "repo:transfer", owner.ID, obj{})
	}
	r.OwnerID, r.Name = owner.ID, name
	s.st.Moved[strings.ToLower(before)] = r.ID
	delete(s.st.Moved, strings.ToLower(s.st.fullName(r)))
	if !moved {
		s.emit(r, "repo:updated", owner.ID, obj{"changes": obj{"name": obj{"old": old, "new": name},
			"full_name": obj{"old": before, "new": s.st.fullName(r)}}})
	}
	return nil
}

// AddHook makes a webhook of a repository, like a person in the settings.
func (s *Server) AddHook(_ context.Context, fullName string, spec simapi.HookSpec) (simapi.Hook, error) {
	if err := host.CheckHookURL(spec.URL); err != nil {
		return simapi.Hook{}, err
	}
	if len(spec.Events) == 0 {
		spec.Events = eventKeys()
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return simapi.Hook{}, err
	}
	h := &hook{ID: s.st.ID("hook"), RepoID: r.ID, URL: spec.URL, Secret: spec.Secret, Description: "by hand", Events: spec.Events,
		Active: !spec.Inactive, Created: s.NowMicros()}
	s.st.Hooks[h.ID] = h
	s.Touch()
	return s.describeHook(h), nil
}

func (s *Server) describeHook(h *hook) simapi.Hook {
	o := simapi.Hook{ID: h.ID, UUID: uuidOf(hookUUID, h.ID), URL: h.URL, Active: h.Active, HasSecret: h.Secret != "", Events: h.Events,
		Workspace: s.st.login(h.WorkspaceID)}
	if r := s.st.Repos[h.RepoID]; r != nil {
		o.Repository = s.st.fullName(r)
	}
	return o
}

// Hooks lists all webhooks by id.
func (s *Server) Hooks() []simapi.Hook {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	out := []simapi.Hook{}
	for _, h := range host.ByKey(s.st.Hooks) {
		out = append(out, s.describeHook(h))
	}
	return out
}

// Comment writes a comment in the conversation of a pull request as a person.
func (s *Server) Comment(_ context.Context, fullName string, number int, in shared.CommentSpec) (shared.Comment, error) {
	return s.write(fullName, number, in.Author, &comment{Body: in.Body})
}

// write adds a comment as a person.
func (s *Server) write(fullName string, number int, author string, x *comment) (shared.Comment, error) {
	if x.Body == "" || author == "" {
		return shared.Comment{}, errors.New("author, body: must not be empty")
	}
	return host.OnPull(&s.Lookup, fullName, number, func(r *repository, p *pull) (shared.Comment, error) {
		defer s.Touch()
		if x.Parent != 0 {
			parent := p.comment(x.Parent)
			if parent == nil {
				return shared.Comment{}, errNoComment
			}
			x.Place = parent.Place
		}
		s.addComment(r, p, s.st.addUser(author, "", s.NowMicros()).ID, x)
		return s.describeComment(x), nil
	})
}

// Note writes a comment on lines of the newest version as a person.
func (s *Server) Note(ctx context.Context, fullName string, number int, in simapi.NoteSpec) (shared.Comment, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	s.Mu.Unlock()
	if err != nil {
		return shared.Comment{}, err
	}
	at := place{Path: in.Path, From: in.OldLine, To: in.NewLine}
	if in.NewLine != 0 {
		at.StartTo = in.FirstLine
	} else {
		at.StartFrom = in.FirstLine
	}
	found, _, err := s.findPlace(ctx, r, p, at)
	if err != nil {
		return shared.Comment{}, err
	}
	out, err := s.write(fullName, number, in.Author, &comment{Body: in.Body, Place: found, Pending: in.Pending})
	if err != nil || !in.Resolved {
		return out, err
	}
	return out, s.EditComment(ctx, fullName, out.ID, shared.EditSpec{Actor: in.Author, Resolve: &in.Resolved})
}

// Reply answers a comment, like a person on the page.
func (s *Server) Reply(_ context.Context, fullName string, number int, in shared.ReplySpec) (shared.Comment, error) {
	return s.write(fullName, number, in.Author, &comment{Body: in.Body, Parent: in.Comment})
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
		x := p.comment(id)
		if x == nil {
			continue
		}
		by := x.User
		if in.Resolve != nil {
			by = p.Author
		}
		if u := s.st.user(in.Actor); u != nil {
			by = u.ID
		}
		switch {
		case in.Delete:
			s.dropComment(r, p, x, by)
		case in.Body != "":
			s.changeComment(r, p, x, in.Body, "updated", by)
		case in.Resolve != nil && *in.Resolve != (x.ResolvedBy != 0):
			s.settle(r, p, x, by, *in.Resolve)
		}
		return nil
	}
	return errNoComment
}

// Verdict approves a pull request, or asks for changes, as a person.
func (s *Server) Verdict(_ context.Context, fullName string, number int, in simapi.VerdictSpec) error {
	if !slices.Contains([]string{"", "approved", "changes_requested"}, in.State) || in.Author == "" {
		return errors.New(`author, state: an author and "approved", "changes_requested" or ""`)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r, p, err := s.st.find(fullName, number)
	if err == nil {
		s.decide(r, p, s.st.addUser(in.Author, "", s.NowMicros()).ID, in.State)
	}
	return err
}

// React implements [host.CodeHost]. The host has reactions on its pages alone, and no interface to them.
func (s *Server) React(context.Context, string, int, shared.ReactionSpec) (shared.Comment, error) {
	return shared.Comment{}, errors.New("the host has no interface to reactions")
}

func (s *Server) describeComment(c *comment) shared.Comment {
	o := shared.Comment{ID: c.ID, User: s.st.login(c.User), Body: c.Body, InReplyTo: c.Parent, Resolved: c.ResolvedBy != 0,
		CreatedUS: int64(c.Created)}
	if c.Updated != c.Created {
		o.EditedUS = int64(c.Updated)
	}
	if at := c.Place; at != nil {
		o.Path, o.Side, o.Line, o.StartLine = at.Path, patch.Right, at.To, at.StartTo
		if at.To == 0 {
			o.Side, o.Line, o.StartLine = patch.Left, at.From, at.StartFrom
		}
	}
	return o
}

// Notes returns the comments of a pull request that everybody sees, oldest first.
func (s *Server) Notes(fullName string, number int) ([]shared.Comment, error) {
	return host.OnPull(&s.Lookup, fullName, number, func(_ *repository, p *pull) ([]shared.Comment, error) {
		out := []shared.Comment{}
		for _, c := range p.Comments {
			if !c.Deleted && !(c.Pending && s.On(simapi.PendingPrivate)) {
				out = append(out, s.describeComment(c))
			}
		}
		return out, nil
	})
}

// Comments returns the comments of the conversation of a pull request.
func (s *Server) Comments(fullName string, number int) ([]shared.Comment, error) {
	list, err := s.Notes(fullName, number)
	return host.Without(list, func(x shared.Comment) bool { return x.Path != "" }), err
}

// Statuses returns all build statuses of a repository, oldest first.
func (s *Server) Statuses(fullName string) ([]simapi.Status, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return nil, err
	}
	out := []simapi.Status{}
	for _, x := range r.Statuses {
		out = append(out, simapi.Status{ID: x.ID, SHA: x.SHA, State: x.State, Key: x.Key, Name: x.Name, Description: x.Description, URL: x.URL,
			Ref: x.Ref, Creator: s.st.login(x.Creator)})
	}
	return out, nil
}

// OpenIssue opens an issue.
func (s *Server) OpenIssue(_ context.Context, fullName string, in shared.IssueSpec) (shared.Issue, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return shared.Issue{}, err
	}
	i, err := s.AddIssue(&r.Issues, in, func() (int64, int) {
		r.NextIssue++
		return s.st.ID("issue"), r.NextIssue - 1
	})
	if err != nil {
		return shared.Issue{}, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return shared.Issue{Number: i.Number, HTMLURL: issueHTML(s.view(), r, i)}, nil
}

func issueHTML(v view, r *repository, i *host.Issue) string {
	return fmt.Sprintf("%s/issues/%d", v.repoHTML(r), i.Number)
}
