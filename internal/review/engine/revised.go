package engine

import (
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// same reports whether two candidates are one that was revised: in the same file, on the same lines, and with the
// same title or of the same kind.
func (c candidate) same(o candidate) bool {
	title := change.Alphanumeric(c.Title)
	alike := title != "" && title == change.Alphanumeric(o.Title)
	if !alike && (c.Quote != "" || c.Start == o.Start) {
		alike = change.StripSpace(c.Quote) == change.StripSpace(o.Quote) && change.Alphanumeric(c.RuleKey) == change.Alphanumeric(o.RuleKey) && strings.EqualFold(string(c.Category), string(o.Category))
	}
	return alike && c.meets(o) && sameNamed(c.Path, o.Path)
}

// meets reports whether two candidates have a line in common or, where one names no line, one quotation holds
// the other.
func (c candidate) meets(o candidate) bool {
	if c.Start > 0 && o.Start > 0 {
		return c.Start <= max(o.Start, o.End) && o.Start <= max(c.Start, c.End)
	}
	a, b := change.StripSpace(c.Quote), change.StripSpace(o.Quote)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// sameNamed reports whether two paths may name one file: they are equal, or one ends with the other.
func sameNamed(a, b string) bool {
	bare := func(p string) string {
		all := readings(p)
		if len(all) == 0 {
			return p
		}
		return "/" + strings.ToLower(all[len(all)-1].path)
	}
	a, b = bare(a), bare(b)
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

func isNamed(key, name string) bool { return strings.EqualFold(strings.TrimSpace(key), name) }

// namedTwice reports whether an object, or one in it, has members of a name that differ.
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

// apartAll takes objects apart in which names repeat with other values: the braces between them are missing.
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

// holder is an element that may hold others in members of its own.
type holder interface{ standsIn(member string) bool }

// nestedIn returns the elements that stand in members of an element.
func nestedIn[T any](v *jsonrepair.Value) (out []T) {
	if v.Kind != jsonrepair.Object || !reflect.TypeFor[T]().Implements(reflect.TypeFor[holder]()) {
		return nil
	}
	for i, k := range v.Keys {
		if it := v.Items[i]; it.Kind == jsonrepair.List || it.Kind == jsonrepair.Object {
			got, _ := listWithin[T](&jsonrepair.Value{Kind: jsonrepair.Object, Keys: []string{k}, Items: []*jsonrepair.Value{it}, Whole: true})
			for _, e := range got.items {
				if any(e).(holder).standsIn(k) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// standsIn reports whether a candidate that was read in a member of another one is a finding: it has words of its
// own, and the member is not one of a finding.
func (c candidate) standsIn(member string) bool {
	member = strings.ToLower(strings.TrimSpace(member))
	for name, others := range otherNames {
		if member == name || slices.Contains(others, member) {
			return false
		}
	}
	return member != "evidence" && strings.TrimSpace(c.Title) != "" && strings.TrimSpace(c.Severity+c.Explanation) != ""
}
