package host

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
)

// First returns the first item for which ok is true; nil if no item fits.
func First[T any](list iter.Seq[*T], ok func(*T) bool) *T {
	for x := range list {
		if ok(x) {
			return x
		}
	}
	return nil
}

// ByKey returns the values of a map in the order of their keys.
func ByKey[K cmp.Ordered, V any](m map[K]V) []V {
	out := make([]V, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}

// Newest returns the values of a map, those with the largest keys first.
func Newest[K cmp.Ordered, V any](m map[K]V) []V {
	out := ByKey(m)
	slices.Reverse(out)
	return out
}

// Set replaces a value unless from is nil.
func Set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// RenderAll renders the items of a list.
func RenderAll[T any](list []T, render func(T) any) []any {
	out := make([]any, 0, len(list))
	for _, item := range list {
		out = append(out, render(item))
	}
	return out
}

// Itself renders an item that is already rendered.
func Itself(x any) any { return x }

// Span is one page of a list.
type Span struct{ Number, Size int }

// NewSpan parses the number of a page, from 1, and its size, which is cut to longest. A wrong number becomes
// 1, a wrong size usual.
func NewSpan(number, size string, usual, longest int) Span {
	p := Span{Number: 1, Size: usual}
	if n, err := strconv.Atoi(number); err == nil && n > 0 {
		p.Number = n
	}
	if n, err := strconv.Atoi(size); err == nil && n > 0 {
		p.Size = min(n, longest)
	}
	return p
}

// Last returns the number of the last page of a list of that length.
func (p Span) Last(length int) int { return max(1, (length+p.Size-1)/p.Size) }

// Slice returns the bounds of the page in a list of that length.
func (p Span) Slice(length int) (from, to int) {
	from = min((p.Number-1)*p.Size, length)
	return from, min(from+p.Size, length)
}

// Page returns the items of a page.
func Page[T any](p Span, list []T) []T {
	from, to := p.Slice(len(list))
	return list[from:to]
}

// Link returns an entry of a Link header: the address with the query, in which values replace those of the
// same name.
func Link(address string, query url.Values, rel string, values map[string]string) string {
	q := maps.Clone(query)
	for k, v := range values {
		q.Set(k, v)
	}
	return "<" + address + "?" + q.Encode() + `>; rel="` + rel + `"`
}

// CheckHookURL returns an error if the text is not the address of a webhook receiver.
func CheckHookURL(raw string) error {
	if u, err := url.Parse(raw); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("url: must be an absolute http or https address")
	}
	return nil
}
