package tenant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/cache/rediscache"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

func simOf(t *testing.T, o model.Options) *model.Server {
	t.Helper()
	sim, err := model.New(o)
	testkit.OK(t, err)
	return sim
}

const simKey = "the-key-of-the-test"

// listings returns the number of lists that the provider was asked for.
func listings(sim *model.Server) (n int) {
	for _, r := range sim.Requests(false) {
		if r.Method == http.MethodGet {
			n++
		}
	}
	return n
}

func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		sim := simOf(t, model.Options{APIKey: simKey, Models: []string{"alpha", "beta"}})
		w := featuretest.NewWorld(t, s, featuretest.Simulated(t, sim))
		list := func(id string) tenant.LlmModels {
			t.Helper()
			m, err := w.Features.Tenant.Models(bg, w.Tenant, id)
			testkit.OK(t, err)
			return m
		}
		id := w.Credential(`{"name":"a","kind":"compatible","apiKey":"` + simKey + `","baseUrl":"https://a.example.com/v1"}`).ID
		for range 2 {
			if m := list(id); m.Source != "provider" || len(m.Items) != 2 || m.Items[0].ID != "alpha" || m.Items[1].DisplayName != "beta" || m.Reason != "" {
				t.Errorf("listed: %+v", m)
			}
		}
		testkit.Equal(t, "lists that the provider was asked for", listings(sim), 1)
		w.Price("beta") // applies immediately to a stored list
		m, err := w.Features.Tenant.ModelPrices(bg, w.Tenant, id)
		testkit.OK(t, err)
		if first, second := m.Items[0], m.Items[1]; first.ID != "alpha" || first.Price != nil || second.Price == nil || second.Price.InputMicros != 1_000_000 ||
			second.Price.OutputMicros != 2_000_000 || second.Price.CacheReadMicros != nil || m.Proposed == nil || m.Proposed.Fast != "beta" {
			t.Errorf("prices: %+v", m)
		}
		other := w.Credential(`{"name":"b","kind":"compatible","apiKey":"` + simKey + `","baseUrl":"https://a.example.com/v1"}`).ID
		list(other)
		testkit.Equal(t, "another key has a list of its own", listings(sim), 2)
		_, err = change(t, w, id, `{"apiKey":"wrong-key-of-the-test"}`)
		testkit.OK(t, err)
		for range 2 { // a failed list is not stored
			m := list(id)
			if m.Source != "suggestions" || len(m.Items) != 0 || !strings.Contains(m.Reason, "does not accept the key") {
				t.Errorf("after a change to a wrong key: %+v", m)
			}
		}
		testkit.Equal(t, "asked again after the change, and after a failure", listings(sim), 4)
		testkit.OK(t, w.Features.Tenant.DeleteCredential(bg, w.Tenant, other))
		if _, err := w.Features.Tenant.Models(bg, w.Tenant, other); !errs.Is(err, errs.NotFound) {
			t.Errorf("a deleted key: %v", err)
		}

		azure := list(w.Credential(`{"name":"z","kind":"azure","apiKey":"k","resource":"aa"}`).ID)
		if azure.Source != "suggestions" || len(azure.Items) == 0 || len(azure.Items) > 20 || !strings.Contains(azure.Reason, "deployment") {
			t.Errorf("azure: %+v", azure)
		}
		testkit.Equal(t, "azure is not asked", listings(sim), 4)
	})
}

// Each failure of a list gives suggestions and a reason in our own words.
func TestModelsThatCannotBeListed(t *testing.T) {
	t.Parallel()
	marker := "words of the provider"
	for name, tc := range map[string]struct {
		fault  model.Fault
		reason string
	}{
		"forbidden":  {model.Fault{Action: model.Unauthorized, Message: marker}, "does not accept the key"},
		"no list":    {model.Fault{Action: model.Status, Status: 404, Message: marker}, "(status 404)"},
		"down":       {model.Fault{Action: model.Status, Status: 503, Message: marker}, "failed (status 503)"},
		"limited":    {model.Fault{Action: model.RateLimit, Message: marker}, "asks to wait"},
		"no credit":  {model.Fault{Action: model.Quota, Message: marker}, "used up"},
		"redirected": {model.Fault{Action: model.Redirect, Location: "https://elsewhere.example.com/"}, "redirect"},
		"too large":  {model.Fault{Action: model.TooLarge}, "too large"},
		"a page":     {model.Fault{Action: model.NotAnAnswer}, "not a list"},
		"reset":      {model.Fault{Action: model.Refuse}, "could not be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := simOf(t, model.Options{})
			w := featuretest.NewWorld(t, storetest.SQLite(t), featuretest.Simulated(t, sim))
			tc.fault.On, tc.fault.Times = model.OnAny, -1
			_, err := sim.SetFault(tc.fault)
			testkit.OK(t, err)
			id := w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
			m, err := w.Features.Tenant.Models(bg, w.Tenant, id)
			testkit.OK(t, err)
			testkit.Equal(t, "source", m.Source, "suggestions")
			if len(m.Items) == 0 || len(m.Items) > 20 {
				t.Errorf("%d models are suggested", len(m.Items))
			}
			if !strings.Contains(m.Reason, tc.reason) || strings.Contains(fmt.Sprint(m), marker) {
				t.Errorf("the reason is %q, want %q", m.Reason, tc.reason)
			}
		})
	}
}

// Another process that keeps its list in the same key-value store notices a change or the deletion of a
// key immediately.
func TestModelListsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	address, prefix := testkit.Redis(t)
	sim := simOf(t, model.Options{APIKey: simKey, Models: []string{"alpha"}})
	s := storetest.SQLite(t)
	w := featuretest.NewWorld(t, s, featuretest.Simulated(t, sim))
	process := func() *tenant.Service {
		o, err := redis.ParseURL(address)
		testkit.OK(t, err)
		client := redis.NewClient(o)
		t.Cleanup(func() { _ = client.Close() })
		kept, err := rediscache.New(rediscache.Options{Client: client, Prefix: prefix})
		testkit.OK(t, err)
		c := w.Features.Tenant.Config
		c.Cache = kept
		return tenant.New(c)
	}
	one, other := process(), process()
	id := w.Credential(`{"name":"a","kind":"compatible","apiKey":"` + simKey + `","baseUrl":"https://a.example.com/v1"}`).ID
	list := func(p *tenant.Service, source string, asked int) {
		t.Helper()
		m, err := p.Models(bg, w.Tenant, id)
		testkit.OK(t, err)
		testkit.Equal(t, "source, and lists that the provider was asked for", fmt.Sprint(m.Source, listings(sim)), fmt.Sprint(source, asked))
	}
	list(one, "provider", 1)
	list(other, "provider", 1)
	wrong := "wrong-key-of-the-test"
	_, err := one.UpdateCredential(bg, w.Tenant, id, 0, tenant.LlmCredentialUpdate{APIKey: patch.To(wrong)})
	testkit.OK(t, err)
	list(other, "suggestions", 2)
	_, err = one.UpdateCredential(bg, w.Tenant, id, 0, tenant.LlmCredentialUpdate{APIKey: patch.To(simKey)})
	testkit.OK(t, err)
	list(other, "provider", 3)
	list(one, "provider", 3)
	testkit.OK(t, one.DeleteCredential(bg, w.Tenant, id))
	if _, err := other.Models(bg, w.Tenant, id); !errs.Is(err, errs.NotFound) {
		t.Errorf("a deleted key: %v", err)
	}
}
