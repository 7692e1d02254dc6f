package analytics

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 13, 14, 15, 0, time.UTC).UnixMicro()
	for name, tc := range map[string]struct{ from, to, want, wrong string }{
		"no span is given":              {"", "", "2026-10-24 2026-11-22", ""},
		"until a day":                   {"", "2026-03-01", "2026-01-31 2026-03-01", ""},
		"from a day":                    {"2026-11-22", "", "2026-11-22 2026-11-22", ""},
		"a day":                         {"2026-02-02", "2026-02-02", "2026-02-02 2026-02-02", ""},
		"the maximum of days":           {"2024-01-01", "2025-02-03", "2024-01-01 2025-02-03", ""},
		"a day more":                    {"2024-01-01", "2025-02-04", "", "query/from"},
		"backwards":                     {"2026-02-02", "2026-02-01", "", "query/from"},
		"no day":                        {"yesterday", "", "", "query/from"},
		"a time":                        {"2026-01-01T00:00:00Z", "", "", "query/from"},
		"a day that does not exist":     {"", "2026-02-30", "", "query/to"},
		"before the first possible day": {"1969-12-31", "1970-01-01", "", "query/from"},
		"neither is a day":              {"x", "y", "", "query/to query/from"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := span(now, tc.from, tc.to)
			wrong := ""
			if e, ok := errors.AsType[*errs.Error](err); ok {
				for i, f := range e.Fields {
					if i > 0 {
						wrong += " "
					}
					wrong += f.Pointer
				}
			}
			if wrong != tc.wrong || wrong == "" && got.From+" "+got.To != tc.want {
				t.Errorf("%+v, wrong %q; want %q, wrong %q", got, wrong, tc.want, tc.wrong)
			}
		})
	}
}

func TestSpanInMicroseconds(t *testing.T) {
	t.Parallel()
	from, to, err := Span{"1970-01-02", "1970-01-03"}.us()
	if err != nil || from != store.DayUS || to != 3*store.DayUS {
		t.Errorf("from %d to %d, %v", from, to, err)
	}
}

// A sum is unknown only if none of its calls has a price. Calls without a price do not count as free.
func TestCostFiguresAdd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rows []CostFigures
		want string
	}{
		"nothing":               {nil, "0"},
		"known":                 {[]CostFigures{{Calls: 1, CostMicros: 2}, {Calls: 1, CostMicros: 3}}, "5"},
		"unknown":               {[]CostFigures{{Calls: 2, CostMicros: Unknown, UnpricedCalls: 2}, {Calls: 1, CostMicros: Unknown, UnpricedCalls: 1}}, "null"},
		"unknown, then known":   {[]CostFigures{{Calls: 2, CostMicros: Unknown, UnpricedCalls: 2}, {Calls: 1, CostMicros: 3}}, "3"},
		"known to cost nothing": {[]CostFigures{{Calls: 1, CostMicros: 0}}, "0"},
		"unknown and free":      {[]CostFigures{{Calls: 1, CostMicros: 0}, {Calls: 1, CostMicros: Unknown, UnpricedCalls: 1}}, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum CostFigures
			for _, row := range tc.rows {
				sum.add(row)
			}
			got, err := json.Marshal(sum.CostMicros)
			if err != nil || string(got) != tc.want {
				t.Errorf("%s, %v, want %s", got, err, tc.want)
			}
			var back Cost
			if err := json.Unmarshal(got, &back); err != nil || back != sum.CostMicros {
				t.Errorf("read back %d, %v", back, err)
			}
		})
	}
}
