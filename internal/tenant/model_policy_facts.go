package tenant

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/store"
)

// policyFacts are the facts for checking a model policy. They are loaded once, in the transaction that
// stores the policy.
type policyFacts struct {
	storedPolicies
	keys    map[string]store.Credential // every model key of the tenant, by id
	prices  *price.Table
	efforts knownEfforts
	now     time.Time // of the database
}

// storedPolicies are the stored model policies of a tenant.
type storedPolicies struct {
	tenant       domain.ModelPolicy
	repositories []repositoryPolicy // those with a policy, in the order of their ids
}

// repositoryPolicy is the model policy of one repository.
type repositoryPolicy struct {
	id, name string // name is owner/name
	policy   domain.ModelPolicy
}

// ofRepository returns the model policy of a repository; the zero value if it has no policy.
func (p storedPolicies) ofRepository(id string) domain.ModelPolicy {
	for _, r := range p.repositories {
		if r.id == id {
			return r.policy
		}
	}
	return domain.ModelPolicy{}
}

// policyFacts loads the facts except the efforts, in the transaction of ctx.
//
// The keys come first, and stay locked until the transaction ends. A concurrent change or deletion of a
// key, or another policy of the tenant with a key, waits and then reads the policy stored here. A tenant
// without keys has no policy whose parts could conflict.
func (s *Service) policyFacts(ctx context.Context, t domain.Tenant) (facts policyFacts, err error) {
	keys, err := s.Store.HoldCredentials(ctx, t)
	if err != nil {
		return facts, err
	}
	facts.keys = make(map[string]store.Credential, len(keys))
	for _, row := range keys {
		facts.keys[row.ID] = row
	}
	if facts.storedPolicies, err = s.storedPolicies(ctx, t); err != nil {
		return facts, err
	}
	if facts.prices, err = budget.Prices(ctx, s.Store, t); err != nil {
		return facts, err
	}
	us, err := s.Store.Now(ctx)
	facts.now = store.Time(us)
	return facts, err
}

// storedPolicies reads all model policies of a tenant.
func (s *Service) storedPolicies(ctx context.Context, t domain.Tenant) (out storedPolicies, err error) {
	documents, err := s.Store.SettingDocuments(ctx, t, store.SettingModelPolicy)
	if err != nil {
		return out, err
	}
	for _, d := range documents {
		policy, err := readPolicy(d.Document)
		if err != nil {
			return out, err
		}
		if d.Repository == "" {
			out.tenant = policy
			continue
		}
		out.repositories = append(out.repositories, repositoryPolicy{d.Repository, d.Name, policy})
	}
	return out, nil
}

// modelPolicy reads one stored policy; repository is "" for the tenant's.
func (s *Service) modelPolicy(ctx context.Context, t domain.Tenant, repository string) (domain.ModelPolicy, store.Document, error) {
	row, err := s.Store.Document(ctx, t, repository, store.SettingModelPolicy)
	if err != nil {
		return domain.ModelPolicy{}, row, err
	}
	policy, err := readPolicy(row)
	return policy, row, err
}

// readPolicy decodes a stored policy. An unreadable policy is an error and not an empty policy, because a
// budget must not vanish.
func readPolicy(row store.Document) (policy domain.ModelPolicy, err error) {
	if row.Version == 0 {
		return policy, nil
	}
	if err := json.Unmarshal([]byte(row.Body), &policy); err != nil {
		return policy, fmt.Errorf("the stored model policy cannot be read: %w", err)
	}
	return policy, nil
}

// effortsOf identifies a model behind one version of a model key.
type effortsOf struct {
	key     string
	version int64
	model   string
}

// knownEfforts are the providers' answers about the efforts of models.
type knownEfforts map[effortsOf]llm.Efforts

// of returns the known efforts of a model behind the present version of a key; nil if unknown.
func (k knownEfforts) of(row store.Credential, model string) llm.Efforts {
	return k[effortsOf{row.ID, row.Version, model}]
}

// knownEfforts reads the cached efforts of tiers. Call it before the transaction that stores a policy,
// because the cache may be across a network.
func (s *Service) knownEfforts(ctx context.Context, t domain.Tenant, tiers map[string]domain.TierRoute) (knownEfforts, error) {
	out := knownEfforts{}
	for _, route := range tiers {
		if route.ReasoningEffort == "" {
			continue
		}
		row, err := s.Store.Credential(ctx, t, route.CredentialID)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[effortsOf{row.ID, row.Version, route.Model}] = s.cachedEfforts(ctx, t, row, route.Model)
	}
	return out, nil
}

// cachedEfforts returns the cached efforts of a model from the provider behind a key; nil if there is no
// cached list with the model. It does not ask the provider.
func (s *Service) cachedEfforts(ctx context.Context, t domain.Tenant, row store.Credential, model string) llm.Efforts {
	for _, m := range s.cachedModels(ctx, t, row) {
		if m.ID == model {
			return m.Efforts
		}
	}
	return nil
}
