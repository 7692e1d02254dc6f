package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// strictProblem returns why strict structured outputs refuse a schema, "" if they accept it: every object
// needs additionalProperties false and all its properties required (OpenAI's guide to structured outputs).
func strictProblem(schema any, context string) string {
	m, ok := schema.(map[string]any)
	if !ok {
		return "In context=" + context + ", schema must be a JSON Schema of 'type: \"object\"'."
	}
	if context == "()" && !slices.Contains(typesOf(m), "object") {
		return "schema must be a JSON Schema of 'type: \"object\"', got another type."
	}
	if slices.Contains(typesOf(m), "object") {
		if m["additionalProperties"] != false {
			return "In context=" + context + ", 'additionalProperties' is required to be supplied and to be false."
		}
		properties, _ := m["properties"].(map[string]any)
		required, _ := m["required"].([]any)
		for name, p := range properties {
			if !slices.Contains(required, any(name)) {
				return "In context=" + context + ", 'required' is required to be supplied and to be an array including every key in " +
					"properties. Missing '" + name + "'."
			}
			if why := strictProblem(p, context+".properties."+name); why != "" {
				return why
			}
		}
	}
	if items, ok := m["items"]; ok {
		if why := strictProblem(items, context+".items"); why != "" {
			return why
		}
	}
	for _, group := range []string{"$defs", "definitions"} {
		defs, _ := m[group].(map[string]any)
		for name, d := range defs {
			if why := strictProblem(d, context+"."+group+"."+name); why != "" && !strings.HasPrefix(why, "schema must") {
				return why
			}
		}
	}
	alternatives, _ := m["anyOf"].([]any)
	for _, a := range alternatives {
		if why := strictProblem(a, context+".anyOf"); why != "" {
			return why
		}
	}
	return ""
}

func typesOf(m map[string]any) []string {
	switch t := m["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, v := range t {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	if _, ok := m["properties"]; ok {
		return []string{"object"}
	}
	return nil
}

// maxDepth bounds recursive schemas.
const maxDepth = 24

// smallest returns the smallest instance of a schema: empty arrays and texts, the first value of an
// enumeration, false, and null if it is allowed.
func smallest(raw json.RawMessage) (json.RawMessage, error) {
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, err
	}
	return plainJSON(instance(schema, schema, 0))
}

func instance(root, schema map[string]any, depth int) any {
	if depth > maxDepth {
		return nil
	}
	if ref, ok := schema["$ref"].(string); ok {
		return instance(root, resolve(root, ref), depth+1)
	}
	if v, ok := schema["const"]; ok {
		return v
	}
	if e, ok := schema["enum"].([]any); ok && len(e) > 0 {
		return e[0]
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema[key].([]any)
		if len(list) == 0 {
			continue
		}
		first, _ := list[0].(map[string]any)
		return instance(root, first, depth+1)
	}
	types := typesOf(schema)
	switch {
	case slices.Contains(types, "null"):
		return nil
	case len(types) == 0:
		return map[string]any{}
	}
	switch types[0] {
	case "object":
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, r := range required {
			name, _ := r.(string)
			p, _ := properties[name].(map[string]any)
			out[name] = instance(root, p, depth+1)
		}
		return out
	case "array":
		out := []any{}
		least, _ := schema["minItems"].(float64)
		items, _ := schema["items"].(map[string]any)
		for range min(int(least), 100) {
			out = append(out, instance(root, items, depth+1))
		}
		return out
	case "string":
		least, _ := schema["minLength"].(float64)
		return strings.Repeat("x", min(int(least), 10_000))
	case "integer", "number":
		least, _ := schema["minimum"].(float64)
		return least
	case "boolean":
		return false
	}
	return nil
}

// resolve follows a reference within the schema; an unknown one gives an empty schema.
func resolve(root map[string]any, ref string) map[string]any {
	var at any = root
	if ref != "#" {
		for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		}
	}
	m, _ := at.(map[string]any)
	return m
}
