package connect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

func wantUsage(t *testing.T, what string, got, want store.ModelUsage) {
	t.Helper()
	testkit.Equal(t, what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
}

// A call counts for the model to which it was routed, even if the answer names another model or there is no
// answer. The names in answers are kept beside it.
func TestReportsAreByTheRoutedModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		w.prices()
		w.route("", domain.ModelPolicy{})
		_, r := w.open()
		for _, o := range []ask.Outcome{
			{Usage: llm.Usage{InputTokens: 100}, Model: "sim-standard-2026-03-05"},
			{Usage: llm.Usage{InputTokens: 10}, Model: "sim-standard", Err: "retryable"}, // the engine names the requested model
			{Usage: llm.Usage{InputTokens: 1000}, Model: "sim-standard-2026-01-05"},
			{Usage: llm.Usage{InputTokens: 10000}, Model: "sim-standard-2026-03-05"},
		} {
			id, err := r.Before(bg, call("standard", 500))
			testkit.OK(t, err)
			r.After(bg, id, o)
		}
		rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		testkit.Require(t, "rows of the run", len(rows), 1)
		u := rows[0]
		if u.Model != "sim-standard" || u.Calls != 4 || u.Input != 11110 || u.CostMicros != 22220 {
			t.Errorf("usage %+v", u)
		}
		if !slices.Equal(u.Answered, []string{"sim-standard-2026-01-05", "sim-standard-2026-03-05"}) {
			t.Errorf("answered by %q", u.Answered)
		}
		costs, err := s.Costs(bg, w.Tenant, "", store.CostsByModel, 0, time.Now().Add(time.Hour).UnixMicro())
		testkit.OK(t, err)
		if len(costs) != 1 || costs[0].Key != "sim-standard" || costs[0].Calls != 4 || costs[0].CostMicros != 22220 {
			t.Errorf("costs %+v", costs)
		}
	})
}

// If only the answer names a model with a known price, the call costs the price that was valid when it began,
// by the database's clock. A price for the deployment that begins during the call applies to later calls.
func TestPriceByTheAnswerIsThatOfTheBeginning(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, model.Options{})
		key := store.Credential{ID: domain.NewID("crd"), Name: "azure", Kind: catalog.Azure, Resource: "example"}
		storetest.Credential(t, s, w.Tenant, key)
		policy := domain.ModelPolicy{Tiers: map[string]domain.TierRoute{}}
		for _, tier := range domain.RequiredTiers() {
			policy.Tiers[tier] = domain.TierRoute{CredentialID: key.ID, Model: "sim-" + tier}
		}
		w.put("", store.SettingModelPolicy, policy)
		now, err := s.Now(bg)
		testkit.OK(t, err)
		from := time.UnixMicro(now).Add(time.Second).UTC()
		w.put("", store.SettingPrices, json.RawMessage(`{"items":[{"model":"sim-strong","from":"`+from.Format(time.RFC3339Nano)+`","inputMicros":900000000,"outputMicros":0}]}`))
		_, r := w.open()
		begin := func() string {
			id, err := r.Before(bg, call("strong", 500))
			testkit.OK(t, err)
			return id
		}
		end := func(id string) int64 {
			before := w.month("").Spent
			r.After(bg, id, ask.Outcome{Usage: llm.Usage{InputTokens: 1_000_000}, Model: "gpt-4o-2024-08-06"})
			return w.month("").Spent - before
		}
		early := begin()
		testkit.Eventually(t, 10*time.Second, func() (bool, string) {
			now, err := s.Now(bg)
			return err == nil && now > from.UnixMicro() && time.Now().After(from), "the price has not begun"
		})
		late := begin()
		testkit.Equal(t, "cost of the earlier call", end(early), 2_500_000) // gpt-4o: 2.5 dollars per million tokens of input
		testkit.Equal(t, "cost of the later call", end(late), 900_000_000)
	})
}
