package simtest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Problem returns an error if JSON violates a schema or has members that the schema does not name; nil if it
// is valid.
func Problem(schemas openapi3.Schemas, name, body string) error {
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return err
	}
	known := members(schemas[name])
	object, _ := v.(map[string]any)
	for member := range object {
		if !slices.Contains(known, member) {
			return fmt.Errorf("%s has no member %q", name, member)
		}
	}
	return schemas[name].Value.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
}

func members(s *openapi3.SchemaRef) (out []string) {
	for name := range s.Value.Properties {
		out = append(out, name)
	}
	for _, part := range s.Value.AllOf {
		out = append(out, members(part)...)
	}
	return out
}
