package github

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// scopeMembers reads the members of an organisation.
const scopeMembers scope = "members"

// personCall returns a call with a person's own token and budget, so that it never takes the installation's
// slot.
func (s *SignIn) personCall(op string, p codehost.Person, token secret.Secret) *wire.Call {
	key := fmt.Sprintf("github|%s|user:%s", strings.ToLower(s.host.api.Host), p.ID)
	if p.ID == "" { // still unknown: all people who are signing in share a few budgets
		sum := sha256.Sum256([]byte(token.Reveal()))
		key = fmt.Sprintf("github|%s|sign-in:%d", strings.ToLower(s.host.api.Host), sum[0]%64)
	}
	return &wire.Call{Op: op, Key: key, Authorize: func(context.Context) (string, error) { return "Bearer " + token.Reveal(), nil }}
}

// Person implements [codehost.SignIn].
func (s *SignIn) Person(ctx context.Context, token secret.Secret) (codehost.Person, error) {
	const op = "read own account"
	var u *gh.User
	err := s.host.run(ctx, s.personCall(op, codehost.Person{}, token), func(ctx context.Context) (err error) {
		u, _, err = s.host.client.Users.Get(ctx, "")
		return err
	})
	if err != nil {
		return codehost.Person{}, err
	}
	if u.GetID() <= 0 || u.GetLogin() == "" || isBot(u) {
		return codehost.Person{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer names no person"}
	}
	return codehost.Person{ID: hostID(u.GetID()), Login: u.GetLogin(), Name: u.GetName()}, nil
}

// Installations implements [codehost.SignIn].
func (s *SignIn) Installations(ctx context.Context, p codehost.Person, token secret.Secret) ([]domain.HostID, error) {
	return listComplete(ctx, s.host, s.personCall("list own installations", p, token), maxInstallations, "installations",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Installation, *gh.Response, error) {
			return s.host.client.Apps.ListUserInstallations(ctx, &opts)
		}, func(i *gh.Installation) (domain.HostID, bool) { return hostID(i.GetID()), true })
}

// Permissions implements [codehost.SignIn].
func (s *SignIn) Permissions(ctx context.Context, p codehost.Person, token secret.Secret,
	installation domain.HostID) ([]codehost.RepoPermission, error) {
	const op = "list own repositories"
	n, err := number(op, "installation", installation)
	if err != nil {
		return nil, err
	}
	return listComplete(ctx, s.host, s.personCall(op, p, token), codehost.MaxConnectionRepositories, "repositories",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Repository, *gh.Response, error) {
			list, resp, err := s.host.client.Apps.ListUserRepos(ctx, n, &opts)
			if err != nil {
				return nil, resp, err
			}
			return list.Repositories, resp, nil
		}, func(r *gh.Repository) (codehost.RepoPermission, bool) { return permissionOf(r), true })
}

// Permission implements [codehost.SignIn].
func (s *SignIn) Permission(ctx context.Context, p codehost.Person, token secret.Secret,
	repository domain.HostID) (codehost.RepoPermission, error) {
	const op = "read own repository"
	n, err := number(op, "repository", repository)
	if err != nil {
		return codehost.RepoPermission{}, err
	}
	var r *gh.Repository
	err = s.host.run(ctx, s.personCall(op, p, token), func(ctx context.Context) (err error) {
		r, _, err = s.host.client.Repositories.GetByID(ctx, n)
		return err
	})
	if err != nil {
		return codehost.RepoPermission{}, err
	}
	if hostID(r.GetID()) != repository {
		return codehost.RepoPermission{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op,
			Message: "the answer is about another repository"}
	}
	return permissionOf(r), nil
}

// permissionOf converts the flags of a repository to the word of the role. Missing flags count as false.
func permissionOf(r *gh.Repository) codehost.RepoPermission {
	out := codehost.RepoPermission{ExternalID: hostID(r.GetID()), Permission: "none", Private: r.GetPrivate()}
	p := r.GetPermissions()
	for _, is := range []struct {
		yes  bool
		word string
	}{{p.GetAdmin(), "admin"}, {p.GetMaintain(), "maintain"}, {p.GetPush(), "write"}, {p.GetTriage(), "triage"}, {p.GetPull(), "read"}} {
		if is.yes {
			out.Permission = is.word
			break
		}
	}
	return out
}

// AccountRole implements [codehost.SignIn].
func (s *SignIn) AccountRole(ctx context.Context, i codehost.Installation, p codehost.Person) (string, error) {
	if p.ID != "" && i.AccountID == p.ID {
		return codehost.AccountOwner, nil
	}
	if i.AccountType != "Organization" {
		return "", nil
	}
	var m *gh.Membership
	err := s.host.run(ctx, s.host.installationCall("read membership", i.ID, scopeMembers), func(ctx context.Context) (err error) {
		m, _, err = s.host.client.Organizations.GetOrgMembership(ctx, p.Login, i.AccountLogin)
		return err
	})
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return "", nil
	case err != nil:
		return "", err
	// The login belongs to another account now, or is only invited.
	case hostID(m.GetUser().GetID()) != p.ID, hostID(m.GetOrganization().GetID()) != i.AccountID, m.GetState() != "active":
		return "", nil
	case m.GetRole() == "admin":
		return codehost.AccountOwner, nil
	default:
		return codehost.AccountMember, nil
	}
}
