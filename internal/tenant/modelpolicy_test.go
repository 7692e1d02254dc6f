package tenant_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestModelPolicyLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		ours := w.Credential(`{"name":"ours","kind":"compatible","apiKey":"k","baseUrl":"https://eu.example.com/v1","dataRegion":"eu"}`).ID
		theirs := w.Credential(`{"name":"theirs","kind":"compatible","apiKey":"k","baseUrl":"https://us.example.com/v1","dataRegion":"us"}`).ID
		names := []string{ours, "ours", theirs, "theirs"}
		w.Price("m", "big")

		p, err := w.Features.Tenant.LlmPolicy(bg, w.Tenant)
		testkit.OK(t, err)
		equalJSON(t, "before anything is stored", p, `{"tiers":{},"allowTools":false,"repositoryCredentialIds":[],"version":0}`)

		body := `{` + tiersOf(ours, "m", "high") + `,"repositoryCredentialIds":["` + theirs + `"],"budget":{"monthlyMicros":1000,"currency":"USD","mode":"soft"},
			"limits":{"maxTokensPerReview":50000,"maxCostMicrosPerReview":null},"allowTools":false}`
		p, err = putPolicy(t, w, body)
		testkit.OK(t, err)
		const m = `{"credentialId":"ours","model":"m","reasoningEffort":"high"}`
		const parts = `"budget":{"monthlyMicros":1000,"currency":"USD","mode":"soft"},"limits":{"maxTokensPerReview":50000},"allowTools":false`
		equalJSON(t, "stored", p.LlmPolicyParts, `{"tiers":{"fast":`+m+`,"standard":`+m+`,"strong":`+m+`},`+parts+`}`, names...)
		equalJSON(t, "keys to choose", p.RepositoryCredentialIDs, `["theirs"]`, names...)
		testkit.Equal(t, "version", p.Version, 1)
		if _, err := w.Features.Tenant.PutLlmPolicy(bg, w.Tenant, store.NeverStored, tenant.TenantLlmPolicy{}); !errs.Is(err, errs.Stale) {
			t.Errorf("stored over the version before: %v", err)
		}

		r, err := w.Features.Tenant.RepositoryLlmPolicy(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		equalJSON(t, "nothing of its own", r.Own, `{"tiers":{}}`)
		equalJSON(t, "inherited", r.Effective, `{"tiers":{"fast":`+m+`,"standard":`+m+`,"strong":`+m+`},`+parts+`}`, names...)
		equalJSON(t, "origins of the inherited parts", r.Origins, `{"fast":"tenant","standard":"tenant","strong":"tenant","panel":"default","embeddings":"default","budget":"tenant","limits":"tenant","allowedRegions":"default","allowTools":"tenant"}`)
		equalJSON(t, "keys that it may choose", r.SelectableCredentials, `["theirs"]`, names...)

		r, err = narrow(t, w, `{"tiers":{"strong":{"credentialId":"`+theirs+`","model":"big","contextTokens":8192},"fast":null},"budget":{"monthlyMicros":10,"currency":"USD","mode":"hard"},
			"limits":{"maxTokensPerReview":20000},"allowTools":false,"allowedRegions":null}`)
		testkit.OK(t, err)
		const big = `{"credentialId":"theirs","model":"big","reasoningEffort":"default","contextTokens":8192}`
		equalJSON(t, "narrowed", r.Effective, `{"tiers":{"fast":`+m+`,"standard":`+m+`,"strong":`+big+`},"budget":{"monthlyMicros":10,"currency":"USD","mode":"hard"},"limits":{"maxTokensPerReview":20000},"allowTools":false}`, names...)
		equalJSON(t, "origins of the narrowed parts", r.Origins, `{"fast":"tenant","standard":"tenant","strong":"repository","panel":"default","embeddings":"default","budget":"repository","limits":"repository","allowedRegions":"default","allowTools":"tenant"}`)

		// A withdrawal by the tenant has effect immediately.
		_, err = putPolicy(t, w, strings.Replace(body, `"`+theirs+`"`, "", 1))
		testkit.OK(t, err)
		r, err = w.Features.Tenant.RepositoryLlmPolicy(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		equalJSON(t, "its own, as before", r.Own.Tiers, `{"strong":`+big+`}`, names...)
		equalJSON(t, "the remaining tiers", r.Effective.Tiers, `{"fast":`+m+`,"standard":`+m+`,"strong":`+m+`}`, names...)
		testkit.Equal(t, "origin of the remaining tier", r.Origins.Strong, "tenant")

		p, err = putPolicy(t, w, `{}`)
		testkit.OK(t, err)
		equalJSON(t, "emptied", p.LlmPolicyParts, `{"tiers":{},"allowTools":false}`)
	})
}

// A trial permits a panel that the stored policy keeps away, and keeps away one that it has.
func TestTriedModelsPanel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		for _, tc := range []struct{ stored, in, want string }{
			{`{"allowPanel":false}`, `{}`, `{"allowPanel":false}`},
			{`{"allowPanel":false}`, `{"allowPanel":true}`, `{}`},
			{`{"allowPanel":false}`, `{"allowPanel":null}`, `{}`},
			{`{}`, `{"allowPanel":false}`, `{"allowPanel":false}`},
			{`{"tiers":{"panel":{"credentialId":"a","model":"m"}}}`, `{"allowPanel":false}`, `{"allowPanel":false}`},
		} {
			testkit.OK(t, s.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingModelPolicy, tc.stored))
			var in tenant.RepoLlmPolicy
			testkit.OK(t, json.Unmarshal([]byte(tc.in), &in))
			got, err := w.Features.Tenant.TriedModels(bg, w.Tenant, w.Repository.ID, in)
			testkit.OK(t, err)
			equalJSON(t, tc.in+" over "+tc.stored, got, tc.want)
		}
	})
}

// A key that a policy names is not deleted, and the error names the places.
func TestModelKeysInUseStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		ours := w.Credential(`{"name":"ours","kind":"openai","apiKey":"k"}`).ID
		theirs := w.Credential(`{"name":"theirs","kind":"openai","apiKey":"k"}`).ID
		_, err := putPolicy(t, w, `{`+tiersOf(ours, "gpt-5.4", "high")+`,"repositoryCredentialIds":["`+theirs+`"]}`)
		testkit.OK(t, err)
		_, err = narrow(t, w, `{"tiers":{"strong":{"credentialId":"`+theirs+`","model":"gpt-5.4"}}}`)
		testkit.OK(t, err)
		repository := w.Repository.ID + " " + w.Repository.Owner + "/" + w.Repository.Name
		for id, uses := range map[string]string{
			ours:   "tier fast of the tenant's model policy, tier standard of the tenant's model policy, tier strong of the tenant's model policy.",
			theirs: "repositoryCredentialIds of the tenant's model policy, tier strong of the model policy of the repository " + repository + ".",
		} {
			err := w.Features.Tenant.DeleteCredential(bg, w.Tenant, id)
			if !errs.Is(err, errs.Conflict) || !strings.HasPrefix(err.Error(), "in_use: The model key is in use by "+uses) {
				t.Errorf("%v, want %s", err, uses)
			}
		}
		shown, err := w.Features.Tenant.Credentials(bg, w.Tenant, tenant.Page{Limit: 10})
		testkit.OK(t, err)
		for _, c := range shown {
			want := map[string][]tenant.LlmKeyUse{
				ours:   {{Use: "fast"}, {Use: "standard"}, {Use: "strong"}},
				theirs: {{Use: "choice"}, {Use: "strong", RepositoryID: w.Repository.ID, Repository: w.Repository.Owner + "/" + w.Repository.Name}},
			}[c.ID]
			if c.Uses != len(want) || !slices.Equal(c.UsedBy, want) {
				t.Errorf("%s is shown as used %d times, by %v; want %v", c.Name, c.Uses, c.UsedBy, want)
			}
		}
	})
}

// Another tenant's key gets the same error as an unknown one.
func TestModelPolicyTakesNoForeignKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		storetest.Credential(t, s, w.Other.Tenant, store.Credential{ID: "crd_foreign", Name: "x", Kind: "openai", APIKey: []byte("k")})
		_, foreign := putPolicy(t, w, `{`+tiersOf("crd_foreign", "m", "high")+`}`)
		_, absent := putPolicy(t, w, `{`+tiersOf("crd_absent", "m", "high")+`}`)
		testkit.Equal(t, "wrong fields", featuretest.Pointers(t, foreign), "/tiers/fast/credentialId /tiers/standard/credentialId /tiers/strong/credentialId")
		testkit.Equal(t, "the words for a foreign key", foreign.Error(), absent.Error())
	})
}

// Reviews open exactly the routes of the policy, and nothing that it forbids.
func TestReviewsUseTheModelPolicy(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Credential(`{"name":"a","kind":"compatible","baseUrl":"https://a.example.com/v1","dataRegion":"eu"}`).ID
		b := w.Credential(`{"name":"b","kind":"compatible","baseUrl":"https://b.example.com/v1","dataRegion":"us"}`).ID
		opened, _, err := w.Features.Models.Open(bg, w.Run, nil)
		testkit.OK(t, err)
		if opened != nil {
			t.Error("models without a policy")
		}
		body := `{` + tiersOf(a, "one", "default") + `,"repositoryCredentialIds":["` + b + `"]}`
		_, err = putPolicy(t, w, body)
		testkit.OK(t, err)
		_, err = narrow(t, w, `{"tiers":{"strong":{"credentialId":"`+b+`","model":"two","reasoningEffort":"high"}}}`)
		testkit.OK(t, err)
		opened, _, err = w.Features.Models.Open(bg, w.Run, nil)
		testkit.OK(t, err)
		testkit.Equal(t, "strong", opened.Strong.Model+" "+string(opened.Strong.Effort), "two high")
		testkit.Equal(t, "fast", opened.Fast.Model+" "+string(opened.Fast.Effort), "one ")
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingModelPolicy, strings.Replace(body, `"repositoryCredentialIds"`, `"allowedRegions":["eu"],"repositoryCredentialIds"`, 1)))
		opened, _, err = w.Features.Models.Open(bg, w.Run, nil)
		testkit.OK(t, err)
		if _, err := opened.Strong.Client.ListModels(bg); err == nil || !strings.Contains(err.Error(), "does not allow the region") {
			t.Errorf("a key outside of the allowed regions: %v", err)
		}
	})
}
