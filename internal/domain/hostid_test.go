package domain_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

func TestHostIDOfANumber(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{1, -1, 4711, math.MaxInt64, math.MinInt64} {
		id := domain.NumberID(n)
		if got, ok := id.Number(); !ok || got != n || string(id) != strconv.FormatInt(n, 10) {
			t.Errorf("%d is %q, and that is %d, %t", n, id, got, ok)
		}
	}
	if id := domain.NumberID(0); id != "" {
		t.Errorf("no number is %q", id)
	}
	for _, id := range []domain.HostID{"", "0", "-0", "+1", "01", " 1", "1.0", "1e3", "{8f0c}", "9223372036854775808"} {
		if n, ok := id.Number(); ok {
			t.Errorf("%q is the number %d", id, n)
		}
	}
}

func TestHostIDInJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", domain.MaxHostID)
	for raw, want := range map[string]domain.HostID{
		`4711`: "4711", `9223372036854775807`: "9223372036854775807", `0`: "", `null`: "", `""`: "", `"4711"`: "4711", `"{8f0c-1}"`: "{8f0c-1}", `"` + long + `"`: domain.HostID(long),
		`"` + strings.Repeat(`\u0041`, domain.MaxHostID) + `"`: domain.HostID(strings.Repeat("A", domain.MaxHostID)),
	} {
		id := domain.HostID("what was there before")
		if err := json.Unmarshal([]byte(raw), &id); err != nil || id != want {
			t.Errorf("%.40s is %q, %v", raw, id, err)
		}
	}
	for _, raw := range []string{`1.5`, `1e3`, `9223372036854775808`, `true`, `[]`, `{"a":1}`, `"` + long + `x"`, `"` + strings.Repeat(`\u0041`, domain.MaxHostID+1) + `"`} {
		var id domain.HostID
		if err := json.Unmarshal([]byte(raw), &id); err == nil {
			t.Errorf("%.40s is %q", raw, id)
		}
	}
	if got, err := json.Marshal([]domain.HostID{"4711", "", "{8f0c}"}); string(got) != `["4711","","{8f0c}"]` {
		t.Errorf("ids are written %s, %v", got, err)
	}
}

// Stored documents have numbers, and an older version that reads them beside this one understands only
// numbers.
func TestStoredID(t *testing.T) {
	t.Parallel()
	type document struct {
		Comment domain.StoredID `json:"comment"`
		Maybe   domain.StoredID `json:"maybe,omitempty"`
	}
	for raw, want := range map[string]document{
		`{"comment":4711}`:                     {Comment: "4711"},
		`{"comment":0}`:                        {},
		`{"comment":4711,"maybe":12}`:          {Comment: "4711", Maybe: "12"},
		`{"comment":"{8f0c}","maybe":"00012"}`: {Comment: "{8f0c}", Maybe: "00012"},
	} {
		var got document
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got != want {
			t.Errorf("%s is %+v, %v", raw, got, err)
		}
		if out, err := json.Marshal(want); string(out) != raw || err != nil {
			t.Errorf("%+v is written %s, %v; want %s", want, out, err, raw)
		}
	}
}
