package analytics

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Currency is the only currency of costs, the one in which prices are listed (ISO 4217).
const Currency = "USD"

// maxDays is the longest span of an answer with figures, in days (design choice).
const maxDays = 400

// defaultDays is the span of an answer if the request names none, in days.
const defaultDays = 30

// Span is a span of UTC days, including both ends.
type Span struct {
	From string `json:"from" format:"date" doc:"First day, UTC" example:"2026-11-01"`
	To   string `json:"to" format:"date" doc:"Last day, UTC" example:"2026-11-30"`
}

// us returns the span as the half-open interval [from, to) in microseconds.
func (v Span) us() (from, to int64, err error) {
	a, err := time.Parse(time.DateOnly, v.From)
	if err != nil {
		return 0, 0, err
	}
	b, err := time.Parse(time.DateOnly, v.To)
	return a.UnixMicro(), b.UnixMicro() + store.DayUS, err
}

// span parses the requested days. The last day defaults to today, and the first day to 30 days that end
// with the last day. Errors: Invalid.
func span(nowUS int64, from, to string) (Span, error) {
	end := store.Time(nowUS).Truncate(24 * time.Hour)
	var wrong []errs.Field
	read := func(text, pointer string, into *time.Time) {
		if text == "" {
			return
		}
		v, err := time.Parse(time.DateOnly, text)
		if err != nil || v.Year() < 1970 {
			wrong = append(wrong, errs.Field{Pointer: pointer, Message: "must be a day such as 2026-11-30"})
			return
		}
		*into = v
	}
	read(to, "query/to", &end)
	begin := end.AddDate(0, 0, 1-defaultDays)
	read(from, "query/from", &begin)
	if len(wrong) == 0 {
		switch days := int(end.Sub(begin).Hours())/24 + 1; {
		case days < 1:
			wrong = append(wrong, errs.Field{Pointer: "query/from", Message: "must not be after the last day"})
		case days > maxDays:
			wrong = append(wrong, errs.Field{Pointer: "query/from", Message: "must be less than " + strconv.Itoa(maxDays) +
				" days before the last day"})
		}
	}
	if len(wrong) > 0 {
		return Span{}, &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.", Fields: wrong}
	}
	return Span{begin.Format(time.DateOnly), end.Format(time.DateOnly)}, nil
}

// CostFigures are the token usage and the cost of model calls.
type CostFigures struct {
	Calls            int64 `json:"calls"`
	InputTokens      int64 `json:"inputTokens" doc:"With those read from and written to caches"`
	CachedTokens     int64 `json:"cachedTokens" doc:"Of the input, read from a cache"`
	CacheWriteTokens int64 `json:"cacheWriteTokens" doc:"Of the input, written to a cache"`
	OutputTokens     int64 `json:"outputTokens" doc:"With those of reasoning"`
	ReasoningTokens  int64 `json:"reasoningTokens" doc:"Of the output"`
	CostMicros       Cost  `json:"costMicros" nullable:"true" doc:"Of the calls with a known price, in millionths of the currency; null where no call has one"`
	UnpricedCalls    int64 `json:"unpricedCalls" doc:"Calls that costMicros lacks: their price is unknown, or they never ended"`
	EstimatedCalls   int64 `json:"estimatedCalls" doc:"Calls whose tokens the provider counted in part or not at all; the rest is estimated from the size of the texts"`
}

func (v *CostFigures) add(w CostFigures) {
	v.Calls += w.Calls
	v.InputTokens += w.InputTokens
	v.CachedTokens += w.CachedTokens
	v.CacheWriteTokens += w.CacheWriteTokens
	v.OutputTokens += w.OutputTokens
	v.ReasoningTokens += w.ReasoningTokens
	v.UnpricedCalls += w.UnpricedCalls
	v.EstimatedCalls += w.EstimatedCalls
	v.CostMicros = costOf(int64(max(v.CostMicros, 0)+max(w.CostMicros, 0)), v.Calls, v.UnpricedCalls)
}

// Cost is an amount in millionths of the currency, or [Unknown], which is null in JSON and never 0.
type Cost int64

// Unknown is the cost of calls if none of them has a known price.
const Unknown Cost = -1

// costOf returns the cost of calls, or [Unknown] if no call has a price.
func costOf(micros, calls, unpriced int64) Cost {
	if calls > 0 && unpriced == calls {
		return Unknown
	}
	return Cost(micros)
}

// MarshalJSON implements [json.Marshaler].
func (c Cost) MarshalJSON() ([]byte, error) {
	if c < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(c), 10), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Cost) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*c = Unknown
		return nil
	}
	return json.Unmarshal(data, (*int64)(c))
}

// CostRow is the figures of one group of calls.
type CostRow struct {
	Key  string `json:"key" doc:"The day, model, tier, id of the repository, or kind of run"`
	Name string `json:"name" doc:"For people: owner/name of a repository that is still there; otherwise the key"`
	CostFigures
}

// Costs are the costs of a span of days.
type Costs struct {
	Span
	GroupBy  string      `json:"groupBy" enum:"day,model,tier,repository,kind"`
	Currency string      `json:"currency" example:"USD"`
	Items    []CostRow   `json:"items" doc:"In the order of the keys; a group without calls is absent"`
	Total    CostFigures `json:"total" doc:"The exact sum of the items"`

	ByDay []CostDay `json:"byDay,omitempty" doc:"The days with calls, in their order; absent where the items are the days"`

	Budget *MonthBudget `json:"budget,omitempty" doc:"Budget of the current month: the tenant's model policy sets it, or else the tenant's settings; for a repository its own. Absent without a budget"`
}

// Costs returns the costs of a tenant, or of one of its repositories if repository is not empty. An empty
// group means by day. Errors: Invalid.
func (s *Service) Costs(ctx context.Context, t domain.Tenant, repository, group, from, to string) (Costs, error) {
	now, err := s.Store.Now(ctx)
	if err != nil {
		return Costs{}, err
	}
	days, err := span(now, from, to)
	if err != nil {
		return Costs{}, err
	}
	out, err := s.costs(ctx, t, repository, group, days)
	if err != nil {
		return out, err
	}
	if out.GroupBy != store.CostsByDay {
		if out.ByDay, err = s.costDays(ctx, t, repository, out); err != nil {
			return out, err
		}
	}
	out.Budget, err = s.budget(ctx, t, repository, now)
	return out, err
}

func (s *Service) costs(ctx context.Context, t domain.Tenant, repository, group string, days Span) (Costs, error) {
	if group == "" {
		group = store.CostsByDay
	}
	out := Costs{Span: days, GroupBy: group, Currency: Currency, Items: []CostRow{}}
	first, last, err := days.us()
	if err != nil {
		return out, err
	}
	rows, err := s.Store.Costs(ctx, t, repository, group, first, last)
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		row := CostRow{Key: r.Key, Name: r.Name, CostFigures: CostFigures{r.Calls, r.Input, r.Cached, r.CacheWrite, r.Output, r.Reasoning,
			costOf(r.CostMicros, r.Calls, r.Unpriced), r.Unpriced, r.Estimated}}
		if group == store.CostsByDay {
			n, err := strconv.ParseInt(r.Key, 10, 64)
			if err != nil {
				return out, err
			}
			row.Key = day(n)
		}
		if row.Name == "" || group != store.CostsByRepository {
			row.Name = row.Key
		}
		out.Items = append(out.Items, row)
		out.Total.add(row.CostFigures)
	}
	return out, nil
}

// day formats a number of days since 1970-01-01 as a date.
func day(n int64) string { return store.Time(n * store.DayUS).Format(time.DateOnly) }
