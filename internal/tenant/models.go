package tenant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
)

// ModelOpener opens the provider behind a model key.
type ModelOpener interface {
	// Codec opens the provider without retries, breaker and limit, because a person waits.
	Codec(ctx context.Context, t domain.Tenant, row store.Credential) (llm.Client, error)
}

// ModelListLife is how long a list of models is cached, per tenant, key and version of the key.
const ModelListLife = 10 * time.Minute

// The bounds of a list of models.
const (
	listTime    = 8 * time.Second
	suggestions = 20   // a short list (design choice)
	maxModels   = 2000 // more than any provider has; bounds the answer
	listKind    = "llm-models"
)

// LlmModel is a model behind a key.
type LlmModel struct {
	ID          string `json:"id" doc:"What a tier calls the model"`
	DisplayName string `json:"displayName"`
}

// LlmModels are the models behind a key.
type LlmModels struct {
	Items  []LlmModel `json:"items"`
	Source string     `json:"source" enum:"provider,suggestions" doc:"provider: models that the key reaches. suggestions: known models of the provider; another id can be entered as well"`
	Reason string     `json:"reason,omitempty" doc:"Why there are only suggestions"`
}

// Models lists the models behind a key: the provider's list, cached for ten minutes per version of the key,
// or suggestions if the provider has no list. Failed answers are not cached. Errors: NotFound.
func (s *Service) Models(ctx context.Context, t domain.Tenant, id string) (LlmModels, error) {
	row, err := s.Store.Credential(ctx, t, id)
	if err != nil {
		return LlmModels{}, err
	}
	if kind, _ := catalog.KindOf(row.Kind); !kind.ListsModels {
		return suggest(row, "A key of this kind cannot list the deployments of the resource. These are models that a deployment may "+
			"have; enter the name of the deployment.")
	}
	if cached := s.cachedModels(ctx, t, row); cached != nil {
		return modelsOf(cached), nil
	}
	found, err := s.list(ctx, t, row)
	if err != nil {
		if ctx.Err() != nil {
			return LlmModels{}, err
		}
		return suggest(row, listFailureReason(err))
	}
	if len(found) > maxModels {
		return suggest(row, fmt.Sprintf("The provider lists more than %d models, which are too many to show. Enter the id of the model.",
			maxModels))
	}
	cached := make([]cachedModel, 0, len(found))
	for _, m := range found {
		cached = append(cached, cachedModel{LlmModel{ID: m.ID, DisplayName: m.DisplayName}, m.Efforts})
	}
	if body, err := json.Marshal(cached); err == nil && len(body) <= cache.MaxValue {
		_ = s.Cache.Set(ctx, listKey(t, row), body, ModelListLife) // without the cache the provider is asked again
	}
	return modelsOf(cached), nil
}

// cachedModel is a cached model, with data that is not shown.
type cachedModel struct {
	LlmModel
	Efforts llm.Efforts `json:"efforts,omitempty"`
}

// modelsOf converts a cached list for the interface.
func modelsOf(kept []cachedModel) LlmModels {
	out := LlmModels{Items: make([]LlmModel, len(kept)), Source: "provider"}
	for i, m := range kept {
		out.Items[i] = m.LlmModel
	}
	return out
}

// listKey returns the cache key of a list. The key's version makes lists of earlier versions unreachable in
// every process.
func listKey(t domain.Tenant, row store.Credential) cache.Key {
	return cache.Key{Tenant: t.ID, Kind: listKind, ID: row.ID, Version: strconv.FormatInt(row.Version, 10)}
}

// cachedModels returns the cached list of a key; nil if there is no list.
func (s *Service) cachedModels(ctx context.Context, t domain.Tenant, row store.Credential) (out []cachedModel) {
	body, ok, err := s.Cache.Get(ctx, listKey(t, row))
	if err != nil || !ok || json.Unmarshal(body, &out) != nil {
		return nil
	}
	return out
}

func (s *Service) list(ctx context.Context, t domain.Tenant, row store.Credential) ([]llm.ModelInfo, error) {
	client, err := s.Opener.Codec(ctx, t, row)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	return client.ListModels(ctx)
}

// suggest returns the known models of the key's provider.
func suggest(row store.Credential, reason string) (LlmModels, error) {
	out := LlmModels{Items: []LlmModel{}, Source: "suggestions", Reason: reason}
	ids, err := catalogKey(row).Suggest(suggestions)
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		out.Items = append(out.Items, LlmModel{ID: id, DisplayName: id})
	}
	return out, nil
}

// listFailureReason explains in our own words why a list failed, because the provider's answer to this call is not
// shown.
func listFailureReason(err error) string {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "The provider did not answer within 8 seconds."
	case !ok && errs.Is(err, errs.Conflict):
		return "The model key is incomplete. Save it again."
	case !ok:
		return "The provider could not be asked."
	}
	switch e.Class {
	case llm.ClassCredential:
		return "The provider does not accept the key, or the key has no permission to list models."
	case llm.ClassQuota:
		return "The credit or the spend limit of the key is used up."
	case llm.ClassInvalidResponse:
		return "The answer of the provider is too large, or is not a list of models. Check the base URL."
	case llm.ClassRetryable:
		if e.Status == 429 {
			return "The provider asks to wait before the next request."
		}
		if e.Status == 0 {
			return e.ProviderMessage
		}
		return "The provider failed (status " + strconv.Itoa(e.Status) + "). Try again later."
	}
	switch {
	case e.Status == 0:
		return e.ProviderMessage // there was no answer, so the text is ours
	case e.Status >= 300 && e.Status < 400:
		return "The provider answered with a redirect, which is not followed. Check the base URL."
	}
	return "The provider has no list of models at this address (status " + strconv.Itoa(e.Status) +
		"). Enter the id by which the endpoint calls the model."
}
