package byhand

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// sheet names a request.
type sheet struct {
	number           int
	name, hash, tier string
}

// render writes a request in Markdown.
func render(s sheet, r llm.Request) string {
	var b strings.Builder
	stage := prompt.Stage(r.System)
	if stage == "" {
		stage = "a request"
	}
	fmt.Fprintf(&b, "# Request %d: %s\n\n", s.number, stage)
	fmt.Fprintf(&b, "- Purpose: %s\n- Tier: %s\n- Most tokens of the answer: %d\n- Hash: %s\n\n", stage, s.tier, r.MaxOutputTokens, s.hash)
	fmt.Fprintf(&b, "Answer as the model would, from this file alone. Write one JSON object by the schema at the end into `%s`, at most "+
		"%d bytes. Write it under another name first and rename it, or save it at once. If it cannot be used, `%s` says why.\n",
		s.name+endAnswer, maxAnswer, s.name+endError)
	if len(r.Tools) > 0 {
		b.WriteString("\nTo look something up first, answer with calls of the tools below. Their results come as a new request:\n\n")
		b.WriteString(fence("json", `{"tool_calls": [{"name": "…", "arguments": {}}]}`))
	}
	if r.System != "" {
		b.WriteString("\n## System\n\n" + fence("", r.System))
	}
	for i, m := range r.Messages {
		fmt.Fprintf(&b, "\n## Message %d: %s\n\n", i+1, speaker(m))
		if m.Text != "" {
			b.WriteString(fence("", m.Text))
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "\nCall %s of %s:\n\n%s", c.ID, c.Name, fence("json", c.Arguments))
		}
	}
	for i, t := range r.Tools {
		if i == 0 {
			b.WriteString("\n## Tools\n")
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n%s", t.Name, fence("", t.Description), fence("json", indented(t.Parameters)))
	}
	if r.Schema != nil {
		fmt.Fprintf(&b, "\n## Schema of the answer\n\n%s", fence("json", indented(r.Schema.JSON)))
	}
	return b.String()
}

func speaker(m llm.Message) string {
	if m.Role == llm.ToolResult {
		return "result of " + m.ToolCallID
	}
	return string(m.Role)
}

// fence puts a text between lines of backticks that the text does not contain.
func fence(kind, text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	line := strings.Repeat("`", longest+1)
	return line + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + line + "\n"
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
