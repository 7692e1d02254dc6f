// Package price computes the cost of model calls, from prices per million tokens with the date from which they
// hold. The embedded prices are those of package modelsdev; an administrator's entries override them.
//
// A model without a price has no cost; its cost is never zero. Budgets, the store and the choice of a model do
// not belong here.
package price

import (
	"math/big"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/modelsdev"
)

// currency of the embedded prices (ISO 4217).
const currency = "USD"

// Price is the price of a million tokens, in millionths of the currency.
type Price struct {
	Input  int64 // tokens that come from no cache
	Output int64 // reasoning included
	// CacheRead and CacheWrite are for tokens that were read from the provider's cache or written to it. They
	// are negative if the provider names no separate price; such tokens cost as much as other input.
	CacheRead, CacheWrite int64
	// Tiers are higher prices of the whole call for inputs above a size, ascending.
	Tiers []Tier
}

// Tier is the price of calls whose input is larger than Over tokens.
type Tier struct {
	Over int64
	Price
}

// Highest is the upper bound of a cost: a billion dollars, far above any call. Sums of thousands of them still
// fit into 64 bits.
const Highest = int64(1) << 50

// Cost returns the cost of a usage in millionths of the currency, rounded to the nearest one, halves up. It is
// 0 only if everything is free, otherwise at least 1. It never overflows and never exceeds [Highest].
func (p Price) Cost(u llm.Usage) int64 {
	for _, t := range slices.Backward(p.Tiers) {
		if u.InputTokens > t.Over {
			return t.Cost(u)
		}
	}
	or := func(v, otherwise int64) int64 {
		if v < 0 {
			return otherwise
		}
		return v
	}
	plain := max(u.InputTokens-u.CachedInputTokens-u.CacheWriteTokens, 0)
	sum := new(big.Int)
	for _, part := range [][2]int64{{plain, p.Input}, {u.CachedInputTokens, or(p.CacheRead, p.Input)},
		{u.CacheWriteTokens, or(p.CacheWrite, p.Input)}, {u.OutputTokens, p.Output}} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(max(part[0], 0)), big.NewInt(part[1])))
	}
	paid := sum.Sign() > 0
	sum.Add(sum, big.NewInt(500_000)).Div(sum, big.NewInt(1_000_000))
	switch {
	case !sum.IsInt64() || sum.Int64() > Highest:
		return Highest
	case paid:
		return max(sum.Int64(), 1)
	}
	return sum.Int64()
}

// MaxCost returns the highest possible cost of a call with at most these tokens, for any share of cached input
// and of reasoning in the output.
func (p Price) MaxCost(input, output int64) int64 {
	highest := Price{Input: max(p.Input, p.CacheRead, p.CacheWrite), Output: p.Output, CacheRead: -1, CacheWrite: -1}
	for _, t := range p.Tiers {
		if input > t.Over {
			highest.Input, highest.Output = max(highest.Input, t.Input, t.CacheRead, t.CacheWrite), max(highest.Output, t.Output)
		}
	}
	return highest.Cost(llm.Usage{InputTokens: input, OutputTokens: output})
}

// Entry is a price that an administrator entered.
type Entry struct {
	Kind  string    // of the key, see package catalog; "" means every kind
	Model string    // id or name of a deployment, exact
	From  time.Time // it holds from then on
	Price
}

// Table finds prices. The zero value is empty. It is safe for concurrent use.
type Table struct {
	own      []Entry
	embedded map[string]map[string]Price // by provider and model
}

// With returns a table whose entries override those of t.
func (t *Table) With(own []Entry) *Table {
	return &Table{own: append(slices.Clone(own), t.own...), embedded: t.embedded}
}

// Embedded returns the table of the prices in the binary, and their date.
func Embedded() (*Table, time.Time, error) {
	data, err := modelsdev.Load()
	if err != nil {
		return nil, time.Time{}, err
	}
	plain := func(r modelsdev.Rate) Price {
		p := Price{Input: *r.In, Output: r.Out, CacheRead: -1, CacheWrite: -1}
		if r.Read != nil {
			p.CacheRead = *r.Read
		}
		if r.Write != nil {
			p.CacheWrite = *r.Write
		}
		return p
	}
	t := &Table{embedded: map[string]map[string]Price{}}
	for provider, models := range data.Providers {
		t.embedded[provider] = map[string]Price{}
		for model, m := range models {
			if m.In == nil {
				continue
			}
			p := plain(m.Rate)
			for _, tier := range m.Tiers {
				p.Tiers = append(p.Tiers, Tier{tier.Over, plain(tier.Rate)})
			}
			slices.SortFunc(p.Tiers, func(a, b Tier) int { return int(a.Over - b.Over) })
			t.embedded[provider][model] = p
		}
	}
	return t, data.Date, nil
}

// Find returns the price of a model behind a key at a time, and false if it is unknown. answered is the model
// that the provider named in its answer, "" before a call. Deployments have names of their own, so only the
// answer may show a model with a known price.
//
// Services without embedded prices (self-hosted ones, and addresses that are not a preset's) only have the
// prices that an administrator enters.
func (t *Table) Find(key catalog.Key, model, answered string, at time.Time) (Price, bool) {
	var best *Entry
	for i, e := range t.own {
		if e.Model == model && (e.Kind == "" || e.Kind == key.Kind) && !e.From.After(at) && (best == nil || e.From.After(best.From)) {
			best = &t.own[i]
		}
	}
	if best != nil {
		return best.Price, true
	}
	models := t.embedded[key.ModelsDev()]
	for _, name := range []string{model, modelsdev.Undated(model), answered, modelsdev.Undated(answered)} {
		if p, ok := models[name]; ok && name != "" {
			return p, true
		}
	}
	return Price{}, false
}

// Len returns the number of models with an embedded price.
func (t *Table) Len() int {
	n := 0
	for _, models := range t.embedded {
		n += len(models)
	}
	return n
}
