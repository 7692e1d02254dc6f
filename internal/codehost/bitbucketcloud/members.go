package bitbucketcloud

import (
	"context"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// right is a person's effective right: on a repository admin, write, read or none; in a workspace owner, member or collaborator.
type right struct {
	Permission string `json:"permission"`
	User       *user  `json:"user"`
}

// words maps the host's permissions to the port's. An unknown one is "none", because doubt must not grant access.
var words = map[string]string{"admin": "admin", "write": "write", "read": "read"}

func (r right) word() string {
	if w := words[r.Permission]; w != "" {
		return w
	}
	return "none"
}

// rights lists the effective rights of people on a repository, which include those by groups and projects. Only administrators of the
// repository may ask (the description); other accounts get [codehost.ClassForbidden].
func (h *Host) rights(ctx context.Context, op string, repo codehost.Repo) ([]right, error) {
	return all(ctx, h, op, "/workspaces/"+url.PathEscape(repo.Owner)+"/permissions/repositories/"+url.PathEscape(repo.Name)+"?pagelen=100",
		"people of the repository", codehost.MaxMembers, func(r right) (right, bool) { return r, r.User.id() != "" && !r.User.isApp() })
}

// Permission implements [codehost.Reader]. Nicknames are not unique: if several people of the repository have one, the answer is the
// least of their rights. A person who is not among them may read a public repository.
func (h *Host) Permission(ctx context.Context, repo codehost.Repo, login string) (string, error) {
	const op = "read permission"
	if err := wire.CheckRepo(op, repo); err != nil {
		return "", err
	}
	if !validLogin(login) {
		return "", codehost.Refused(op, "the login must be that of a user")
	}
	h = h.people
	list, err := h.rights(ctx, op, repo)
	if err != nil {
		return "", err
	}
	rank, least := []string{"none", "read", "write", "admin"}, ""
	for _, word := range rank {
		for _, r := range list {
			if least == "" && r.word() == word && strings.EqualFold(r.User.login(), login) {
				least = word
			}
		}
	}
	if least != "" {
		return least, nil
	}
	return h.publicRight(ctx, op, repo)
}

// publicRight returns the right that every account has on a repository.
func (h *Host) publicRight(ctx context.Context, op string, repo codehost.Repo) (string, error) {
	var r repository
	if err := h.client.Get(ctx, op, at(repo), &r); err != nil {
		return "", err
	}
	if r.info().Private {
		return "none", nil
	}
	return "read", nil
}

// Members implements [codehost.Connection]. It leaves out accounts of access tokens, and people who can only read a public repository.
func (h *Host) Members(ctx context.Context, repo codehost.Repo) (out []codehost.Member, err error) {
	const op = "list members"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	h = h.people
	list, err := h.rights(ctx, op, repo)
	if err != nil {
		return nil, err
	}
	roles, err := h.workspaceRoles(ctx, op, repo.Owner)
	if err != nil {
		return nil, err
	}
	seen := map[domain.HostID]bool{}
	for _, r := range list {
		if id := r.User.id(); !seen[id] && r.word() != "none" {
			seen[id] = true
			out = append(out, codehost.Member{ID: id, Login: r.User.login(), Permission: r.word(), Account: roles[id]})
		}
	}
	return out, nil
}

// workspaceRoles returns the roles of people in a workspace, or none if the host does not show them. The role "collaborator" is that of
// outsiders, and is being removed (the description).
func (h *Host) workspaceRoles(ctx context.Context, op, workspace string) (map[domain.HostID]string, error) {
	list, err := all(ctx, h, op, "/workspaces/"+url.PathEscape(workspace)+"/permissions?pagelen=100", "members of the workspace",
		codehost.MaxMembers, func(r right) (right, bool) { return r, r.User.id() != "" })
	if codehost.IsAccessLost(err) {
		return nil, nil
	}
	out := map[domain.HostID]string{}
	for _, r := range list {
		switch r.Permission {
		case "owner":
			out[r.User.id()] = codehost.AccountOwner
		case "member", "create-project":
			out[r.User.id()] = codehost.AccountMember
		}
	}
	return out, err
}

// PermissionOf implements [codehost.Connection]. It does not need the login, because the host has ids.
func (h *Host) PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, _ string) (string, error) {
	const op = "read permission of a person"
	if hostID(string(person)) != person || person == "" {
		return "", codehost.Refused(op, "the id of a person of this host is a UUID")
	}
	h = h.people
	now, err := h.byID(ctx, op, repo)
	if err != nil {
		return "", err
	}
	info := now.info()
	list, err := h.rights(ctx, op, codehost.Repo{Owner: info.Owner, Name: info.Name})
	if err != nil {
		return "", err
	}
	for _, r := range list {
		if r.User.id() == person {
			return r.word(), nil
		}
	}
	var u user
	if err := h.client.Get(ctx, op, "/users/"+braced(person), &u); err != nil {
		return "", err
	}
	switch {
	case u.id() != person:
		return "", unexpected(op, "the answer is about another user")
	case info.Private:
		return "none", nil
	}
	return "read", nil
}
