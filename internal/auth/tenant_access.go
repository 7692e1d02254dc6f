package auth

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// methodLink is the method of sessions that a one-time link opened. An operator made the link on the server
// for days without a working provider, so that a tenant's required provider does not exclude it.
const methodLink = "link"

// SessionRole returns the role of a session's person in a tenant, as [Service.TenantRole] does, if the
// tenant's memberships count in the session; otherwise "". For a session from an identity provider that the
// tenant may not use, the tenant does not exist. A member whose session came from another provider than the
// required one, or whom an admin of the tenant has signed out, gets [errs.Unauthenticated] with the code
// sign_in_with_provider or sign_in_again. Other people get "" without an error.
func (s *Service) SessionRole(ctx context.Context, t domain.Tenant, v store.Session) (domain.Role, error) {
	door, err := s.Store.SessionAccess(ctx, t, v)
	if err != nil {
		return "", err
	}
	bar, err := barrierOf(door, v)
	if err != nil {
		return "", err
	}
	role, err := s.memberRole(ctx, t, v.UserID)
	switch {
	case bar.foreign:
		return "", nil
	case err != nil || role == "":
		return "", err
	case bar == barrier{}:
		return role, nil
	}
	why, err := s.barrierError(ctx, t, bar)
	if err != nil {
		return "", err
	}
	return "", why
}

// MayJoin returns nil if a new membership of a tenant would count in a session. It returns [errs.NotFound] if the tenant
// does not exist for the session, because the tenant may not use the session's provider; otherwise the error of
// [Service.SessionRole], which shows how to open the tenant.
func (s *Service) MayJoin(ctx context.Context, t domain.Tenant, v store.Session) error {
	door, err := s.Store.SessionAccess(ctx, t, v)
	if err != nil {
		return err
	}
	bar, err := barrierOf(door, v)
	switch {
	case err != nil:
		return err
	case bar.foreign:
		return errs.Absent()
	case bar == barrier{}:
		return nil
	}
	why, err := s.barrierError(ctx, t, bar)
	if err != nil {
		return err
	}
	return why
}

// barrier is the reason why a tenant's memberships do not count in a session; the zero value means that
// they count.
type barrier struct {
	foreign   bool   // the tenant may not use the session's provider, so the tenant does not exist for it
	required  string // the tenant requires this provider, and the session came from another one
	signedOut bool   // an admin of the tenant has ended the person's sessions there
}

func barrierOf(door store.SessionAccess, v store.Session) (barrier, error) {
	settings, err := policy.TenantSettingsOf(door.Settings)
	if err != nil {
		return barrier{}, err
	}
	required := settings.RequiredIdentityProviderID
	switch {
	case !door.Allowed:
		return barrier{foreign: true}, nil
	case required != "" && v.Method != methodLink && v.IdentityProvider() != required:
		return barrier{required: required}, nil
	}
	return barrier{signedOut: door.SignedOut}, nil
}

// barrierError returns the error that shows a member how to open a tenant whose memberships do not count in the
// session.
func (s *Service) barrierError(ctx context.Context, t domain.Tenant, b barrier) (*errs.Error, error) {
	if b.required == "" {
		return errs.New(errs.Unauthenticated, "sign_in_again", "An admin of this tenant has ended your sessions here. Sign in again."), nil
	}
	all, err := s.Store.TenantProviders(ctx, t)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(p store.IdentityProvider) bool { return p.ID == b.required })
	if at < 0 {
		return errs.New(errs.Unauthenticated, "sign_in_with_provider",
			"This tenant is entered through one identity provider only, which is switched off, deleted or no longer open to it. The "+
				"operator of this instance can make a one-time link."), nil
	}
	return errs.New(errs.Unauthenticated, "sign_in_with_provider",
		"This tenant is entered through one identity provider only. Sign in with %s, at /auth/oidc/%s/login.", all[at].DisplayName,
		all[at].Slug), nil
}

// TenantRole returns a person's role in a tenant, or "", for acts without a session: a token, a message to
// a browser. If the tenant requires an identity provider, the person must have signed in with its issuer
// within seven days, and the tenant must still be allowed to use it.
//
// It asks the host if that is due. If only a code host makes the person a member, and has not confirmed it
// for a day, it returns an error: of kind [errs.Unavailable]; or sign_in_again if the host no longer lets us
// ask; or host_does_not_say or connection_disabled ([errs.Forbidden]) if the host did not answer the
// question, or must not be asked.
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

// Closed is a tenant of a person whose memberships do not count in the session.
type Closed struct {
	tenant domain.Tenant
	bar    barrier
}

// Places lists the tenants of a session's person: open ones, whose memberships count in the session, and
// closed ones, which [Service.Openings] explains. Neither asks a code host.
func (s *Service) Places(ctx context.Context, v store.Session) (open []store.SessionTenant, closed []Closed, err error) {
	all, err := s.Store.SessionTenants(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		bar, err := barrierOf(p.Access, v)
		switch {
		case err != nil:
			return nil, nil, err
		case bar == barrier{}:
			open = append(open, p)
		case !bar.foreign:
			closed = append(closed, Closed{domain.Tenant{ID: p.ID}, bar})
		}
	}
	return open, closed, nil
}

// Openings returns a sentence for each closed tenant that explains how to open it, without naming the
// tenant. It makes one database query per tenant.
func (s *Service) Openings(ctx context.Context, closed []Closed) ([]string, error) {
	var out []string
	for _, c := range closed {
		why, err := s.barrierError(ctx, c.tenant, c.bar)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, why.Message) {
			out = append(out, why.Message)
		}
	}
	return out, nil
}

// MayLink returns [errs.Forbidden] if a session cannot link another account: it is older than [LinkAge], or
// came from an identity provider that is not for all tenants. Such a provider could otherwise open closed
// tenants to itself through an account of its own.
func MayLink(v store.Session) error {
	if v.AgeUS > LinkAge.Microseconds() {
		return tooOldToLinkError()
	}
	if !v.Everywhere {
		return errs.New(errs.Forbidden, "sign_in_elsewhere", "The identity provider that you have signed in with is for some tenants "+
			"only, and cannot link accounts. Sign in with the code host or another identity provider, then link.")
	}
	return nil
}

func tooOldToLinkError() error {
	return errs.New(errs.Forbidden, "sign_in_again", "Linking one more account needs a sign-in within the last ten minutes. Sign in "+
		"again, then link.")
}
