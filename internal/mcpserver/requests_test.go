package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMCPRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	c := o.caller(o.mona, "rules:read")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for what, tc := range map[string]struct {
		body, code string
		headers    []string
	}{
		"accept":      {list, "not_acceptable", []string{"Accept", "application/json"}},
		"version":     {list, "unsupported_protocol_version", []string{"Mcp-Protocol-Version", "2020-01-01"}},
		"no JSON":     {`{"jsonrpc":`, "malformed_message", nil},
		"no message":  {`{}`, "malformed_message", nil},
		"two":         {list + list, "malformed_message", nil},
		"deep":        {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}`, "malformed_message", nil},
		"large batch": {"[" + strings.Repeat(list+",", 20) + list + "]", "batch_size", nil},
		"no batch":    {"[]", "batch_size", nil},
	} {
		o.refused(what, c, tc.body, errs.Malformed, tc.code, tc.headers...)
	}
	if status, answer, err := o.post(c, list); err != nil || status != 200 || !strings.Contains(answer, `"list_rules"`) || strings.Contains(answer, `"get_review"`) {
		t.Errorf("list: %v, %d %s", err, status, answer)
	}
}

// A client with an old version of the protocol is answered in that version, and one with an unknown version
// in a supported one (MCP 2025-11-25, basic/lifecycle, "Version Negotiation"). A request that names an
// unknown version gets the list of supported ones.
func TestVersionsOfTheProtocol(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	c := o.caller(o.mona, "rules:read")
	for wanted, answered := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2020-01-01": "2025-11-25", "2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "hello": "2025-11-25"} {
		status, answer, err := o.post(c, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+wanted+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		if err != nil || status != 200 || !strings.Contains(answer, `"protocolVersion":"`+answered+`"`) || !strings.Contains(answer, `"name":"assay"`) {
			t.Errorf("%s: %v, %d %s", wanted, err, status, answer)
		}
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	status, _, err := o.post(c, list, "Mcp-Protocol-Version", "2025-03-26")
	testkit.OK(t, err)
	testkit.Equal(t, "an old version", status, 200)
	future := strings.Replace(list, `"params":{}`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`, 1)
	for version, body := range map[string]string{"2020-01-01": list, "hello": future, "2099-01-01": future} {
		status, answer, err := o.post(c, body, "Mcp-Protocol-Version", version)
		if err != nil {
			status, answer = 400, err.Error()
		}
		if status != 400 || strings.Contains(answer, `"result"`) {
			t.Errorf("%s: %d %s", version, status, answer)
		}
		for _, known := range mcp.SupportedProtocolVersions() {
			if !strings.Contains(answer, known) {
				t.Errorf("%s: the refusal does not name %s: %s", version, known, answer)
			}
		}
	}
}
