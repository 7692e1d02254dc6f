package auth

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// methodLink is the method of sessions that a one-time link opened. An operator
// made it on the server, for the day on which no provider answers, so that no
// tenant's choice of a provider keeps it out.
const methodLink = "link"

// SessionRole returns the role of a session's person in a tenant, "" for none,
// as [Service.TenantRole] does, where memberships of the tenant hold in the
// session. They hold in none that came from an identity provider which the
// tenant may not use: there the tenant does not exist. A member whose session
// came from another provider than the one that the tenant requires, or whom an
// admin of the tenant has signed out, is told so: [errs.Unauthenticated] with
// the code sign_in_with_provider or sign_in_again. Others are told nothing.
func (s *Service) SessionRole(ctx context.Context, t domain.Tenant, v store.Session) (domain.Role, error) {
	closed, err := s.closed(ctx, t, v)
	if err != nil {
		return "", err
	}
	role, err := s.memberRole(ctx, t, v.UserID)
	switch {
	case errs.Is(closed, errs.NotFound):
		return "", nil
	case err != nil || role == "":
		return "", err
	}
	if closed != nil {
		return "", closed
	}
	return role, nil
}

// closed says why memberships of a tenant do not hold in a session; nil: they do.
func (s *Service) closed(ctx context.Context, t domain.Tenant, v store.Session) (why, err error) {
	door, err := s.Store.Door(ctx, t, v)
	if err != nil {
		return nil, err
	}
	settings, err := policy.TenantSettingsOf(door.Settings)
	if err != nil {
		return nil, err
	}
	required := settings.RequiredIdentityProviderID
	switch {
	case !door.Allowed:
		return errs.Absent(), nil
	case required != "" && v.Method != methodLink && v.IdentityProvider() != required:
		return s.elsewhere(ctx, t, required)
	case door.SignedOut:
		return errs.New(errs.Unauthenticated, "sign_in_again", "An admin of this tenant has ended your sessions here. Sign in again."), nil
	}
	return nil, nil
}

// elsewhere tells a member through which identity provider the tenant is entered.
func (s *Service) elsewhere(ctx context.Context, t domain.Tenant, required string) (why, err error) {
	all, err := s.Store.TenantProviders(ctx, t)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(p store.IdentityProvider) bool { return p.ID == required })
	if at < 0 {
		return errs.New(errs.Unauthenticated, "sign_in_with_provider", "This tenant is entered through one identity provider only, which is switched off, deleted or no longer open to it. The operator of this instance can make a one-time link."), nil
	}
	return errs.New(errs.Unauthenticated, "sign_in_with_provider", "This tenant is entered through one identity provider only. Sign in with %s, at /auth/oidc/%s/login.", all[at].DisplayName, all[at].Slug), nil
}

// TenantRole returns a person's role in a tenant, "" for none, for what acts
// without a session: a token, a message to a browser. Where the tenant requires
// an identity provider, the person must have signed in with its issuer within
// seven days, and the tenant must still be allowed to use it.
//
// The host is asked where that is due. Where only a code host makes the person a
// member, and has not confirmed it for a day, the error is one of which
// [HostSilent] is true: of kind [errs.Unavailable], or sign_in_again where the
// host no longer lets us ask, or host_does_not_say ([errs.Forbidden]) where it
// was asked and did not say.
func (s *Service) TenantRole(ctx context.Context, t domain.Tenant, user string) (domain.Role, error) {
	role, err := s.memberRole(ctx, t, user)
	if err != nil || role == "" {
		return "", err
	}
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil || settings.RequiredIdentityProviderID == "" {
		return role, err
	}
	in, err := s.Store.SignedInWith(ctx, t, user, settings.RequiredIdentityProviderID)
	if err != nil || !in {
		return "", err
	}
	return role, nil
}

// Place is a tenant in which a person has a role.
type Place struct {
	store.Tenant
	Role domain.Role
}

// Places lists the tenants whose memberships hold in a session. closed says, in
// a sentence each, what opens others of the person's tenants, without naming
// them.
func (s *Service) Places(ctx context.Context, v store.Session) (open []Place, closed []string, err error) {
	all, err := s.Store.TenantsOf(ctx, v.UserID)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range all {
		why, err := s.closed(ctx, domain.Tenant{ID: t.ID}, v)
		if err != nil {
			return nil, nil, err
		}
		if e, ok := errors.AsType[*errs.Error](why); ok && e.Kind != errs.NotFound && !slices.Contains(closed, e.Message) {
			closed = append(closed, e.Message)
		}
		if why != nil {
			continue
		}
		role, err := s.Store.RoleOf(ctx, domain.Tenant{ID: t.ID}, v.UserID)
		if err != nil {
			return nil, nil, err
		}
		if role != "" { // not withdrawn meanwhile
			open = append(open, Place{t, role})
		}
	}
	return open, closed, nil
}

// MayLink refuses a session whose person cannot link one more account from it
// ([errs.Forbidden]): one that is older than [LinkAge], and one of an identity
// provider that is not for all tenants, which would open to itself, through an
// account of its own, what is closed to it.
func MayLink(v store.Session) error {
	if v.AgeUS > LinkAge.Microseconds() {
		return tooOldToLink()
	}
	if !v.Everywhere {
		return errs.New(errs.Forbidden, "sign_in_elsewhere", "The identity provider that you have signed in with is for some tenants only, and cannot link accounts. Sign in with the code host or another identity provider, then link.")
	}
	return nil
}

func tooOldToLink() error {
	return errs.New(errs.Forbidden, "sign_in_again", "Linking one more account needs a sign-in within the last ten minutes. Sign in again, then link.")
}
