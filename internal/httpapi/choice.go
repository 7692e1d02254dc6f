package httpapi

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// registryKey is where an operation keeps the schemas that its own refers to
// (huma.Operation, Metadata: not part of the description).
const registryKey = "schemas"

// spelled says of each detail of a body what is wrong in it. Of a value that
// none of several schemas takes (an object or null, a word or a list) huma says
// no more than that: it is looked at again with the schema that is meant, and
// what is wrong there takes the place of the detail.
func spelled(op *huma.Operation, details []error) []error {
	if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return details
	}
	registry, ok := op.Metadata[registryKey].(huma.Registry)
	if !ok {
		return details
	}
	return spell(registry, op.RequestBody.Content["application/json"].Schema, details)
}

func spell(registry huma.Registry, root *huma.Schema, details []error) (out []error) {
	for _, detail := range details {
		var d *huma.ErrorDetail
		if !errors.As(detail, &d) || !strings.HasPrefix(d.Location, "body") || d.Message == validation.MsgUnexpectedProperty {
			out = append(out, detail)
			continue
		}
		s := schemaAt(registry, root, strings.TrimPrefix(d.Location, "body"))
		switch {
		case s == nil || len(choices(s)) == 0 || d.Message != validation.MsgExpectedMatchAtLeastOneSchema && d.Message != validation.MsgExpectedMatchExactlyOneSchema:
			out = append(out, d)
		default:
			out = append(out, spell(registry, root, chosen(registry, s, d))...)
		}
	}
	return out
}

// choices are the schemas of which a value has to match one.
func choices(s *huma.Schema) []*huma.Schema {
	return append(s.AnyOf[:len(s.AnyOf):len(s.AnyOf)], s.OneOf...)
}

// chosen is what is wrong with a value in the schema that takes its type, or
// which types would be right.
func chosen(registry huma.Registry, s *huma.Schema, d *huma.ErrorDetail) []error {
	var types []string
	for _, c := range choices(s) {
		for c.Ref != "" {
			c = registry.SchemaFromRef(c.Ref)
		}
		if c.Type != typeOfJSON(d.Value) {
			types = append(types, c.Type)
			continue
		}
		var found huma.ValidateResult
		huma.Validate(registry, c, huma.NewPathBuffer([]byte(d.Location), len(d.Location)), huma.ModeWriteToServer, d.Value, &found)
		return found.Errors
	}
	return []error{&huma.ErrorDetail{Message: "expected " + strings.Join(types, " or "), Location: d.Location}}
}

// typeOfJSON is the type of a decoded value in the words of schemas.
func typeOfJSON(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return huma.TypeBoolean
	case string:
		return huma.TypeString
	case []any:
		return huma.TypeArray
	case map[string]any:
		return huma.TypeObject
	}
	return huma.TypeNumber
}

var step = regexp.MustCompile(`^(?:\.([^.\[\]]+)|\[([0-9]+)\])`)

// schemaAt follows huma's path below the body; nil where the schema has no such
// place.
func schemaAt(registry huma.Registry, s *huma.Schema, path string) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	if s == nil || path == "" {
		return s
	}
	for _, c := range choices(s) {
		if found := schemaAt(registry, c, path); found != nil {
			return found
		}
	}
	m := step.FindStringSubmatch(path)
	if m == nil {
		return nil
	}
	next := s.Properties[m[1]]
	if _, err := strconv.Atoi(m[2]); err == nil {
		next = s.Items
	}
	return schemaAt(registry, next, path[len(m[0]):])
}
