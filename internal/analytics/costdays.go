package analytics

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// namedParts is how many groups of a day are listed separately, because a chart cannot show more (design
// choice).
const namedParts = 5

// CostDay is the cost of a day, divided by the groups of the request.
type CostDay struct {
	Day        string     `json:"day" format:"date" doc:"UTC" example:"2026-11-21"`
	Calls      int64      `json:"calls"`
	CostMicros Cost       `json:"costMicros" nullable:"true" doc:"Of all groups. Null where no call has a known price"`
	Parts      []CostPart `json:"parts" doc:"The five groups with the highest cost over all days, highest first; the rest of the total belongs to the other groups"`
}

// CostPart is the cost of one group on a day.
type CostPart struct {
	Key        string `json:"key" doc:"Of the group, as in items"`
	Calls      int64  `json:"calls"`
	CostMicros Cost   `json:"costMicros" nullable:"true"`
}

// costDays divides each day's cost among the most expensive groups.
func (s *Service) costDays(ctx context.Context, t domain.Tenant, repository string, of Costs) ([]CostDay, error) {
	days, err := s.costs(ctx, t, repository, store.CostsByDay, of.Span)
	if err != nil {
		return nil, err
	}
	first, last, err := of.us()
	if err != nil {
		return nil, err
	}
	keys := dearest(of.Items)
	rows, err := s.Store.DayCosts(ctx, t, repository, of.GroupBy, first, last, keys)
	if err != nil {
		return nil, err
	}
	parts := map[string]map[string]CostPart{} // by day and key
	for _, r := range rows {
		name := day(r.Day)
		if parts[name] == nil {
			parts[name] = map[string]CostPart{}
		}
		parts[name][r.Key] = CostPart{r.Key, r.Calls, costOf(r.CostMicros, r.Calls, r.Unpriced)}
	}
	out := make([]CostDay, len(days.Items))
	for i, d := range days.Items {
		out[i] = CostDay{Day: d.Key, Calls: d.Calls, CostMicros: d.CostMicros, Parts: []CostPart{}}
		for _, key := range keys {
			if p, ok := parts[d.Key][key]; ok {
				out[i].Parts = append(out[i].Parts, p)
			}
		}
	}
	return out, nil
}

// dearest returns the keys of the namedParts most expensive groups, highest cost first. Groups of equal
// cost are ordered by their number of calls.
func dearest(rows []CostRow) []string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b CostRow) int {
		return cmp.Or(cmp.Compare(b.CostMicros, a.CostMicros), cmp.Compare(b.Calls, a.Calls))
	})
	keys := []string{}
	for _, r := range rows[:min(len(rows), namedParts)] {
		keys = append(keys, r.Key)
	}
	return keys
}
