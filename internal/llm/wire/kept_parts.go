package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// KeptItem is one part of an answer, in the answer's order: content that only its provider reads, or a mark at
// the place of the text or of a call.
type KeptItem struct {
	Opaque json.RawMessage `json:"opaque,omitempty"`
	Text   bool            `json:"text,omitempty"`
	Call   string          `json:"call,omitempty"` // the call's id
}

// kept is the form of [llm.Response.Kept].
type kept struct {
	Codec string     `json:"codec"`
	Items []KeptItem `json:"items"`
}

// Keep makes [llm.Response.Kept] from an answer's items. It returns nil if no item is opaque or if the result
// exceeds [llm.MaxKept].
func Keep(codec string, items []KeptItem) json.RawMessage {
	items = slices.DeleteFunc(items, func(i KeptItem) bool { return len(i.Opaque) == 0 && !i.Text && i.Call == "" })
	if !slices.ContainsFunc(items, func(i KeptItem) bool { return len(i.Opaque) > 0 }) {
		return nil
	}
	raw, err := json.Marshal(kept{codec, items})
	if err != nil || len(raw) > llm.MaxKept {
		return nil
	}
	return raw
}

// Reasoned puts the reasoning in place of the text if the answer ended without text and calls, because some
// servers put a reasoning model's whole answer there.
func Reasoned(out *llm.Response, reasoning string) {
	ended := out.StopReason == llm.StopEnd || out.StopReason == llm.StopOther
	if ended && len(out.ToolCalls) == 0 && strings.TrimSpace(out.Text) == "" {
		out.Text = reasoning
	}
}

// Kept returns the items that the same codec kept; nil for anything else.
func Kept(codec string, raw json.RawMessage) []KeptItem {
	var k kept
	if len(raw) == 0 || json.Unmarshal(raw, &k) != nil || k.Codec != codec {
		return nil
	}
	return k.Items
}

// Arrange puts the parts of an earlier answer into their original order, with the kept parts in between. Parts
// without a mark come last.
func Arrange[B any](codec string, m llm.Message, text []B, call func(llm.ToolCall) B) []B {
	var out []B
	calls := slices.Clone(m.ToolCalls)
	for _, it := range Kept(codec, m.Kept) {
		switch {
		case len(it.Opaque) > 0:
			var b B
			if json.Unmarshal(it.Opaque, &b) == nil {
				out = append(out, b)
			}
		case it.Text:
			out, text = append(out, text...), nil
		case it.Call != "":
			if i := slices.IndexFunc(calls, func(c llm.ToolCall) bool { return c.ID == it.Call }); i >= 0 {
				out, calls = append(out, call(calls[i])), slices.Delete(calls, i, i+1)
			}
		}
	}
	out = append(out, text...)
	for _, c := range calls {
		out = append(out, call(c))
	}
	return out
}
