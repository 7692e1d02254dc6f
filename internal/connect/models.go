package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// ModelObserver receives model calls, for metrics. costMicros is in millionths of [budget.Currency]; 0 if
// the price is unknown.
type ModelObserver interface {
	ModelCalled(provider, tier, outcome string, took time.Duration, usage llm.Usage, costMicros int64)
}

// Models opens model tiers. It reuses clients per credential and version, so that their limits and breakers
// outlive a run.
type Models struct {
	Store       *store.Store
	Keyring     *secret.Keyring
	Factory     *outbound.Factory
	Enterprise  bool // allows only public https endpoints
	Attempt     time.Duration
	Idle        time.Duration
	MaxResponse int64
	Concurrency int
	Logger      *slog.Logger
	Observer    ModelObserver // may be nil

	// Endpoint overrides the address of a kind of key; nil in production.
	Endpoint func(catalog.Key) string

	opened modelClients
}

// Open implements review.Models.
func (m *Models) Open(ctx context.Context, run store.Run, tools func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	return m.OpenFor(ctx, review.Caller{Tenant: domain.Tenant{ID: run.Tenant}, Repository: run.Repository, Run: run.ID,
		Kind: store.RunKindReview, Tools: tools})
}

// OpenFor opens the tiers for a caller, with a recorder of its calls. The models are nil if the tiers are
// not routed.
func (m *Models) OpenFor(ctx context.Context, caller review.Caller) (*ask.Models, ask.Recorder, error) {
	t := caller.Tenant
	tenant, own, err := policy.Models(ctx, m.Store, t, caller.Repository)
	if err != nil {
		return nil, nil, err
	}
	if caller.Own != nil {
		own = *caller.Own
	}
	routing := tenant.Narrowed(own)
	rec := &recorder{models: m, caller: caller, routing: routing, keys: map[string]catalog.Key{}}
	if rec.prices, err = budget.Prices(ctx, m.Store, t); err != nil {
		return nil, nil, err
	}
	if !routing.Complete() {
		return nil, rec, nil // all three tiers or no models
	}
	routes := map[string]ask.Route{}
	for _, tier := range domain.RequiredTiers() {
		route := routing.Tiers[tier]
		client, key, err := m.client(ctx, t, routing, route)
		if e, ok := errors.AsType[*errs.Error](err); ok && errors.Is(err, errUnfit) {
			client, err = unusable{e}, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("tier %s: %w", tier, err)
		}
		rec.keys[tier] = key
		routes[tier] = routeOf(tier, route, key, client)
	}
	out := &ask.Models{Fast: routes["fast"], Standard: routes["standard"], Strong: routes["strong"]}
	if err := m.openPanel(ctx, t, rec, out); err != nil {
		return nil, nil, err
	}
	if caller.Tools != nil && policy.InEffect(policy.DocModels, routing).ToolsAllowed() && caller.Tools(ctx) {
		if out.Outside, err = m.toolServers(ctx, caller); err != nil {
			return nil, nil, err
		}
	}
	return out, rec, nil
}

// routeOf returns the route of a tier.
func routeOf(tier string, route domain.TierRoute, key catalog.Key, client llm.Client) ask.Route {
	return ask.Route{Client: client, Model: route.Model, Effort: llm.Effort(route.ReasoningEffort), Tier: tier,
		Vendor: key.Vendor(route.Model), Window: int(cmp.Or(route.ContextTokens, key.Window(route.Model)))}
}

// openPanel adds the route of the panel to the models, or the reason for its absence. A key that is gone, unreadable or not
// allowed ends no review: the error is only the context's.
func (m *Models) openPanel(ctx context.Context, t domain.Tenant, rec *recorder, to *ask.Models) error {
	route, wanted := rec.routing.Tiers[domain.TierPanel]
	if !wanted {
		return nil
	}
	client, key, err := m.client(ctx, t, rec.routing, route)
	refused, _ := errors.AsType[*errs.Error](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case refused != nil && refused.Code == codeRegion:
		to.PanelLack = ask.PanelKeyUnfit
	case err != nil:
		m.Logger.WarnContext(ctx, "the panel's model key cannot be used; the review goes on without a panel", "error", err)
		to.PanelLack = ask.PanelKeyGone
	}
	for _, tier := range domain.FindingTiers() {
		if err == nil && catalog.SameVendor(key, route.Model, rec.keys[tier], rec.routing.Tiers[tier].Model) {
			to.PanelLack = ask.PanelSameVendor
		}
	}
	if to.PanelLack == "" {
		rec.keys[domain.TierPanel] = key
		to.Panel = routeOf(domain.TierPanel, route, key, client)
	}
	return nil
}

// codeRegion is the code of a key whose region the policy does not allow.
const codeRegion = "region_not_allowed"

// errUnfit marks stored keys that no longer fit the tenant's present settings.
var errUnfit = errors.New("the model key does not fit what is set up")

// locationOf returns the fields of a stored key that decide where its calls go.
func locationOf(c store.Credential) catalog.Key {
	return catalog.Key{Kind: c.Kind, Preset: c.Preset, BaseURL: c.BaseURL, Resource: c.Resource, Region: c.Region, DataRegion: c.DataRegion}
}

// client opens the client of a route.
func (m *Models) client(ctx context.Context, t domain.Tenant, policy domain.ModelPolicy,
	route domain.TierRoute) (llm.Client, catalog.Key, error) {
	id := route.CredentialID
	row, err := m.Store.Credential(ctx, t, id)
	if err != nil {
		return nil, catalog.Key{}, err
	}
	where := locationOf(row)
	// Policies are checked when they are saved. This catches a key that changed later, or between two
	// changes.
	if !policy.AllowsRegion(where.Where()) || len(policy.AllowedRegions) > 0 && where.Leaves(route.Model) {
		return nil, where, errs.Wrap(errUnfit, errs.Conflict, codeRegion,
			"The model policy does not allow the region of the model key of the tier.")
	}
	client, err := m.opened.open(row.ID, row.Version, func() (llm.Client, error) { return m.open(ctx, t, row) })
	return client, where, err
}

// unusable is a key that must not or cannot be used. It refuses every call as a provider that rejects the
// key would, so that a review continues without the model and shows the reason.
type unusable struct{ why *errs.Error }

// Complete implements [llm.Client].
func (u unusable) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, u.refusal()
}

// ListModels implements [llm.Client].
func (u unusable) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, u.refusal() }

func (u unusable) refusal() error {
	return &llm.Error{Class: llm.ClassCredential, Code: u.why.Code, ProviderMessage: u.why.Message, Cause: u.why}
}
