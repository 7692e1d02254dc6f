package ask

import (
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// isNamed reports whether a key is a name, in any letter case.
func isNamed(key, name string) bool { return strings.EqualFold(strings.TrimSpace(key), name) }

// namedTwice reports whether an object, or one within it, has different members of one name.
func namedTwice(v *jsonrepair.Value, name string) bool {
	var first *jsonrepair.Value
	for i, k := range v.Keys {
		switch {
		case !isNamed(k, name):
		case first == nil:
			first = v.Items[i]
		case string(first.JSON()) != string(v.Items[i].JSON()):
			return true
		}
	}
	return first == nil && slices.ContainsFunc(v.Items, func(it *jsonrepair.Value) bool { return namedTwice(it, name) })
}

// apartAll splits objects in which names repeat with other values, because the braces between them are missing.
func apartAll(items []*jsonrepair.Value) (out []*jsonrepair.Value) {
	for _, v := range items {
		part := &jsonrepair.Value{Kind: v.Kind, Whole: true, Start: v.Start, End: v.End}
		known := map[string]*jsonrepair.Value{}
		for i, k := range v.Keys {
			name := strings.ToLower(strings.TrimSpace(k))
			former := known[name]
			if former != nil && string(former.JSON()) == string(v.Items[i].JSON()) {
				continue
			}
			if former != nil {
				out = append(out, part)
				part, known = &jsonrepair.Value{Kind: v.Kind, Whole: true, Start: v.Start, End: v.End}, map[string]*jsonrepair.Value{}
			}
			known[name] = v.Items[i]
			part.Set(k, v.Items[i])
		}
		if len(part.Keys) == 0 || len(part.Keys) == len(v.Keys) {
			part = v
		}
		part.Whole = v.Whole
		out = append(out, part)
	}
	return out
}

// holder is an element that may hold others in its members.
type holder interface{ StandsIn(member string) bool }

// nestedIn returns the elements that stand in members of an element.
func nestedIn[T any](v *jsonrepair.Value) (out []T) {
	if v.Kind != jsonrepair.Object || !reflect.TypeFor[T]().Implements(reflect.TypeFor[holder]()) {
		return nil
	}
	for i, k := range v.Keys {
		if it := v.Items[i]; it.Kind == jsonrepair.List || it.Kind == jsonrepair.Object {
			got, _ := listWithin[T](&jsonrepair.Value{Kind: jsonrepair.Object, Keys: []string{k}, Items: []*jsonrepair.Value{it}, Whole: true})
			for _, e := range got.Items {
				if any(e).(holder).StandsIn(k) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}
