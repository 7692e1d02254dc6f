package mcpclient

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/outbound"
)

// MaxResult bounds the characters of a result that are kept (design choice: a
// few times what a conversation has room for).
const MaxResult = 32_000

// Result is what a tool has answered: text from outside, cleaned and cut, without what
// was sent to prove who asks.
type Result struct {
	Text   string
	Failed bool // the tool itself says that it failed
}

// Call calls a tool with arguments, a JSON object, within the given time. What a
// result holds beside text is named and left out; nothing that it links to is
// opened. Errors are of type [*Error]. It is safe for concurrent use.
func Call(ctx context.Context, f *outbound.Factory, s Server, tool string, arguments json.RawMessage, within time.Duration) (Result, error) {
	ctx, session, err := connect(ctx, f, s, within)
	if err != nil {
		return Result{}, err
	}
	defer session.end()
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return Result{}, session.explain(ctx, "call", err, within)
	}
	return Result{Text: ownOf(s.Value).clean(textOf(answer), MaxResult), Failed: answer.IsError}, nil
}

// textOf is the text of a result as it came; the structured value where it has no text.
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
