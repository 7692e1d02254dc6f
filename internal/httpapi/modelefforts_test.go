package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// What Anthropic's list of models tells of efforts decides when a policy is
// saved, for the version of the key that it was read with. Saving asks nobody,
// and nobody is shown it.
func TestPolicyTakesTheEffortsThatTheProviderTells(t *testing.T) {
	t.Parallel()
	const marker = "claude-of-tomorrow"
	sim := simOf(t, model.Options{APIKey: simKey, Models: []string{marker, "claude-haiku-4-5"}, Efforts: []string{"low", "high"}})
	w := simulated(t, storetest.SQLite(t), sim)
	id := w.credential(`{"name":"a","kind":"anthropic","apiKey":"` + simKey + `"}`).ID
	one := w.tenantPath() + "/llm-credentials/" + id
	w.price(marker, "claude-haiku-4-5")
	save := func(of, effort string) reply {
		return w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", `{`+tiersOf(id, of, effort)+`}`)
	}
	status := func(name, of, effort string, want int) {
		t.Helper()
		got := save(of, effort)
		testkit.Equal(t, name+": "+effort+" "+got.body, got.status, want)
	}
	status("before a list", marker, "max", http.StatusOK)
	status("before a list, by the data", "claude-haiku-4-5", "high", http.StatusUnprocessableEntity)
	testkit.Equal(t, "lists that the provider was asked for", listings(sim), 0)

	for range 2 { // from the provider, and from what is kept
		list := w.call(admin, http.MethodGet, one+"/models", "")
		if list.status != http.StatusOK || strings.Contains(list.body, "effort") || strings.Contains(list.body, "apabilities") || !strings.Contains(list.body, `"displayName"`) {
			t.Errorf("listed: %s", list.body)
		}
	}
	for effort, want := range map[string]int{"default": http.StatusOK, "low": http.StatusOK, "high": http.StatusOK,
		"none": http.StatusUnprocessableEntity, "minimal": http.StatusUnprocessableEntity, "medium": http.StatusUnprocessableEntity, "max": http.StatusUnprocessableEntity} {
		status("told", marker, effort, want)
		status("told, other than the data", "claude-haiku-4-5", effort, want)
	}
	if got := save(marker, "max"); !strings.Contains(got.body, "This model takes default, low, high") {
		t.Errorf("the words are %s", got.body)
	}
	narrow := w.call(admin, http.MethodPut, w.repo()+"/llm-policy", `{"tiers":{"fast":{"credentialId":"`+id+`","model":"`+marker+`","reasoningEffort":"max"}}}`)
	testkit.Equal(t, "a key that repositories can't choose", narrow.status, http.StatusUnprocessableEntity)
	test := w.call(admin, http.MethodPost, one+"/test", `{"model":"`+marker+`","purpose":"text","reasoningEffort":"max"}`)
	if !strings.Contains(test.body, "The effort must be one that is taken. This model takes default, low, high") {
		t.Errorf("the test says %s", test.body)
	}
	status("a model that is not in the list", "claude-opus-4-6", "max", http.StatusOK)
	testkit.Equal(t, "lists that the provider was asked for", listings(sim), 1)

	testkit.Equal(t, "changed", w.call(admin, http.MethodPatch, one, `{"name":"b"}`).status, http.StatusOK)
	status("another version of the key", marker, "max", http.StatusOK)
}
