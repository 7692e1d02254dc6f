package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/tenant"
)

func (s *server) tenantSettings(ctx context.Context, _ *InTenant) (*Shown[tenant.TenantSettings], error) {
	v, err := s.Tenant.Settings(ctx, callerFrom(ctx).tenant)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.TenantSettings]{ETag: etag(v.Version), Body: v}, nil
}

func (s *server) putTenantSettings(ctx context.Context, in *struct {
	InTenant
	Guard
	Body tenant.TenantSettingsUpdate
}) (*Shown[tenant.TenantSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	v, err := s.Tenant.PutSettings(ctx, c.tenant, c.session.IdentityProvider(), version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.TenantSettings]{ETag: etag(v.Version), Body: v}, nil
}
