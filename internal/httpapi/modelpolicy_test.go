package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// tiersOf routes all required tiers to one key and model.
func tiersOf(key, model, effort string) string {
	one := `{"credentialId":"` + key + `","model":"` + model + `","reasoningEffort":"` + effort + `"}`
	return `"tiers":{"fast":` + one + `,"standard":` + one + `,"strong":` + one + `}`
}

func TestModelPolicyLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		ours := w.credential(`{"name":"ours","kind":"compatible","apiKey":"k","baseUrl":"https://eu.example.com/v1","dataRegion":"eu"}`)
		theirs := w.credential(`{"name":"theirs","kind":"compatible","apiKey":"k","baseUrl":"https://us.example.com/v1","dataRegion":"us"}`)
		path, of := w.tenantPath()+"/llm-policy", w.repo()+"/llm-policy"
		w.price("m", "big")
		var p tenant.LlmPolicy
		first := w.call(member, http.MethodGet, path, "")
		w.into(&p, first)
		if p.Version != 0 || p.Tiers.Fast != nil || *p.AllowTools || p.UpdatedAt != nil {
			t.Errorf("nothing is stored, and it reads %+v", p)
		}
		body := `{` + tiersOf(ours.ID, "m", "high") + `,"repositoryCredentialIds":["` + theirs.ID + `"],"budget":{"monthlyMicros":1000,"currency":"USD","mode":"soft"},"limits":{"maxTokensPerReview":50000,"maxCostMicrosPerReview":null},"allowTools":true}`
		w.into(&p, w.call(admin, http.MethodPut, path, body, header("If-Match", first.header.Get("ETag"))))
		if p.Version != 1 || p.Tiers.Strong.Model != "m" || p.Tiers.Fast.ReasoningEffort != "high" || p.Budget.Currency != "USD" || *p.Limits.MaxTokensPerReview != 50000 || p.Limits.MaxCostMicrosPerReview != nil || !*p.AllowTools {
			t.Errorf("stored %+v", p)
		}
		testkit.Equal(t, "the version before", w.call(admin, http.MethodPut, path, body, header("If-Match", first.header.Get("ETag"))).status, http.StatusPreconditionFailed)
		testkit.Equal(t, "by a member", w.call(member, http.MethodPut, path, body).status, http.StatusForbidden)

		var r tenant.RepositoryLlmPolicy
		w.into(&r, w.call(member, http.MethodGet, of, ""))
		if r.Version != 0 || r.Own.Tiers.Fast != nil || r.Effective.Tiers.Fast.CredentialID != ours.ID || r.Origins.Fast != "tenant" || r.Origins.Embeddings != "default" || !slices.Equal(r.SelectableCredentials, []string{theirs.ID}) {
			t.Errorf("inherited %+v", r)
		}
		narrow := `{"tiers":{"strong":{"credentialId":"` + theirs.ID + `","model":"big"},"fast":null},"budget":{"monthlyMicros":10,"currency":"USD","mode":"hard"},"limits":{"maxTokensPerReview":20000},"allowTools":false,"allowedRegions":null}`
		w.into(&r, w.call(admin, http.MethodPut, of, narrow))
		e := r.Effective
		if e.Tiers.Strong.CredentialID != theirs.ID || e.Tiers.Fast.CredentialID != ours.ID || e.Budget.MonthlyMicros != 10 || *e.Limits.MaxTokensPerReview != 20000 || *e.AllowTools {
			t.Errorf("effective %+v", e)
		}
		if o := r.Origins; o.Strong != "repository" || o.Fast != "tenant" || o.Budget != "repository" || o.Limits != "repository" || o.AllowTools != "repository" || o.AllowedRegions != "default" {
			t.Errorf("origins %+v", o)
		}

		for _, key := range []string{ours.ID, theirs.ID} {
			got := w.call(admin, http.MethodDelete, w.tenantPath()+"/llm-credentials/"+key, "")
			testkit.Equal(t, "a key in use", problemOf(t, got), "in_use")
			if key == theirs.ID && (!strings.Contains(got.body, w.Repository.ID) || !strings.Contains(got.body, "repositoryCredentialIds")) {
				t.Errorf("the users are not named: %s", got.body)
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
		must(t, s.PutSetting(bg, w.Tenant, "", store.SettingRouting, strings.Replace(body, `"repositoryCredentialIds"`, `"allowedRegions":["eu"],"repositoryCredentialIds"`, 1)))
		opened, _, err = models.Open(bg, w.Run)
		must(t, err)
		if _, err := opened.Strong.Client.ListModels(bg); err == nil || !strings.Contains(err.Error(), "does not allow the region") {
			t.Errorf("a key outside of the allowed regions: %v", err)
		}
	})
}
