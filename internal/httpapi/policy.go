package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/tenant"
)

func (s *server) repositoryDefaults(ctx context.Context, _ *InTenant) (*Shown[tenant.RepositoryDefaults], error) {
	v, err := s.Tenant.Defaults(ctx, callerFrom(ctx).tenant)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryDefaults]{ETag: etag(v.Version), Body: v}, nil
}

func (s *server) putRepositoryDefaults(ctx context.Context, in *struct {
	InTenant
	Guard
	Body policy.RepositoryDefaultsUpdate
}) (*Shown[tenant.RepositoryDefaults], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Tenant.PutDefaults(ctx, callerFrom(ctx).tenant, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryDefaults]{ETag: etag(v.Version), Body: v}, nil
}

func (s *server) repositoryPolicy(ctx context.Context, _ *InRepository) (*Shown[tenant.RepositoryPolicy], error) {
	c := callerFrom(ctx)
	v, err := s.Tenant.Policy(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryPolicy]{ETag: etag(v.Version), Body: v}, nil
}

func (s *server) putRepositoryPolicy(ctx context.Context, in *struct {
	InRepository
	Guard
	Body policy.RepositoryPolicyUpdate
}) (*Shown[tenant.RepositoryPolicy], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	v, err := s.Tenant.PutPolicy(ctx, c.tenant, c.repository, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.RepositoryPolicy]{ETag: etag(v.Version), Body: v}, nil
}

func (s *server) featureSettings(ctx context.Context, _ *InRepository) (*Listed[tenant.FeatureSetting], error) {
	c := callerFrom(ctx)
	rows, err := s.Tenant.FeatureSettings(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return &Listed[tenant.FeatureSetting]{List[tenant.FeatureSetting]{Items: rows}}, nil
}

// EffectiveRules lists the rules of a repository, with a note on missing ones.
type EffectiveRules struct {
	List[tenant.EffectiveRule]
	Note string `json:"note,omitempty" doc:"Why there is no guideline although guideline files are wanted, in a sentence; otherwise absent"`
}

func (s *server) effectiveRules(ctx context.Context, _ *InRepository) (*struct{ Body EffectiveRules }, error) {
	c := callerFrom(ctx)
	rows, note, err := s.Tenant.EffectiveRules(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return &struct{ Body EffectiveRules }{EffectiveRules{List[tenant.EffectiveRule]{Items: rows}, note}}, nil
}
