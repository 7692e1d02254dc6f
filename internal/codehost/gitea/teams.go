package gitea

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxTeams is the most teams of one repository.
const maxTeams = 500

// teamsOf lists the teams with rights on a repository. For a personal repository organization is false, and
// teams is empty.
func (h *Host) teamsOf(ctx context.Context, op string, repo codehost.Repo) (teams []*sdk.Team, organization bool, err error) {
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		teams, _, err = c.GetRepoTeams(repo.Owner, repo.Name)
		return err
	})
	if e, ok := err.(*codehost.Error); ok && e.Status == http.StatusMethodNotAllowed { // routers/api/v1/repo/teams.go
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if len(teams) > maxTeams {
		return nil, false, &codehost.Error{Class: codehost.ClassTooLarge, Op: op,
			Message: fmt.Sprintf("the repository has more than %d teams", maxTeams)}
	}
	for _, t := range teams {
		if t == nil {
			return nil, false, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer lists a team without an id"}
		}
	}
	return teams, true, nil
}

// addOwner adds the owner of a personal repository.
func (h *Host) addOwner(ctx context.Context, op string, repo codehost.Repo, found *memberSet) error {
	var r *sdk.Repository
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		r, _, err = c.GetRepo(repo.Owner, repo.Name)
		return err
	})
	if err == nil {
		found.add(r.Owner, "admin", codehost.AccountOwner)
	}
	return err
}

// addTeamMembers adds the members that membersOf returns for each team. Only members of a team and owners see its
// members (routers/api/v1/api.go, reqTeamMembership). hidden reports that the account did not see all
// teams' members.
func addTeamMembers(teams []*sdk.Team, found *memberSet, membersOf func(*sdk.Team) ([]*sdk.User, bool, error)) (hidden bool, err error) {
	for _, t := range teams {
		members, whole, err := membersOf(t)
		if codehost.IsAccessLost(err) {
			hidden = true
			continue
		}
		if err != nil {
			return hidden, err
		}
		found.tooMany = found.tooMany || !whole
		account := codehost.AccountMember
		if t.Permission == sdk.AccessModeOwner {
			account = codehost.AccountOwner
		}
		for _, u := range members {
			found.add(u, teamWord(t), account)
		}
	}
	return hidden, nil
}

// addAllTeamMembers adds all members of the teams that the account sees.
func (h *Host) addAllTeamMembers(ctx context.Context, op string, repo codehost.Repo, teams []*sdk.Team, found *memberSet) error {
	hidden, err := addTeamMembers(teams, found, func(t *sdk.Team) ([]*sdk.User, bool, error) {
		return listAll(ctx, h, op, codehost.MaxMembers, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.User, *sdk.Response, error) {
			return c.ListTeamMembers(t.ID, sdk.ListTeamMembersOptions{ListOptions: opts})
		}, wire.KeepNonNil)
	})
	if err != nil || !hidden {
		return err
	}
	least := leastAssigneeRight(teams)
	assignees, err := h.addAssignees(ctx, op, repo, least, found)
	if err != nil {
		return err
	}
	// Members of administrator teams administer every repository, which the host reports only for single
	// people.
	for _, u := range assignees {
		if m := found.by[u.ID]; m.Account != "" || ranks[m.Permission] >= ranks["admin"] || !wire.ValidName(u.UserName) {
			continue
		}
		permission, who, err := h.permission(ctx, op, repo, u.UserName)
		if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return err
		}
		if err != nil || who != u.ID || least == "none" && ranks[permission] < ranks["write"] { // anyone can read a public repository
			continue
		}
		found.add(u, permission, "")
	}
	return h.markOrganizationMembers(ctx, op, repo, found)
}

// markOrganizationMembers marks the found people who are members of the organisation, as far as the account sees it.
func (h *Host) markOrganizationMembers(ctx context.Context, op string, repo codehost.Repo, found *memberSet) error {
	members, whole, err := listAll(ctx, h, op, codehost.MaxMembers,
		func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.User, *sdk.Response, error) {
			return c.ListOrgMembership(repo.Owner, sdk.ListOrgMembershipOption{ListOptions: opts})
		}, wire.KeepNonNil)
	if codehost.IsAccessLost(err) { // Probe reports the deficit
		return nil
	}
	if err != nil {
		return err
	}
	found.tooMany = found.tooMany || !whole
	for _, u := range members {
		if u == nil {
			continue
		}
		if m, there := found.by[u.ID]; there {
			found.add(u, m.Permission, codehost.AccountMember)
		}
	}
	return nil
}

// leastAssigneeRight returns the least right to the code that an assignee of a repository can have. Assignees are
// collaborators who can write, and members of teams that read issues or pull requests or write anything
// (models/repo/user_repo.go, GetRepoAssignees; older versions require the right to write).
func leastAssigneeRight(teams []*sdk.Team) string {
	least := "write"
	for _, t := range teams {
		if w := teamWord(t); assignable(t) && ranks[w] < ranks[least] {
			least = w
		}
	}
	return least
}

// addAssignees adds the possible assignees of issues and pull requests with the right that all of them have,
// and returns them.
func (h *Host) addAssignees(ctx context.Context, op string, repo codehost.Repo, least string, found *memberSet) ([]*sdk.User, error) {
	var assignees []*sdk.User
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		assignees, _, err = c.GetAssignees(repo.Owner, repo.Name)
		return err
	})
	if err != nil {
		return nil, err
	}
	assignees = slices.DeleteFunc(assignees, func(u *sdk.User) bool { return u == nil })
	if len(assignees) > codehost.MaxMembers {
		assignees, found.tooMany = assignees[:codehost.MaxMembers], true
	}
	for _, u := range assignees {
		found.add(u, least, "")
	}
	return assignees, nil
}

// assignable reports whether the members of a team are among the assignees of its repositories.
func assignable(t *sdk.Team) bool {
	if permissionWord(string(t.Permission)) != "none" {
		return true
	}
	for unit, mode := range t.UnitsMap {
		if ranks[permissionWord(mode)] >= ranks["write"] || ranks[permissionWord(mode)] > 0 && (unit == "repo.issues" || unit == "repo.pulls") {
			return true
		}
	}
	return false
}

// teamWord returns a team's right to the code. A team has one right for everything, or one for each unit.
func teamWord(t *sdk.Team) string {
	if w := permissionWord(string(t.Permission)); w != "none" {
		return w
	}
	return permissionWord(t.UnitsMap["repo.code"])
}

// permissionWithTeams returns a person's right including rights from teams. permission is the host's answer for the
// person, and asked its error if it refused to answer. The answer omits the rights of teams with a right
// for each unit, which from Gitea 1.26 on are all except administrator teams.
func (h *Host) permissionWithTeams(ctx context.Context, op string, repo codehost.Repo, id int64,
	login, permission string, asked error,
) (string, error) {
	if ranks[permission] >= ranks["write"] {
		return permission, nil
	}
	teams, organization, err := h.teamsOf(ctx, op, repo)
	if err != nil {
		return "", err
	}
	givesMore := func(t *sdk.Team) bool { return ranks[teamWord(t)] > ranks[permission] }
	if asked == nil && !slices.ContainsFunc(teams, givesMore) {
		return permission, nil
	}
	found := &memberSet{by: map[int64]codehost.Member{}}
	hidden, err := addTeamMembers(teams, found, func(t *sdk.Team) (members []*sdk.User, whole bool, err error) {
		if !givesMore(t) {
			return nil, true, nil
		}
		err = h.read(ctx, op, func(c *sdk.Client) error {
			u, _, err := c.GetTeamMember(t.ID, login)
			members = []*sdk.User{u}
			return err
		})
		return members, true, err
	})
	least := leastAssigneeRight(teams)
	if err == nil && least != "none" && (hidden || !organization) && ranks[found.by[id].Permission] < ranks["write"] {
		_, err = h.addAssignees(ctx, op, repo, least, found)
	}
	if err != nil {
		return "", err
	}
	if m := found.by[id]; ranks[m.Permission] > ranks[permission] {
		return m.Permission, nil
	}
	return permission, asked
}
