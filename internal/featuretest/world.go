package featuretest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// World is two tenants of the same shape, with the features that act on them.
type World struct {
	storetest.World
	Other    storetest.World
	Store    *store.Store
	Features Features
	Hosts    *connect.Hosts // as in [Options]
	t        testing.TB
}

// NewWorld seeds both tenants and wires the features.
func NewWorld(t testing.TB, s *store.Store, change ...func(*Options)) *World {
	t.Helper()
	w := &World{World: storetest.Seed(t, s), Other: storetest.Seed(t, s), Store: s, t: t}
	w.Features = New(t, s, append(change, func(o *Options) { w.Hosts = o.Hosts })...)
	return w
}

// Credential creates a model key of the tenant from a JSON request.
func (w *World) Credential(body string) tenant.LlmCredential {
	w.t.Helper()
	made, err := w.Features.Tenant.CreateCredential(context.Background(), w.Tenant, Request[tenant.LlmCredentialCreate](w.t, body))
	testkit.OK(w.t, err)
	return made
}

// Price replaces the tenant's prices: one dollar per million input tokens and two per million output
// tokens, for models of every kind.
func (w *World) Price(models ...string) {
	w.t.Helper()
	var in budget.LlmPrices
	for _, m := range models {
		in.Items = append(in.Items, budget.LlmPrice{Model: m, InputMicros: 1_000_000, OutputMicros: 2_000_000})
	}
	_, err := w.Features.Tenant.PutPrices(context.Background(), w.Tenant, 0, in)
	testkit.OK(w.t, err)
}

// Person creates a person with a role in the tenant and returns the id.
func (w *World) Person(name string, role domain.Role) string {
	w.t.Helper()
	user, err := w.Store.CreateUser(context.Background(), name, false)
	testkit.OK(w.t, err)
	testkit.OK(w.t, w.Store.SetMember(context.Background(), w.Tenant, user.ID, role, "hand"))
	return user.ID
}

// Request decodes a request body as a transport does, but without its schema. It distinguishes absent from
// null fields. An unknown field fails the test.
func Request[T any](t testing.TB, body string) (in T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return in
}

// Pointers returns the wrong fields of an Invalid error, in order and separated by spaces, or "" for nil.
// Any other error fails the test.
func Pointers(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	if !errs.Is(err, errs.Invalid) {
		t.Fatalf("%v, want wrong fields", err)
	}
	e, _ := errors.AsType[*errs.Error](err)
	out := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		out[i] = f.Pointer
	}
	return strings.Join(out, " ")
}

// Simulated routes every model key to one simulated model, which is closed when the test ends. Storing a
// key still checks the key's own address.
func Simulated(t testing.TB, sim *model.Server) func(*Options) {
	t.Helper()
	server := httptest.NewServer(sim.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(sim.Close)
	at, err := url.Parse(server.URL)
	testkit.OK(t, err)
	port, err := strconv.Atoi(at.Port())
	testkit.OK(t, err)
	return func(o *Options) {
		o.Models = outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
		t.Cleanup(o.Models.Close)
		o.Endpoint = func(k catalog.Key) string {
			switch k.Kind {
			case catalog.Anthropic, catalog.Bedrock:
				return server.URL
			case catalog.Mistral:
				return server.URL + "/mistral/v1"
			}
			return server.URL + "/v1"
		}
	}
}
