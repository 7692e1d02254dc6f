package policy

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Overlaid returns the effective policy and settings of a repository as if over were stored on top of the
// repository's document and its file. Settings that over leaves out keep their values, and the tenant's locks
// still apply.
func Overlaid(ctx context.Context, s *store.Store, t domain.Tenant, repository string,
	over RepositoryPolicyUpdate) (domain.Policy, []Setting, error) {
	src, err := Sources(ctx, s, t, repository, &over)
	if err != nil {
		return domain.Policy{}, nil, err
	}
	return Resolve(src)
}

// Sources reads the levels of a repository's policy, with tried settings above them; nil for none.
func Sources(ctx context.Context, s *store.Store, t domain.Tenant, repository string,
	tried *RepositoryPolicyUpdate) (store.PolicySources, error) {
	src, err := s.PolicySources(ctx, t, repository)
	if tried != nil {
		src.Tried = store.JSON(tried)
	}
	return src, err
}

// Joined returns the policy document says with the values of over added, or in place of its own.
func Joined(says, over RepositoryPolicyUpdate) (out RepositoryPolicyUpdate, err error) {
	body, err := overlay(store.JSON(says), store.JSON(over))
	if err == nil {
		err = json.Unmarshal([]byte(body), &out)
	}
	return out, err
}

// overlay merges one document over another: objects member by member, other values as a whole.
func overlay(below, above string) (string, error) {
	if below == "" {
		return above, nil
	}
	var low, high map[string]any
	if err := json.Unmarshal([]byte(below), &low); err != nil {
		return "", err
	}
	if err := json.Unmarshal([]byte(above), &high); err != nil {
		return "", err
	}
	return store.JSON(mergeObjects(low, high)), nil
}

func mergeObjects(low, high map[string]any) map[string]any {
	out := make(map[string]any, len(low)+len(high))
	for k, v := range low {
		out[k] = v
	}
	for k, v := range high {
		below, nested := out[k].(map[string]any)
		if above, too := v.(map[string]any); nested && too {
			v = mergeObjects(below, above)
		}
		out[k] = v
	}
	return out
}
