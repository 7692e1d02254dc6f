package tenant_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// The efforts in Anthropic's list of models decide when a policy is saved, for the version of the key
// that read the list. Saving makes no request, and the efforts are not shown.
func TestPolicyTakesTheProvidersEfforts(t *testing.T) {
	t.Parallel()
	const marker = "claude-of-tomorrow"
	sim := simOf(t, model.Options{APIKey: simKey, Models: []string{marker, "claude-haiku-4-5"}, Efforts: []string{"low", "high"}})
	w := featuretest.NewWorld(t, storetest.SQLite(t), featuretest.Simulated(t, sim))
	id := w.Credential(`{"name":"a","kind":"anthropic","apiKey":"` + simKey + `"}`).ID
	save := func(of, effort string) error {
		_, err := putPolicy(t, w, `{`+tiersOf(id, of, effort)+`}`)
		return err
	}
	taken := func(name, of, effort string, want bool) {
		t.Helper()
		fields := "/tiers/fast/reasoningEffort /tiers/standard/reasoningEffort /tiers/strong/reasoningEffort"
		if want {
			fields = ""
		}
		testkit.Equal(t, name+": wrong fields of "+effort, featuretest.Pointers(t, save(of, effort)), fields)
	}
	taken("before a list", marker, "max", true)
	taken("before a list, by the data", "claude-haiku-4-5", "high", false)
	testkit.Equal(t, "lists that the provider was asked for", listings(sim), 0)

	for range 2 { // from the provider, and from the stored list
		list, err := w.Features.Tenant.Models(bg, w.Tenant, id)
		testkit.OK(t, err)
		equalJSON(t, "listed", list.Items[0], `{"id":"`+marker+`","displayName":"`+list.Items[0].DisplayName+`"}`)
	}
	for effort, want := range map[string]bool{"default": true, "low": true, "high": true, "none": false, "minimal": false, "medium": false, "max": false} {
		taken("told", marker, effort, want)
		taken("told, other than the data", "claude-haiku-4-5", effort, want)
	}
	if err := save(marker, "max"); !strings.Contains(err.Error(), "This model takes default, low, high") {
		t.Errorf("the words are %v", err)
	}
	out, err := try(t, w, id, `{"model":"`+marker+`","purpose":"text","reasoningEffort":"max"}`)
	testkit.OK(t, err)
	if _, says := checksOf(out); !strings.Contains(says, "The effort must be one that is taken. This model takes default, low, high") {
		t.Errorf("the test says %s", says)
	}
	taken("a model that is not in the list", "claude-opus-4-6", "max", true)
	testkit.Equal(t, "lists that the provider was asked for", listings(sim), 1)

	_, err = change(t, w, id, `{"name":"b"}`)
	testkit.OK(t, err)
	taken("another version of the key", marker, "max", true)
}
