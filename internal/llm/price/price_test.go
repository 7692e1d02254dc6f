package price_test

import (
	"math"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/testkit"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The costs are computed by hand. One dollar per million tokens is one millionth of a dollar per token.
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
		"nothing":                      {sonnet, llm.Usage{}, 0},
		"input and output":             {sonnet, llm.Usage{InputTokens: 1000, OutputTokens: 100}, 1000*3 + 100*15},
		"reasoning is output":          {sonnet, llm.Usage{OutputTokens: 100, ReasoningTokens: 80}, 100 * 15},
		"read from the cache":          {sonnet, llm.Usage{InputTokens: 1000, CachedInputTokens: 900}, 100*3 + 270},
		"written to the cache":         {sonnet, llm.Usage{InputTokens: 1000, CacheWriteTokens: 400}, 600*3 + 1500},
		"no price of the cache":        {price.Price{Input: 1_000_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10, CachedInputTokens: 4, CacheWriteTokens: 4}, 10},
		"half a millionth":             {price.Price{Input: 50_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10}, 1},
		"less than half, is not 0":     {price.Price{Input: 49_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10}, 1},
		"the least amount":             {price.Price{Input: 1}, llm.Usage{InputTokens: 1}, 1},
		"one and less than half":       {price.Price{Input: 149_000, CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 10}, 1},
		"free":                         {price.Price{CacheRead: -1, CacheWrite: -1}, llm.Usage{InputTokens: 1 << 40, OutputTokens: 1 << 40}, 0},
		"free from the cache":          {price.Price{Input: 1_000_000}, llm.Usage{InputTokens: 10, CachedInputTokens: 10}, 0},
		"up to the long context":       {long, llm.Usage{InputTokens: 272_000, OutputTokens: 10}, 272_000*25/10 + 150},
		"over it, all costs more":      {long, llm.Usage{InputTokens: 272_001, OutputTokens: 10}, 272_001*5 + 225},
		"more than the largest number": {sonnet, llm.Usage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64}, price.Highest},
		"less than nothing":            {sonnet, llm.Usage{InputTokens: math.MinInt64, CachedInputTokens: -1, CacheWriteTokens: -1, OutputTokens: -1}, 0},
		"the highest price":            {price.Price{Input: math.MaxInt64, Output: math.MaxInt64}, llm.Usage{InputTokens: math.MaxInt64}, price.Highest},
		"nonsense from a provider":     {sonnet, llm.Usage{InputTokens: 10, CachedInputTokens: 20}, 6},
	} {
		if got := tc.price.Cost(tc.usage); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// No usage that a provider can truthfully report costs more than the reservation. The test covers each
// embedded price, with all of the input read from the cache, written to it, or neither, on both sides of each
// border between prices.
func TestNoCallCostsMoreThanTheMost(t *testing.T) {
	t.Parallel()
	table, _, err := price.Embedded()
	testkit.OK(t, err)
	prices := map[string]price.Price{
		"dear cache":        {Input: 10, Output: 1, CacheRead: 30, CacheWrite: 20},
		"cheaper when long": {Input: 30, Output: 70, CacheRead: -1, CacheWrite: 90, Tiers: []price.Tier{{Over: 100, Price: price.Price{Input: 1, Output: 1, CacheRead: -1, CacheWrite: -1}}}},
		"two borders":       {Input: 1, Output: 9, Tiers: []price.Tier{{Over: 10, Price: price.Price{Input: 50, Output: 2, CacheRead: 60}}, {Over: 20, Price: price.Price{Input: 3, Output: 8}}}},
		"no number is more": {Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64},
	}
	table.Each(func(provider, model string, p price.Price) { prices[provider+" "+model] = p })
	if len(prices) < 100 {
		t.Fatalf("only %d prices", len(prices))
	}
	for name, p := range prices {
		sizes := []int64{0, 1, 7, 999, 1_000_000, 1 << 40}
		for _, tier := range p.Tiers {
			sizes = append(sizes, tier.Over-1, tier.Over, tier.Over+1)
		}
		for _, most := range sizes {
			reserved := p.MaxCost(most, most/3)
			for _, input := range sizes {
				if input > most {
					continue
				}
				for _, part := range []llm.Usage{{}, {CachedInputTokens: input}, {CacheWriteTokens: input}, {CachedInputTokens: input / 3, CacheWriteTokens: input / 2}} {
					for _, output := range []int64{0, most / 3} {
						part.InputTokens, part.OutputTokens, part.ReasoningTokens = input, output, output
						if cost := p.Cost(part); cost > reserved {
							t.Fatalf("%s: %+v costs %d, and %d were reserved for %d tokens", name, part, cost, reserved, most)
						}
					}
				}
			}
		}
	}
}

func FuzzNoCallCostsMoreThanTheMost(f *testing.F) {
	f.Add(int64(3), int64(15), int64(1), int64(4), int64(6), int64(30), int64(200), int64(100), int64(50), int64(20), int64(10), int64(5))
	f.Fuzz(func(t *testing.T, in, out, read, write, longIn, longOut, over, most, mostOut, input, part, output int64) {
		for _, v := range []*int64{&in, &out, &longIn, &longOut, &over, &most, &mostOut, &input, &part, &output} {
			*v = max(*v, 0)
		}
		p := price.Price{Input: in, Output: out, CacheRead: read, CacheWrite: write, Tiers: []price.Tier{{Over: over, Price: price.Price{Input: longIn, Output: longOut, CacheRead: write, CacheWrite: read}}}}
		u := llm.Usage{InputTokens: min(input, most), OutputTokens: min(output, mostOut)}
		u.CachedInputTokens = min(part, u.InputTokens)
		u.CacheWriteTokens = (u.InputTokens - u.CachedInputTokens) / 2
		cost, reserved := p.Cost(u), p.MaxCost(most, mostOut)
		if cost > reserved || cost < 0 || reserved > price.Highest {
			t.Errorf("%+v of %+v costs %d, reserved are %d", u, p, cost, reserved)
		}
	})
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
		"embedded":                    {table, catalog.Key{Kind: catalog.OpenAI}, "gpt-5-mini", "", 250_000, true},
		"with a date":                 {table, catalog.Key{Kind: catalog.OpenAI}, "gpt-5-mini-2025-08-07", "", 250_000, true},
		"another provider":            {table, catalog.Key{Kind: catalog.Anthropic}, "gpt-5-mini", "", 0, false},
		"unknown":                     {table, catalog.Key{Kind: catalog.OpenAI}, "gpt-99", "", 0, false},
		"deployment, before a call":   {table, catalog.Key{Kind: catalog.Azure}, "our-mini", "", 0, false},
		"deployment, after it":        {table, catalog.Key{Kind: catalog.Azure}, "our-mini", "gpt-5-mini-2025-08-07", 250_000, true},
		"preset at another address":   {table, catalog.Key{Kind: catalog.Compatible, Preset: "groq", BaseURL: "https://proxy.example/v1"}, "llama-3.1-8b-instant", "", 0, false},
		"self-hosted":                 {table, catalog.Key{Kind: catalog.Compatible, Preset: "ollama", BaseURL: "http://localhost:11434/v1"}, "gpt-5-mini", "", 0, false},
		"own, of the kind, valid now": {own, catalog.Key{Kind: catalog.OpenAI}, "gpt-5-mini", "", 2, true},
		"own, of any kind":            {own, catalog.Key{Kind: catalog.Azure}, "gpt-5-mini", "", 1, true},
		"own, free":                   {own, catalog.Key{Kind: catalog.Compatible, BaseURL: "http://localhost:8000/v1"}, "house", "", 0, true},
		"own, of another kind":        {own, catalog.Key{Kind: catalog.OpenAI}, "house", "", 0, false},
	} {
		got, known := tc.table.Find(tc.key, tc.model, tc.answered, noon)
		if known != tc.known || got.Input != tc.input {
			t.Errorf("%s: %d, %v, want %d, %v", name, got.Input, known, tc.input, tc.known)
		}
	}
}
