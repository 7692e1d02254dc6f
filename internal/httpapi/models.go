package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/tenant"
)

// LlmPresets is everything that forms about model keys and policies offer.
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
	return &Read[LlmPresets]{LlmPresets{catalog.Kinds(), catalog.Presets(), catalog.CloudRegions(), catalog.DataRegions(), catalog.Tiers(), catalog.Efforts(), catalog.VectorSizes()}}, nil
}

func (s *server) llmCredentials(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.LlmCredential], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.Credentials(ctx, from(ctx).tenant, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(c tenant.LlmCredential) (time.Time, string) { return c.CreatedAt, c.ID }), nil
}

func (s *server) createLlmCredential(ctx context.Context, in *struct {
	InTenant
	Body tenant.LlmCredentialCreate
}) (*Made[tenant.LlmCredential], error) {
	c, err := s.Tenant.CreateCredential(ctx, from(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tenant.LlmCredential]{Location: in.path() + "/llm-credentials/" + c.ID, ETag: etag(c.Version), Body: c}, nil
}

func (s *server) updateLlmCredential(ctx context.Context, in *struct {
	InTenant
	Guard
	CredentialID string `path:"credentialId"`
	Body         tenant.LlmCredentialUpdate
}) (*Shown[tenant.LlmCredential], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c, err := s.Tenant.UpdateCredential(ctx, from(ctx).tenant, in.CredentialID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.LlmCredential]{ETag: etag(c.Version), Body: c}, nil
}

func (s *server) deleteLlmCredential(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
}) (*Gone, error) {
	return nil, s.Tenant.DeleteCredential(ctx, from(ctx).tenant, in.CredentialID)
}

func (s *server) llmPolicy(ctx context.Context, _ *InTenant) (*Shown[tenant.LlmPolicy], error) {
	p, err := s.Tenant.LlmPolicy(ctx, from(ctx).tenant)
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
	p, err := s.Tenant.PutLlmPolicy(ctx, from(ctx).tenant, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.LlmPolicy]{ETag: etag(p.Version), Body: p}, nil
}

func (s *server) repositoryLlmPolicy(ctx context.Context, _ *InRepository) (*Shown[tenant.RepositoryLlmPolicy], error) {
	c := from(ctx)
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
	c := from(ctx)
	p, err := s.Tenant.PutRepositoryLlmPolicy(ctx, c.tenant, c.repository, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryLlmPolicy]{ETag: etag(p.Version), Body: p}, nil
}

func (s *server) llmModels(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
}) (*Read[tenant.LlmModels], error) {
	return read(s.Tenant.Models(ctx, from(ctx).tenant, in.CredentialID))
}

func (s *server) testLlmCredential(ctx context.Context, in *struct {
	InTenant
	CredentialID string `path:"credentialId"`
	Body         tenant.ConnectionTestRequest
}) (*Read[tenant.LlmChecks], error) {
	return read(s.Tenant.TestCredential(ctx, from(ctx).tenant, in.CredentialID, in.Body))
}
