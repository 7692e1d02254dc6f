package mcpbridge

import (
	"cmp"
	"net/http"
	"strings"
)

// selfDescribing is the first version of the protocol without a handshake: each message names its version, and
// headers of the request repeat its method and name (MCP 2026-07-28, basic/transports, "Standard Headers").
const selfDescribing = "2026-07-28"

// describe sets the headers that a message needs over HTTP but does not have on a stream. negotiated is the
// version from the handshake, "" without one.
func (e envelope) describe(h http.Header, negotiated string) {
	version := cmp.Or(e.Params.Meta.Version, negotiated)
	if !sendable(version) {
		return
	}
	h.Set("Mcp-Protocol-Version", version)
	if version < selfDescribing || !sendable(e.Method) {
		return
	}
	h.Set("Mcp-Method", e.Method)
	name := map[string]string{"tools/call": e.Params.Name, "prompts/get": e.Params.Name, "resources/read": e.Params.URI}[e.Method]
	if sendable(name) {
		h.Set("Mcp-Name", name)
	}
}

// sendable reports whether a text can be sent unchanged as the value of a header.
func sendable(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
