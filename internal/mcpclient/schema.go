package mcpclient

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of a schema and of arguments (design choices: the largest schemas of public servers have about 4 KiB
// and 6 levels).
const (
	maxSchema    = 8 << 10
	maxLevels    = 16
	maxArguments = 4 << 10
)

// Errors of schemas and arguments. They quote neither a server nor a model.
var (
	ErrSchema = errors.New("the schema of the tool cannot be used: it is too large or too deep, refers to others, has names or " +
		"values with characters that do not show, or describes no object")
	errArguments = errors.New("the arguments do not fit the schema of the tool")
)

// Schema is the schema of a tool's arguments. Models see its JSON, and arguments are validated against it. It
// is safe for concurrent use.
type Schema struct {
	JSON     json.RawMessage
	resolved *jsonschema.Resolved
}

// readSchema reads a server's schema for the arguments of a tool; the error is [ErrSchema]. It refuses
// references to other schemas, to itself or to addresses, so nothing is loaded or expanded. It keeps the
// keywords that decide which arguments fit, and descriptions, cleaned and cut. It drops titles, defaults,
// examples, comments and unknown keywords. At any depth, an object that does not define its additional
// properties takes none, and a value without any definition is a text, a number or a boolean.
func readSchema(given any, redactor redactor) (Schema, error) {
	raw, err := json.Marshal(given)
	if err != nil || len(raw) > maxSchema {
		return Schema{}, ErrSchema
	}
	var tree map[string]any
	if json.Unmarshal(raw, &tree) != nil || tree["type"] != "object" || !isBounded(tree, 1) {
		return Schema{}, ErrSchema
	}
	if tree["properties"] == nil { // providers require it
		tree["properties"] = map[string]any{}
	}
	told, ok := shape{redactor}.reduce(tree, closed)
	if !ok {
		return Schema{}, ErrSchema
	}
	var s jsonschema.Schema
	if raw, err = json.Marshal(told); err != nil || json.Unmarshal(raw, &s) != nil {
		return Schema{}, ErrSchema
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return Schema{}, ErrSchema
	}
	return Schema{raw, resolved}, nil
}

// isBounded reports whether a value has few levels and no references.
func isBounded(v any, level int) bool {
	if level > maxLevels {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"}, key) ||
				!isBounded(inner, level+1) {
				return false
			}
		}
	case []any:
		for _, inner := range v {
			if !isBounded(inner, level+1) {
				return false
			}
		}
	}
	return true
}

// Arguments parses a model's arguments for a call and writes them again, with change applied to every text in
// them, names included. The error is [errArguments].
func (s Schema) Arguments(given string, change func(string) string) (json.RawMessage, error) {
	if strings.TrimSpace(given) == "" {
		given = "{}"
	}
	if len(given) > maxArguments || s.resolved == nil {
		return nil, errArguments
	}
	d := json.NewDecoder(strings.NewReader(given))
	var tree map[string]any
	if err := d.Decode(&tree); err != nil || tree == nil {
		return nil, errArguments
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errArguments
	}
	if !hasExactNumbers(tree) {
		return nil, errArguments
	}
	changed := mapTexts(tree, change)
	if s.resolved.Validate(changed) != nil {
		return nil, errArguments
	}
	raw, err := json.Marshal(changed)
	if err != nil {
		return nil, errArguments
	}
	return raw, nil
}

// hasExactNumbers reports whether every number in a parsed value equals the written one. Beyond 2^53 whole numbers are
// rounded, so a call would name another thing.
func hasExactNumbers(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.Abs(v) < 1<<53
	case map[string]any:
		for _, inner := range v {
			if !hasExactNumbers(inner) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(inner any) bool { return !hasExactNumbers(inner) })
	}
	return true
}

// mapTexts returns a parsed value with change applied to every text.
func mapTexts(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			out[change(key)] = mapTexts(inner, change)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = mapTexts(inner, change)
		}
		return out
	}
	return v
}
