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
		// What the tenant takes back counts at once.
		w.into(&p, w.call(admin, http.MethodPut, path, strings.Replace(body, `"`+theirs.ID+`"`, "", 1)))
		w.into(&r, w.call(member, http.MethodGet, of, ""))
		if r.Effective.Tiers.Strong.CredentialID != ours.ID || r.Origins.Strong != "tenant" || r.Own.Tiers.Strong.CredentialID != theirs.ID {
			t.Errorf("after the tenant took the key back: %+v", r)
		}
		var empty tenant.LlmPolicy
		w.into(&empty, w.call(admin, http.MethodPut, path, "{}"))
		if empty.Tiers.Fast != nil || empty.Budget != nil || empty.Limits != nil {
			t.Errorf("emptied: %+v", empty)
		}
	})
}

func vectorsOf(key, model string, size int) string {
	return fmt.Sprintf(`{"tiers":{"embeddings":{"credentialId":%q,"model":%q,"vectorSize":%d}}}`, key, model, size)
}

func TestModelPolicyRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	openai := w.credential(`{"name":"openai","kind":"openai","apiKey":"k"}`).ID
	claude := w.credential(`{"name":"anthropic","kind":"anthropic","apiKey":"k"}`).ID
	bedrock := w.credential(`{"name":"bedrock","kind":"bedrock","apiKey":"k","region":"eu-west-1"}`).ID
	azure := w.credential(`{"name":"azure","kind":"azure","apiKey":"k","resource":"aa"}`).ID
	must(t, w.store.SaveCredential(bg, w.other.Tenant, store.Credential{ID: "crd_foreign", Name: "x", Kind: "openai", APIKey: []byte("k")}))
	efforts := []string{"/tiers/fast/reasoningEffort", "/tiers/standard/reasoningEffort", "/tiers/strong/reasoningEffort"}
	keys := []string{"/tiers/fast/credentialId", "/tiers/standard/credentialId", "/tiers/strong/credentialId"}
	models := []string{"/tiers/fast/model", "/tiers/standard/model", "/tiers/strong/model"}
	for name, tc := range map[string]struct {
		body   string
		fields []string // none: accepted
	}{
		"all of them":               {`{` + tiersOf(openai, "gpt-5.4", "xhigh") + `}`, nil},
		"one tier":                  {`{"tiers":{"fast":{"credentialId":"` + openai + `","model":"m"}}}`, []string{"/tiers/standard", "/tiers/strong"}},
		"embeddings alone":          {`{"tiers":{"embeddings":{"credentialId":"` + openai + `","model":"text-embedding-3-small","vectorSize":1536}}}`, nil},
		"vectors too long":          {`{"tiers":{"embeddings":{"credentialId":"` + openai + `","model":"text-embedding-3-small","vectorSize":3072}}}`, []string{"/tiers/embeddings/vectorSize"}},
		"vectors of one size":       {vectorsOf(openai, "text-embedding-ada-002", 1024), []string{"/tiers/embeddings/vectorSize"}},
		"vectors of a chat model":   {vectorsOf(openai, "gpt-5.4-2026-03-05", 1024), []string{"/tiers/embeddings/model"}},
		"vectors of an unknown":     {vectorsOf(openai, "text-embedding-9", 3072), nil},
		"vectors behind a name":     {vectorsOf(azure, "text-embedding-3-small", 3072), nil},
		"vectors of Titan":          {vectorsOf(bedrock, "amazon.titan-embed-text-v2:0", 1024), nil},
		"vectors of Titan, others":  {vectorsOf(bedrock, "amazon.titan-embed-text-v2:0", 384), []string{"/tiers/embeddings/vectorSize"}},
		"vectors of Titan, no date": {vectorsOf(bedrock, "amazon.titan-embed-text-v2", 1536), []string{"/tiers/embeddings/vectorSize"}},
		"vectors of Cohere":         {vectorsOf(bedrock, "cohere.embed-v4:0", 1024), []string{"/tiers/embeddings/model"}},
		"vectors of Nova":           {vectorsOf(bedrock, "amazon.nova-pro-v1:0", 3072), []string{"/tiers/embeddings/model"}},
		"no embeddings there":       {`{"tiers":{"embeddings":{"credentialId":"` + claude + `","model":"x","vectorSize":1024}}}`, []string{"/tiers/embeddings/credentialId"}},
		"absent key":                {`{` + tiersOf("crd_absent", "m", "high") + `}`, keys},
		"foreign key":               {`{` + tiersOf("crd_foreign", "m", "high") + `}`, keys},
		"foreign key to choose":     {`{"repositoryCredentialIds":["` + openai + `","crd_foreign"]}`, []string{"/repositoryCredentialIds/1"}},
		"effort of Anthropic":       {`{` + tiersOf(claude, "claude-sonnet-5", "minimal") + `}`, efforts},
		"effort of a small Claude":  {`{` + tiersOf(claude, "claude-haiku-4-5-20251001", "high") + `}`, efforts},
		"effort of the data":        {`{` + tiersOf(openai, "gpt-5-2025-08-07", "none") + `}`, efforts},
		"effort of a moving name":   {`{` + tiersOf(openai, "gpt-5.3-chat-latest", "high") + `}`, nil},
		"effort of gpt-5-pro":       {`{` + tiersOf(openai, "gpt-5-pro", "low") + `}`, efforts},
		"effort of an unknown":      {`{` + tiersOf(openai, "gpt-9", "max") + `}`, nil},
		"effort behind a name":      {`{` + tiersOf(azure, "our-deployment", "max") + `}`, nil},
		"effort of Bedrock":         {`{` + tiersOf(bedrock, "amazon.nova-pro-v1:0", "none") + `}`, efforts},
		"unknown where restricted":  {`{` + tiersOf(openai, "m", "high") + `,"allowedRegions":["eu"]}`, keys},
		"anywhere where restricted": {`{` + tiersOf(bedrock, "global.anthropic.claude-x", "high") + `,"allowedRegions":["eu"]}`, models},
		"in the region":             {`{` + tiersOf(bedrock, "eu.anthropic.claude-x", "high") + `,"allowedRegions":["eu"]}`, nil},
		"no such region":            {`{"allowedRegions":["moon"]}`, []string{"/allowedRegions/0"}},
		"another currency":          {`{"budget":{"monthlyMicros":1,"currency":"EUR","mode":"soft"}}`, []string{"/budget/currency"}},
		"model of two lines":        {`{` + tiersOf(openai, `a\nb`, "high") + `}`, models},
	} {
		got := w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", tc.body)
		if len(tc.fields) == 0 {
			testkit.Equal(t, name+" "+got.body, got.status, http.StatusOK)
			continue
		}
		if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, tc.fields, got.body)
		}
	}
	absent := w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", `{`+tiersOf("crd_absent", "m", "high")+`}`)
	foreign := w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", `{`+tiersOf("crd_foreign", "m", "high")+`}`)
	testkit.Equal(t, "the words for a foreign key", foreign.body, absent.body)
}

func TestRepositoryPolicyOnlyNarrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	eu := w.credential(`{"name":"eu","kind":"bedrock","apiKey":"k","region":"eu-west-1"}`).ID
	uk := w.credential(`{"name":"uk","kind":"bedrock","apiKey":"k","region":"eu-west-2"}`).ID
	w.price("m")
	w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", `{`+tiersOf(eu, "m", "high")+`,"repositoryCredentialIds":["`+uk+`"],"allowedRegions":["eu","uk"],
		"budget":{"monthlyMicros":1000,"currency":"USD","mode":"hard"},"limits":{"maxTokensPerReview":50000}}`)
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"a key of the tenant's own": {`{"tiers":{"fast":{"credentialId":"` + eu + `","model":"m"}}}`, []string{"/tiers/fast/credentialId"}},
		"an absent key":             {`{"tiers":{"fast":{"credentialId":"crd_absent","model":"m"}}}`, []string{"/tiers/fast/credentialId"}},
		"more money":                {`{"budget":{"monthlyMicros":1001,"currency":"USD","mode":"hard"}}`, []string{"/budget/monthlyMicros"}},
		"softer":                    {`{"budget":{"monthlyMicros":1,"currency":"EUR","mode":"soft"}}`, []string{"/budget/currency", "/budget/mode"}},
		"more tokens":               {`{"limits":{"maxTokensPerReview":50001}}`, []string{"/limits/maxTokensPerReview"}},
		"another region":            {`{"allowedRegions":["us"]}`, []string{"/allowedRegions/0"}},
		"a region of none":          {`{"allowedRegions":["uk"]}`, []string{"/allowedRegions", "/allowedRegions", "/allowedRegions"}},
		"tools":                     {`{"allowTools":true}`, []string{"/allowTools"}},
	} {
		got := w.call(admin, http.MethodPut, w.repo()+"/llm-policy", tc.body)
		if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, tc.fields, got.body)
		}
	}
	if got := wrongFields(t, w.call(admin, http.MethodPatch, w.tenantPath()+"/llm-credentials/"+eu, `{"region":"us-east-1","apiKey":"k"}`)); !slices.Equal(got, []string{"/region"}) {
		t.Errorf("a key that moves out of the allowed regions: %v", got)
	}
}

// What a policy routes is what reviews open, and nothing that it forbids.
func TestReviewsUseTheModelPolicy(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a := w.credential(`{"name":"a","kind":"compatible","baseUrl":"https://a.example.com/v1","dataRegion":"eu"}`).ID
		b := w.credential(`{"name":"b","kind":"compatible","baseUrl":"https://b.example.com/v1","dataRegion":"us"}`).ID
		models := &connect.Models{Store: s, Keyring: storetest.Keyring(t, s), Factory: outbound.New(outbound.Policy{}), Concurrency: 1}
		opened, _, err := models.Open(bg, w.Run)
		must(t, err)
		if opened != nil {
			t.Error("models without a policy")
		}
		body := `{` + tiersOf(a, "one", "default") + `,"repositoryCredentialIds":["` + b + `"]}`
		testkit.Equal(t, "stored", w.call(admin, http.MethodPut, w.tenantPath()+"/llm-policy", body).status, http.StatusOK)
		testkit.Equal(t, "narrowed", w.call(admin, http.MethodPut, w.repo()+"/llm-policy", `{"tiers":{"strong":{"credentialId":"`+b+`","model":"two","reasoningEffort":"high"}}}`).status, http.StatusOK)
		opened, _, err = models.Open(bg, w.Run)
		must(t, err)
		if opened.Strong.Model != "two" || opened.Strong.Effort != "high" || opened.Fast.Model != "one" || opened.Fast.Effort != "" {
			t.Errorf("opened %+v", opened)
		}
		must(t, s.PutSetting(bg, w.Tenant, "", store.SettingModelPolicy, strings.Replace(body, `"repositoryCredentialIds"`, `"allowedRegions":["eu"],"repositoryCredentialIds"`, 1)))
		opened, _, err = models.Open(bg, w.Run)
		must(t, err)
		if _, err := opened.Strong.Client.ListModels(bg); err == nil || !strings.Contains(err.Error(), "does not allow the region") {
			t.Errorf("a key outside of the allowed regions: %v", err)
		}
	})
}
