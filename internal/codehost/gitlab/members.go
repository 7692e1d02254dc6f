package gitlab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Permission implements [codehost.Reader].
func (h *Host) Permission(ctx context.Context, repo codehost.Repo, login string) (string, error) {
	const op = "read permission"
	if err := checkRepo(op, repo); err != nil {
		return "", err
	}
	if !validLogin(login) {
		return "", codehost.Refused(op, "the login must be that of a user")
	}
	h = h.people
	u, err := h.userOf(ctx, op, login)
	if err != nil {
		return "", err
	}
	p, err := h.projectOf(ctx, op, repo.FullName())
	if err != nil {
		return "", err
	}
	return h.permission(ctx, op, p, u.ID, u)
}

// projectOf reads a project by its number or its full path.
func (h *Host) projectOf(ctx context.Context, op string, pid any) (*sdk.Project, error) {
	var p *sdk.Project
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		p, _, err = c.Projects.GetProject(pid, nil, with)
		return err
	})
	if err == nil && (p.ID <= 0 || p.PathWithNamespace == "") {
		return nil, unexpected(op, "the answer is not the project")
	}
	return p, err
}

// permission returns a person's right on a project, from a level in the project or a group above it, or
// from the project's visibility. known is the account; if it is nil and needed, permission reads it. It
// fails with [codehost.ClassNotFound] if the person does not exist.
func (h *Host) permission(ctx context.Context, op string, p *sdk.Project, person int64, known *sdk.User) (string, error) {
	var m *sdk.ProjectMember
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		m, _, err = c.ProjectMembers.GetInheritedProjectMember(p.ID, person, with)
		return err
	})
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return h.permissionWithoutLevel(ctx, op, p, person, known)
	case err != nil:
		return "", err
	case m.ID != person:
		return "", unexpected(op, "the answer is about another user")
	case !isActive(m.State):
		return "none", nil
	}
	if w := permissionWord(m.AccessLevel); w != "none" {
		return w, nil
	}
	return h.permissionWithoutLevel(ctx, op, p, person, known)
}

// permissionWithoutLevel returns the right of a person without a level on a project. External users have no right on an
// internal project (docs.gitlab.com/administration/external_users). Only administrators see that flag
// (lib/api/entities/user_details_with_admin.rb of gitlab-org/gitlab).
func (h *Host) permissionWithoutLevel(ctx context.Context, op string, p *sdk.Project, person int64, u *sdk.User) (string, error) {
	if u == nil {
		err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
			u, _, err = c.Users.GetUser(person, nil, with)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	switch {
	case u.ID != person:
		return "", unexpected(op, "the answer is about another user")
	case !isActive(u.State), u.External && p.Visibility != sdk.PublicVisibility:
		return "none", nil
	}
	return publicPermission(p), nil
}

// isActive reports whether an account in a state can act. Blocked, banned and deactivated accounts cannot
// (docs.gitlab.com/administration/moderate_users).
func isActive(state string) bool { return state == "" || state == "active" }

// Members implements [codehost.Connection] with all people who have a level in the project, in a group
// above it, or through a group that the project is shared with. It leaves out accounts of access tokens,
// and people who can only read a public project. GitLab reports the effective level, which a share limits
// (gitlab-org/gitlab, app/finders/members_finder.rb: member_columns).
func (h *Host) Members(ctx context.Context, repo codehost.Repo) ([]codehost.Member, error) {
	const op = "list members"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	h = h.people
	p, err := h.projectOf(ctx, op, repo.FullName())
	if err != nil {
		return nil, err
	}
	list, whole, err := listAll(ctx, h, op, codehost.MaxMembers,
		func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.ProjectMember, *sdk.Response, error) {
			return c.ProjectMembers.ListAllProjectMembers(p.ID, &sdk.ListProjectMembersOptions{ListOptions: page}, with)
		}, wire.KeepNonNil)
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: op,
			Message: fmt.Sprintf("the project has more than %d members", codehost.MaxMembers)}
	}
	account, err := h.accountRoles(ctx, op, p)
	if err != nil {
		return nil, err
	}
	by := map[int64]codehost.Member{} // a person may appear once for each group with a level
	levels := map[int64]sdk.AccessLevelValue{}
	for _, m := range list {
		if m == nil || m.ID <= 0 || !isActive(m.State) || isRobot(m.Username) || m.AccessLevel < levels[m.ID] {
			continue
		}
		w := permissionWord(m.AccessLevel)
		if w == "none" {
			w = publicPermission(p)
		}
		if w == "none" {
			continue
		}
		levels[m.ID] = m.AccessLevel
		by[m.ID] = codehost.Member{ID: wire.HostID(m.ID), Login: m.Username, Permission: w, Account: account(m.ID)}
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

// accountRoles returns a function for people's roles in the connection's account. Owners are the owners of its
// group, or the user whose project it is. Members are the members of its group and of the project's
// subgroup. Owning a subgroup, or a group that shares a project with ours, does not count as owning ours.
// If the connection is for the whole instance, the members of the project's group are members. There are no
// owners then, because any person may create and own groups there.
func (h *Host) accountRoles(ctx context.Context, op string, p *sdk.Project) (func(id int64) string, error) {
	if p.Namespace == nil || p.Namespace.Kind != "group" {
		owner := int64(0)
		if p.Owner != nil && !h.isWholeInstance() {
			owner = p.Owner.ID
		}
		return func(id int64) string {
			if id == owner && owner != 0 {
				return codehost.AccountOwner
			}
			return ""
		}, nil
	}
	words := map[int64]string{}
	if !strings.EqualFold(p.Namespace.FullPath, h.instance.Owner) && h.isOwned(p) { // for the whole instance, every group is below it
		list, err := h.listGroupMembers(ctx, op, p.Namespace.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			words[m.ID] = codehost.AccountMember
		}
	}
	if h.isWholeInstance() {
		return func(id int64) string { return words[id] }, nil
	}
	list, err := h.listGroupMembers(ctx, op, h.instance.Owner)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		switch {
		case m.AccessLevel >= levelOwner:
			words[m.ID] = codehost.AccountOwner
		case words[m.ID] == "":
			words[m.ID] = codehost.AccountMember
		}
	}
	return func(id int64) string { return words[id] }, nil
}

// listGroupMembers lists the members of a group and of those above it. It returns nil if the token's account cannot
// see the group, as with the token of one project.
func (h *Host) listGroupMembers(ctx context.Context, op string, gid any) ([]*sdk.GroupMember, error) {
	list, whole, err := listAll(ctx, h, op, codehost.MaxMembers,
		func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.GroupMember, *sdk.Response, error) {
			return c.Groups.ListAllGroupMembers(gid, &sdk.ListGroupMembersOptions{ListOptions: page}, with)
		}, wire.KeepNonNil)
	switch {
	case codehost.IsAccessLost(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !whole:
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: op,
			Message: fmt.Sprintf("the group has more than %d members", codehost.MaxMembers)}
	}
	return list, nil
}

// PermissionOf implements [codehost.Connection]. It does not need the login, because GitLab takes numbers.
func (h *Host) PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, _ string) (string, error) {
	const op = "read permission of a person"
	id, err := wire.NumberOfID(op, person)
	if err != nil {
		return "", err
	}
	number, err := wire.NumberOfID(op, repo.ExternalID)
	if err != nil {
		return "", err
	}
	h = h.people
	p, err := h.projectOf(ctx, op, number)
	if err != nil {
		return "", err
	}
	return h.permission(ctx, op, p, id, nil)
}
