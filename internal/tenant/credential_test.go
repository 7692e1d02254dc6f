package tenant_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// create makes a model key from a request in JSON.
func create(t testing.TB, w *featuretest.World, body string) (tenant.LlmCredential, error) {
	t.Helper()
	return w.Features.Tenant.CreateCredential(bg, w.Tenant, featuretest.Request[tenant.LlmCredentialCreate](t, body))
}

func TestModelKeyLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		made := w.Credential(`{"name":"main","kind":"openai","apiKey":"first-key","maxConcurrency":8}`)
		testkit.Equal(t, "endpoint", made.Endpoint, "https://api.openai.com/v1")
		testkit.Equal(t, "calls at once", *made.MaxConcurrency, 8)
		if !made.APIKeySet || made.APIKeyUpdatedAt == nil {
			t.Fatalf("made without its key: %+v", made)
		}
		if _, err := create(t, w, `{"name":"main","kind":"mistral","apiKey":"k"}`); !errs.Is(err, errs.Conflict) {
			t.Errorf("the name again: %v", err)
		}
		renamed, err := w.Features.Tenant.UpdateCredential(bg, w.Tenant, made.ID, made.Version, featuretest.Request[tenant.LlmCredentialUpdate](t, `{"name":"reviews","maxConcurrency":null}`))
		testkit.OK(t, err)
		testkit.Equal(t, "name", renamed.Name, "reviews")
		testkit.Equal(t, "version", renamed.Version, made.Version+1)
		testkit.Equal(t, "when the key was set", *renamed.APIKeyUpdatedAt, *made.APIKeyUpdatedAt)
		if renamed.MaxConcurrency != nil {
			t.Errorf("calls at once are still %d", *renamed.MaxConcurrency)
		}
		if _, err := w.Features.Tenant.UpdateCredential(bg, w.Tenant, made.ID, made.Version, tenant.LlmCredentialUpdate{}); !errs.Is(err, errs.Stale) {
			t.Errorf("a change of the version before: %v", err)
		}
		moved, err := change(t, w, made.ID, `{"dataRegion":"eu","apiKey":"other-key"}`)
		testkit.OK(t, err)
		testkit.Equal(t, "endpoint of the region", moved.Endpoint, "https://eu.api.openai.com/v1")
		if !moved.APIKeyUpdatedAt.After(*made.APIKeyUpdatedAt) {
			t.Errorf("the new key was set at %v, the one before at %v", moved.APIKeyUpdatedAt, made.APIKeyUpdatedAt)
		}
		row, err := s.Credential(bg, w.Tenant, made.ID)
		testkit.OK(t, err)
		if strings.Contains(string(row.APIKey), "other-key") {
			t.Error("the key is stored in clear")
		}
		testkit.OK(t, w.Features.Tenant.DeleteCredential(bg, w.Tenant, made.ID))
		if err := w.Features.Tenant.DeleteCredential(bg, w.Tenant, made.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("deleted again: %v", err)
		}
	})
}

func TestEndpointsOfModelKeys(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
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
		t.Run(name, func(t *testing.T) {
			made, err := create(t, w, `{"name":"`+name+`",`+tc.body+`}`)
			testkit.OK(t, err)
			testkit.Equal(t, "endpoint", made.Endpoint, tc.endpoint)
		})
	}
}

func TestModelKeysRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct{ body, fields string }{
		"base URL of a fixed endpoint": {`"kind":"openai","apiKey":"k","baseUrl":"https://evil.example.com"`, "/baseUrl"},
		"no key":                       {`"kind":"openai"`, "/apiKey"},
		"no key for a preset":          {`"kind":"compatible","preset":"scaleway"`, "/apiKey"},
		"no key for its address":       {`"kind":"compatible","baseUrl":"https://API.groq.com/openai/v1/"`, "/apiKey"},
		"no key and another mistake":   {`"kind":"compatible","preset":"groq","dataRegion":"mars"`, "/dataRegion /apiKey"},
		"key of two lines":             {`"kind":"openai","apiKey":"a\nb"`, "/apiKey"},
		"key with a space inside":      {`"kind":"openai","apiKey":"a b"`, "/apiKey"},
		"unofficial region":            {`"kind":"openai","apiKey":"k","dataRegion":"jp"`, "/dataRegion"},
		"unknown region":               {`"kind":"bedrock","apiKey":"k","region":"eu-moon-1"`, "/region"},
		"declared region of bedrock":   {`"kind":"bedrock","apiKey":"k","region":"eu-west-1","dataRegion":"eu"`, "/dataRegion"},
		"azure, neither":               {`"kind":"azure","apiKey":"k"`, "/resource"},
		"azure, both":                  {`"kind":"azure","apiKey":"k","resource":"aa","baseUrl":"https://a.example.com"`, "/baseUrl"},
		"resource that is a host":      {`"kind":"azure","apiKey":"k","resource":"evil.example.com/"`, "/resource"},
		"azure, http":                  {`"kind":"azure","apiKey":"k","baseUrl":"http://a.example.com"`, "/baseUrl"},
		"no such preset":               {`"kind":"compatible","preset":"nowhere","baseUrl":"https://a.example.com"`, "/preset"},
		"no address":                   {`"kind":"compatible"`, "/baseUrl"},
		"address with a user":          {`"kind":"compatible","baseUrl":"https://a:b@example.com/v1"`, "/baseUrl"},
		"address with a query":         {`"kind":"compatible","baseUrl":"https://example.com/v1?key=1"`, "/baseUrl"},
		"metadata":                     {`"kind":"compatible","baseUrl":"https://169.254.169.254/v1"`, "/baseUrl"},
		"unknown data region":          {`"kind":"compatible","baseUrl":"https://example.com/v1","dataRegion":"mars"`, "/dataRegion"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := create(t, w, `{"name":"bad",`+tc.body+`}`)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
		})
	}
}

// The error for a refused base URL gives the reason.
func TestModelKeyAddressesAreExplained(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for address, why := range map[string]string{
		"models.example.com":                             "must be an absolute URL with https",
		"http://models.example.com/v1":                   "plain http is not allowed; an operator allows it by",
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
		t.Run(address, func(t *testing.T) {
			_, err := create(t, w, `{"name":"bad","kind":"compatible","baseUrl":"`+address+`"}`)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), "/baseUrl")
			if !strings.Contains(err.Error(), why) {
				t.Errorf("%v, want %q", err, why)
			}
		})
	}
}

func TestModelKeyChangesThatNeedTheKeyAgain(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		made, change string
		fields       string // "": accepted
	}{
		"base URL":                    {`"kind":"compatible","apiKey":"k","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://b.example.com"}`, "/apiKey"},
		"preset fills the base URL":   {`"kind":"compatible","apiKey":"k","preset":"groq"`, `{"preset":"together"}`, "/apiKey"},
		"same base URL":               {`"kind":"compatible","apiKey":"k","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://a.example.com/"}`, ""},
		"no key is stored":            {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://b.example.com"}`, ""},
		"the key is removed":          {`"kind":"compatible","apiKey":"k","baseUrl":"https://a.example.com"`, `{"baseUrl":"https://b.example.com","apiKey":null}`, ""},
		"the key of a preset":         {`"kind":"compatible","apiKey":"k","preset":"groq"`, `{"apiKey":null}`, "/apiKey"},
		"to a preset, without a key":  {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"preset":"groq"}`, "/apiKey"},
		"to a preset, with a key":     {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"preset":"groq","apiKey":"k"}`, ""},
		"from a preset, without one":  {`"kind":"compatible","apiKey":"k","preset":"groq"`, `{"baseUrl":"https://a.example.com","apiKey":null}`, ""},
		"the key of a fixed kind":     {`"kind":"openai","apiKey":"k"`, `{"apiKey":null}`, "/apiKey"},
		"region":                      {`"kind":"bedrock","apiKey":"k","region":"eu-west-1"`, `{"region":"eu-west-3"}`, "/apiKey"},
		"resource":                    {`"kind":"azure","apiKey":"k","resource":"aa"`, `{"resource":"bb"}`, "/apiKey"},
		"resource, with the key":      {`"kind":"azure","apiKey":"k","resource":"aa"`, `{"resource":"bb","apiKey":"k2"}`, ""},
		"declared region":             {`"kind":"azure","apiKey":"k","resource":"aa"`, `{"dataRegion":"eu"}`, ""},
		"kind":                        {`"kind":"openai","apiKey":"k"`, `{"kind":"mistral","apiKey":"k"}`, "/kind"},
		"kind as it is":               {`"kind":"openai","apiKey":"k"`, `{"kind":"openai"}`, ""},
		"base URL of a fixed kind":    {`"kind":"openai","apiKey":"k"`, `{"baseUrl":"https://b.example.com"}`, "/baseUrl"},
		"resource of a compatible":    {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"resource":"aa"}`, "/resource"},
		"null for what must be there": {`"kind":"compatible","baseUrl":"https://a.example.com"`, `{"baseUrl":null}`, "/baseUrl"},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := create(t, w, `{"name":"`+name+`",`+tc.made+`}`)
			testkit.OK(t, err)
			_, err = change(t, w, made.ID, tc.change)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
		})
	}
}

// A key that an older version stored for a kind with a fixed endpoint keeps its value.
func TestModelKeyShowsWhatAnOlderOneHad(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	storetest.Credential(t, w.Store, w.Tenant, store.Credential{ID: "crd_old", Name: "old", Kind: "openai", BaseURL: "https://old.example.com/v1", APIKey: []byte("sealed")})
	c, err := change(t, w, "crd_old", `{"name":"renamed"}`)
	testkit.OK(t, err)
	testkit.Equal(t, "base URL", c.BaseURL, "https://old.example.com/v1")
	testkit.Equal(t, "endpoint", c.Endpoint, "https://api.openai.com/v1")
}

// A model key that was stored without an API key, before its preset required one, can be changed and
// used. It cannot be moved to another service that requires one.
func TestModelKeysWithoutAKeyStay(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	storetest.Credential(t, w.Store, w.Tenant, store.Credential{ID: "crd_old", Name: "old", Kind: "compatible", Preset: "ovhcloud", BaseURL: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1"})
	w.Price("m")
	for _, body := range []string{`{"name":"renamed"}`, `{"maxConcurrency":3,"preset":"ovhcloud"}`, `{"dataRegion":"eu","apiKey":null}`} {
		if _, err := change(t, w, "crd_old", body); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	_, err := putPolicy(t, w, `{`+tiersOf("crd_old", "m", "default")+`}`)
	testkit.OK(t, err)
	_, err = change(t, w, "crd_old", `{"preset":"groq"}`)
	testkit.Equal(t, "wrong fields of a move to another service", featuretest.Pointers(t, err), "/apiKey")
	if !strings.Contains(err.Error(), "Groq needs a key") {
		t.Errorf("the service is not named: %v", err)
	}
}

func TestEnterpriseTakesPublicEndpointsOnly(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t), func(o *featuretest.Options) { o.Enterprise = true })
	for _, address := range []string{"http://models.example.com/v1", "https://10.0.0.7/v1", "https://localhost/v1", "https://models.example.com:8443/v1"} {
		t.Run(address, func(t *testing.T) {
			_, err := create(t, w, `{"name":"a","kind":"compatible","baseUrl":"`+address+`"}`)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), "/baseUrl")
		})
	}
	w.Credential(`{"name":"a","kind":"compatible","baseUrl":"https://models.example.com/v1"}`)
}
