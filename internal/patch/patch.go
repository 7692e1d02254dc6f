// Package patch has the field types of a JSON merge patch (RFC 7396): an absent field keeps its value, null
// removes it, and any other value replaces it. encoding/json alone cannot distinguish absent from null.
//
// The package only decodes and describes such fields.
package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

var errNull = errors.New("must not be null")

// Value is a field that may be absent. It refuses null, because the value cannot be removed. The zero value
// is absent.
type Value[T any] struct {
	value T
	set   bool
}

// Of returns a present field with the value v.
func Of[T any](v T) Value[T] { return Value[T]{v, true} }

// Set reports whether the field is present.
func (v Value[T]) Set() bool { return v.set }

// Get returns the value, or the zero value if the field is absent.
func (v Value[T]) Get() T { return v.value }

// Into replaces *dst if the field is present, and reports whether it is.
func (v Value[T]) Into(dst *T) bool {
	if v.set {
		*dst = v.value
	}
	return v.set
}

// UnmarshalJSON implements [json.Unmarshaler]; it is called only for present fields.
func (v *Value[T]) UnmarshalJSON(data []byte) error {
	if isNull(data) {
		return errNull
	}
	v.set = true
	return json.Unmarshal(data, &v.value)
}

// MarshalJSON implements [json.Marshaler]. Use it with omitzero.
func (v Value[T]) MarshalJSON() ([]byte, error) { return json.Marshal(v.value) }

// IsZero reports whether the field is absent, for omitzero.
func (v Value[T]) IsZero() bool { return !v.set }

// Schema implements [huma.SchemaProvider]. It returns the value's schema.
func (Value[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, reflect.TypeFor[T]().Name())
}

// Nullable is a field that may be absent, or null to remove the value. The zero value is absent.
type Nullable[T any] struct {
	value    T
	set, off bool
}

// To returns a present field with the value v.
func To[T any](v T) Nullable[T] { return Nullable[T]{value: v, set: true} }

// Set reports whether the field is present, null included.
func (n Nullable[T]) Set() bool { return n.set }

// Null reports whether the field is null.
func (n Nullable[T]) Null() bool { return n.off }

// Get returns the value, or the zero value if the field is absent or null.
func (n Nullable[T]) Get() T { return n.value }

// Into replaces *dst if the field is present, with the zero value for null, and reports whether it is
// present.
func (n Nullable[T]) Into(dst *T) bool {
	if n.set {
		*dst = n.value
	}
	return n.set
}

// IntoPointer is [Nullable.Into] for a destination that is a pointer. Null sets it to nil.
func (n Nullable[T]) IntoPointer(dst **T) bool {
	switch {
	case n.off:
		*dst = nil
	case n.set:
		v := n.value
		*dst = &v
	}
	return n.set
}

// UnmarshalJSON implements [json.Unmarshaler]; it is called only for present fields.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	n.set = true
	if n.off = isNull(data); n.off {
		return nil
	}
	return json.Unmarshal(data, &n.value)
}

// MarshalJSON implements [json.Marshaler]. Use it with omitzero.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.off {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// IsZero reports whether the field is absent, for omitzero.
func (n Nullable[T]) IsZero() bool { return !n.set }

// Schema implements [huma.SchemaProvider]. It returns the value's schema with null allowed. Objects use
// anyOf, because huma supports null only beside scalar types.
func (Nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeFor[T](), true, reflect.TypeFor[T]().Name())
	if s.Ref != "" {
		// huma ignores the type null, but checks the enumeration
		return &huma.Schema{AnyOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null", Enum: []any{nil}}}}
	}
	s.Nullable = true
	return s
}

func isNull(data []byte) bool { return bytes.Equal(bytes.TrimSpace(data), []byte("null")) }
