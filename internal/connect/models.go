package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/llm/endpoint"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// TierRoute is where the calls of one tier go.
type TierRoute struct {
	CredentialID    string     `json:"credentialId"`
	Model           string     `json:"model"`
	ReasoningEffort llm.Effort `json:"reasoningEffort,omitempty"`
}

// Routing is the stored document that routes the tiers of a tenant or, part by
// part over it, of a repository.
type Routing struct {
	Tiers map[string]TierRoute `json:"tiers"`
}

// inPlace is how long a call may wait for a provider that fails before the run
// is put off.
const inPlace = 4 * time.Second

// tiers are the ones that a review needs.
var tiers = [...]string{"fast", "standard", "strong"}

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

	mu     sync.Mutex
	opened map[string]openedModel
}

type openedModel struct {
	version int64
	client  llm.Client
}

// Open implements review.Models.
func (m *Models) Open(ctx context.Context, run store.Run) (*engine.Models, engine.Recorder, error) {
	t := domain.Tenant{ID: run.Tenant}
	routing, err := m.routing(ctx, t, run.Repository)
	if err != nil {
		return nil, nil, err
	}
	rec := &recorder{models: m, run: run, routing: routing, kinds: map[string]string{}}
	if len(routing.Tiers) == 0 {
		return nil, rec, nil
	}
	routes := map[string]engine.Route{}
	for _, tier := range tiers {
		route, ok := routing.Tiers[tier]
		if !ok {
			return nil, rec, nil // three tiers or none
		}
		client, kind, err := m.client(ctx, t, route.CredentialID)
		if err != nil {
			return nil, nil, fmt.Errorf("tier %s: %w", tier, err)
		}
		rec.kinds[tier] = kind
		routes[tier] = engine.Route{Client: client, Model: route.Model, Effort: route.ReasoningEffort, Tier: tier}
	}
	return &engine.Models{Fast: routes["fast"], Standard: routes["standard"], Strong: routes["strong"]}, rec, nil
}

// routing is the tenant's, with what the repository sets over it.
func (m *Models) routing(ctx context.Context, t domain.Tenant, repository string) (Routing, error) {
	out := Routing{Tiers: map[string]TierRoute{}}
	for _, level := range []string{"", repository} {
		body, _, ok, err := m.Store.Setting(ctx, t, level, store.SettingRouting)
		if err != nil {
			return out, err
		}
		if !ok {
			continue
		}
		var r Routing
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			return out, fmt.Errorf("the stored model routing cannot be read: %w", err)
		}
		for tier, route := range r.Tiers {
			out.Tiers[tier] = route
		}
	}
	return out, nil
}

// client opens the client of a credential.
func (m *Models) client(ctx context.Context, t domain.Tenant, id string) (llm.Client, string, error) {
	row, err := m.Store.Credential(ctx, t, id)
	if err != nil {
		return nil, "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if got, ok := m.opened[id]; ok && got.version == row.Version {
		return got.client, row.Kind, nil
	}
	if row.Kind != "compatible" {
		return nil, "", errs.New(errs.Unbuilt, "not_implemented", "Model keys of kind %s are not built yet; use an OpenAI-compatible endpoint.", row.Kind)
	}
	key := secret.Secret{}
	if len(row.APIKey) > 0 {
		if key, err = m.Keyring.OpenSecret(ctx, CredentialScope(t, id), row.APIKey); err != nil {
			return nil, "", fmt.Errorf("open the model key %s: %w", id, err)
		}
	}
	codec, err := chat.New(chat.Config{BaseURL: row.BaseURL, APIKey: key, MaxResponseBytes: m.MaxResponse, HTTP: m.http(t)})
	if err != nil {
		return nil, "", err
	}
	concurrency := m.Concurrency
	if row.MaxConcurrency > 0 {
		concurrency = int(row.MaxConcurrency)
	}
	if m.opened == nil {
		m.opened = map[string]openedModel{}
	}
	// The pauses of minutes are the job's, which holds no slot meanwhile.
	set := endpoint.New(endpoint.Options{Concurrent: concurrency, Retry: endpoint.Retry{Base: time.Second, Window: m.Attempt + time.Minute, Attempt: m.Attempt, InPlace: inPlace}})
	client := set.For(fmt.Sprintf("%s@%d", id, row.Version)).Wrap(codec, time.Time{}, endpoint.Hooks{})
	m.opened[id] = openedModel{row.Version, client}
	return client, row.Kind, nil
}

func (m *Models) http(t domain.Tenant) *http.Client {
	return m.Factory.Client(outbound.Purpose{Name: "model", Tenant: t.ID, Timeout: m.Attempt, IdleTimeout: m.Idle, MaxResponseBytes: m.MaxResponse, PublicOnly: m.Enterprise})
}

// recorder writes one row per call of a run.
type recorder struct {
	models  *Models
	run     store.Run
	routing Routing
	kinds   map[string]string // provider kind by tier
	mu      sync.Mutex
	begun   map[string]engine.Call
}

// Before implements [engine.Recorder].
func (r *recorder) Before(ctx context.Context, c engine.Call) (string, error) {
	route := r.routing.Tiers[c.Tier]
	id, err := r.models.Store.BeginCall(ctx, domain.Tenant{ID: r.run.Tenant}, store.ModelCall{Repository: r.run.Repository, Run: r.run.ID, Stage: c.Stage,
		Tier: c.Tier, Credential: route.CredentialID, Model: c.Model, Effort: string(route.ReasoningEffort)})
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
