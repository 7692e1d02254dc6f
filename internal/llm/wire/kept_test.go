package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Kept parts return to their positions, and parts without a recorded position come last.
func TestKept(t *testing.T) {
	t.Parallel()
	opaque := func(s string) wire.KeptItem { return wire.KeptItem{Opaque: json.RawMessage(`"` + s + `"`)} }
	items := []wire.KeptItem{opaque("first"), {Text: true}, {Call: "b"}, opaque("second"), {Call: "a"}, {}}
	calls := []llm.ToolCall{{ID: "a"}, {ID: "b"}, {ID: "c"}, {}}
	for name, c := range map[string]struct {
		kept json.RawMessage
		want string
	}{
		"in its order":       {wire.Keep("x", items), "first text b second a c -"},
		"from another codec": {wire.Keep("y", items), "text a b c -"},
		"nothing":            {nil, "text a b c -"},
		"no JSON":            {json.RawMessage(`{`), "text a b c -"},
		"nothing opaque":     {wire.Keep("x", items[1:3]), "text a b c -"},
		"larger than fits":   {wire.Keep("x", append(items, opaque(strings.Repeat("x", llm.MaxKept)))), "text a b c -"},
		"not of this shape":  {json.RawMessage(`{"codec":"x","items":[{"opaque":{"a":1}},{"call":"c"}]}`), "c text a b -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := wire.Arrange("x", llm.Message{ToolCalls: calls, Kept: c.kept}, []string{"text"}, func(c llm.ToolCall) string {
				if c.ID == "" {
					return "-"
				}
				return c.ID
			})
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}
