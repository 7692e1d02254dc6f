package wire

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// Text is a text that some servers send as a number or a boolean; null and what
// is no scalar are "".
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

// Object is a text as JSON object, for providers that take nothing else as the
// arguments of a call; what is none becomes {}.
func Object(text string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || members == nil {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(text)
}

// Items is a list in which an entry of another kind than T is left out: one odd
// entry spoils no list.
type Items[T any] []T

// UnmarshalJSON implements [json.Unmarshaler]. What is no list is an error.
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

// maxModelID is the longest id that is taken over; longer ones are no model's.
const maxModelID = 256

// ModelList collects models without those whose id is none: too long, twice, or
// with control characters or a secret's look. The zero value is ready.
type ModelList struct {
	seen map[string]bool
	out  []llm.ModelInfo
}

// Add adds a model; the first name that is not empty is shown, or the id.
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

// Says keeps what the provider says of the efforts of a model that was added.
func (l *ModelList) Says(id string, e llm.Efforts) {
	if len(e) == 0 {
		return
	}
	if i := slices.IndexFunc(l.out, func(m llm.ModelInfo) bool { return m.ID == id }); i >= 0 {
		l.out[i].Efforts = e
	}
}

// Models are what was added, never nil.
func (l *ModelList) Models() []llm.ModelInfo { return append([]llm.ModelInfo{}, l.out...) }
