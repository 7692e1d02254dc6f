package wire

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// Text is a text that some servers send as a number or a boolean. Null, objects and lists become "".
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Text) UnmarshalJSON(raw []byte) error {
	var s string
	switch {
	case json.Unmarshal(raw, &s) == nil:
		*l = Text(s)
	case len(raw) > 0 && (raw[0] == '{' || raw[0] == '['), string(raw) == "null":
		*l = ""
	default:
		*l = Text(raw)
	}
	return nil
}

// Count is a number of tokens: never negative, 0 when it is not a number.
type Count int64

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Count) UnmarshalJSON(raw []byte) error {
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f > 0 {
		*c = Count(min(f, 1e12))
	}
	return nil
}

// Object returns a text as a JSON object, for providers that take only objects as the arguments of a call. Any
// other text becomes {}.
func Object(text string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || members == nil {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(text)
}

// Items is a list that leaves out entries of another type than T, so that one odd entry does not spoil it.
type Items[T any] []T

// UnmarshalJSON implements [json.Unmarshaler]. It returns an error if the value is not a list.
func (l *Items[T]) UnmarshalJSON(raw []byte) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil || entries == nil {
		return err
	}
	*l = Items[T]{}
	for _, e := range entries {
		var v T
		if json.Unmarshal(e, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// maxModelID bounds a model's id in bytes; longer ids are ignored.
const maxModelID = 256

// ModelList collects models and skips unusable ids: too long, repeated, with control characters, or like a
// secret. The zero value is ready to use.
type ModelList struct {
	seen map[string]bool
	out  []llm.ModelInfo
}

// Add adds a model with its first name that is not empty, or its id.
func (l *ModelList) Add(id string, names ...string) {
	if id == "" || len(id) > maxModelID || l.seen[id] || id != llm.SafeMessage(id) {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[id] = true
	shown := id
	for i := len(names) - 1; i >= 0; i-- {
		if n := strings.TrimSpace(llm.SafeMessage(names[i])); n != "" {
			shown = n
		}
	}
	l.out = append(l.out, llm.ModelInfo{ID: id, DisplayName: shown})
}

// Says records the provider's list of efforts for a model that was added.
func (l *ModelList) Says(id string, e llm.Efforts) {
	if len(e) == 0 {
		return
	}
	if i := slices.IndexFunc(l.out, func(m llm.ModelInfo) bool { return m.ID == id }); i >= 0 {
		l.out[i].Efforts = e
	}
}

// Models returns the added models, never nil.
func (l *ModelList) Models() []llm.ModelInfo { return append([]llm.ModelInfo{}, l.out...) }
