package httpapi

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// refuseNulls refuses null where the description does not allow it. Huma's checks accept null for every
// optional property, and decoding would treat it as absent.
func refuseNulls(op *huma.Operation, data []byte) error {
	if !bytes.Contains(data, []byte("null")) {
		return nil
	}
	var v any
	if decodeJSON(data, &v) != nil || v == nil { // the next decoder reports the error
		return nil
	}
	registry, _ := op.Metadata[registryKey].(huma.Registry) // see [operation]
	fields := strayNulls(registry, op.RequestBody.Content["application/json"].Schema, v)
	if len(fields) == 0 {
		return nil
	}
	return &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.", Fields: fields}
}

// strayNulls returns the first 50 places, ordered by pointer, of nulls that the schema does not allow.
func strayNulls(r huma.Registry, s *huma.Schema, v any) []errs.Field {
	fields := nullsIn(r, s, v, "")
	slices.SortFunc(fields, func(a, b errs.Field) int { return cmp.Compare(a.Pointer, b.Pointer) })
	return fields[:min(len(fields), 50)]
}

// nullsIn finds the nulls in a value that its schema does not allow. It ignores unknown properties, so that
// errors do not repeat names from the request.
func nullsIn(r huma.Registry, s *huma.Schema, v any, pointer string) (out []errs.Field) {
	s = deref(r, s)
	switch {
	case s == nil:
		return nil
	case v == nil && !takesNull(r, s):
		return []errs.Field{{Pointer: pointer, Message: "must not be null"}}
	case v == nil:
		return nil
	}
	for _, one := range slices.Concat(s.AnyOf, s.OneOf) {
		if one = deref(r, one); one != nil && one.Type == schemaTypeOf(v) {
			out = append(out, nullsIn(r, one, v, pointer)...)
		}
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			out = append(out, nullsIn(r, s.Items, e, pointer+"/"+strconv.Itoa(i))...)
		}
	case map[string]any:
		for name, p := range s.Properties {
			if e, there := v[name]; there {
				out = append(out, nullsIn(r, p, e, pointer+"/"+name)...)
			}
		}
	}
	return out
}

// takesNull reports whether a schema allows null.
func takesNull(r huma.Registry, s *huma.Schema) bool {
	s = deref(r, s)
	if s == nil || s.Nullable || s.Type == "null" {
		return true
	}
	if len(s.AnyOf)+len(s.OneOf) == 0 {
		return s.Type == "" // a schema without a type allows everything
	}
	return slices.ContainsFunc(slices.Concat(s.AnyOf, s.OneOf), func(one *huma.Schema) bool { return takesNull(r, one) })
}

// schemaTypeOf returns the schema type of a decoded value.
func schemaTypeOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return huma.TypeObject
	case []any:
		return huma.TypeArray
	case string:
		return huma.TypeString
	case bool:
		return huma.TypeBoolean
	}
	return huma.TypeNumber
}

func deref(r huma.Registry, s *huma.Schema) *huma.Schema {
	if s != nil && s.Ref != "" {
		return r.SchemaFromRef(s.Ref)
	}
	return s
}
