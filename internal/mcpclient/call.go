package mcpclient

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/outbound"
)

// MaxResult bounds the characters of a result (design choice: a few times the room in a conversation).
const MaxResult = 32_000

// Result is a tool's answer: untrusted text, cleaned and cut, without our credential.
type Result struct {
	Text   string
	Failed bool // the tool reports a failure
}

// Call calls a tool with arguments, a JSON object, within the given time. It names and leaves out content that
// is not text, and opens no links. Errors are of type [*Error]. It is safe for concurrent use.
func Call(ctx context.Context, f *outbound.Factory, s Server, tool string, arguments json.RawMessage,
	within time.Duration) (Result, error) {
	ctx, session, err := connect(ctx, f, s, within)
	if err != nil {
		return Result{}, err
	}
	defer session.end()
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return Result{}, session.explain(ctx, "call", err, within)
	}
	return Result{Text: newRedactor(s.Value).clean(textOf(answer), MaxResult), Failed: answer.IsError}, nil
}

// textOf returns the unchanged text of a result, or its structured value if it has no text.
func textOf(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		default:
			parts = append(parts, "[left out: not text]")
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	return strings.Join(parts, "\n")
}
