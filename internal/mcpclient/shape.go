package mcpclient

import "slices"

// Bounds of the texts of a schema, in characters (design choices).
const (
	maxSchemaText = 500 // reduce a description
	maxProperty   = 100 // reduce the name of a property
)

// standing tells whether a place of a schema must define what it accepts.
type standing uint8

const (
	closed standing = iota // it must, and so must everything below it
	beside                 // the keywords beside it define it; everything below it must define itself
	open                   // neither: it is a condition, which must not become narrower
)

// below returns the standing of the values inside a value.
func (s standing) below() standing {
	if s == open {
		return open
	}
	return closed
}

// branch returns the standing of an alternative of a value.
func (s standing) branch() standing { return max(s, beside) }

// shape turns a server's schema into the one that models and administrators see.
type shape struct{ redactor redactor }

// reduce returns a schema reduced to the needed parts; false if it cannot be used.
func (h shape) reduce(v any, at standing) (any, bool) {
	if yes, ok := v.(bool); ok {
		if yes && at == closed {
			return plainValue(), true
		}
		return yes, true
	}
	in, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	out := map[string]any{}
	for key, inner := range in {
		value, keep, ok := h.keyword(key, inner, at)
		if !ok {
			return nil, false
		}
		if keep {
			out[key] = value
		}
	}
	if at != open {
		narrow(out, at)
	}
	return out, true
}

// keyword returns the reduced value of a keyword, and whether to keep it.
func (h shape) keyword(key string, v any, at standing) (value any, keep, ok bool) {
	switch key {
	case "description":
		text, _ := v.(string)
		text = h.redactor.clean(text, maxSchemaText)
		return text, text != "", true
	case "type", "enum", "const", "format", "pattern", "required", "dependentRequired", "multipleOf", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties":
		return v, true, h.literal(v)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if said, all := v.(map[string]any); v == true || all && len(said) == 0 {
			return true, true, true // the server says explicitly that it takes anything
		}
		value, ok = h.reduce(v, at.below())
	case "items":
		value, ok = h.reduce(v, at.below())
	case "prefixItems":
		value, ok = h.list(v, at.below())
	case "properties", "patternProperties":
		value, ok = h.named(v, at.below())
	case "anyOf", "oneOf", "allOf":
		value, ok = h.list(v, at.branch())
	case "then", "else":
		value, ok = h.reduce(v, at.branch())
	case "dependentSchemas":
		value, ok = h.named(v, at.branch())
	case "not", "if", "contains", "propertyNames":
		value, ok = h.reduce(v, open)
	default:
		return nil, false, true
	}
	return value, true, ok
}

func (h shape) list(v any, at standing) (any, bool) {
	in, ok := v.([]any)
	out := make([]any, len(in))
	for i := range in {
		var fits bool
		out[i], fits = h.reduce(in[i], at)
		ok = ok && fits
	}
	return out, ok
}

func (h shape) named(v any, at standing) (any, bool) {
	in, ok := v.(map[string]any)
	out := map[string]any{}
	for name, inner := range in {
		value, fits := h.reduce(inner, at)
		ok = ok && fits && h.literal(name) && truncate(name, maxProperty) == name
		out[name] = value
	}
	return out, ok
}

// literal reports whether cleaning would not change a value that decides which arguments fit. Such a value
// cannot be cleaned, because its meaning would change.
func (h shape) literal(v any) bool {
	switch v := v.(type) {
	case string:
		return h.redactor.same(v)
	case []any:
		return !slices.ContainsFunc(v, func(inner any) bool { return !h.literal(inner) })
	case map[string]any:
		for key, inner := range v {
			if !h.literal(key) || !h.literal(inner) {
				return false
			}
		}
	}
	return true
}

// narrow completes a schema that does not define what it accepts.
func narrow(s map[string]any, at standing) {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { _, ok := s[k]; return ok })
	}
	branches := has("anyOf", "oneOf", "allOf", "if", "then", "else", "dependentSchemas")
	if at == closed && !has("type") {
		switch {
		case has("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required", "minProperties"):
			s["type"] = "object"
		case has("items", "prefixItems", "contains", "minItems"):
			s["type"] = "array"
		case branches, has("enum", "const"):
		default:
			s["anyOf"] = plainValue()["anyOf"]
			return
		}
	}
	if takes(s["type"], "array") && !has("items", "unevaluatedItems") {
		s["items"] = plainValue()
	}
	if at != closed || has("additionalProperties", "unevaluatedProperties") {
		return
	}
	if branches { // properties named in branches count as named
		s["unevaluatedProperties"] = false
	} else if takes(s["type"], "object") {
		s["additionalProperties"] = false
	}
}

// takes reports whether the value of "type" includes a type.
func takes(types any, one string) bool {
	list, _ := types.([]any)
	return types == one || slices.Contains(list, any(one))
}

// plainValue returns the schema of a text, a number or a boolean.
func plainValue() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "number"},
		map[string]any{"type": "boolean"}}}
}
