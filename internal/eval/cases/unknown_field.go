package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
)

// maxFieldName is the most bytes of a stranger's field name in an error.
const maxFieldName = 60

// unknownField returns an error that names the first field of a JSON value that a type does not have, with its place
// and the allowed ones. It returns nil if there is no such field.
func unknownField(raw []byte, t reflect.Type, at string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return nil // a value of another type has an error of its own
		}
		for i, one := range list {
			if err := unknownField(one, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		fields := map[string]json.RawMessage{}
		if json.NewDecoder(bytes.NewReader(raw)).Decode(&fields) != nil {
			return nil
		}
		allowed := jsonFields(t)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			i := slices.IndexFunc(allowed, func(f jsonField) bool { return strings.EqualFold(f.name, name) })
			if i < 0 {
				return fieldError(at, name, allowed)
			}
			if err := unknownField(fields[name], allowed[i].of, strings.TrimPrefix(at+"."+allowed[i].name, ".")); err != nil {
				return err
			}
		}
	}
	return nil
}

func fieldError(at, name string, allowed []jsonField) error {
	var names []string
	for _, f := range allowed {
		names = append(names, f.name)
	}
	if at != "" {
		at += ": "
	}
	name = clip.Bytes(strings.ToValidUTF8(name, "?"), maxFieldName)
	return fmt.Errorf("%sunknown field %q: allowed are %s", at, name, strings.Join(names, ", "))
}

// jsonField is a field of a struct by its name in JSON.
type jsonField struct {
	name string
	of   reflect.Type
}

// jsonFields lists the exported fields of a struct in their order. A field without a name in its tag is called as it
// is, with a small first letter, or with small letters alone if it has no others.
func jsonFields(t reflect.Type) (out []jsonField) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
			continue
		case name == "" && strings.ToUpper(f.Name) == f.Name:
			name = strings.ToLower(f.Name)
		case name == "":
			name = strings.ToLower(f.Name[:1]) + f.Name[1:]
		}
		out = append(out, jsonField{name, f.Type})
	}
	return out
}
