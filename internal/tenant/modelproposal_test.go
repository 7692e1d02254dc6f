package tenant

import (
	"testing"

	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/store"
)

// listedBy returns the list of a provider with the embedded prices.
func listedBy(t *testing.T, row store.Credential, ids ...string) (out []PricedModel) {
	t.Helper()
	table, date, err := price.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		out = append(out, PricedModel{ID: id, Price: priceOf(table.Find(catalogKey(row), id, "", date))})
	}
	return out
}

// Proposed models are in the list and have the price of their tier. There is no proposal if no price is
// known.
func TestProposedTiers(t *testing.T) {
	t.Parallel()
	anthropic, own := store.Credential{Kind: "anthropic"}, store.Credential{Kind: "compatible", BaseURL: "https://models.example/v1"}
	for name, tc := range map[string]struct {
		row  store.Credential
		ids  []string
		want *LlmProposal
	}{
		"three sizes": {anthropic, []string{"claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5"}, &LlmProposal{"claude-haiku-4-5", "claude-sonnet-4-6", "claude-opus-4-6"}},
		"by dates":    {anthropic, []string{"claude-opus-4-6", "claude-haiku-4-5-20251001"}, &LlmProposal{"claude-haiku-4-5-20251001", "claude-opus-4-6", "claude-opus-4-6"}},
		"one":         {anthropic, []string{"claude-sonnet-4-6", "claude-3-opus-20240229"}, &LlmProposal{"claude-sonnet-4-6", "claude-sonnet-4-6", "claude-sonnet-4-6"}},
		"unknown":     {anthropic, []string{"claude-99"}, nil},
		"vectors":     {store.Credential{Kind: "openai"}, []string{"text-embedding-3-large"}, nil},
		"one's own":   {own, []string{"house", "claude-sonnet-4-6"}, nil},
		"the only":    {own, []string{"house"}, &LlmProposal{"house", "house", "house"}},
		"nothing":     {anthropic, nil, nil},
	} {
		got, err := propose(tc.row, listedBy(t, tc.row, tc.ids...))
		if err != nil || (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, tc.want)
		}
	}
	entered := listedBy(t, own, "small", "large")
	entered[0].Price, entered[1].Price = &LlmModelPrice{OutputMicros: 2_000_000}, &LlmModelPrice{OutputMicros: 30_000_000}
	if got, err := propose(own, entered); err != nil || got == nil || *got != (LlmProposal{"small", "large", "large"}) {
		t.Errorf("with entered prices: %+v %v", got, err)
	}
}
