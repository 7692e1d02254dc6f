package connect_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A key's limit of concurrent calls holds across all runs of a process, for each process separately. Another
// key has its own limit.
func TestTheLimitOfAKeyHoldsForAllRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		arrived, leave := make(chan string, 16), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arrived <- r.URL.Path
			select {
			case <-leave:
			case <-r.Context().Done():
			}
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
		}))
		t.Cleanup(server.Close)
		world := storetest.Seed(t, s)
		limited, free := store.Credential{ID: domain.NewID("crd"), Name: "limited", MaxConcurrency: 2}, store.Credential{ID: domain.NewID("crd"), Name: "free"}
		policy := domain.ModelPolicy{Tiers: map[string]domain.TierRoute{}}
		for tier, key := range map[string]*store.Credential{"fast": &limited, "standard": &limited, "strong": &free} {
			key.Kind, key.BaseURL = catalog.Compatible, "https://"+key.Name+".example.com"
			policy.Tiers[tier] = domain.TierRoute{CredentialID: key.ID, Model: "m"}
		}
		for _, key := range []store.Credential{limited, free} {
			storetest.Credential(t, s, world.Tenant, key)
		}
		body, err := json.Marshal(policy)
		testkit.OK(t, err)
		testkit.OK(t, s.PutSetting(bg, world.Tenant, "", store.SettingModelPolicy, string(body)))
		process := func() func(tier string) llm.Client {
			models := reaching(t, server.URL, 30*time.Second, func(catalog.Key) string { return "" })
			models.Store = s
			return func(tier string) llm.Client { // each for a run of its own
				m, _, err := models.Open(bg, storetest.Run(t, s, world.Pull, domain.NewID("trg")), nil)
				testkit.OK(t, err)
				return map[string]llm.Client{"fast": m.Fast.Client, "standard": m.Standard.Client, "strong": m.Strong.Client}[tier]
			}
		}
		call := func(ctx context.Context, c llm.Client) error {
			_, err := c.Complete(ctx, llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
			return err
		}
		open, elsewhere := process(), process()
		ended := make(chan error, 16)
		begin := func(c llm.Client) {
			go func() { ended <- call(bg, c) }()
			<-arrived
		}
		begin(open("fast"))
		begin(open("standard"))
		soon, cancel := context.WithTimeout(bg, 200*time.Millisecond)
		defer cancel()
		if err := call(soon, open("standard")); !errors.Is(err, context.DeadlineExceeded) || len(arrived) > 0 {
			t.Errorf("a third call: %v, and %d arrived", err, len(arrived))
		}
		begin(open("strong"))
		begin(elsewhere("standard"))
		close(leave)
		for range 4 {
			testkit.OK(t, <-ended)
		}
	})
}

// A key that the policy no longer allows is not called. Its calls fail like refusals of the provider: the
// review ends without the model and says why. Bedrock's global profiles may use any region.
func TestModelsThatLeaveTheRegionAreNotCalled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		world := storetest.Seed(t, s)
		key := store.Credential{ID: domain.NewID("crd"), Name: "eu", Kind: catalog.Bedrock, Region: "eu-west-1"}
		storetest.Credential(t, s, world.Tenant, key)
		server := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		models := reaching(t, server.URL, time.Second, func(catalog.Key) string { return "" })
		models.Store = s
		for name, tc := range map[string]struct {
			model   string
			allowed []string
			opens   bool
		}{
			"a profile of the region":            {"eu.anthropic.claude-sonnet-5", []string{"eu"}, true},
			"a global one":                       {"global.anthropic.claude-sonnet-5", []string{"eu"}, false},
			"a global one where all are allowed": {"global.anthropic.claude-sonnet-5", nil, true},
			"the region is not allowed":          {"eu.anthropic.claude-sonnet-5", []string{"us"}, false},
		} {
			policy := domain.ModelPolicy{AllowedRegions: tc.allowed, Tiers: map[string]domain.TierRoute{}}
			for _, tier := range domain.RequiredTiers() {
				policy.Tiers[tier] = domain.TierRoute{CredentialID: key.ID, Model: tc.model}
			}
			body, err := json.Marshal(policy)
			testkit.OK(t, err)
			testkit.OK(t, s.PutSetting(bg, world.Tenant, "", store.SettingModelPolicy, string(body)))
			opened, _, err := models.Open(bg, world.Run, nil)
			testkit.OK(t, err)
			_, err = opened.Strong.Client.Complete(bg, llm.Request{Model: tc.model, Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
			e, ok := errors.AsType[*llm.Error](err)
			if refused := ok && e.Class == llm.ClassCredential && strings.Contains(e.ProviderMessage, "does not allow the region"); refused == tc.opens {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A route carries the context size of its model: the policy's value, or else the known value of the model.
func TestRoutesCarryTheContextOfTheirModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		world := storetest.Seed(t, s)
		known := store.Credential{ID: domain.NewID("crd"), Name: "known", Kind: catalog.OpenAI}
		own := store.Credential{ID: domain.NewID("crd"), Name: "own", Kind: catalog.Compatible, BaseURL: "https://llama.example.com/v1"}
		for _, key := range []store.Credential{known, own} {
			storetest.Credential(t, s, world.Tenant, key)
		}
		body, err := json.Marshal(domain.ModelPolicy{Tiers: map[string]domain.TierRoute{
			"fast":     {CredentialID: known.ID, Model: "gpt-4"},
			"standard": {CredentialID: known.ID, Model: "gpt-4", ContextTokens: 8000},
			"strong":   {CredentialID: own.ID, Model: "gpt-4"},
		}})
		testkit.OK(t, err)
		testkit.OK(t, s.PutSetting(bg, world.Tenant, "", store.SettingModelPolicy, string(body)))
		models := reaching(t, "http://127.0.0.1:1", time.Second, func(catalog.Key) string { return "" })
		models.Store = s
		opened, _, err := models.Open(bg, world.Run, nil)
		testkit.OK(t, err)
		testkit.Equal(t, "known, set, unknown", [3]int{opened.Fast.Window, opened.Standard.Window, opened.Strong.Window}, [3]int{8192, 8000, 0})
	})
}
