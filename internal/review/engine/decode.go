package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var errNull = errors.New("it is null")

// decodeList reads {"<name>": [...]} from a model's answer. Text around the
// object (a code fence, a sentence) is ignored. Every element is decoded by
// itself; those that do not fit are counted. A list of which none fits is an
// answer that cannot be read: it is no empty one.
func decodeList[T any](answer, name string) (items []T, bad int, err error) {
	raw := []byte(outermost(answer))
	if len(raw) == 0 {
		return nil, 0, errors.New("the answer holds no JSON object")
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, 0, fmt.Errorf("the answer is not valid JSON: %w", err)
	}
	list, ok := top[name]
	if !ok {
		return nil, 0, fmt.Errorf("the answer has no member %q", name)
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(list, &elements); err != nil || elements == nil {
		return nil, 0, fmt.Errorf("member %q is not a list: %w", name, cmp.Or(err, errNull))
	}
	if items, bad = decodeElements[T](elements); len(items) == 0 && bad > 0 {
		return nil, 0, fmt.Errorf("no element of member %q is an object as the schema asks", name)
	}
	return items, bad, nil
}

func decodeElements[T any](elements []json.RawMessage) (items []T, bad int) {
	for _, e := range elements {
		var item T
		if err := json.Unmarshal(e, &item); err != nil || !bytes.HasPrefix(bytes.TrimSpace(e), []byte("{")) {
			bad++
			continue
		}
		items = append(items, item)
	}
	return items, bad
}

// outermost returns the text from the first brace to the last.
func outermost(s string) string {
	from, to := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	if from < 0 || to < from {
		return ""
	}
	return s[from : to+1]
}

// salvage reads the complete elements of the list "<name>" from an answer that
// breaks off or is wrong further on.
func salvage[T any](answer, name string) []T {
	at := strings.Index(answer, `"`+name+`"`)
	if at < 0 {
		return nil
	}
	open := strings.IndexByte(answer[at:], '[')
	if open < 0 {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(answer[at+open:]))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var elements []json.RawMessage
	for dec.More() {
		var e json.RawMessage
		if err := dec.Decode(&e); err != nil {
			break
		}
		elements = append(elements, e)
	}
	items, _ := decodeElements[T](elements)
	return items
}
