package plan

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/record"
)

// maxPrice bounds a price in dollars per million tokens (design choice: a hundred times the dearest known).
const maxPrice = 100_000

// Price is the price of tokens, in US dollars per million.
type Price struct{ Input, Output, Cached float64 }

// ParsePrice reads a price of the form INPUT/OUTPUT or INPUT/OUTPUT/CACHED. Cached tokens cost as much as others
// if their price is absent.
func ParsePrice(text string) (*Price, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 2 && len(parts) != 3 {
		return nil, errPrice
	}
	var values []float64
	for _, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsNaN(v) || v < 0 || v > maxPrice {
			return nil, errPrice
		}
		values = append(values, v)
	}
	out := &Price{values[0], values[1], values[0]}
	if len(values) == 3 {
		out.Cached = values[2]
	}
	return out, nil
}

var errPrice = errors.New("the price must have the form INPUT/OUTPUT or INPUT/OUTPUT/CACHED, in dollars per million tokens, " +
	"such as 3/15 or 3/15/0.3")

// apply returns the outcomes with costs by this price.
func (p Price) apply(list []eval.Outcome) []eval.Outcome {
	out := slices.Clone(list)
	for i := range out {
		out[i].Heads = slices.Clone(out[i].Heads)
		for h := range out[i].Heads {
			c := &out[i].Heads[h].Cost
			fresh := max(c.InputTokens-c.CachedTokens, 0)
			// dollars per million tokens are millionths of a dollar per token
			c.Micros = int64(math.Round(float64(fresh)*p.Input + float64(c.CachedTokens)*p.Cached + float64(c.OutputTokens)*p.Output))
		}
	}
	return out
}

// isPriced reports whether the cost of every review is known.
func isPriced(r record.Run) bool {
	for _, o := range r.Outcomes {
		for _, h := range o.Heads {
			if h.Cost.Calls > 0 && h.Cost.Micros == 0 {
				return false
			}
		}
	}
	return true
}
