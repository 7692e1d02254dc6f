package tenant_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// wrapErrors is a rule as people make it.
const wrapErrors = `{"title":"Wrap errors","instruction":"Say what was attempted.","paths":["**/*.go"],"severity":"medium"}`

// refused checks the kind and the code of an error.
func refused(t testing.TB, what string, err error, kind errs.Kind, code string) {
	t.Helper()
	if e, is := errors.AsType[*errs.Error](err); !is || e.Kind != kind || e.Code != code {
		t.Errorf("%s: %v, want %v with the code %s", what, err, kind, code)
	}
}

// tiersOf routes all required tiers to one key and model, as a part of a request.
func tiersOf(key, model, effort string) string {
	one := `{"credentialId":"` + key + `","model":"` + model + `","reasoningEffort":"` + effort + `"}`
	return `"tiers":{"fast":` + one + `,"standard":` + one + `,"strong":` + one + `}`
}

// putPolicy stores the tenant's model policy.
func putPolicy(t testing.TB, w *featuretest.World, body string) (tenant.LlmPolicy, error) {
	t.Helper()
	return w.Features.Tenant.PutLlmPolicy(bg, w.Tenant, 0, featuretest.Request[tenant.TenantLlmPolicy](t, body))
}

// narrow stores the policy of the world's repository, which narrows the tenant's.
func narrow(t testing.TB, w *featuretest.World, body string) (tenant.RepositoryLlmPolicy, error) {
	t.Helper()
	return w.Features.Tenant.PutRepositoryLlmPolicy(bg, w.Tenant, w.Repository, 0, featuretest.Request[tenant.RepoLlmPolicy](t, body))
}

// change changes a model key.
func change(t testing.TB, w *featuretest.World, id, body string) (tenant.LlmCredential, error) {
	t.Helper()
	return w.Features.Tenant.UpdateCredential(bg, w.Tenant, id, 0, featuretest.Request[tenant.LlmCredentialUpdate](t, body))
}

// equalJSON compares a value with its JSON. names are pairs of an id and the name that replaces it.
func equalJSON(t testing.TB, what string, v any, want string, names ...string) {
	t.Helper()
	got, err := json.Marshal(v)
	testkit.OK(t, err)
	if text := strings.NewReplacer(names...).Replace(string(got)); text != want {
		t.Errorf("%s:\n got %s\nwant %s", what, text, want)
	}
}
