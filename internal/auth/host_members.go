package auth

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// confirmAgain is the age up to which a membership's confirmation is not repeated by further lists of the
// same round.
const confirmAgain = 10 * time.Minute

// KeepMembers replaces the stored members of a connection's repository by the host's present list. A person
// counts if an identity provider that the tenant may use, and whose subjects are the host's user ids, links
// them: they get a role on the repository, and a membership by the same rules as on GitHub. Rights that are
// missing in the list are withdrawn. Other members are stored as ids, which count when their people sign
// in.
//
// Call it only after a successful [codehost.Connection.Members], because a failure shows nothing about any
// member. It returns [errs.NotFound] if the access no longer reaches the repository. It may be called in a
// transaction, and concurrently.
func (s *Service) KeepMembers(ctx context.Context, t domain.Tenant, a store.Access, repo store.Repository,
	members []codehost.Member) error {
	if len(members) > codehost.MaxMembers {
		return fmt.Errorf("auth: %d members of one repository are more than %d", len(members), codehost.MaxMembers)
	}
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil {
		return err
	}
	ctx = audit.As(ctx, audit.Actor{Kind: "host"})
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		list, err := s.relevantMembers(ctx, t, a, members)
		if err != nil {
			return err
		}
		before, err := s.Store.HostRights(ctx, t, repo.ID)
		if err != nil {
			return err
		}
		if err := s.Store.ReplaceHostMembers(ctx, t, a.ID, repo.ID, list); err != nil {
			return err
		}
		now, err := s.Store.HostRights(ctx, t, repo.ID)
		if err != nil {
			return err
		}
		if err := s.replaceRoles(ctx, t, repo.ID, now); err != nil {
			return err
		}
		users := usersOf(append(before, now...))
		return s.confirmMembers(ctx, t, a.ID, users, settings)
	})
}

// relevantMembers returns the members with a right that counts, each once and with the greatest right. It
// leaves out the login names of people who are unknown here.
func (s *Service) relevantMembers(ctx context.Context, t domain.Tenant, a store.Access,
	members []codehost.Member) ([]store.HostMember, error) {
	by := map[domain.HostID]store.HostMember{}
	var ids []domain.HostID
	for _, m := range members {
		if m.ID == "" || len(m.ID) > domain.MaxHostID || perm.HostRole(m.Permission) == perm.RepoNone {
			continue
		}
		earlier, known := by[m.ID]
		if !known {
			ids = append(ids, m.ID)
		}
		if !known || perm.HostRole(m.Permission) > perm.HostRole(earlier.Permission) {
			earlier.Permission = m.Permission
		}
		if m.Account == codehost.AccountOwner || m.Account == codehost.AccountMember && earlier.Account == "" {
			earlier.Account = m.Account
		}
		earlier.HostUser, earlier.Login = m.ID, clip.Bytes(m.Login, 200)
		by[m.ID] = earlier
	}
	known, err := s.Store.KnownHostUsers(ctx, t, a.ID, ids)
	if err != nil {
		return nil, err
	}
	out := make([]store.HostMember, 0, len(ids))
	for _, id := range ids {
		m := by[id]
		if !slices.Contains(known, id) {
			m.Login = ""
		}
		out = append(out, m)
	}
	return out, nil
}

// usersOf returns the users of some rows, each once.
func usersOf(rows []store.HostRight) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.User)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// replaceRoles replaces the roles on a repository by those that follow from its stored members. A person
// may have several host users; the greatest role counts.
func (s *Service) replaceRoles(ctx context.Context, t domain.Tenant, repository string, kept []store.HostRight) error {
	roles, at := map[string]perm.RepoRole{}, map[string]int64{}
	for _, k := range kept {
		roles[k.User], at[k.User] = max(roles[k.User], perm.HostRole(k.Permission)), k.KeptUS
	}
	there, err := s.Store.RolesOn(ctx, t, repository)
	if err != nil {
		return err
	}
	var gone []string
	for _, r := range there {
		if roles[r.User] == perm.RepoNone {
			gone = append(gone, r.User)
		}
	}
	if err := s.Store.ForgetRolesOn(ctx, t, repository, gone); err != nil {
		return err
	}
	for _, user := range usersOf(kept) {
		if err := s.Store.KeepRepositoryRole(ctx, t, repository, user, roles[user].String(), at[user]); err != nil {
			return err
		}
	}
	return nil
}

// confirmMembers grants or withdraws the memberships that a connection gives to some people, based on the
// stored members of all its repositories.
func (s *Service) confirmMembers(ctx context.Context, t domain.Tenant, access string, users []string,
	settings policy.TenantSettings) error {
	standings, err := s.Store.HostStandings(ctx, t, access, users)
	if err != nil {
		return err
	}
	role := map[string]domain.Role{}
	for _, v := range standings {
		role[v.User] = tenantRoleOf(v.Account, settings)
	}
	for _, user := range users {
		fresh, err := s.recentlyConfirmed(ctx, t, user, access, role[user])
		if err == nil && !fresh {
			err = s.setSource(ctx, t, store.Membership{User: user, Role: role[user], Source: domain.SourceHost, SourceID: access})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tenantRoleOf returns the tenant role of a person with rights on a repository. As with an installation, members
// of the account become members, its owners admins, and others get the role from the tenant's settings.
func tenantRoleOf(account string, settings policy.TenantSettings) domain.Role {
	switch {
	case account == codehost.AccountOwner && settings.HostOwnersAreAdmins:
		return domain.RoleAdmin
	case account != "", settings.Collaborators == policy.CollaboratorsMember:
		return domain.RoleMember
	}
	return ""
}

// recentlyConfirmed reports whether a membership with this role was confirmed recently, so that a round over many
// repositories writes it once.
func (s *Service) recentlyConfirmed(ctx context.Context, t domain.Tenant, user, access string, role domain.Role) (bool, error) {
	rows, err := s.Store.Memberships(ctx, t, user)
	at := slices.IndexFunc(rows, func(m store.Membership) bool { return m.Source == domain.SourceHost && m.SourceID == access })
	return at >= 0 && rows[at].Role == role && rows[at].ConfirmedAgeUS < confirmAgain.Microseconds(), err
}

// applyStoredRoles applies the stored rights of a person at a sign-in that may have linked them to host users. Call
// it in the transaction of the sign-in.
func (s *Service) applyStoredRoles(ctx context.Context, user string) error {
	kept, err := s.Store.HostRightsOf(ctx, user, rolesValid)
	if err != nil {
		return err
	}
	ctx = audit.As(ctx, audit.Actor{Kind: "host"})
	for len(kept) > 0 { // a connection at a time, a repository at a time
		first := kept[0]
		roles := kept[:prefixLength(kept, func(k store.HostRight) bool { return k.Tenant == first.Tenant && k.Access == first.Access })]
		kept = kept[len(roles):]
		t := domain.Tenant{ID: first.Tenant}
		settings, err := policy.Settings(ctx, s.Store, t)
		if err != nil {
			return err
		}
		for len(roles) > 0 {
			n := prefixLength(roles, func(k store.HostRight) bool { return k.Repository == roles[0].Repository })
			best := slices.MaxFunc(roles[:n], func(a, b store.HostRight) int {
				return int(perm.HostRole(a.Permission)) - int(perm.HostRole(b.Permission))
			})
			if err := s.Store.KeepRepositoryRole(ctx, t, best.Repository, user, perm.HostRole(best.Permission).String(), best.KeptUS); err != nil {
				return err
			}
			roles = roles[n:]
		}
		if err := s.confirmMembers(ctx, t, first.Access, []string{user}, settings); err != nil {
			return err
		}
	}
	return nil
}

// prefixLength returns the number of rows at the beginning of a list for which is returns true.
func prefixLength(rows []store.HostRight, is func(store.HostRight) bool) int {
	if n := slices.IndexFunc(rows, func(k store.HostRight) bool { return !is(k) }); n >= 0 {
		return n
	}
	return len(rows)
}
