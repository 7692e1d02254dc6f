package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Freshen asks a code host again if its data about a person are old: in the background while they may still
// be used, and otherwise for a few seconds. Failures of hosts are not errors, because the use of data that
// are too old is refused later.
//
// Connections are not asked about one person, but about all at once by their synchronisation, which is
// requested when their data are about to be too old.
func (s *Service) Freshen(ctx context.Context, user string) ([]store.HostToken, error) {
	if err := s.requestStaleSyncs(ctx, user); err != nil {
		return nil, err
	}
	rows, err := s.Store.HostTokensOf(ctx, user)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	if last, ok := s.failed.Get(user); ok && time.Since(last) < s.Backoff {
		return rows, nil // the host has just failed
	}
	wait, old := false, false
	for _, r := range rows {
		wait = wait || membersDue(r) || r.NowUS-r.RolesUS > rolesValid.Microseconds()
		old = old || r.NowUS-r.RolesUS > rolesFresh.Microseconds()
	}
	if !wait && !old {
		return rows, nil
	}
	done := s.refreshPerson(user, false)
	if !wait {
		return rows, nil
	}
	if s.await(ctx, done, requestWait) {
		s.failed.Add(user, time.Now()) // until it answers, no request waits for it again so soon
	}
	return s.Store.HostTokensOf(ctx, user)
}

// memberRole returns the role that a person's memberships of a tenant give, independently of the session or
// token. Errors are those of [Service.TenantRole].
func (s *Service) memberRole(ctx context.Context, t domain.Tenant, user string) (domain.Role, error) {
	tokens, err := s.Freshen(ctx, user)
	if err != nil {
		return "", err
	}
	rows, err := s.Store.Memberships(ctx, t, user)
	if err != nil {
		return "", err
	}
	var role domain.Role
	var reason error
	for _, m := range rows {
		if m.Lapsed {
			continue
		}
		if m.Overdue {
			if reason, err = s.unconfirmedReason(ctx, m, tokens); err != nil {
				return "", err
			}
			continue
		}
		if role != domain.RoleAdmin {
			role = m.Role
		}
	}
	if role == "" {
		return "", reason
	}
	return role, nil
}

// unconfirmedReason returns the reason why a host has not confirmed a membership.
func (s *Service) unconfirmedReason(ctx context.Context, m store.Membership, tokens []store.HostToken) (why, err error) {
	a, err := s.Store.Access(ctx, m.SourceID)
	if err != nil {
		return nil, err
	}
	if a.Connection != "" {
		return s.connectionSilence(ctx, a)
	}
	inst, err := s.Store.Installation(ctx, m.SourceID)
	if err != nil {
		return nil, err
	}
	switch at := slices.IndexFunc(tokens, func(r store.HostToken) bool { return r.App == inst.AppID }); {
	case at < 0:
		return signInAgainError(), nil
	case !membersDue(tokens[at]): // all was asked within the hour
		return hostRefusesError(), nil
	}
	return hostDownError(nil), nil
}

// hostRefusesError is the error if a host answers, but does not show who belongs to an account.
func hostRefusesError() error {
	return errs.New(errs.Forbidden, "host_does_not_say", "The code host does not say whether you still belong here: the app lacks "+
		"the permission members: read there. An owner of the organisation can grant it.")
}

// hostDownError is the error while a host cannot be asked.
func hostDownError(cause error) error {
	return errs.Down(cause, "code host", max(codehost.RetryAfter(cause), 5*time.Second))
}

// signInAgainError is the error if only a new sign-in by the code host helps.
func signInAgainError() error {
	return errs.New(errs.Unauthenticated, "sign_in_again", "The code host no longer says what you may do here. Sign in with it again.")
}

// Roles are a person's roles on the repositories of a tenant.
type Roles struct {
	all    perm.RepoRole // on every repository, at least
	byRepo map[string]perm.RepoRole
	late   error
}

// On returns the role on a repository.
func (r Roles) On(repository string) perm.RepoRole { return max(r.all, r.byRepo[repository]) }

// Everywhere reports whether the person has a role on every repository.
func (r Roles) Everywhere() bool { return r.all != perm.RepoNone }

// Late returns the reason if the host could not be asked for longer than its answers count; nil if the
// roles are complete. A list of visible repositories must be refused with it, because it would be
// incomplete without a sign.
func (r Roles) Late() error { return r.late }

// RepositoryRoles returns a person's roles for views. An admin of the tenant manages every repository. A
// member has the host's roles from the last hour, and at least the tenant's setting for members without a
// host role. An error never grants.
func (s *Service) RepositoryRoles(ctx context.Context, t domain.Tenant, user string, role domain.Role) (Roles, error) {
	out := Roles{byRepo: map[string]perm.RepoRole{}}
	switch role {
	case domain.RoleAdmin:
		out.all = perm.RepoManager
		return out, nil
	case domain.RoleMember:
	default:
		return out, nil
	}
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil {
		return out, err
	}
	if settings.MembersWithoutHostRole == policy.WithoutHostRoleView {
		out.all = perm.RepoViewer
	}
	rows, err := s.Store.RepositoryRoles(ctx, t, user, rolesValid)
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		out.byRepo[r.Repository] = perm.RepoRoleOf(r.Role)
	}
	if out.all == perm.RepoNone {
		out.late, err = s.lateReason(ctx, t, user)
	}
	return out, err
}

// lateReason returns the reason if the roles of a person in a tenant are unknown because the host has not
// answered for an hour.
func (s *Service) lateReason(ctx context.Context, t domain.Tenant, user string) (late, err error) {
	tokens, err := s.Store.HostTokensOf(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, tok := range tokens {
		if tok.NowUS-tok.RolesUS <= rolesValid.Microseconds() {
			continue
		}
		placed, err := s.Store.PlacedInstallations(ctx, tok.App)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(placed, func(i store.Installation) bool { return i.Tenant == t.ID && i.State == domain.InstallationActive }) {
			return hostDownError(nil), nil
		}
	}
	return s.lateConnectionReason(ctx, t, user)
}

// RepositoryRole returns a person's role on one repository. For a deciding act the host's answer must not
// be older than a minute: otherwise it asks the host. If that fails, the error is of kind
// [errs.Unavailable], or sign_in_again if the host no longer lets us ask.
func (s *Service) RepositoryRole(ctx context.Context, t domain.Tenant, repo store.Repository, user string, role domain.Role,
	deciding bool) (perm.RepoRole, error) {
	roles, err := s.RepositoryRoles(ctx, t, user, role)
	if err != nil {
		return perm.RepoNone, err
	}
	if !deciding || role != domain.RoleMember {
		if now := roles.On(repo.ID); now != perm.RepoNone || roles.late == nil {
			return now, nil
		}
		return perm.RepoNone, roles.late
	}
	before, err := s.Store.RepositoryRole(ctx, t, repo.ID, user)
	if err == nil && before.AgeUS <= decidesFresh.Microseconds() {
		return max(roles.all, perm.RepoRoleOf(before.Role)), nil
	}
	if err != nil && !errs.Is(err, errs.NotFound) {
		return perm.RepoNone, err
	}
	now, err := s.askRepository(ctx, t, repo, user, before)
	return max(roles.all, now), err
}

// askRepository asks the host for a person's present role on a repository. before is the last stored role,
// or the zero value. It grants nothing, and only shows who may be helped by a new sign-in, and who may see
// the repository.
func (s *Service) askRepository(ctx context.Context, t domain.Tenant, repo store.Repository, user string,
	before store.RepositoryRole) (perm.RepoRole, error) {
	if repo.Installation == "" {
		return s.askConnected(ctx, t, repo, user, before)
	}
	inst, err := s.Store.Installation(ctx, repo.Installation)
	if err != nil {
		return perm.RepoNone, err
	}
	tokens, err := s.Store.HostTokensOf(ctx, user)
	if err != nil {
		return perm.RepoNone, err
	}
	at := slices.IndexFunc(tokens, func(r store.HostToken) bool { return r.App == inst.AppID })
	if at < 0 {
		if perm.RepoRoleOf(before.Role) != perm.RepoNone {
			return perm.RepoNone, signInAgainError()
		}
		return perm.RepoNone, nil // the host does not know the person
	}
	got, err := s.askPermission(ctx, tokens[at], user, repo)
	switch {
	case errors.Is(err, errNoToken):
		return perm.RepoNone, signInAgainError()
	case isRefusal(err):
		got = perm.RepoNone
	case err != nil:
		return perm.RepoNone, hostDownError(err)
	}
	return s.storeHostRole(ctx, t, repo, user, before, got)
}

// storeHostRole stores the host's present answer about a person's role on a repository, and returns the role that
// counts.
func (s *Service) storeHostRole(ctx context.Context, t domain.Tenant, repo store.Repository, user string,
	before store.RepositoryRole, got perm.RepoRole) (perm.RepoRole, error) {
	if got == perm.RepoViewer {
		// Anyone may read a public repository, and a whole enterprise an internal one. So a right to read
		// is not a role by itself. The host's list of repositories with explicit access, as in
		// [Service.refreshFromHosts] and [Service.KeepMembers], decides who may see the repository, and keeps its
		// age.
		if perm.RepoRoleOf(before.Role) != perm.RepoNone && before.AgeUS <= rolesValid.Microseconds() {
			return got, s.Store.LowerRepositoryRole(ctx, t, repo.ID, user)
		}
		got = perm.RepoNone
	}
	return got, s.Store.SetRepositoryRole(ctx, t, repo.ID, user, got.String())
}

// askPermission asks the host for a person's own role on a repository.
func (s *Service) askPermission(ctx context.Context, row store.HostToken, user string, repo store.Repository) (perm.RepoRole, error) {
	ids, err := s.Store.IdentitiesOf(ctx, user)
	if err != nil {
		return perm.RepoNone, err
	}
	at := slices.IndexFunc(ids, func(id store.Identity) bool { return id.ID == row.Identity })
	if at < 0 {
		return perm.RepoNone, errNoToken
	}
	ctx, cancel := context.WithTimeout(ctx, 2*requestWait)
	defer cancel()
	a, err := s.accessOf(ctx, ids[at], row)
	if err != nil {
		return perm.RepoNone, err
	}
	var got codehost.RepoPermission
	if err := a.withToken(ctx, func() (err error) {
		got, err = a.host.Permission(ctx, a.person, a.token, repo.ExternalID)
		return err
	}); err != nil {
		return perm.RepoNone, err
	}
	return perm.HostRole(got.Permission), nil
}
