package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc"
)

func (s *server) identityProviders(ctx context.Context, in *struct{ Page }) (*Listed[auth.IdentityProvider], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Auth.IdentityProviders(ctx, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(p auth.IdentityProvider) (time.Time, string) { return p.CreatedAt, p.ID }), nil
}

func (s *server) createIdentityProvider(ctx context.Context,
	in *struct{ Body auth.IdentityProviderCreate }) (*Made[auth.IdentityProvider], error) {
	p, err := s.Auth.CreateIdentityProvider(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[auth.IdentityProvider]{Location: inst + "/identity-providers/" + p.ID, ETag: etag(p.Version), Body: p}, nil
}

func (s *server) updateIdentityProvider(ctx context.Context, in *struct {
	Guard
	ID   string `path:"identityProviderId"`
	Body auth.IdentityProviderUpdate
}) (*Shown[auth.IdentityProvider], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	p, err := s.Auth.UpdateIdentityProvider(ctx, in.ID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[auth.IdentityProvider]{ETag: etag(p.Version), Body: p}, nil
}

func (s *server) deleteIdentityProvider(ctx context.Context, in *struct {
	ID string `path:"identityProviderId"`
}) (*Gone, error) {
	return nil, s.Auth.DeleteIdentityProvider(ctx, in.ID)
}

// ProviderChecks is the result of a test.
type ProviderChecks struct {
	Checks []oidc.Verdict `json:"checks"`
}

func (s *server) testIdentityProvider(ctx context.Context, in *struct {
	ID string `path:"identityProviderId"`
}) (*Read[ProviderChecks], error) {
	checks, err := s.Auth.TestIdentityProvider(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &Read[ProviderChecks]{ProviderChecks{checks}}, nil
}

func (s *server) tenantIdentityProviders(ctx context.Context, _ *struct{ InTenant }) (*Listed[auth.ProviderName], error) {
	rows, err := s.Auth.TenantProviders(ctx, callerFrom(ctx).tenant)
	if err != nil {
		return nil, err
	}
	return &Listed[auth.ProviderName]{List[auth.ProviderName]{Items: rows}}, nil
}

func (s *server) roleMappings(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[auth.OidcRoleMapping], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Auth.RoleMappings(ctx, callerFrom(ctx).tenant, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(m auth.OidcRoleMapping) (time.Time, string) { return m.CreatedAt, m.ID }), nil
}

// MadeOnce wraps a new resource that cannot be changed.
type MadeOnce[T any] struct {
	Location string `header:"Location" doc:"Path of the new resource, or of the list that has it"`
	Body     T
}

func (s *server) createRoleMapping(ctx context.Context, in *struct {
	InTenant
	Body auth.OidcRoleMappingCreate
}) (*MadeOnce[auth.OidcRoleMapping], error) {
	m, err := s.Auth.CreateRoleMapping(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &MadeOnce[auth.OidcRoleMapping]{Location: in.path() + "/oidc-role-mappings/" + m.ID, Body: m}, nil
}

func (s *server) deleteRoleMapping(ctx context.Context, in *struct {
	InTenant
	MappingID string `path:"mappingId"`
}) (*Gone, error) {
	return nil, s.Auth.DeleteRoleMapping(ctx, callerFrom(ctx).tenant, in.MappingID)
}
