package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// tiersOf routes all required tiers to one key and model.
func tiersOf(key, model string) string {
	one := `{"credentialId":"` + key + `","model":"` + model + `"}`
	return `"tiers":{"fast":` + one + `,"standard":` + one + `,"strong":` + one + `}`
}

// Both levels read and replace their policy by version, refuse what is wrong by
// the pointers of the body, and name who uses a key that is to be deleted.
func TestModelPolicyRoutes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		key := w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
		ours := `{` + tiersOf(key, "gpt-5.4") + `,"repositoryCredentialIds":["` + key + `"]}`
		theirs := `{"tiers":{"strong":{"credentialId":"` + key + `","model":"gpt-5.4"},"fast":null}}`
		for _, level := range []struct{ path, body string }{{w.tenantPath() + "/llm-policy", ours}, {w.repo() + "/llm-policy", theirs}} {
			first := w.call(member, http.MethodGet, level.path, "")
			testkit.Equal(t, "ETag of nothing", first.header.Get("ETag"), `"v0"`)
			var p struct{ Version int64 }
			w.into(&p, w.call(admin, http.MethodPut, level.path, level.body, header("If-Match", `"v0"`)))
			testkit.Equal(t, "version", p.Version, 1)
			testkit.Equal(t, "the version before", w.call(admin, http.MethodPut, level.path, level.body, header("If-Match", `"v0"`)).status, http.StatusPreconditionFailed)
			testkit.Equal(t, "by a member", w.call(member, http.MethodPut, level.path, level.body).status, http.StatusForbidden)
			wrong := w.call(admin, http.MethodPut, level.path, strings.ReplaceAll(level.body, key, "crd_absent"))
			if fields := fmt.Sprint(wrongFields(t, wrong)); !strings.Contains(fields, "/tiers/strong/credentialId") || strings.Contains(wrong.body, "crd_absent") {
				t.Errorf("an absent key: %s", wrong.body)
			}
		}
		var r tenant.RepositoryLlmPolicy
		w.into(&r, w.call(member, http.MethodGet, w.repo()+"/llm-policy", ""))
		testkit.Equal(t, "origins", r.Origins.Strong+" "+r.Origins.Fast, "repository tenant")
		used := w.call(admin, http.MethodDelete, w.tenantPath()+"/llm-credentials/"+key, "")
		testkit.Equal(t, "a key in use", problemOf(t, used), "in_use")
		if !strings.Contains(used.body, w.Repository.ID) {
			t.Errorf("the repository is not named: %s", used.body)
		}
	})
}
