package httpapi_test

import (
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

func (w *world) credential(body string) tenant.LlmCredential {
	w.t.Helper()
	var c tenant.LlmCredential
	w.made(&c, admin, w.tenantPath()+"/llm-credentials", body)
	return c
}

func TestModelKeyLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/llm-credentials"
		made := w.credential(`{"name":"main","kind":"openai","apiKey":"` + modelKey() + `","maxConcurrency":8}`)
		if !made.APIKeySet || made.APIKeyUpdatedAt == nil || made.Endpoint != "https://api.openai.com/v1" || *made.MaxConcurrency != 8 || made.Version != 1 {
			t.Fatalf("made %+v", made)
		}
		testkit.Equal(t, "the name is taken", problemOf(t, w.call(admin, http.MethodPost, path, `{"name":"main","kind":"mistral","apiKey":"k"}`)), "already_exists")
		one := path + "/" + made.ID
		var renamed, moved tenant.LlmCredential
		w.into(&renamed, w.call(admin, http.MethodPatch, one, `{"name":"reviews","maxConcurrency":null}`, header("If-Match", `"v1"`)))
		if renamed.Name != "reviews" || renamed.MaxConcurrency != nil || !renamed.APIKeyUpdatedAt.Equal(*made.APIKeyUpdatedAt) || renamed.Version != 2 {
			t.Errorf("renamed %+v", renamed)
		}
		testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, one, `{"name":"x"}`, header("If-Match", `"v1"`)).status, http.StatusPreconditionFailed)
		if got := wrongFields(t, w.call(admin, http.MethodPatch, one, `{"dataRegion":"eu"}`)); !slices.Equal(got, []string{"/apiKey"}) {
			t.Errorf("another endpoint with the stored key: %v", got)
		}
		w.into(&moved, w.call(admin, http.MethodPatch, one, `{"dataRegion":"eu","apiKey":"other-key"}`))
		if moved.Endpoint != "https://eu.api.openai.com/v1" || !moved.APIKeyUpdatedAt.After(*made.APIKeyUpdatedAt) {
			t.Errorf("moved %+v", moved)
		}
		row, err := s.Credential(bg, w.Tenant, made.ID)
		must(t, err)
		if strings.Contains(string(row.APIKey), "other-key") {
			t.Error("the key is stored in clear")
		}
		var all httpList[tenant.LlmCredential]
		list := w.call(admin, http.MethodGet, path, "")
		w.into(&all, list)
		testkit.Equal(t, "listed", len(all.Items), 1)
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, path, "").status, http.StatusForbidden)
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, one, "").status, http.StatusNoContent)
		testkit.Equal(t, "gone", w.call(admin, http.MethodDelete, one, "").status, http.StatusNotFound)
		if logs := w.logs.String(); strings.Contains(logs+list.body, modelKey()) || strings.Contains(logs+list.body, "other-key") {
			t.Error("the key is in an answer or the log")
		}
	})
}

func TestModelKeysOfEachKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/llm-credentials"
	for name, tc := range map[string]struct{ body, endpoint string }{
		"anthropic":      {`"kind":"anthropic","apiKey":"k"`, "https://api.anthropic.com"},
		"mistral":        {`"kind":"mistral","apiKey":"k","dataRegion":"eu"`, "https://api.mistral.ai/v1"},
		"azure resource": {`"kind":"azure","apiKey":"k","resource":"acme-swe"`, "https://acme-swe.openai.azure.com/openai/v1"},
		"azure endpoint": {`"kind":"azure","apiKey":"k","baseUrl":"https://acme.example.com/openai/v1/"`, "https://acme.example.com/openai/v1"},
		"azure portal":   {`"kind":"azure","apiKey":"k","baseUrl":"https://acme.openai.azure.com/"`, "https://acme.openai.azure.com/openai/v1"},
		"azure /openai":  {`"kind":"azure","apiKey":"k","baseUrl":"https://acme.openai.azure.com/openai/"`, "https://acme.openai.azure.com/openai/v1"},
		"bedrock":        {`"kind":"bedrock","apiKey":"k","region":"eu-central-1"`, "https://bedrock-runtime.eu-central-1.amazonaws.com"},
		"preset":         {`"kind":"compatible","apiKey":"k","preset":"scaleway"`, "https://api.scaleway.ai/v1"},
		"own service":    {`"kind":"compatible","preset":"litellm","baseUrl":"https://litellm.example.com"`, "https://litellm.example.com"},
		"preset, moved":  {`"kind":"compatible","preset":"groq","baseUrl":"https://groq.example.com/openai/v1"`, "https://groq.example.com/openai/v1"},
		"no key":         {`"kind":"compatible","baseUrl":"https://models.example.com/v1"`, "https://models.example.com/v1"},
	} {
		testkit.Equal(t, name, w.credential(`{"name":"`+name+`",`+tc.body+`}`).Endpoint, tc.endpoint)
	}
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"base URL of a fixed endpoint": {`"kind":"openai","apiKey":"k","baseUrl":"https://evil.example.com"`, []string{"/baseUrl"}},
		"no key":                       {`"kind":"openai"`, []string{"/apiKey"}},
		"no key for a preset":          {`"kind":"compatible","preset":"scaleway"`, []string{"/apiKey"}},
		"no key for its address":       {`"kind":"compatible","baseUrl":"https://API.groq.com/openai/v1/"`, []string{"/apiKey"}},
		"no key and another mistake":   {`"kind":"compatible","preset":"groq","dataRegion":"mars"`, []string{"/dataRegion", "/apiKey"}},
		"key of two lines":             {`"kind":"openai","apiKey":"a\nb"`, []string{"/apiKey"}},
		"key with a space inside":      {`"kind":"openai","apiKey":"a b"`, []string{"/apiKey"}},
		"unofficial region":            {`"kind":"openai","apiKey":"k","dataRegion":"jp"`, []string{"/dataRegion"}},
		"unknown region":               {`"kind":"bedrock","apiKey":"k","region":"eu-moon-1"`, []string{"/region"}},
		"declared region of bedrock":   {`"kind":"bedrock","apiKey":"k","region":"eu-west-1","dataRegion":"eu"`, []string{"/dataRegion"}},
		"azure, neither":               {`"kind":"azure","apiKey":"k"`, []string{"/resource"}},
		"azure, both":                  {`"kind":"azure","apiKey":"k","resource":"aa","baseUrl":"https://a.example.com"`, []string{"/baseUrl"}},
		"resource that is a host":      {`"kind":"azure","apiKey":"k","resource":"evil.example.com/"`, []string{"/resource"}},
		"azure, http":                  {`"kind":"azure","apiKey":"k","baseUrl":"http://a.example.com"`, []string{"/baseUrl"}},
		"no such preset":               {`"kind":"compatible","preset":"nowhere","baseUrl":"https://a.example.com"`, []string{"/preset"}},
		"no address":                   {`"kind":"compatible"`, []string{"/baseUrl"}},
		"address with a user":          {`"kind":"compatible","baseUrl":"https://a:b@example.com/v1"`, []string{"/baseUrl"}},
		"address with a query":         {`"kind":"compatible","baseUrl":"https://example.com/v1?key=1"`, []string{"/baseUrl"}},
		"metadata":                     {`"kind":"compatible","baseUrl":"https://169.254.169.254/v1"`, []string{"/baseUrl"}},
		"unknown data region":          {`"kind":"compatible","baseUrl":"https://example.com/v1","dataRegion":"mars"`, []string{"/dataRegion"}},
		"concurrency 0":                {`"kind":"openai","apiKey":"k","maxConcurrency":0`, []string{"/maxConcurrency"}},
	} {
		got := w.call(admin, http.MethodPost, path, `{"name":"bad",`+tc.body+`}`)
		if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, tc.fields, got.body)
		}
	}
}

// A base URL that is refused says why.
func TestModelKeyAddressesAreExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for address, why := range map[string]string{
		"models.example.com":                             "must be an absolute URL with https",
		"http://models.example.com/v1":                   "plain http is not allowed by the air-gap configuration",
		"https://models.example.com/v1/chat/completions": "must end before /chat/completions",
		"https://models.example.com/v1/Models/":          "must end before /models",
		"https://models.example.com:8443/v1":             "the port is not allowed",
		"https://localhost/v1":                           "loopback is this machine, or this container, itself",
		"https://10.0.0.7/v1":                            "not a public one",
		"https://169.254.169.254/v1":                     "never reachable",
		"https://2130706433/v1":                          "write addresses as four decimal numbers",
		"https://ｍodels.example.com/v1":                  "xn--",
		"https://models.example.com:99999/v1":            "out of range",
	} {
		got := w.call(admin, http.MethodPost, w.tenantPath()+"/llm-credentials", `{"name":"bad","kind":"compatible","baseUrl":"`+address+`"}`)
		if fields := wrongFields(t, got); !slices.Equal(fields, []string{"/baseUrl"}) || !strings.Contains(got.body, why) {
			t.Errorf("%s: %s, want %q", address, got.body, why)
		}
	}
}

func TestModelKeyChangesThatNeedTheKeyAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		made, change string
		fields       []string // none: accepted
	}{
		"base URL":                    {`"kind":"compatible","apiKey":"k","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://b.example.com"}`, []string{"/apiKey"}},
		"preset fills the base URL":   {`"kind":"compatible","apiKey":"k","preset":"groq"`, `{"preset":"together"}`, []string{"/apiKey"}},
		"same base URL":               {`"kind":"compatible","apiKey":"k","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://a.example.com/"}`, nil},
		"no key is stored":            {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://b.example.com"}`, nil},
		"the key is removed":          {`"kind":"compatible","apiKey":"k","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://b.example.com","apiKey":null}`, nil},
		"the key of a preset":         {`"kind":"compatible","apiKey":"k","preset":"groq"`, `{"apiKey":null}`, []string{"/apiKey"}},
		"to a preset, without a key":  {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"preset":"groq"}`, []string{"/apiKey"}},
		"to a preset, with a key":     {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"preset":"groq","apiKey":"k"}`, nil},
		"from a preset, without one":  {`"kind":"compatible","apiKey":"k","preset":"groq"`, `{"baseUrl":"https://a.example.com","apiKey":null}`, nil},
		"the key of a fixed kind":     {`"kind":"openai","apiKey":"k"`, `{"apiKey":null}`, []string{"/apiKey"}},
		"region":                      {`"kind":"bedrock","apiKey":"k","region":"eu-west-1"`, `{"region":"eu-west-3"}`, []string{"/apiKey"}},
		"resource":                    {`"kind":"azure","apiKey":"k","resource":"aa"`, `{"resource":"bb"}`, []string{"/apiKey"}},
		"resource, with the key":      {`"kind":"azure","apiKey":"k","resource":"aa"`, `{"resource":"bb","apiKey":"k2"}`, nil},
		"declared region":             {`"kind":"azure","apiKey":"k","resource":"aa"`, `{"dataRegion":"eu"}`, nil},
		"kind":                        {`"kind":"openai","apiKey":"k"`, `{"kind":"mistral","apiKey":"k"}`, []string{"/kind"}},
		"kind as it is":               {`"kind":"openai","apiKey":"k"`, `{"kind":"openai"}`, nil},
		"base URL of a fixed kind":    {`"kind":"openai","apiKey":"k"`, `{"baseUrl":"https://b.example.com"}`, []string{"/baseUrl"}},
		"resource of a compatible":    {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"resource":"aa"}`, []string{"/resource"}},
		"null for what must be there": {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"baseUrl":null}`, []string{"/baseUrl"}},
	} {
		c := w.credential(`{"name":"` + name + `",` + tc.made + `}`)
		got := w.call(admin, http.MethodPatch, w.tenantPath()+"/llm-credentials/"+c.ID, tc.change)
		if len(tc.fields) == 0 {
			testkit.Equal(t, name+" "+got.body, got.status, http.StatusOK)
			continue
		}
		if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, tc.fields, got.body)
		}
	}
}

// A key from an older version of a kind whose endpoint is fixed keeps its value.
func TestModelKeyShowsWhatAnOlderOneHad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	must(t, w.store.SaveCredential(bg, w.Tenant, store.Credential{ID: "crd_old", Name: "old", Kind: "openai", BaseURL: "https://old.example.com/v1", APIKey: []byte("sealed")}))
	var c tenant.LlmCredential
	w.into(&c, w.call(admin, http.MethodPatch, w.tenantPath()+"/llm-credentials/crd_old", `{"name":"renamed"}`))
	if c.BaseURL != "https://old.example.com/v1" || c.Endpoint != "https://api.openai.com/v1" {
		t.Errorf("%+v", c)
	}
}

// A key that was stored without one, before presets were known to want one, can
// be changed and used; it can't be moved to another service that wants one.
func TestModelKeysWithoutAKeyStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	must(t, w.store.SaveCredential(bg, w.Tenant, store.Credential{ID: "crd_old", Name: "old", Kind: "compatible", Preset: "ovhcloud", BaseURL: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1"}))
	one := w.tenantPath() + "/llm-credentials/crd_old"
	w.price("m")
	for _, body := range []string{`{"name":"renamed"}`, `{"maxConcurrency":3,"preset":"ovhcloud"}`, `{"dataRegion":"eu","apiKey":null}`} {
		got := w.call(admin, http.MethodPatch, one, body)
		testkit.Equal(t, body+" "+got.body, got.status, http.StatusOK)
	}
	testkit.Equal(t, "routed", w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", `{`+tiersOf("crd_old", "m", "default")+`}`).status, http.StatusOK)
	moved := w.call(admin, http.MethodPatch, one, `{"preset":"groq"}`)
	if fields := wrongFields(t, moved); !slices.Equal(fields, []string{"/apiKey"}) || !strings.Contains(moved.body, "Groq wants a key") {
		t.Errorf("moved to another service: %s", moved.body)
	}
}

func TestEnterpriseTakesPublicEndpointsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) {
		c := o.Tenant.Config
		c.Enterprise = true
		o.Tenant = tenant.New(c)
	})
	path := w.tenantPath() + "/llm-credentials"
	for _, address := range []string{"http://models.example.com/v1", "https://10.0.0.7/v1", "https://localhost/v1", "https://models.example.com:8443/v1"} {
		got := wrongFields(t, w.call(admin, http.MethodPost, path, `{"name":"a","kind":"compatible","baseUrl":"`+address+`"}`))
		if !slices.Equal(got, []string{"/baseUrl"}) {
			t.Errorf("%s: %v", address, got)
		}
	}
	w.credential(`{"name":"a","kind":"compatible","baseUrl":"https://models.example.com/v1"}`)
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
		made := w.credential(`{"name":"` + v.ID + `","kind":"compatible","apiKey":"k","preset":"` + v.ID + `","baseUrl":"https://models.example.com/v1"}`)
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
