package linear

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker/trackertest"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func TestHooks(t *testing.T) {
	trackertest.RunHooks(t, simapi.Linear, Hooks(), simapi.HookSpec{Secret: "a signing secret"}, secret.New("a signing secret"))
}

func FuzzHooks(f *testing.F) {
	trackertest.FuzzHooks(f, Hooks(), "Linear-Signature", `{"action":"update","type":"Issue","data":{"identifier":"PAY-1"},"webhookTimestamp":1790000000000}`,
		`{"type":"Comment","data":{"issue":{"identifier":"PAY-1"}}}`, `{"data":[]}`, strings.Repeat("[", 20_000))
}

func TestHookHeaders(t *testing.T) {
	for name, h := range map[string]http.Header{
		"twice":    {"Linear-Signature": {"a", "b"}},
		"event":    {"Linear-Event": {"Issue\x00"}},
		"delivery": {"Linear-Delivery": {strings.Repeat("a", 200)}},
	} {
		if _, err := readHook(h); err == nil || strings.Contains(err.Error(), "aaaa") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h, err := readHook(http.Header{}); err != nil || h.Proof {
		t.Errorf("without headers: %+v %v", h, err)
	}
}

func TestHookTimes(t *testing.T) {
	for body, want := range map[string]time.Time{
		`{"webhookTimestamp":1790000000000}`:      time.UnixMilli(1790000000000).UTC(),
		`{"webhookTimestamp":-5}`:                 {},
		`{"webhookTimestamp":900000000000000000}`: {},
		`{}`: {},
	} {
		e, err := parseHook(nil, []byte(body))
		if err != nil || !e.SentAt.Equal(want) {
			t.Errorf("%s: %v, %v", body, e.SentAt, err)
		}
	}
}
