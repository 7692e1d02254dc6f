package httpapi

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// registryKey is the key in an operation's metadata for the registry of the schemas that its own schema
// refers to. Metadata is not part of the description (huma.Operation).
const registryKey = "schemas"

// explainChoices replaces huma's details for values that must match one of several schemas (an object or null, a
// text or a list), because these only say that no schema matches. It validates such a value with the schema
// of its type and returns the errors found there.
func explainChoices(op *huma.Operation, details []error) []error {
	if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return details
	}
	registry, ok := op.Metadata[registryKey].(huma.Registry)
	if !ok {
		return details
	}
	return explainDetails(registry, op.RequestBody.Content["application/json"].Schema, details)
}

func explainDetails(registry huma.Registry, root *huma.Schema, details []error) (out []error) {
	for _, detail := range details {
		var d *huma.ErrorDetail
		if !errors.As(detail, &d) || !strings.HasPrefix(d.Location, "body") || d.Message == validation.MsgUnexpectedProperty {
			out = append(out, detail)
			continue
		}
		s := schemaAt(registry, root, strings.TrimPrefix(d.Location, "body"))
		switch {
		case s == nil || len(choices(s)) == 0 || d.Message != validation.MsgExpectedMatchAtLeastOneSchema &&
			d.Message != validation.MsgExpectedMatchExactlyOneSchema:
			out = append(out, d)
		default:
			out = append(out, explainDetails(registry, root, chosenErrors(registry, s, d))...)
		}
	}
	return out
}

// choices returns the alternative schemas of a value.
func choices(s *huma.Schema) []*huma.Schema {
	return append(s.AnyOf[:len(s.AnyOf):len(s.AnyOf)], s.OneOf...)
}

// chosenErrors returns the errors of a value in the alternative that has its type, or an error that lists the
// possible types.
func chosenErrors(registry huma.Registry, s *huma.Schema, d *huma.ErrorDetail) []error {
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

// typeOfJSON returns the schema type of a decoded value.
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

// schemaAt follows huma's path below the body. It returns nil if the schema has no such place.
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
