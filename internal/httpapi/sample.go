package httpapi

import (
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// sampleTime is the time in every example.
var sampleTime = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// sample returns an example value that fits a schema: examples of fields if the schema has them, the first
// value of an enumeration, the smallest number or list. It includes an optional property only if the
// property has an example, or if all is true.
func sample(r huma.Registry, s *huma.Schema, all bool) any { return sampleAt(r, s, all, 0) }

func sampleAt(r huma.Registry, s *huma.Schema, all bool, depth int) any {
	if s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	if s == nil || depth > 12 {
		return nil
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Const != nil:
		return s.Const
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return sampleAt(r, s.AnyOf[0], all, depth+1)
	case len(s.OneOf) > 0:
		return sampleAt(r, s.OneOf[0], all, depth+1)
	case len(s.AllOf) > 0:
		return sampleAt(r, s.AllOf[0], all, depth+1)
	}
	switch s.Type {
	case "object":
		return sampleObject(r, s, all, depth)
	case "array":
		out := []any{}
		if s.Items != nil && (all || s.MinItems != nil && *s.MinItems > 0) {
			out = append(out, sampleAt(r, s.Items, all, depth+1))
		}
		return out
	case "string":
		return sampleText(s)
	case "boolean":
		return false
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 0
	}
	return nil
}

func sampleObject(r huma.Registry, s *huma.Schema, all bool, depth int) map[string]any {
	out := map[string]any{}
	for name, p := range s.Properties {
		own := p
		if p.Ref != "" {
			own = r.SchemaFromRef(p.Ref)
		}
		if all || slices.Contains(s.Required, name) || own != nil && len(own.Examples) > 0 {
			out[name] = sampleAt(r, p, all, depth+1)
		}
	}
	return out
}

func sampleText(s *huma.Schema) string {
	switch s.Format {
	case "date-time":
		return sampleTime.Format(time.RFC3339)
	case "date":
		return sampleTime.Format(time.DateOnly)
	case "uri":
		return "https://example.com"
	case "email":
		return "mona@example.com"
	}
	text := "example"
	if s.MinLength != nil && len(text) < *s.MinLength {
		text += strings.Repeat("-", *s.MinLength-len(text))
	}
	if s.MaxLength != nil && len(text) > *s.MaxLength {
		text = text[:*s.MaxLength]
	}
	return text
}
