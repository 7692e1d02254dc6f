package gitea

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// ranks orders the levels of permissions.
var ranks = map[string]int{"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}

// memberSet collects the rights of people. The strongest permission of a person wins, as on the host, and so
// does the highest role in the organisation.
type memberSet struct {
	by      map[int64]codehost.Member
	tooMany bool
}

func (p *memberSet) add(u *sdk.User, permission, account string) {
	if u == nil || u.ID <= 0 || ranks[permission] == 0 || !wire.ValidName(u.UserName) {
		return
	}
	m, known := p.by[u.ID]
	if !known && len(p.by) >= codehost.MaxMembers {
		p.tooMany = true
		return
	}
	if !known || ranks[permission] > ranks[m.Permission] {
		m.Permission = permission
	}
	if m.Account != codehost.AccountOwner && account != "" {
		m.Account = account
	}
	m.ID, m.Login = wire.HostID(u.ID), u.UserName
	p.by[u.ID] = m
}

// Members implements [codehost.Connection] with the owner, the collaborators, and the members of the
// repository's teams. It leaves out people who can only read a public repository.
func (h *Host) Members(ctx context.Context, repo codehost.Repo) ([]codehost.Member, error) {
	const op = "list members"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	h = h.people
	found := &memberSet{by: map[int64]codehost.Member{}}
	collaborators, whole, err := listAll(ctx, h, op, codehost.MaxMembers,
		func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.User, *sdk.Response, error) {
			return c.ListCollaborators(repo.Owner, repo.Name, sdk.ListCollaboratorsOptions{ListOptions: opts})
		}, wire.KeepNonNil)
	if err != nil {
		return nil, err
	}
	found.tooMany = !whole
	for _, u := range collaborators {
		if u == nil || !wire.ValidName(u.UserName) {
			continue
		}
		permission, who, err := h.permission(ctx, op, repo, u.UserName)
		if codehost.ClassOf(err) == codehost.ClassNotFound || err == nil && who != 0 && who != u.ID { // gone since
			continue
		}
		if err != nil {
			return nil, err
		}
		found.add(u, permission, "")
	}
	teams, organization, err := h.teamsOf(ctx, op, repo)
	if err != nil {
		return nil, err
	}
	if organization {
		err = h.addAllTeamMembers(ctx, op, repo, teams, found)
	} else {
		err = h.addOwner(ctx, op, repo, found)
	}
	if err != nil {
		return nil, err
	}
	if found.tooMany {
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: op,
			Message: fmt.Sprintf("the repository has more than %d members", codehost.MaxMembers)}
	}
	out := make([]codehost.Member, 0, len(found.by))
	for _, m := range found.by {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b codehost.Member) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// PermissionOf implements [codehost.Connection]. The host takes names, so PermissionOf reads the
// repository's name by its id first. The answer contains the person's id (services/convert/user.go,
// ToUserAndPermission). If login is unknown or belongs to another person, it finds the name by the id
// (routers/api/v1/user/user.go, Search).
func (h *Host) PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, login string) (string, error) {
	const op = "read permission of a person"
	id, counts := person.Number()
	if !counts || id <= 0 {
		return "", codehost.Refused(op, "a person's id must be a number above 0")
	}
	h = h.people
	info, err := h.Resolve(ctx, repo)
	if err != nil {
		return "", err
	}
	repo.Owner, repo.Name = info.Owner, info.Name
	if err := wire.CheckRepo(op, repo); err != nil {
		return "", err
	}
	if wire.ValidName(login) {
		permission, who, err := h.permission(ctx, op, repo, login)
		if refused := codehost.ClassOf(err) == codehost.ClassForbidden; refused || err == nil && who == id {
			return h.permissionWithTeams(ctx, op, repo, id, login, permission, err)
		}
		if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return "", err
		}
	}
	var found []*sdk.User
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		found, _, err = c.SearchUsers(sdk.SearchUsersOption{UID: id})
		return err
	})
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(found, func(u *sdk.User) bool { return u != nil && u.ID == id && wire.ValidName(u.UserName) })
	if at < 0 {
		return "", &codehost.Error{Class: codehost.ClassNotFound, Op: op,
			Message: "the host has no user with this id, or hides the user from the account of the token"}
	}
	permission, who, err := h.permission(ctx, op, repo, found[at].UserName)
	if err == nil && who != id {
		return "", &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is about another user, or names no user"}
	}
	if err != nil && codehost.ClassOf(err) != codehost.ClassForbidden {
		return "", err
	}
	return h.permissionWithTeams(ctx, op, repo, id, found[at].UserName, permission, err)
}
