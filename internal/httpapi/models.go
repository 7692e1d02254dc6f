package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/tenant"
)

// LlmPresets holds the choices in forms for model keys and policies.
type LlmPresets struct {
	Kinds       []catalog.Kind        `json:"kinds"`
	Presets     []catalog.Preset      `json:"presets" doc:"Services with a compatible interface"`
	Regions     []catalog.CloudRegion `json:"regions" doc:"Of kind bedrock; those in Europe first"`
	DataRegions []catalog.Region      `json:"dataRegions" doc:"What a key can declare and a policy can allow"`
	Tiers       []catalog.Tier        `json:"tiers"`
	Efforts     []catalog.EffortName  `json:"efforts"`
	VectorSizes []int                 `json:"vectorSizes"`
}

func (s *server) llmPresets(context.Context, *struct{}) (*Read[LlmPresets], error) {
	return &Read[LlmPresets]{LlmPresets{catalog.Kinds(), catalog.Presets(), catalog.CloudRegions(), catalog.DataRegions(),
		catalog.Tiers(), catalog.Efforts(), catalog.VectorSizes()}}, nil
}

func (s *server) llmPolicy(ctx context.Context, _ *InTenant) (*Shown[tenant.LlmPolicy], error) {
	p, err := s.Tenant.LlmPolicy(ctx, callerFrom(ctx).tenant)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.LlmPolicy]{ETag: etag(p.Version), Body: p}, nil
}

func (s *server) putLlmPolicy(ctx context.Context, in *struct {
	InTenant
	Guard
	Body tenant.TenantLlmPolicy
}) (*Shown[tenant.LlmPolicy], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	p, err := s.Tenant.PutLlmPolicy(ctx, callerFrom(ctx).tenant, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.LlmPolicy]{ETag: etag(p.Version), Body: p}, nil
}

func (s *server) repositoryLlmPolicy(ctx context.Context, _ *InRepository) (*Shown[tenant.RepositoryLlmPolicy], error) {
	c := callerFrom(ctx)
	p, err := s.Tenant.RepositoryLlmPolicy(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryLlmPolicy]{ETag: etag(p.Version), Body: p}, nil
}

func (s *server) putRepositoryLlmPolicy(ctx context.Context, in *struct {
	InRepository
	Guard
	Body tenant.RepoLlmPolicy
}) (*Shown[tenant.RepositoryLlmPolicy], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	p, err := s.Tenant.PutRepositoryLlmPolicy(ctx, c.tenant, c.repository, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryLlmPolicy]{ETag: etag(p.Version), Body: p}, nil
}
