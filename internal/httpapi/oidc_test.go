package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The answer for a disabled provider is that for an unknown one, so that outsiders cannot find out which
// providers an instance has.
func TestASwitchedOffProviderIsAbsent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var made struct{ ID string }
		w.made(&made, instanceAdmin, "/api/instance/identity-providers",
			`{"slug":"house","displayName":"House","issuer":"https://id.example.com","clientId":"assay","clientSecret":"a-secret-of-the-test","tenants":"all","listed":true}`)
		var providers httpList[json.RawMessage]
		w.into(&providers, w.call(anonymous, http.MethodGet, "/auth/providers", ""))
		testkit.Require(t, "listed", len(providers.Items) > 0, true)
		off := w.call(instanceAdmin, http.MethodPatch, "/api/instance/identity-providers/"+made.ID, `{"enabled":false}`)
		testkit.Equal(t, "switched off", off.status, http.StatusOK)
		for _, step := range []string{"/login", "/callback?state=x&code=y"} {
			got, never := w.call(anonymous, http.MethodGet, "/auth/oidc/house"+step, ""), w.call(anonymous, http.MethodGet, "/auth/oidc/nobody"+step, "")
			if got.status != http.StatusNotFound || got.body != never.body || got.status != never.status {
				t.Errorf("%s: %d and %d, bodies equal: %v", step, got.status, never.status, got.body == never.body)
			}
		}
		before := len(providers.Items)
		w.into(&providers, w.call(anonymous, http.MethodGet, "/auth/providers", ""))
		testkit.Require(t, "listed afterwards", len(providers.Items), before-1)
	})
}
