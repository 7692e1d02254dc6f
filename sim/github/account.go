package github

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

var validName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)

// reserved are first path segments that accounts must not have, because the API or the pages use them.
var reserved = []string{"app", "apps", "repos", "repositories", "installation", "orgs", "users", "user", "graphql", "rate_limit",
	"meta", "api", "login", "settings"}

func checkLogin(login string) error {
	if !validName.MatchString(login) || slices.Contains(reserved, strings.ToLower(login)) {
		return errors.New("login: must be letters, digits, dots and dashes, and none of the reserved words")
	}
	return nil
}

// CreateUser makes a person or an organisation, or extends and returns an existing one.
func (s *Server) CreateUser(_ context.Context, spec simapi.UserSpec) (simapi.User, error) {
	if err := checkLogin(spec.Login); err != nil {
		return simapi.User{}, err
	}
	if spec.Type == "" {
		spec.Type = "User"
	}
	if spec.Type != "User" && spec.Type != "Organization" {
		return simapi.User{}, errors.New(`type: must be "User" or "Organization"`)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	u := s.st.addUser(spec.Login, spec.Name, spec.Type, s.NowMicros())
	if u.Type != spec.Type {
		return simapi.User{}, errors.New("login: an account of another type has it")
	}
	if u.Type == "User" && u.Token == "" {
		u.Token = "gh" + "p_" + host.RandomHex(18)
	}
	for login, role := range spec.Members {
		if role != "admin" && role != "member" {
			return simapi.User{}, errors.New(`members: a role must be "admin" or "member"`)
		}
		if u.Members == nil {
			u.Members = map[string]string{}
		}
		m := s.st.addUser(login, "", "User", s.NowMicros())
		if m.Token == "" {
			m.Token = "gh" + "p_" + host.RandomHex(18)
		}
		u.Members[m.Login] = role
	}
	return simapi.User{ID: u.ID, Login: u.Login, Type: u.Type, Token: u.Token}, nil
}

// RegisterApp registers a GitHub App and makes its bot user. Without a public key it makes a key pair and
// returns the private key, which it does not store.
func (s *Server) RegisterApp(_ context.Context, spec simapi.AppSpec) (simapi.App, error) {
	if err := checkLogin(spec.Slug); err != nil {
		return simapi.App{}, errors.New("slug: must be letters, digits and dashes")
	}
	if err := checkHookURL(spec.WebhookURL); err != nil {
		return simapi.App{}, err
	}
	private := ""
	if spec.PublicKeyPEM == "" {
		var err error
		if private, spec.PublicKeyPEM, err = newKeyPair(); err != nil {
			return simapi.App{}, err
		}
	} else if _, err := parsePublicKey(spec.PublicKeyPEM); err != nil {
		return simapi.App{}, err
	}
	if len(spec.Permissions) == 0 {
		spec.Permissions = simapi.DefaultPermissions()
	}
	if len(spec.Events) == 0 {
		spec.Events = simapi.DefaultEvents()
	}
	if spec.Owner == "" {
		spec.Owner = "app-owner"
	}
	if spec.Name == "" {
		spec.Name = spec.Slug
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, other := range s.st.Apps {
		if other.ID == spec.ID || strings.EqualFold(other.Slug, spec.Slug) {
			return simapi.App{}, errors.New("id or slug: another app has it")
		}
	}
	now := s.NowMicros()
	if spec.ClientSecret == "" {
		spec.ClientSecret = host.RandomHex(20)
	}
	if spec.ID == 0 {
		spec.ID = s.st.ID("app")
	}
	s.st.addUser(spec.Owner, "", "Organization", now)
	bot := s.st.addUser(spec.Slug+"[bot]", spec.Name, "Bot", now)
	bot.AppID = spec.ID
	a := &app{ID: spec.ID, Slug: spec.Slug, Name: spec.Name, ClientID: fmt.Sprintf("Iv23li%014d", spec.ID), OwnerLogin: spec.Owner,
		BotID:        bot.ID,
		ClientSecret: spec.ClientSecret, CallbackURL: spec.CallbackURL, SetupURL: spec.SetupURL, Public: spec.Public,
		PublicKeyPEM: spec.PublicKeyPEM, HookID: s.st.ID("hook"), WebhookURL: spec.WebhookURL, WebhookSecret: spec.WebhookSecret,
		Permissions: maps.Clone(spec.Permissions), Events: slices.Clone(spec.Events), Created: now, Updated: now}
	s.st.Apps[a.ID] = a
	s.Touch()
	return simapi.App{ID: a.ID, Slug: a.Slug, ClientID: a.ClientID, BotLogin: bot.Login, BotID: bot.ID, HookID: a.HookID,
		PrivateKeyPEM: private, ClientSecret: a.ClientSecret}, nil
}

// UpdateApp changes the webhook, permissions or events of an app. Installations keep what they granted.
func (s *Server) UpdateApp(_ context.Context, id int64, in simapi.AppUpdate) error {
	if in.WebhookURL != nil {
		if err := checkHookURL(*in.WebhookURL); err != nil {
			return err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	a := s.st.Apps[id]
	if a == nil {
		return errors.New("app: no app has this id")
	}
	host.Set(&a.WebhookURL, in.WebhookURL)
	host.Set(&a.WebhookSecret, in.WebhookSecret)
	if in.Permissions != nil {
		a.Permissions = maps.Clone(in.Permissions)
	}
	if in.Events != nil {
		a.Events = slices.Clone(in.Events)
	}
	a.Updated = s.NowMicros()
	s.Touch()
	return nil
}

func checkHookURL(raw string) error {
	if raw == "" {
		return nil
	}
	if u, err := url.Parse(raw); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("webhookUrl: must be an absolute http or https address")
	}
	return nil
}

func newKeyPair() (private, public string, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", "", fmt.Errorf("generate a key: %w", err)
	}
	pub, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return "", "", fmt.Errorf("encode the key: %w", err)
	}
	private = string(pem.EncodeToMemory(&pem.Block{Type: "RSA " + "PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	return private, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub})), nil
}

// Install installs an app on an account and sends installation created.
func (s *Server) Install(_ context.Context, spec simapi.InstallSpec) (simapi.Installation, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	a, account := s.st.Apps[spec.AppID], s.st.user(spec.Account)
	if a == nil {
		return simapi.Installation{}, errors.New("appId: there is no such app")
	}
	if account == nil {
		return simapi.Installation{}, errors.New("account: there is no such account")
	}
	for _, i := range s.st.Installations {
		if i.AppID == a.ID && i.Account == account.Login {
			return simapi.Installation{}, errors.New("account: the app is installed there already")
		}
	}
	now := s.NowMicros()
	i := &installation{AppID: a.ID, Account: account.Login, All: len(spec.Repositories) == 0, Permissions: maps.Clone(a.Permissions),
		Events: slices.Clone(a.Events), Created: now, Updated: now}
	if spec.Permissions != nil {
		i.Permissions = maps.Clone(spec.Permissions)
	}
	if err := s.st.selectRepos(i, spec.Repositories); err != nil {
		return simapi.Installation{}, err
	}
	i.ID = s.st.ID("installation")
	s.st.Installations[i.ID] = i
	s.emitInstallation(i, "installation", "created", s.st.adminOf(account), obj{"repositories": briefRepos(s.st.reposOf(i))})
	s.Touch()
	return simapi.Installation{ID: i.ID, AppID: a.ID, Account: account.Login}, nil
}

// selectRepos adds repositories, by full or short name, to an installation.
func (st *state) selectRepos(i *installation, names []string) error {
	for _, name := range names {
		if !strings.Contains(name, "/") {
			name = i.Account + "/" + name
		}
		r, err := st.repoByFullName(name)
		if err != nil || !strings.EqualFold(r.Owner, i.Account) {
			return errors.New("repositories: no repository of the account has this name")
		}
		if !slices.Contains(i.RepoIDs, r.ID) {
			i.RepoIDs = append(slices.Clone(i.RepoIDs), r.ID)
		}
	}
	return nil
}

func (st *state) reposOf(i *installation) []*repository {
	var list []*repository
	for _, r := range st.Repos {
		if i.covers(r) {
			list = append(list, r)
		}
	}
	return list
}

// adminOf returns a person who acts for an account: the account itself, or the first admin of an organisation.
func (st *state) adminOf(account *user) string {
	for _, login := range slices.Sorted(maps.Keys(account.Members)) {
		if account.Members[login] == "admin" {
			return login
		}
	}
	return account.Login
}

// Uninstall removes an installation and sends installation deleted.
func (s *Server) Uninstall(_ context.Context, id int64) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.st.Installations[id]
	if i == nil {
		return errors.New("installation: no installation has this id")
	}
	s.emitInstallation(i, "installation", "deleted", s.st.adminOf(s.st.user(i.Account)),
		obj{"repositories": briefRepos(s.st.reposOf(i)), "requester": nil})
	delete(s.st.Installations, id)
	s.Touch()
	return nil
}

// UpdateInstallation suspends or resumes an installation, or changes its permissions or repositories, each
// with its event.
func (s *Server) UpdateInstallation(_ context.Context, id int64, in simapi.InstallationUpdate) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.st.Installations[id]
	if i == nil {
		return errors.New("installation: no installation has this id")
	}
	now, sender := s.NowMicros(), s.st.adminOf(s.st.user(i.Account))
	before := s.st.reposOf(i)
	if len(in.Add)+len(in.Remove) > 0 {
		next := *i
		if next.All {
			next.All, next.RepoIDs = false, nil
			for _, r := range before {
				next.RepoIDs = append(next.RepoIDs, r.ID)
			}
		}
		if err := s.st.selectRepos(&next, in.Add); err != nil {
			return err
		}
		gone := installation{Account: i.Account}
		if err := s.st.selectRepos(&gone, in.Remove); err != nil {
			return err
		}
		next.RepoIDs = host.Without(next.RepoIDs, func(r int64) bool { return slices.Contains(gone.RepoIDs, r) })
		*i = next
		after := s.st.reposOf(i)
		added := host.Without(after, func(r *repository) bool { return slices.Contains(before, r) })
		removed := host.Without(before, func(r *repository) bool { return slices.Contains(after, r) })
		for action, changed := range map[string][]*repository{"added": added, "removed": removed} {
			if len(changed) == 0 {
				continue
			}
			extra := obj{"repository_selection": i.selection(), "repositories_added": []any{}, "repositories_removed": []any{}, "requester": nil}
			extra["repositories_"+action] = briefRepos(changed)
			s.emitInstallation(i, "installation_repositories", action, sender, extra)
		}
	}
	if in.Permissions != nil {
		i.Permissions = maps.Clone(in.Permissions)
		s.emitInstallation(i, "installation", "new_permissions_accepted", sender,
			obj{"repositories": briefRepos(s.st.reposOf(i)), "requester": nil})
	}
	if in.Suspend != nil && *in.Suspend != (i.SuspendedAt != 0) {
		action := "unsuspend"
		i.SuspendedAt, i.SuspendedBy = 0, ""
		if *in.Suspend {
			action, i.SuspendedAt, i.SuspendedBy = "suspend", now, sender
		}
		s.emitInstallation(i, "installation", action, sender, obj{"repositories": briefRepos(s.st.reposOf(i)), "requester": nil})
	}
	i.Updated = now
	s.Touch()
	return nil
}
