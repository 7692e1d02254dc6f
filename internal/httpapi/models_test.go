package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The lists are compared literally, because forms are built from them.
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
		t.Errorf("regions in Europe come after others: %v", regions)
	}
	if efforts := p.Efforts; len(p.Kinds) != 6 || len(efforts) != 8 || efforts[0].ID != "default" || efforts[7].Name != "maximum" {
		t.Errorf("%+v", p)
	}
	wantJSON(t, "vector sizes", p.VectorSizes, []int{384, 768, 1024, 1536, 3072})
	tiers := map[string]bool{}
	for _, tier := range p.Tiers {
		tiers[tier.ID] = tier.Required
	}
	wantJSON(t, "required tiers", tiers, map[string]bool{"fast": true, "standard": true, "strong": true, "panel": false, "embeddings": false})
	testkit.Equal(t, "anonymous", w.call(anonymous, http.MethodGet, "/api/llm-presets", "").status, http.StatusUnauthorized)
}
