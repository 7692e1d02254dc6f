package price_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/testkit"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The costs are computed by hand: dollars per million tokens are millionths of
// a dollar per token.
func TestCost(t *testing.T) {
	t.Parallel()
	sonnet := price.Price{Input: 3_000_000, Output: 15_000_000, CacheRead: 300_000, CacheWrite: 3_750_000}
	long := price.Price{Input: 2_500_000, Output: 15_000_000, CacheRead: 250_000, CacheWrite: -1,
		Tiers: []price.Tier{{Over: 272_000, Price: price.Price{Input: 5_000_000, Output: 22_500_000, CacheRead: 500_000, CacheWrite: -1}}}}
	for name, tc := range map[string]struct {
		price price.Price
		usage llm.Usage
		want  int64
	}{
		"nothing":                  {sonnet, llm.Usage{}, 0},
		"input and output":         {sonnet, llm.Usage{InputTokens: 1000, OutputTokens: 100}, 1000*3 + 100*15},
		"reasoning is output":      {sonnet, llm.Usage{OutputTokens: 100, ReasoningTokens: 80}, 100 * 15},
		"read from the cache":      {sonnet, llm.Usage{InputTokens: 1000, CachedInputTokens: 900}, 100*3 + 270},
		"written to the cache":     {sonnet, llm.Usage{InputTokens: 1000, CacheWriteTokens: 400}, 600*3 + 1500},
		"no price of the cache":    {price.Price{Input: 1_000_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10, CachedInputTokens: 4, CacheWriteTokens: 4}, 10},
		"half a millionth":         {price.Price{Input: 50_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10}, 1},
		"less than half":           {price.Price{Input: 49_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10}, 0},
		"up to the long context":   {long, llm.Usage{InputTokens: 272_000, OutputTokens: 10}, 272_000*25/10 + 150},
		"over it, all costs more":  {long, llm.Usage{InputTokens: 272_001, OutputTokens: 10}, 272_001*5 + 225},
		"more than any number has": {sonnet, llm.Usage{InputTokens: 1 << 62, OutputTokens: 1 << 62}, 1 << 62},
		"nonsense from a provider": {sonnet, llm.Usage{InputTokens: 10, CachedInputTokens: 20}, 6},
	} {
		if got := tc.price.Cost(tc.usage); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
	if most, cost := long.Most(300_000, 1000), long.Cost(llm.Usage{InputTokens: 300_000, OutputTokens: 1000}); most < cost {
		t.Errorf("the most is %d, and a call costs %d", most, cost)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	table, date, err := price.Embedded()
	testkit.OK(t, err)
	if date.After(noon) || noon.Sub(date) > 365*24*time.Hour {
		t.Errorf("the prices are of %s", date)
	}
	old := price.Entry{Model: "gpt-5-mini", Price: price.Price{Input: 1}}
	own := table.With([]price.Entry{old, {Kind: catalog.OpenAI, Model: "gpt-5-mini", From: noon.AddDate(0, -1, 0), Price: price.Price{Input: 2}},
		{Model: "gpt-5-mini", From: noon.Add(time.Hour), Price: price.Price{Input: 3}}, {Kind: catalog.Compatible, Model: "house", Price: price.Price{}}})
	for name, tc := range map[string]struct {
		table    *price.Table
		key      catalog.Key
		model    string
		answered string
		input    int64
		known    bool
	}{
		"embedded":                         {table, catalog.Key{Kind: catalog.OpenAI}, "gpt-5-mini", "", 250_000, true},
		"with a date":                      {table, catalog.Key{Kind: catalog.OpenAI}, "gpt-5-mini-2025-08-07", "", 250_000, true},
		"of another provider":              {table, catalog.Key{Kind: catalog.Anthropic}, "gpt-5-mini", "", 0, false},
		"unknown":                          {table, catalog.Key{Kind: catalog.OpenAI}, "gpt-99", "", 0, false},
		"deployment, before a call":        {table, catalog.Key{Kind: catalog.Azure}, "our-mini", "", 0, false},
		"deployment, after it":             {table, catalog.Key{Kind: catalog.Azure}, "our-mini", "gpt-5-mini-2025-08-07", 250_000, true},
		"preset at another address":        {table, catalog.Key{Kind: catalog.Compatible, Preset: "groq", BaseURL: "https://proxy.example/v1"}, "llama-3.1-8b-instant", "", 0, false},
		"self-hosted":                      {table, catalog.Key{Kind: catalog.Compatible, Preset: "ollama", BaseURL: "http://localhost:11434/v1"}, "gpt-5-mini", "", 0, false},
		"own, of the kind, that holds now": {own, catalog.Key{Kind: catalog.OpenAI}, "gpt-5-mini", "", 2, true},
		"own, of any kind":                 {own, catalog.Key{Kind: catalog.Azure}, "gpt-5-mini", "", 1, true},
		"own, that says it costs nothing":  {own, catalog.Key{Kind: catalog.Compatible, BaseURL: "http://localhost:8000/v1"}, "house", "", 0, true},
		"own, of another kind":             {own, catalog.Key{Kind: catalog.OpenAI}, "house", "", 0, false},
	} {
		got, known := tc.table.Find(tc.key, tc.model, tc.answered, noon)
		if known != tc.known || got.Input != tc.input {
			t.Errorf("%s: %d, %v, want %d, %v", name, got.Input, known, tc.input, tc.known)
		}
	}
}
