package tenant

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/store"
)

var today = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// facts are those of a tenant with a key of most kinds. Two models have no embedded price: "priced" has
// a price of the tenant, and "tomorrow" gets one later.
func facts(t *testing.T) policyFacts {
	t.Helper()
	prices, _, err := price.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	out := policyFacts{keys: map[string]store.Credential{}, efforts: knownEfforts{}, now: today,
		prices: prices.With([]price.Entry{{Model: "priced"}, {Model: "tomorrow", From: today.Add(time.Hour)}})}
	for _, row := range []store.Credential{
		{ID: "openai", Kind: "openai", Version: 1},
		{ID: "claude", Kind: "anthropic", Version: 1},
		{ID: "bedrock", Kind: "bedrock", Region: "eu-west-1"},
		{ID: "azure", Kind: "azure", Resource: "aa"},
		{ID: "own", Kind: "compatible", BaseURL: "https://own.example.com/v1"},
		{ID: "own-us", Kind: "compatible", BaseURL: "https://own.example.com/v1", DataRegion: "us"},
	} {
		out.keys[row.ID] = row
	}
	return out
}

type tiers = map[string]domain.TierRoute

// panelled adds a panel to tiers.
func panelled(of tiers, key, model string) tiers {
	of[domain.TierPanel] = domain.TierRoute{CredentialID: key, Model: model}
	return of
}

// all routes the required tiers to one model.
func all(key, model, effort string) tiers {
	route := domain.TierRoute{CredentialID: key, Model: model, ReasoningEffort: effort}
	return tiers{"fast": route, "standard": route, "strong": route}
}

func vectors(key, model string, size int) domain.ModelPolicy {
	return domain.ModelPolicy{Tiers: tiers{"embeddings": {CredentialID: key, Model: model, VectorSize: size}}}
}

func dollars(mode string, micros int64) *domain.Budget {
	return &domain.Budget{MonthlyMicros: micros, Currency: "USD", Mode: mode}
}

// expect compares wrong fields with lines of a pointer and the beginning of its message.
func expect(t *testing.T, got []errs.Field, want []string) {
	t.Helper()
	same := slices.EqualFunc(got, want, func(f errs.Field, line string) bool {
		pointer, message, _ := strings.Cut(line, " ")
		return f.Pointer == pointer && message != "" && strings.HasPrefix(f.Message, message)
	})
	if !same {
		t.Errorf("wrong fields are %q, want %q", got, want)
	}
}

// ofEach repeats a refusal for each of the required tiers.
func ofEach(property, message string) (out []string) {
	for _, tier := range domain.RequiredTiers() {
		out = append(out, "/tiers/"+tier+"/"+property+" "+message)
	}
	return out
}

func TestCheckTenantPolicy(t *testing.T) {
	t.Parallel()
	const (
		effort   = "must be one that is taken. This model takes"
		unpriced = "must be a model whose price is known, because the budget is hard"
		outside  = "must be a key whose data region is one of the allowed ones"
	)
	one := domain.TierRoute{CredentialID: "openai", Model: "m"}
	repository := func(name string, p domain.ModelPolicy) func(*policyFacts) {
		return func(f *policyFacts) {
			f.repositories = append(f.repositories, repositoryPolicy{id: name, name: "octo/" + name, policy: p})
		}
	}
	tells := func(version int64) func(*policyFacts) {
		return func(f *policyFacts) {
			f.efforts[effortsOf{"openai", version, "gpt-9"}] = llm.Efforts{"low": true, "max": false}
		}
	}
	ownModel := domain.ModelPolicy{Tiers: tiers{"strong": {CredentialID: "own", Model: "house"}}}
	for name, tc := range map[string]struct {
		policy domain.ModelPolicy
		facts  []func(*policyFacts)
		want   []string // empty if the policy is accepted
	}{
		"nothing":                {},
		"all tiers":              {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5.4", "xhigh"), RepositoryCredentialIDs: []string{"own", "claude"}}},
		"one tier":               {policy: domain.ModelPolicy{Tiers: tiers{"fast": one}}, want: []string{"/tiers/standard must be set too", "/tiers/strong must be set too"}},
		"a model of two lines":   {policy: domain.ModelPolicy{Tiers: all("own", "a\nb", "")}, want: ofEach("model", "must be one line of text")},
		"a key to choose, twice": {policy: domain.ModelPolicy{RepositoryCredentialIDs: []string{"own", "own"}}, want: []string{"/repositoryCredentialIds/1 must not appear twice"}},
		"no such key to choose":  {policy: domain.ModelPolicy{RepositoryCredentialIDs: []string{"own", "gone"}}, want: []string{"/repositoryCredentialIds/1 " + wantsKey}},
		"no such key":            {policy: domain.ModelPolicy{Tiers: all("gone", "m", "")}, want: ofEach("credentialId", wantsKey)},
		"another currency":       {policy: domain.ModelPolicy{Budget: &domain.Budget{MonthlyMicros: 1, Currency: "EUR", Mode: "soft"}}, want: []string{"/budget/currency must be USD"}},

		"a panel of another vendor":        {policy: domain.ModelPolicy{Tiers: panelled(all("openai", "gpt-5.4", ""), "claude", "claude-sonnet-5")}},
		"a panel of an unknown vendor":     {policy: domain.ModelPolicy{Tiers: panelled(all("openai", "gpt-5.4", ""), "own", "house")}},
		"a panel of the same vendor":       {policy: domain.ModelPolicy{Tiers: panelled(all("openai", "gpt-5.4", ""), "azure", "d")}, want: []string{"/tiers/panel/model must be of another vendor than the model of the tier standard"}},
		"a panel by another way":           {policy: domain.ModelPolicy{Tiers: panelled(all("claude", "claude-sonnet-5", ""), "bedrock", "eu.anthropic.claude-x")}, want: []string{"/tiers/panel/model must be of another vendor than the model of the tier standard"}},
		"a panel of one's own two models":  {policy: domain.ModelPolicy{Tiers: panelled(all("own", "qwen3:8b", ""), "own", "gemma3:27b")}},
		"a panel alone":                    {policy: domain.ModelPolicy{Tiers: panelled(tiers{}, "claude", "claude-sonnet-5")}, want: []string{"/tiers/panel must be absent"}},
		"a panel without a key":            {policy: domain.ModelPolicy{Tiers: panelled(all("openai", "gpt-5.4", ""), "gone", "x")}, want: []string{"/tiers/panel/credentialId " + wantsKey}},
		"a panel of another region":        {policy: domain.ModelPolicy{Tiers: panelled(all("bedrock", "eu.anthropic.claude-x", ""), "own-us", "x"), AllowedRegions: []string{"eu"}}, want: []string{"/tiers/panel/credentialId " + outside}},
		"a panel without a price":          {policy: domain.ModelPolicy{Tiers: panelled(all("own", "priced", ""), "own-us", "house"), Budget: dollars("hard", 1000)}, want: []string{"/tiers/panel/model " + unpriced}},
		"a panel whose model is two lines": {policy: domain.ModelPolicy{Tiers: panelled(all("openai", "gpt-5.4", ""), "own", "a\nb")}, want: []string{"/tiers/panel/model must be one line of text"}},

		"a region twice":                {policy: domain.ModelPolicy{AllowedRegions: []string{"eu", "eu"}}, want: []string{"/allowedRegions/1 must not appear twice"}},
		"no such region":                {policy: domain.ModelPolicy{AllowedRegions: []string{"moon"}}, want: []string{"/allowedRegions/0 must be a data region"}},
		"a key in the region":           {policy: domain.ModelPolicy{Tiers: all("bedrock", "eu.anthropic.claude-x", "high"), AllowedRegions: []string{"eu"}}},
		"a key of another region":       {policy: domain.ModelPolicy{Tiers: all("own-us", "m", ""), AllowedRegions: []string{"eu"}}, want: ofEach("credentialId", outside)},
		"a key whose region is unknown": {policy: domain.ModelPolicy{Tiers: all("own", "m", ""), AllowedRegions: []string{"eu"}}, want: ofEach("credentialId", outside)},
		"a profile of every region":     {policy: domain.ModelPolicy{Tiers: all("bedrock", "global.anthropic.claude-x", "high"), AllowedRegions: []string{"eu"}}, want: ofEach("model", "must not be a global inference profile")},
		"the same, unrestricted":        {policy: domain.ModelPolicy{Tiers: all("bedrock", "global.anthropic.claude-x", "high")}},

		"an effort that Anthropic has not":       {policy: domain.ModelPolicy{Tiers: all("claude", "claude-sonnet-5", "minimal")}, want: ofEach("reasoningEffort", effort)},
		"an effort that a small Claude has not":  {policy: domain.ModelPolicy{Tiers: all("claude", "claude-haiku-4-5-20251001", "high")}, want: ofEach("reasoningEffort", effort)},
		"an effort that the data refuse":         {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-2025-08-07", "none")}, want: ofEach("reasoningEffort", effort)},
		"an effort that gpt-5-pro has not":       {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-pro", "low")}, want: ofEach("reasoningEffort", effort)},
		"an effort that Bedrock has not":         {policy: domain.ModelPolicy{Tiers: all("bedrock", "amazon.nova-pro-v1:0", "none")}, want: ofEach("reasoningEffort", effort)},
		"an effort of a name that moves":         {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5.3-chat-latest", "high")}},
		"an effort behind a deployment":          {policy: domain.ModelPolicy{Tiers: all("azure", "our-deployment", "max")}},
		"an effort without known values":         {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-9", "max")}},
		"an effort that the provider refuses":    {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-9", "max")}, facts: []func(*policyFacts){tells(1)}, want: ofEach("reasoningEffort", effort)},
		"an effort that the provider takes":      {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-9", "low")}, facts: []func(*policyFacts){tells(1)}},
		"efforts of an older version of the key": {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-9", "max")}, facts: []func(*policyFacts){tells(0)}},
		"embeddings alone":                       {policy: vectors("openai", "text-embedding-3-small", 1536)},
		"vectors of an unknown model":            {policy: vectors("openai", "text-embedding-9", 3072)},
		"vectors behind a deployment":            {policy: vectors("azure", "text-embedding-3-small", 3072)},
		"vectors of Titan":                       {policy: vectors("bedrock", "amazon.titan-embed-text-v2:0", 1024)},
		"vectors of a provider without":          {policy: vectors("claude", "x", 1024), want: []string{"/tiers/embeddings/credentialId must be a key of a provider with embeddings"}},
		"vectors that are too long":              {policy: vectors("openai", "text-embedding-3-small", 3072), want: []string{"/tiers/embeddings/vectorSize must be at most 1536"}},
		"vectors of one size only":               {policy: vectors("openai", "text-embedding-ada-002", 1024), want: []string{"/tiers/embeddings/vectorSize must be 1536"}},
		"vectors of a model that answers":        {policy: vectors("openai", "gpt-5.4-2026-03-05", 1024), want: []string{"/tiers/embeddings/model must be a model for embeddings"}},
		"vectors of Titan, of another size":      {policy: vectors("bedrock", "amazon.titan-embed-text-v2:0", 384), want: []string{"/tiers/embeddings/vectorSize must be 1024"}},
		"vectors of Titan, without its date":     {policy: vectors("bedrock", "amazon.titan-embed-text-v2", 1536), want: []string{"/tiers/embeddings/vectorSize must be 1024"}},
		"vectors of Cohere on Bedrock":           {policy: vectors("bedrock", "cohere.embed-v4:0", 1024), want: []string{"/tiers/embeddings/model must be a model of the family"}},
		"vectors of a chat model on Bedrock":     {policy: vectors("bedrock", "amazon.nova-pro-v1:0", 3072), want: []string{"/tiers/embeddings/model must be a model of the family"}},
		"a known price under a hard budget":      {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-mini", "low"), Budget: dollars("hard", 1000)}},
		"an entered price under a hard budget":   {policy: domain.ModelPolicy{Tiers: all("own", "priced", ""), Budget: dollars("hard", 1000)}},
		"no price under a soft budget":           {policy: domain.ModelPolicy{Tiers: all("own", "house", ""), Budget: dollars("soft", 1000)}},
		"no price under a hard budget":           {policy: domain.ModelPolicy{Tiers: all("own", "house", ""), Budget: dollars("hard", 1000)}, want: ofEach("model", unpriced)},
		"a price from tomorrow on":               {policy: domain.ModelPolicy{Tiers: all("own", "tomorrow", ""), Budget: dollars("hard", 1000)}, want: ofEach("model", unpriced)},
		"no key and no price":                    {policy: domain.ModelPolicy{Tiers: all("gone", "house", ""), Budget: dollars("hard", 1000)}, want: ofEach("credentialId", wantsKey)},
		"a model of a repository, hard":          {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-mini", "low"), RepositoryCredentialIDs: []string{"own"}, Budget: dollars("hard", 1000)}, facts: []func(*policyFacts){repository("one", ownModel)}, want: []string{"/budget/mode must be soft, or prices be entered in llm-prices: the repository octo/one routes"}},
		"models of two repositories, said once":  {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-mini", "low"), RepositoryCredentialIDs: []string{"own"}, Budget: dollars("hard", 1000)}, facts: []func(*policyFacts){repository("one", ownModel), repository("two", ownModel)}, want: []string{"/budget/mode must be soft, or prices be entered in llm-prices: the repository octo/one routes"}},
		"a model of a repository, soft":          {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-mini", "low"), RepositoryCredentialIDs: []string{"own"}, Budget: dollars("soft", 1000)}, facts: []func(*policyFacts){repository("one", ownModel)}},
		"a key that is no longer to choose":      {policy: domain.ModelPolicy{Tiers: all("openai", "gpt-5-mini", "low"), Budget: dollars("hard", 1000)}, facts: []func(*policyFacts){repository("one", ownModel)}},
		"a hard budget of a repository":          {policy: domain.ModelPolicy{Tiers: all("own", "house", "")}, facts: []func(*policyFacts){repository("one", domain.ModelPolicy{Budget: dollars("hard", 1)})}, want: ofEach("model", "must be a model whose price is known, because the budget of the repository octo/one is hard")},
		"hard budgets on both levels, said once": {policy: domain.ModelPolicy{Tiers: all("own", "house", ""), Budget: dollars("hard", 1000)}, facts: []func(*policyFacts){repository("one", domain.ModelPolicy{Budget: dollars("hard", 1)})}, want: ofEach("model", unpriced)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := facts(t)
			for _, more := range tc.facts {
				more(&f)
			}
			expect(t, checkTenantPolicy(tc.policy, f), tc.want)
		})
	}
}

func TestCheckRepositoryPolicy(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	const inherited = "/allowedRegions must have the region of the key that the tier "
	of := domain.ModelPolicy{Tiers: all("bedrock", "priced", ""), RepositoryCredentialIDs: []string{"own-us", "openai", "gone"}, AllowedRegions: []string{"eu", "us"},
		Budget: dollars("hard", 1000), Limits: &domain.ModelLimits{MaxTokensPerReview: n(50000), MaxCostMicrosPerReview: n(100), MaxCostMicrosPerPullRequest: n(200)}}
	free := domain.ModelPolicy{Tiers: all("own", "house", ""), RepositoryCredentialIDs: []string{"own", "openai"}}
	twoVendors := domain.ModelPolicy{Tiers: panelled(all("openai", "gpt-5.4", ""), "claude", "claude-sonnet-5"), RepositoryCredentialIDs: []string{"bedrock", "openai"}}
	for name, tc := range map[string]struct {
		tenant domain.ModelPolicy
		before domain.ModelPolicy // of the repository
		policy domain.ModelPolicy
		want   []string // empty if the policy is accepted
	}{
		"nothing":                      {tenant: of},
		"tools that the tenant allows": {tenant: domain.ModelPolicy{Tiers: of.Tiers, AllowTools: new(true)}, policy: domain.ModelPolicy{AllowTools: new(true)}},
		"less of everything": {tenant: of, policy: domain.ModelPolicy{Budget: dollars("hard", 1000), Limits: &domain.ModelLimits{MaxTokensPerReview: n(50000), MaxCostMicrosPerReview: n(100), MaxCostMicrosPerPullRequest: n(200)},
			AllowedRegions: []string{"eu"}, AllowTools: new(bool)}},
		"a key to choose":                      {tenant: of, policy: domain.ModelPolicy{Tiers: tiers{"strong": {CredentialID: "own-us", Model: "priced"}}}},
		"a limit that the tenant does not set": {tenant: free, policy: domain.ModelPolicy{Budget: dollars("soft", 1000), Limits: &domain.ModelLimits{MaxTokensPerReview: n(1)}}},

		"regions without that of the panel": {tenant: domain.ModelPolicy{Tiers: panelled(all("bedrock", "eu.anthropic.claude-x", ""), "own-us", "x")}, policy: domain.ModelPolicy{AllowedRegions: []string{"eu"}}},
		"a hard budget, regions without that of the panel": {tenant: domain.ModelPolicy{Tiers: panelled(all("bedrock", "priced", ""), "own-us", "house")},
			policy: domain.ModelPolicy{AllowedRegions: []string{"eu"}, Budget: dollars("hard", 1)}},
		"a hard budget, an inherited panel": {tenant: domain.ModelPolicy{Tiers: panelled(all("bedrock", "priced", ""), "own-us", "house")},
			policy: domain.ModelPolicy{Budget: dollars("hard", 1)}, want: []string{"/budget/mode must be soft, or a price be entered in llm-prices: the model of the tier panel"}},
		"the vendor of the panel": {tenant: twoVendors, policy: domain.ModelPolicy{Tiers: tiers{"strong": {CredentialID: "bedrock", Model: "eu.anthropic.claude-x"}}},
			want: []string{"/tiers/strong/model must be of another vendor than the model of the panel that the repository inherits"}},
		"the same without a panel": {tenant: twoVendors, policy: domain.ModelPolicy{Tiers: tiers{"strong": {CredentialID: "bedrock", Model: "eu.anthropic.claude-x"}}, AllowPanel: new(bool)}},
		"another panel":            {tenant: twoVendors, policy: domain.ModelPolicy{Tiers: tiers{"panel": {CredentialID: "bedrock", Model: "amazon.nova-pro-v1:0"}}}},
		"a panel beside allowPanel": {tenant: twoVendors, policy: domain.ModelPolicy{Tiers: tiers{"panel": {CredentialID: "openai", Model: "gpt-5-mini"}}, AllowPanel: new(bool)},
			want: []string{"/tiers/panel must be absent, because allowPanel is false"}},
		"a panel of its vendor": {tenant: twoVendors, policy: domain.ModelPolicy{Tiers: tiers{"panel": {CredentialID: "openai", Model: "gpt-5-mini"}}}, want: []string{"/tiers/panel/model must be of another vendor than the model of the tier standard"}},

		"a region twice":                           {tenant: of, policy: domain.ModelPolicy{AllowedRegions: []string{"eu", "eu"}}, want: []string{"/allowedRegions/1 must not appear twice"}},
		"no such region":                           {tenant: free, policy: domain.ModelPolicy{AllowedRegions: []string{"moon"}}, want: []string{"/allowedRegions/0 must be a data region"}},
		"a region that is not allowed":             {tenant: of, policy: domain.ModelPolicy{AllowedRegions: []string{"eu", "uk"}}, want: []string{"/allowedRegions/1 must be a region that the tenant allows"}},
		"a region of no inherited key":             {tenant: of, policy: domain.ModelPolicy{AllowedRegions: []string{"us"}}, want: []string{inherited + "fast inherits", inherited + "standard inherits", inherited + "strong inherits"}},
		"a key outside of its regions":             {tenant: of, policy: domain.ModelPolicy{AllowedRegions: []string{"eu"}, Tiers: tiers{"fast": {CredentialID: "own-us", Model: "priced"}}}, want: []string{"/tiers/fast/credentialId must be a key whose data region"}},
		"another currency":                         {tenant: free, policy: domain.ModelPolicy{Budget: &domain.Budget{MonthlyMicros: 1, Currency: "EUR", Mode: "soft"}}, want: []string{"/budget/currency must be USD"}},
		"more money":                               {tenant: of, policy: domain.ModelPolicy{Budget: dollars("hard", 1001)}, want: []string{"/budget/monthlyMicros must not be above the tenant's budget"}},
		"a softer budget":                          {tenant: of, policy: domain.ModelPolicy{Budget: dollars("soft", 1)}, want: []string{"/budget/mode must be hard"}},
		"more tokens":                              {tenant: of, policy: domain.ModelPolicy{Limits: &domain.ModelLimits{MaxTokensPerReview: n(50001)}}, want: []string{"/limits/maxTokensPerReview must not be above"}},
		"more cost of a pull request":              {tenant: of, policy: domain.ModelPolicy{Limits: &domain.ModelLimits{MaxCostMicrosPerPullRequest: n(201)}}, want: []string{"/limits/maxCostMicrosPerPullRequest must not be above"}},
		"more cost":                                {tenant: of, policy: domain.ModelPolicy{Limits: &domain.ModelLimits{MaxCostMicrosPerReview: n(101)}}, want: []string{"/limits/maxCostMicrosPerReview must not be above"}},
		"tools":                                    {tenant: of, policy: domain.ModelPolicy{AllowTools: new(true)}, want: []string{"/allowTools must be false or absent, because the tenant does not allow it"}},
		"a model of two lines":                     {tenant: free, policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "own", Model: "a\nb"}}}, want: []string{"/tiers/fast/model must be one line of text"}},
		"a key of the tenant's own":                {tenant: of, policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "bedrock", Model: "m"}}}, want: []string{"/tiers/fast/credentialId " + wantsSelectable}},
		"no such key":                              {tenant: of, policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "absent", Model: "m"}}}, want: []string{"/tiers/fast/credentialId " + wantsSelectable}},
		"a key to choose that is gone":             {tenant: of, policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "gone", Model: "m"}}}, want: []string{"/tiers/fast/credentialId " + wantsSelectable}},
		"one tier where the tenant routes no tier": {tenant: domain.ModelPolicy{RepositoryCredentialIDs: []string{"own"}}, policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "own", Model: "m"}}}, want: []string{"/tiers/standard must be set too", "/tiers/strong must be set too"}},
		"an effort that is not taken":              {tenant: free, policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "openai", Model: "gpt-5-pro", ReasoningEffort: "low"}}}, want: []string{"/tiers/fast/reasoningEffort must be one that is taken"}},
		"a model of its own, no price":             {tenant: of, policy: domain.ModelPolicy{Tiers: tiers{"strong": {CredentialID: "own-us", Model: "house"}}}, want: []string{"/tiers/strong/model " + wantsPrice}},
		"a hard budget, inherited tiers":           {tenant: free, policy: domain.ModelPolicy{Budget: dollars("hard", 1)}, want: []string{"/budget/mode must be soft, or a price be entered in llm-prices: the model of the tier fast", "/budget/mode must be soft, or a price be entered in llm-prices: the model of the tier standard", "/budget/mode must be soft, or a price be entered in llm-prices: the model of the tier strong"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := facts(t)
			f.tenant = tc.tenant
			expect(t, checkRepositoryPolicy(tc.policy, tc.before, f), tc.want)
		})
	}
}

func TestCheckStaysAllowed(t *testing.T) {
	t.Parallel()
	restricted := domain.ModelPolicy{Tiers: all("bedrock", "m", ""), AllowedRegions: []string{"eu", "uk"}, RepositoryCredentialIDs: []string{"own-us"}}
	below := repositoryPolicy{policy: domain.ModelPolicy{Tiers: tiers{"fast": {CredentialID: "own-us", Model: "m"}}, AllowedRegions: []string{"uk"}}}
	withPanel := domain.ModelPolicy{Tiers: panelled(all("bedrock", "m", ""), "own-us", "m"), AllowedRegions: []string{"eu", "uk", "us"}, RepositoryCredentialIDs: []string{"own-us"}}
	narrow := repositoryPolicy{policy: domain.ModelPolicy{AllowedRegions: []string{"eu"}}}
	ownPanel := repositoryPolicy{policy: domain.ModelPolicy{Tiers: tiers{"panel": {CredentialID: "own-us", Model: "n"}}, AllowedRegions: []string{"eu"}}}
	moved := store.Credential{ID: "own-us", Kind: "compatible", DataRegion: "us"}
	const message = " must stay in a region that the model policies with this key allow"
	for name, tc := range map[string]struct {
		next   store.Credential
		stored storedPolicies
		want   []string // empty if the policy is accepted
	}{
		"no policy":                            {next: store.Credential{ID: "bedrock", Kind: "bedrock", Region: "us-east-1"}},
		"an allowed region":                    {next: store.Credential{ID: "bedrock", Kind: "bedrock", Region: "eu-west-2"}, stored: storedPolicies{tenant: restricted}},
		"another region":                       {next: store.Credential{ID: "bedrock", Kind: "bedrock", Region: "us-east-1"}, stored: storedPolicies{tenant: restricted}, want: []string{"/region" + message}},
		"a panel that a repository leaves out": {next: moved, stored: storedPolicies{tenant: withPanel, repositories: []repositoryPolicy{narrow}}},
		"a panel of the repository's own":      {next: moved, stored: storedPolicies{tenant: withPanel, repositories: []repositoryPolicy{ownPanel}}, want: []string{"/dataRegion" + message}},
		"a panel of the tenant":                {next: store.Credential{ID: "own-us", Kind: "compatible", DataRegion: "jp"}, stored: storedPolicies{tenant: withPanel}, want: []string{"/dataRegion" + message}},
		"a key that is not routed":             {next: store.Credential{ID: "azure", Kind: "azure", DataRegion: "us"}, stored: storedPolicies{tenant: restricted}},
		"a region of the tenant only":          {next: store.Credential{ID: "own-us", Kind: "compatible", DataRegion: "eu"}, stored: storedPolicies{tenant: restricted, repositories: []repositoryPolicy{below}}, want: []string{"/dataRegion" + message}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkStaysAllowed(tc.next, tc.stored), tc.want)
		})
	}
}
