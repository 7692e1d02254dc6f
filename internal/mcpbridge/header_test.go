package mcpbridge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A message of a protocol version without a handshake has headers that repeat its fields. An older message
// has only the header with the version of the handshake.
func TestHeadersOfMessages(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for what, tc := range map[string]struct{ message, negotiated, version, method, name string }{
		"the first of a handshake":          {`{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, "", "", "", ""},
		"one after it":                      {`{"id":2,"method":"tools/call","params":{"name":"list_rules"}}`, "2025-11-25", "2025-11-25", "", ""},
		"a list":                            {`{"id":1,"method":"tools/list","params":{` + meta + `}}`, "", "2026-07-28", "tools/list", ""},
		"a tool":                            {`{"id":1,"method":"tools/call","params":{"name":"list_rules",` + meta + `}}`, "", "2026-07-28", "tools/call", "list_rules"},
		"a resource":                        {`{"id":1,"method":"resources/read","params":{"uri":"assay://repositories/r/rules",` + meta + `}}`, "", "2026-07-28", "resources/read", "assay://repositories/r/rules"},
		"a name that is not a header value": {`{"id":1,"method":"prompts/get","params":{"name":"a\nb",` + meta + `}}`, "", "2026-07-28", "prompts/get", ""},
		"an invalid version":                {`{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026\r\nX: y"}}}`, "", "", "", ""},
	} {
		var e envelope
		testkit.OK(t, json.Unmarshal([]byte(tc.message), &e))
		h := http.Header{}
		e.describe(h, tc.negotiated)
		testkit.Equal(t, what, fmt.Sprint(h.Get("Mcp-Protocol-Version"), "|", h.Get("Mcp-Method"), "|", h.Get("Mcp-Name")), fmt.Sprint(tc.version, "|", tc.method, "|", tc.name))
	}
}
