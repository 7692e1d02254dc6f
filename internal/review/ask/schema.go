package ask

import (
	"encoding/json"
	"slices"
)

// Schema is a JSON Schema.
type Schema = map[string]any

// Object returns the schema of an object that requires all its properties and allows no others, in the
// subset that strict structured outputs accept.
func Object(properties Schema) Schema {
	required := make([]string, 0, len(properties))
	for k := range properties {
		required = append(required, k)
	}
	slices.Sort(required) // strict mode of OpenAI's structured outputs requires every property
	return Schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// Enum returns the schema of a text that is one of some values.
func Enum(values ...string) Schema { return Schema{"type": "string", "enum": values} }

// Schemas of single values.
var (
	String  = Schema{"type": "string"}
	Integer = Schema{"type": "integer"}
	Number  = Schema{"type": "number"}
	Boolean = Schema{"type": "boolean"}
)

// Array returns the schema of a list.
func Array(item Schema) Schema { return Schema{"type": "array", "items": item} }

// JSON encodes a schema. It panics on a value that JSON cannot hold.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // schemas consist of strings, slices and maps of them
	}
	return b
}
