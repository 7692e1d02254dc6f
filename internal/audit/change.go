package audit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Change is a field that an act changed. For a secret, Secret is set, changed or cleared, and there are no
// values.
type Change struct {
	Field  string          `json:"field"` // JSON name, with dots for nested fields
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Secret string          `json:"secret,omitempty"`
}

// changesBetween compares a resource before and after an act; either may be nil. The audit tag of every exported
// field decides what the log records:
//
//	track   the value before and after, where they differ
//	ignore  nothing
//	secret  that it was set, changed or cleared; the field is the time of the
//	        last change (xUpdatedAt), never the secret
//
// A field without the tag is an error, because the choice must be deliberate.
func changesBetween(before, after any) ([]Change, error) {
	b, a := value(before), value(after)
	var typ reflect.Type
	switch {
	case a.IsValid():
		typ = a.Type()
	case b.IsValid():
		typ = b.Type()
	default:
		return nil, nil
	}
	if typ.Kind() != reflect.Struct || a.IsValid() && b.IsValid() && a.Type() != b.Type() {
		return nil, fmt.Errorf("audit: an act changes one struct, not %T into %T", before, after)
	}
	return compare(nil, typ, b, a)
}

func compare(out []Change, typ reflect.Type, b, a reflect.Value) ([]Change, error) {
	for f := range typ.Fields() {
		if !f.IsExported() {
			continue
		}
		fb, fa := member(b, f.Index), member(a, f.Index)
		if f.Anonymous {
			var err error
			if out, err = compare(out, f.Type, fb, fa); err != nil {
				return nil, err
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch tag := f.Tag.Get("audit"); tag {
		case "ignore":
		case "track":
			jb, ja, err := encoded(fb, fa)
			if err != nil {
				return nil, err
			}
			if string(jb) != string(ja) {
				out = append(out, Change{Field: name, Before: jb, After: ja})
			}
		case "secret":
			if word := secretWord(fb, fa); word != "" {
				out = append(out, Change{Field: strings.TrimSuffix(name, "UpdatedAt"), Secret: word})
			}
		default:
			return nil, fmt.Errorf("audit: the field %s of %s says %q, not track, ignore or secret", f.Name, typ, tag)
		}
	}
	return out, nil
}

// secretWord compares the times of a secret's last change and returns the word for the log.
func secretWord(b, a reflect.Value) string {
	before, after := b.IsValid() && !b.IsZero(), a.IsValid() && !a.IsZero()
	switch {
	case !before && after:
		return "set"
	case before && !after:
		return "cleared"
	case before && after && !reflect.DeepEqual(b.Interface(), a.Interface()):
		return "changed"
	}
	return ""
}

func encoded(b, a reflect.Value) (before, after json.RawMessage, err error) {
	for _, side := range []struct {
		from reflect.Value
		to   *json.RawMessage
	}{{b, &before}, {a, &after}} {
		if !side.from.IsValid() {
			continue
		}
		raw, err := json.Marshal(side.from.Interface())
		if err != nil {
			return nil, nil, err
		}
		if string(raw) != "null" { // an absent resource has no value
			*side.to = raw
		}
	}
	return before, after, nil
}

func member(v reflect.Value, index []int) reflect.Value {
	if !v.IsValid() {
		return v
	}
	return v.FieldByIndex(index)
}

func value(v any) reflect.Value {
	r := reflect.ValueOf(v)
	for r.IsValid() && r.Kind() == reflect.Pointer {
		r = r.Elem()
	}
	return r
}
