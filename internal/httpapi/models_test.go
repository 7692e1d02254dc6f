package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// modelKey is a key that looks real; it is made at run time.
func modelKey() string { return "sk-" + "proj-" + strings.Repeat("Zz9", 12) }

func TestModelKeyLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/llm-credentials"
		var made, renamed tenant.LlmCredential
		w.made(&made, admin, path, `{"name":"main","kind":"openai","apiKey":"`+modelKey()+`"}`)
		testkit.Equal(t, "the name is taken", problemOf(t, w.call(admin, http.MethodPost, path, `{"name":"main","kind":"mistral","apiKey":"k"}`)), "already_exists")
		one := path + "/" + made.ID
		w.into(&renamed, w.call(admin, http.MethodPatch, one, `{"name":"reviews"}`, header("If-Match", `"v1"`)))
		testkit.Equal(t, "name", renamed.Name, "reviews")
		testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, one, `{"name":"x"}`, header("If-Match", `"v1"`)).status, http.StatusPreconditionFailed)
		testkit.Equal(t, "another endpoint with the stored key", fmt.Sprint(wrongFields(t, w.call(admin, http.MethodPatch, one, `{"dataRegion":"eu"}`))), "[/apiKey]")
		var all httpList[tenant.LlmCredential]
		list := w.call(admin, http.MethodGet, path, "")
		w.into(&all, list)
		testkit.Require(t, "listed", len(all.Items), 1)
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, path, "").status, http.StatusForbidden)
		models := w.call(admin, http.MethodGet, one+"/models", "")
		if models.status != http.StatusOK || strings.Contains(models.body, "effort") {
			t.Errorf("models: %d %s", models.status, models.body)
		}
		testkit.Equal(t, "models for a member", w.call(member, http.MethodGet, one+"/models", "").status, http.StatusForbidden)
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, one, "").status, http.StatusNoContent)
		testkit.Equal(t, "gone", w.call(admin, http.MethodDelete, one, "").status, http.StatusNotFound)
		testkit.Equal(t, "models of a key that is gone", w.call(admin, http.MethodGet, one+"/models", "").status, http.StatusNotFound)
		if strings.Contains(w.logs.String()+list.body, modelKey()) {
			t.Error("the key is in an answer or the log")
		}
	})
}

// What the schemas refuse, before a feature is asked.
func TestModelSchemasRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	keys := w.tenantPath() + "/llm-credentials"
	test := keys + "/" + w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID + "/test"
	policy := w.tenantPath() + "/llm-policy"
	for name, tc := range map[string]struct{ method, path, body, fields string }{
		"calls at once":     {http.MethodPost, keys, `{"name":"bad","kind":"openai","apiKey":"k","maxConcurrency":0}`, "[/maxConcurrency]"},
		"no such kind":      {http.MethodPost, keys, `{"name":"bad","kind":"x","apiKey":"k"}`, "[/kind]"},
		"another size":      {http.MethodPost, test, `{"model":"m","purpose":"embeddings","vectorSize":385}`, "[/vectorSize]"},
		"no such effort":    {http.MethodPost, test, `{"model":"m","purpose":"text","reasoningEffort":"much"}`, "[/reasoningEffort]"},
		"no such purpose":   {http.MethodPost, test, `{"model":"m","purpose":"song"}`, "[/purpose]"},
		"a size of nothing": {http.MethodPost, test, `{"model":"m","purpose":"text","vectorSize":384}`, "[/vectorSize]"}, // the act's refusal, by the same pointer
		"no such mode":      {http.MethodPut, policy, `{"budget":{"monthlyMicros":1,"currency":"USD","mode":"firm"}}`, "[/budget/mode]"},
		"too few tokens":    {http.MethodPut, policy, `{"limits":{"maxTokensPerReview":19999}}`, "[/limits/maxTokensPerReview]"},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Equal(t, "wrong fields", fmt.Sprint(wrongFields(t, w.call(admin, tc.method, tc.path, tc.body))), tc.fields)
		})
	}
}

// The lists to the letter: forms are made of them.
func TestPresets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var p httpapi.LlmPresets
	w.into(&p, w.call(member, http.MethodGet, "/api/llm-presets", ""))
	presets, regions := map[string][]string{}, []string{}
	for _, v := range p.Presets {
		presets[v.Group] = append(presets[v.Group], v.ID+" "+v.BaseURL)
		if local := strings.Contains(v.BaseURL, "localhost"); local != strings.Contains(v.Note, "Replace it by a host name") || local != (v.Group == "self-hosted") {
			t.Errorf("%s: %q says %q", v.ID, v.BaseURL, v.Note)
		}
		made := w.Credential(`{"name":"` + v.ID + `","kind":"compatible","apiKey":"k","preset":"` + v.ID + `","baseUrl":"https://models.example.com/v1"}`)
		testkit.Equal(t, v.ID+" with another base URL", made.Endpoint, "https://models.example.com/v1")
	}
	for _, r := range p.Regions {
		regions = append(regions, r.ID)
	}
	wantJSON(t, "presets", presets, map[string][]string{
		"eu-hosted": {"scaleway https://api.scaleway.ai/v1", "ovhcloud https://oai.endpoints.kepler.ai.cloud.ovh.net/v1", "ionos https://openai.inference.de-txl.ionos.com/v1",
			"stackit https://api.openai-compat.model-serving.eu01.onstackit.cloud/v1"},
		"hosted": {"openrouter https://openrouter.ai/api/v1", "groq https://api.groq.com/openai/v1", "together https://api.together.ai/v1",
			"gemini https://generativelanguage.googleapis.com/v1beta/openai"},
		"self-hosted": {"ollama http://localhost:11434/v1", "vllm http://localhost:8000/v1", "lmstudio http://localhost:1234/v1", "litellm http://localhost:4000"}})
	wantJSON(t, "the first regions", regions[:7], []string{"eu-central-1", "eu-west-1", "eu-west-2", "eu-west-3", "eu-north-1", "eu-south-1", "eu-central-2"})
	if rest := regions[8:]; slices.ContainsFunc(rest, func(id string) bool { return strings.HasPrefix(id, "eu-") }) {
		t.Errorf("regions in Europe stand behind others: %v", regions)
	}
	if efforts := p.Efforts; len(p.Kinds) != 6 || len(efforts) != 8 || efforts[0].ID != "default" || efforts[7].Name != "maximum" {
		t.Errorf("%+v", p)
	}
	wantJSON(t, "vector sizes", p.VectorSizes, []int{384, 768, 1024, 1536, 3072})
	tiers := map[string]bool{}
	for _, tier := range p.Tiers {
		tiers[tier.ID] = tier.Required
	}
	wantJSON(t, "required tiers", tiers, map[string]bool{"fast": true, "standard": true, "strong": true, "embeddings": false})
	testkit.Equal(t, "anonymous", w.call(anonymous, http.MethodGet, "/api/llm-presets", "").status, http.StatusUnauthorized)
}
