// Package price computes what calls of models cost: prices per million tokens with
// the date from which they hold, and the cost of one call's usage. The embedded
// prices are those of package modelsdev; an administrator's own entries come
// before them.
//
// A model without a price has none, never zero. Budgets, the store and the
// choice of a model do not live here.
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

// Price is what a million tokens cost, in millionths of the currency.
type Price struct {
	Input  int64 // tokens that come from no cache
	Output int64 // reasoning included
	// CacheRead and CacheWrite are tokens that were read from the provider's cache
	// or written to it; negative where the provider names no price of its own: then
	// they cost what other input costs.
	CacheRead, CacheWrite int64
	// Tiers are higher prices of the whole call, for inputs over a size; ascending.
	Tiers []Tier
}

// Tier is the price of calls whose input is larger than Over tokens.
type Tier struct {
	Over int64
	Price
}

// Highest is where costs end: a billion dollars, which no call costs. Sums of
// thousands of them still are numbers of 64 bits.
const Highest = int64(1) << 50

// Cost is what a usage costs, in millionths of the currency, rounded to the
// nearest one, halves up, but at least one where anything costs anything: only
// what is free is 0. It never overflows and is never more than [Highest].
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
	for _, part := range [][2]int64{{plain, p.Input}, {u.CachedInputTokens, or(p.CacheRead, p.Input)}, {u.CacheWriteTokens, or(p.CacheWrite, p.Input)}, {u.OutputTokens, p.Output}} {
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

// Most is the highest cost that a call can have that uses no more than these
// tokens, whatever part of the input comes from a cache or goes to one, and
// whatever part of the output is reasoning.
func (p Price) Most(input, output int64) int64 {
	highest := Price{Input: max(p.Input, p.CacheRead, p.CacheWrite), Output: p.Output, CacheRead: -1, CacheWrite: -1}
	for _, t := range p.Tiers {
		if input > t.Over {
			highest.Input, highest.Output = max(highest.Input, t.Input, t.CacheRead, t.CacheWrite), max(highest.Output, t.Output)
		}
	}
	return highest.Cost(llm.Usage{InputTokens: input, OutputTokens: output})
}

// Entry is a price that an administrator has entered.
type Entry struct {
	Kind  string    // of the key, see package catalog; "" is every kind
	Model string    // id or name of a deployment, exact
	From  time.Time // it holds from then on
	Price
}

// Table finds prices. The zero value has none; it is safe for concurrent use.
type Table struct {
	own      []Entry
	embedded map[string]map[string]Price // by provider and model
}

// With returns a table whose entries come before those of t.
func (t *Table) With(own []Entry) *Table {
	return &Table{own: append(slices.Clone(own), t.own...), embedded: t.embedded}
}

// Embedded is the table that the binary carries, and the date of its prices.
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

// Find returns the price of a model behind a key at a time; false where nobody
// knows it. answered is the model that the provider says it was, "" before a
// call: deployments have names of their own, and behind them may be a model
// whose price is known.
//
// Services without prices of their own in the data (self-hosted ones, and what
// is reached by an address that no preset has) have none but those that an
// administrator enters.
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

// Len is how many models have an embedded price.
func (t *Table) Len() int {
	n := 0
	for _, models := range t.embedded {
		n += len(models)
	}
	return n
}

// Each calls f with every embedded price, in no order.
func (t *Table) Each(f func(provider, model string, p Price)) {
	for provider, models := range t.embedded {
		for model, p := range models {
			f(provider, model, p)
		}
	}
}
