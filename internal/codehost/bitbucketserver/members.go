package bitbucketserver

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// sameLogin compares logins as the host does.
func sameLogin(a, b string) bool { return strings.EqualFold(a, b) }

// roles are the permissions on a repository, and the port's words for them, highest first.
var roles = [][2]string{{"REPO_ADMIN", "admin"}, {"REPO_WRITE", "write"}, {"REPO_READ", "read"}}

// permitted lists the people with a permission on a repository, or on a project if slug is "", at most
// [codehost.MaxMembers]. The host filters by the effective permission: their own, and those of their groups, of the
// project and of the whole instance (the description, GET users, "Permission Filters"). filter is a part of the name,
// "" for everybody.
func (h *Host) permitted(ctx context.Context, op, permission, project, slug, filter string) ([]*user, error) {
	q := url.Values{"permission.1": {permission}, "permission.1.projectKey": {project}}
	if slug != "" {
		q.Set("permission.1.repositorySlug", slug)
	}
	if filter != "" {
		q.Set("filter", filter)
	}
	return all(ctx, h, op, api+"/users?"+q.Encode(), "people with rights", codehost.MaxMembers, keepPerson)
}

// keepPerson keeps the account of a person who can sign in.
func keepPerson(u *user) (*user, bool) {
	return u, u != nil && u.ID > 0 && u.Name != "" && !u.isBot() && (u.Active == nil || *u.Active)
}

// repositoryOf reads a repository.
func (h *Host) repositoryOf(ctx context.Context, op string, repo codehost.Repo) (*repository, error) {
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	var r repository
	if err := h.client.Get(ctx, op, at(api, repo), &r); err != nil {
		return nil, err
	}
	if r.ID <= 0 || r.Slug == "" || r.Project.Key == "" {
		return nil, unexpected(op, "the answer is not the repository")
	}
	return &r, nil
}

// Permission implements [codehost.Reader].
func (h *Host) Permission(ctx context.Context, repo codehost.Repo, login string) (string, error) {
	const op = "read permission"
	if !validLogin(login) {
		return "", codehost.Refused(op, "the login must be that of a user")
	}
	h = h.people
	r, err := h.repositoryOf(ctx, op, repo)
	if err != nil {
		return "", err
	}
	u, err := h.userOf(ctx, op, login)
	if err != nil {
		return "", err
	}
	return h.permission(ctx, op, r, u)
}

// permission returns a person's right on a repository.
func (h *Host) permission(ctx context.Context, op string, r *repository, u *user) (string, error) {
	if _, person := keepPerson(u); !person {
		return "none", nil
	}
	for _, role := range roles {
		list, err := h.permitted(ctx, op, role[0], r.Project.Key, r.Slug, u.Name)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(list, func(o *user) bool { return o.ID == u.ID }) {
			return role[1], nil
		}
	}
	if !r.info().Private {
		return "read", nil
	}
	return "none", nil
}

// PermissionOf implements [codehost.Connection].
func (h *Host) PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, login string) (string, error) {
	const op = "read permission of a person"
	id, err := wire.NumberOfID(op, person)
	if err != nil {
		return "", err
	}
	h = h.people
	now, err := h.Resolve(ctx, repo)
	if err != nil {
		return "", err
	}
	repo.Owner, repo.Name = now.Owner, now.Name
	r, err := h.repositoryOf(ctx, op, repo)
	if err != nil {
		return "", err
	}
	u, err := h.userWithID(ctx, op, id, login)
	if err != nil {
		return "", err
	}
	return h.permission(ctx, op, r, u)
}

// userWithID reads the account with a number. login is its last known login. The host does not find people by number, so
// for an unknown login userWithID lists all people.
func (h *Host) userWithID(ctx context.Context, op string, id int64, login string) (*user, error) {
	u, err := h.userOf(ctx, op, login)
	if err == nil && u.ID == id {
		return u, nil
	}
	if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
		return nil, err
	}
	list, err := all(ctx, h, op, api+"/users", "people", codehost.MaxMembers, keepPerson)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(u *user) bool { return u.ID == id })
	if i < 0 {
		return nil, notFound(op, "the host has no user with this number")
	}
	return list[i], nil
}

// Members implements [codehost.Connection] with all people who have a right on the repository, also through a group,
// the project or the whole instance. Administrators of the project own the account, and its other people are members.
func (h *Host) Members(ctx context.Context, repo codehost.Repo) ([]codehost.Member, error) {
	const op = "list members"
	h = h.people
	r, err := h.repositoryOf(ctx, op, repo)
	if err != nil {
		return nil, err
	}
	by := map[int64]codehost.Member{}
	for _, role := range roles {
		list, err := h.permitted(ctx, op, role[0], r.Project.Key, r.Slug, "")
		if err != nil {
			return nil, err
		}
		for _, u := range list {
			if _, known := by[u.ID]; !known {
				by[u.ID] = codehost.Member{ID: wire.HostID(u.ID), Login: u.Name, Permission: role[1]}
			}
		}
	}
	if err := h.fillAccount(ctx, op, r, by); err != nil {
		return nil, err
	}
	out := make([]codehost.Member, 0, len(by))
	for _, m := range by {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b codehost.Member) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// fillAccount fills in the roles of people in the project. A person's own project has that person as its owner and no
// members. For the whole instance there are members, but no owners. An account that may not ask for the project's
// people gets none.
func (h *Host) fillAccount(ctx context.Context, op string, r *repository, by map[int64]codehost.Member) error {
	if slug, own := strings.CutPrefix(r.Project.Key, "~"); own {
		for id, m := range by {
			if sameLogin(slugOf(m.Login), slug) && !h.isWholeInstance() {
				m.Account = codehost.AccountOwner
				by[id] = m
			}
		}
		return nil
	}
	for _, role := range [][2]string{{"PROJECT_READ", codehost.AccountMember}, {"PROJECT_ADMIN", codehost.AccountOwner}} {
		list, err := h.permitted(ctx, op, role[0], r.Project.Key, "", "")
		if codehost.IsAccessLost(err) {
			return nil
		}
		if err != nil {
			return err
		}
		word := role[1]
		if h.isWholeInstance() {
			word = codehost.AccountMember
		}
		for _, u := range list {
			if m, known := by[u.ID]; known {
				m.Account = word
				by[u.ID] = m
			}
		}
	}
	return nil
}

// isWholeInstance reports whether the connection is for the whole instance.
func (h *Host) isWholeInstance() bool { return h.client.Owner == codehost.WholeInstance }
