package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/tenant"
)

func (s *server) instancePrices(ctx context.Context, _ *NoInput) (*Shown[budget.LlmPriceList], error) {
	v, err := s.Instance.Prices(ctx)
	return &Shown[budget.LlmPriceList]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putInstancePrices(ctx context.Context, in *struct {
	Guard
	Body budget.LlmPrices
}) (*Shown[budget.LlmPriceList], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Instance.UpdatePrices(ctx, version, in.Body)
	return &Shown[budget.LlmPriceList]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) tenantPrices(ctx context.Context, _ *InTenant) (*Shown[tenant.TenantLlmPriceList], error) {
	v, err := s.Tenant.RoutedPrices(ctx, callerFrom(ctx).tenant)
	return &Shown[tenant.TenantLlmPriceList]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putTenantPrices(ctx context.Context, in *struct {
	InTenant
	Guard
	Body budget.LlmPrices
}) (*Shown[tenant.TenantLlmPriceList], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Tenant.PutPrices(ctx, callerFrom(ctx).tenant, version, in.Body)
	return &Shown[tenant.TenantLlmPriceList]{ETag: etag(v.Version), Body: v}, err
}
