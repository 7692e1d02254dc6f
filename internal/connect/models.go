package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// ModelObserver is told of calls, for metrics.
type ModelObserver interface {
	ModelCalled(provider, tier, outcome string, took time.Duration, usage llm.Usage)
}

// Models opens model tiers. Clients are kept per credential and version, so that
// their limits and breakers outlive a run.
type Models struct {
	Store       *store.Store
	Keyring     *secret.Keyring
	Factory     *outbound.Factory
	Enterprise  bool // only public https endpoints
	Attempt     time.Duration
	Idle        time.Duration
	MaxResponse int64
	Concurrency int
	Logger      *slog.Logger
	Observer    ModelObserver // may be nil

	// Endpoint overrides where a kind of keys is reached; nil in production.
	Endpoint func(catalog.Key) string

	opened openedModels
}

// Open implements review.Models.
func (m *Models) Open(ctx context.Context, run store.Run) (*engine.Models, engine.Recorder, error) {
	t := domain.Tenant{ID: run.Tenant}
	routing, err := m.routing(ctx, t, run.Repository)
	if err != nil {
		return nil, nil, err
	}
	rec := &recorder{models: m, run: run, routing: routing, kinds: map[string]string{}}
	if !routing.Complete() {
		return nil, rec, nil // three tiers or none
	}
	routes := map[string]engine.Route{}
	for _, tier := range domain.RequiredTiers() {
		route := routing.Tiers[tier]
		client, kind, err := m.client(ctx, t, routing, route)
		if err != nil {
			return nil, nil, fmt.Errorf("tier %s: %w", tier, err)
		}
		rec.kinds[tier] = kind
		routes[tier] = engine.Route{Client: client, Model: route.Model, Effort: llm.Effort(route.ReasoningEffort), Tier: tier}
	}
	return &engine.Models{Fast: routes["fast"], Standard: routes["standard"], Strong: routes["strong"]}, rec, nil
}

// routing is the tenant's, as the repository's own document narrows it.
func (m *Models) routing(ctx context.Context, t domain.Tenant, repository string) (domain.ModelPolicy, error) {
	var levels [2]domain.ModelPolicy
	for i, level := range []string{"", repository} {
		body, _, ok, err := m.Store.Setting(ctx, t, level, store.SettingRouting)
		if err != nil {
			return levels[0], err
		}
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(body), &levels[i]); err != nil {
			return levels[0], fmt.Errorf("the stored model policy cannot be read: %w", err)
		}
	}
	return levels[0].Narrowed(levels[1]), nil
}

// Located is what of a stored key decides where its calls go.
func Located(c store.Credential) catalog.Key {
	return catalog.Key{Kind: c.Kind, Preset: c.Preset, BaseURL: c.BaseURL, Resource: c.Resource, Region: c.Region, DataRegion: c.DataRegion}
}

// client opens the client of a route.
func (m *Models) client(ctx context.Context, t domain.Tenant, policy domain.ModelPolicy, route domain.TierRoute) (llm.Client, string, error) {
	id := route.CredentialID
	row, err := m.Store.Credential(ctx, t, id)
	if err != nil {
		return nil, "", err
	}
	// Saved policies are checked; a key that was changed since, or between two
	// changes, is not used all the same.
	if where := Located(row); !policy.AllowsRegion(where.Where()) || len(policy.AllowedRegions) > 0 && where.Leaves(route.Model) {
		return nil, "", errs.New(errs.Conflict, "region_not_allowed", "The model policy does not allow the region of the model key %s.", id)
	}
	client, err := m.opened.of(m, ctx, t, row)
	return client, row.Kind, err
}

// recorder writes one row per call of a run.
type recorder struct {
	models  *Models
	run     store.Run
	routing domain.ModelPolicy
	kinds   map[string]string // provider kind by tier
	mu      sync.Mutex
	begun   map[string]engine.Call
}

// Before implements [engine.Recorder].
func (r *recorder) Before(ctx context.Context, c engine.Call) (string, error) {
	route := r.routing.Tiers[c.Tier]
	id, err := r.models.Store.BeginCall(ctx, domain.Tenant{ID: r.run.Tenant}, store.ModelCall{Repository: r.run.Repository, Run: r.run.ID, Stage: c.Stage,
		Tier: c.Tier, Credential: route.CredentialID, Model: c.Model, Effort: route.ReasoningEffort})
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun == nil {
		r.begun = map[string]engine.Call{}
	}
	r.begun[id] = c
	return id, nil
}

// After implements [engine.Recorder]. The price of a call is not known yet, so
// its cost stays unknown, never 0.
func (r *recorder) After(ctx context.Context, id string, o engine.Outcome) {
	r.mu.Lock()
	c := r.begun[id]
	delete(r.begun, id)
	r.mu.Unlock()
	outcome := "ok"
	if o.Err != "" {
		outcome = o.Err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := r.models.Store.EndCall(ctx, domain.Tenant{ID: r.run.Tenant}, id, store.ModelCall{Model: o.Model, Input: o.Usage.InputTokens, Cached: o.Usage.CachedInputTokens,
		Output: o.Usage.OutputTokens, Reasoning: o.Usage.ReasoningTokens, Outcome: outcome})
	if err != nil {
		r.models.Logger.WarnContext(ctx, "the usage of a model call could not be recorded; it stays marked as started", "call", id, "error", err)
	}
	if r.models.Observer != nil {
		word, _, _ := strings.Cut(outcome, " ")
		r.models.Observer.ModelCalled(r.kinds[c.Tier], c.Tier, strings.TrimSuffix(word, ":"), o.Duration, o.Usage)
	}
}
