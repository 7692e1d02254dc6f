package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// listing is the list in one outermost value of an answer, or in several adjacent values, such as those of
// several files.
type listing[T any] struct {
	Reading[T]
	err     error // the reason why it cannot be read
	from    int   // index of its first value
	to      int   // index of its last value
	element bool  // it is an element without a list
	thought bool  // it stands between marks of thinking, so that it is a draft
}

// says reports whether the listing has elements, readable or not.
func (l *listing[T]) says() bool { return len(l.Items) > 0 || l.Bad > 0 || l.Cut }

// listIn reads a list from an answer: objects with the member, lists of elements without the object, and
// elements without a list. Models write drafts, so a later listing replaces an earlier one whose elements
// it contains. An empty or unreadable listing does not replace any. If a later listing has other elements,
// all count and the reading is unclear. Listings between marks of thinking count only if there are no
// others.
func listIn[T any](ans Answer, name string) (out Reading[T], err error) {
	values := jsonrepair.Parse(ans.Text)
	if len(values) == 0 {
		return out, errors.New("the answer holds no JSON object")
	}
	list, open := listingsOf[T](ans.Text, values, name)
	if len(list) == 0 {
		return out, fmt.Errorf("the answer has no member %q", name)
	}
	last := list[len(list)-1]
	outside := slices.DeleteFunc(slices.Clone(list), func(l listing[T]) bool { return l.thought })
	if len(outside) > 0 {
		list, last = outside, outside[len(outside)-1]
	}
	if out, err = combined(list); err != nil {
		return Reading[T]{}, err
	}
	out.Unclear = out.Unclear || len(outside) == 0 || open ||
		len(out.Items) == 0 && (namesBeside[T](ans.Text, values) || ans.reportsBeside(values))
	out.Cut = out.Cut || ans.Truncated && !closing(ans.Text[values[last.to].End:])
	return out, nil
}

// listingsOf returns the listings of an answer, in their order. open reports whether a mark of thinking is
// not closed.
func listingsOf[T any](text string, values []*jsonrepair.Value, name string) (list []listing[T], open bool) {
	thoughts, open := thoughtsIn(text, values)
	for i, v := range values {
		l, ok := listingOf[T](text, v, name)
		if !ok {
			continue
		}
		l.from, l.to = i, i
		l.thought = slices.ContainsFunc(thoughts, func(s change.Span) bool { return s.First <= v.Start && v.Start < s.Last })
		if n := len(list) - 1; n >= 0 && list[n].thought == l.thought && list[n].goesOn(l, text[values[list[n].to].End:v.Start]) {
			list[n].join(l)
			continue
		}
		list = append(list, l)
	}
	return list, open
}

// listingOf reads one of the outermost values of an answer. It returns false if the value is unrelated to
// the list.
func listingOf[T any](text string, v *jsonrepair.Value, name string) (out listing[T], ok bool) {
	found := members(v, name, nil)
	for _, m := range found {
		got, ok := elementsOf[T](m, 0)
		if !ok {
			out.err = fmt.Errorf("member %q is not a list", name)
			if m.Kind == jsonrepair.String && strings.TrimSpace(m.Text) != "" || isElement[T](m) {
				got.Bad = 1
			}
		}
		out.Items, out.Bad, out.Cut = append(out.Items, got.Items...), out.Bad+got.Bad, out.Cut || got.Cut
	}
	out.Unclear = namedTwice(v, name)
	if len(found) > 0 {
		beside := listBeside[T](v, name)
		if len(out.Items) == 0 && (len(beside.Items) > 0 || beside.Bad > 0) { // under another name beside it
			out.Reading, out.err = beside, nil
		} else if other := missingIn(beside.Items, out.Items); len(other) > 0 {
			out.Items, out.Unclear = append(out.Items, other...), true
		}
		out.settle(name)
		return out, true
	}
	if isElement[T](v) {
		out.element = true
		if got, ok := elementsOf[T](v, 0); ok && len(got.Items) > 1 { // several in one
			out.Reading = got
			return out, true
		}
		if e, ok := elementIn[T](v); ok {
			out.Items = []T{e}
		} else {
			out.Bad = 1
		}
		out.settle(name)
		return out, true
	}
	if got, ok := listWithin[T](v); ok {
		out.Reading = got
		out.settle(name)
		return out, true
	}
	if v.Kind == jsonrepair.List && v.Whole && len(v.Items) == 0 {
		if outside := strings.Trim(withoutThoughts(text), "\ufeff`json \r\n\t"); outside != "[]" {
			out.err = fmt.Errorf("the answer has no member %q", name) // it may be a word of a sentence
		}
		return out, lineAlone(text, v)
	}
	return out, false
}

// settle sets an error for a list in which no element fits, and clears it if one does.
func (l *listing[T]) settle(name string) {
	if l.err == nil && len(l.Items) == 0 && l.Bad > 0 {
		l.err = fmt.Errorf("no element of member %q is an object as the schema asks", name)
	}
	if len(l.Items) > 0 {
		l.err = nil
	}
}

// goesOn reports whether the next value belongs to the listing: only marks stand between them, or both are elements
// without a list.
func (l *listing[T]) goesOn(next listing[T], between string) bool {
	return onlyMarks.MatchString(between) || next.element && (l.element || l.Cut)
}

// onlyMarks matches text between the values of several files: marks, and the ends of code fences.
var onlyMarks = regexp.MustCompile("^[}\\]\"`,\\s]*(?:```+[A-Za-z]*\\s*)?$")

// join adds the next listing.
func (l *listing[T]) join(next listing[T]) {
	l.to = next.to
	l.Items, l.Bad, l.Cut, l.Unclear = append(l.Items, next.Items...), l.Bad+next.Bad, l.Cut || next.Cut, l.Unclear || next.Unclear
	if l.err = next.err; len(l.Items) > 0 {
		l.err = nil
	}
	l.element = l.element && next.element
}

// combined merges several listings: the last one, and the elements of earlier ones that it lacks.
func combined[T any](list []listing[T]) (Reading[T], error) {
	last := list[len(list)-1]
	out, err := last.Reading, last.err
	for _, l := range slices.Backward(list[:len(list)-1]) {
		if !l.says() {
			continue
		}
		if len(out.Items) == 0 {
			out.Items, out.Unclear = l.Items, true
			if len(l.Items) > 0 {
				err = nil
			}
			continue
		}
		if other := missingIn(l.Items, out.Items); len(other) > 0 {
			out.Items, out.Unclear = append(other, out.Items...), true
		}
	}
	return out, err
}

// missingIn returns the elements of a list that a later one lacks. Elements without a method Same count as present.
func missingIn[T any](list, later []T) (out []T) {
	for _, e := range list {
		same, ok := any(&e).(interface{ Same(other T) bool })
		if ok && !slices.ContainsFunc(later, same.Same) {
			out = append(out, e)
		}
	}
	return out
}

// isElement reports whether an object is an element, by the names of its members.
func isElement[T any](v *jsonrepair.Value) bool {
	if v.Kind != jsonrepair.Object || !v.Whole {
		return false
	}
	var e T
	if known := v.Names(&e); known > 0 && known >= min(2, len(v.Items)) {
		return true
	}
	t, is := any(&e).(jsonrepair.Tidier)
	if !is || len(v.Items) < leastRenamed {
		return false
	}
	other := *v
	other.Keys, other.Items = slices.Clone(v.Keys), slices.Clone(v.Items)
	t.Tidy(&other)
	return other.Names(&e) >= leastRenamed && other.Get("path") != nil
}

// leastRenamed is how many members an object with other names must have to be an element.
const leastRenamed = 3

// elementIn reads an object that is an element. It returns false for anything else.
func elementIn[T any](v *jsonrepair.Value) (e T, ok bool) {
	ok = isElement[T](v) && v.Into(&e) == nil
	return e, ok
}

// listWithin returns the last list of elements in a value, or a single element, under any name.
func listWithin[T any](v *jsonrepair.Value) (out Reading[T], ok bool) {
	if v.Kind == jsonrepair.List && slices.ContainsFunc(v.Items, isElement[T]) {
		return elementsOf[T](v, 0)
	}
	for _, it := range v.Items {
		if v.Kind == jsonrepair.Object && isElement[T](it) {
			out, ok = elementsOf[T](&jsonrepair.Value{Kind: jsonrepair.List, Items: []*jsonrepair.Value{it}, Whole: true}, 0)
			continue
		}
		if got, found := listWithin[T](it); found {
			out, ok = got, true
		}
	}
	return out, ok
}

// listBeside returns the elements of lists under other names beside members of a name.
func listBeside[T any](v *jsonrepair.Value, name string) (out Reading[T]) {
	for i, it := range v.Items {
		var got Reading[T]
		switch {
		case v.Kind == jsonrepair.Object && isNamed(v.Keys[i], name):
		case len(members(it, name, nil)) > 0:
			got = listBeside[T](it, name)
		case it.Kind == jsonrepair.List || it.Kind == jsonrepair.Object:
			got, _ = listWithin[T](it)
		}
		out.Items, out.Bad, out.Cut = append(out.Items, got.Items...), out.Bad+got.Bad, out.Cut || got.Cut
	}
	return out
}

// thoughtMark matches the marks around a model's thoughts before its answer.
var thoughtMark = regexp.MustCompile(`(?i)<(/?)(?:\w+:)?` +
	`(?:think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad|draft)(?:\s[^<>]*)?>|\[(/?)THINK\]`)

// thoughtsIn returns the byte ranges between marks of thinking, outside whole values. open reports whether
// the last one is not closed.
func thoughtsIn(text string, values []*jsonrepair.Value) (out []change.Span, open bool) {
	from := -1
	for _, m := range thoughtMark.FindAllStringSubmatchIndex(text, -1) {
		ends := m[3] > m[2] || m[5] > m[4]
		switch {
		case slices.ContainsFunc(values, func(v *jsonrepair.Value) bool {
			return v.Whole && v.Start < m[0] && m[0] < v.End
		}):
		case !ends && from < 0:
			from = m[0]
		case ends && from >= 0:
			out, from = append(out, change.Span{First: from, Last: m[1]}), -1
		}
	}
	return out, from >= 0
}

// withoutThoughts returns a text without the parts between marks of thinking.
func withoutThoughts(text string) string {
	thoughts, _ := thoughtsIn(text, nil)
	for _, s := range slices.Backward(thoughts) {
		text = text[:s.First] + text[s.Last:]
	}
	return text
}

// lineAlone reports whether a value has its lines for itself, or shares them with a fence.
func lineAlone(text string, v *jsonrepair.Value) bool {
	before, after := text[strings.LastIndexByte(text[:v.Start], '\n')+1:v.Start], text[v.End:]
	after, _, _ = strings.Cut(after, "\n")
	return strings.Trim(before+after, "\ufeff` \r\t") == "" || strings.HasSuffix(strings.TrimSpace(before), "```json")
}

// namesBeside reports whether names of an element's members stand outside the whole values of an answer, so that an
// empty list beside them is not the whole answer.
func namesBeside[T any](text string, values []*jsonrepair.Value) bool {
	var e T
	names := jsonrepair.NamesOf(&e)
	if len(names) == 0 {
		return false
	}
	var rest strings.Builder
	at := 0
	for _, v := range values {
		if v.Whole && v.Start >= at {
			rest.WriteString(text[at:v.Start])
			at = v.End
		}
	}
	rest.WriteString(text[at:])
	outside, found := strings.ToLower(withoutThoughts(rest.String())), 0
	for _, n := range names {
		for _, mark := range []string{`"`, `'`, `\"`, "&quot;"} {
			if _, after, is := strings.Cut(outside, mark+n+mark); is && strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), ":") {
				found++
				break
			}
		}
	}
	return found >= 2
}
