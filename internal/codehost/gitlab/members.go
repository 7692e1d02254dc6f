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
	h = h.aside
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

// permission is what a person may do in a project: by a level of theirs, given there or in
// a group above it, or as everybody. known is the account, nil to have the host asked for it
// where it counts. [codehost.ClassNotFound]: the person is not there at all.
func (h *Host) permission(ctx context.Context, op string, p *sdk.Project, person int64, known *sdk.User) (string, error) {
	var m *sdk.ProjectMember
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		m, _, err = c.ProjectMembers.GetInheritedProjectMember(p.ID, person, with)
		return err
	})
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return h.everybody(ctx, op, p, person, known)
	case err != nil:
		return "", err
	case m.ID != person:
		return "", unexpected(op, "the answer is about another user")
	case !active(m.State):
		return "none", nil
	}
	if w := word(m.AccessLevel); w != "none" {
		return w, nil
	}
	return h.everybody(ctx, op, p, person, known)
}

// everybody is what a person without a level may do in a project. In an internal one
// that is nothing for somebody from outside (docs.gitlab.com/administration/external_users),
// of whom the host tells administrators alone
// (lib/api/entities/user_details_with_admin.rb of gitlab-org/gitlab).
func (h *Host) everybody(ctx context.Context, op string, p *sdk.Project, person int64, u *sdk.User) (string, error) {
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
	case !active(u.State), u.External && p.Visibility != sdk.PublicVisibility:
		return "none", nil
	}
	return open(p), nil
}

// active reports whether an account in a state can do anything: one that is blocked, banned
// or deactivated cannot (docs.gitlab.com/administration/moderate_users).
func active(state string) bool { return state == "" || state == "active" }

// Members implements [codehost.Connection]: everybody with a level, given in the
// project, in a group above it or by a group with which it is shared, but the accounts
// of access tokens. The host tells what somebody may do in the end: by a share no more
// than that gives (gitlab-org/gitlab, app/finders/members_finder.rb: member_columns). Who
// may read a project only because it is public is no member.
func (h *Host) Members(ctx context.Context, repo codehost.Repo) ([]codehost.Member, error) {
	const op = "list members"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	h = h.aside
	p, err := h.projectOf(ctx, op, repo.FullName())
	if err != nil {
		return nil, err
	}
	list, whole, err := all(ctx, h, op, codehost.MaxMembers, func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.ProjectMember, *sdk.Response, error) {
		return c.ProjectMembers.ListAllProjectMembers(p.ID, &sdk.ListProjectMembersOptions{ListOptions: page}, with)
	}, wire.Same)
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: fmt.Sprintf("the project has more than %d members", codehost.MaxMembers)}
	}
	account, err := h.accounts(ctx, op, p)
	if err != nil {
		return nil, err
	}
	by := map[int64]codehost.Member{} // a person may be there for each group that gives a level
	levels := map[int64]sdk.AccessLevelValue{}
	for _, m := range list {
		if m == nil || m.ID <= 0 || !active(m.State) || isRobot(m.Username) || m.AccessLevel < levels[m.ID] {
			continue
		}
		w := word(m.AccessLevel)
		if w == "none" {
			w = open(p)
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

// accounts tells what people are in the account that the connection is for: owners of its
// group, and the members of that and of the subgroup that has the project, or the person
// whose the project is. Whoever owns a subgroup, or a group that shares a project with
// ours, does not own ours. Where the connection is for the whole instance, the members of
// the group that has the project are members, and nobody owns the account: a person may
// make groups of their own there, and owns them.
func (h *Host) accounts(ctx context.Context, op string, p *sdk.Project) (func(id int64) string, error) {
	if p.Namespace == nil || p.Namespace.Kind != "group" {
		owner := int64(0)
		if p.Owner != nil && !h.everything() {
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
	if !strings.EqualFold(p.Namespace.FullPath, h.at.Owner) && h.ours(p) { // for the whole instance every group is below it
		list, err := h.group(ctx, op, p.Namespace.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			words[m.ID] = codehost.AccountMember
		}
	}
	if h.everything() {
		return func(id int64) string { return words[id] }, nil
	}
	list, err := h.group(ctx, op, h.at.Owner)
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

// group lists the members of a group and of those above it; none where the account of the
// token does not see it, as that of a token for one project.
func (h *Host) group(ctx context.Context, op string, gid any) ([]*sdk.GroupMember, error) {
	list, whole, err := all(ctx, h, op, codehost.MaxMembers, func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.GroupMember, *sdk.Response, error) {
		return c.Groups.ListAllGroupMembers(gid, &sdk.ListGroupMembersOptions{ListOptions: page}, with)
	}, wire.Same)
	switch {
	case codehost.Gone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !whole:
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: fmt.Sprintf("the group has more than %d members", codehost.MaxMembers)}
	}
	return list, nil
}

// PermissionOf implements [codehost.Connection]. The host is asked by numbers, so that
// the name is not needed.
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
	h = h.aside
	p, err := h.projectOf(ctx, op, number)
	if err != nil {
		return "", err
	}
	return h.permission(ctx, op, p, id, nil)
}
