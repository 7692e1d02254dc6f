package engine

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// reading is what an answer lists.
type reading[T any] struct {
	items []T
	bad   int  // elements that are not as the schema asks
	cut   bool // the list breaks off or goes wrong, so that elements may be missing
}

// fitted is a reading of which each element was held against the schema.
type fitted[T any] struct {
	reading[T]     // elements that fit
	unfit      []T // those that do not
	why        []string
}

// lost reports whether something that the model wrote is lost by its form.
func (f fitted[T]) lost() bool { return f.bad > 0 || f.cut || len(f.unfit) > 0 }

// all is how many elements the model wrote.
func (f fitted[T]) all() int { return len(f.items) + len(f.unfit) + f.bad }

// cause says what is wrong, in words for the model.
func (f fitted[T]) cause(name string) error {
	why := f.why
	if f.bad > 0 {
		why = append(why, fmt.Sprintf("%d elements of member %q are not objects as the schema asks", f.bad, name))
	}
	if f.cut {
		why = append(why, fmt.Sprintf("the list %q breaks off or is not valid JSON further on", name))
	}
	return errors.New(strings.Join(why[:min(len(why), maxCauses)], "; "))
}

// maxCauses bounds what a model is told about its answer.
const maxCauses = 10

// fitList reads a list of an answer; fit gives an element the form of the schema, or
// says why it does not fit.
func fitList[T any](ans answer, name string, fit func(i int, e *T) string) (out fitted[T], err error) {
	got, err := readList[T](ans, name)
	if err != nil {
		return out, err
	}
	out.bad, out.cut = got.bad, got.cut
	for i, e := range got.items {
		if why := fit(i, &e); why != "" {
			out.unfit, out.why = append(out.unfit, e), append(out.why, why)
			continue
		}
		out.items = append(out.items, e)
	}
	return out, nil
}

// readOrRepair reads a list of an answer. Where some of it is lost by its form, the
// model is asked once more, in the same conversation, with the reason; what it then
// leaves out counts as lost. Errors: a fatal one of the second call, and [errAnswer]
// where nothing can be read.
func readOrRepair[T any](ctx context.Context, s *session, p prompted, ans answer, name string,
	fit func(i int, e *T) string,
) (fitted[T], error) {
	out, err := fitList(ans, name, fit)
	if err == nil && !out.lost() {
		return out, nil
	}
	if !ans.truncated {
		cause := err
		if cause == nil {
			cause = out.cause(name)
		}
		repaired, again := s.repair(ctx, p.stage, p.route, p.system, p.messages, ans, cause, p.schema)
		if fatal(again) {
			return out, again
		}
		if again == nil {
			if second, e := fitList(repaired, name, fit); e == nil && len(second.items) >= len(out.items) {
				second.bad += max(out.all()-second.all(), 0)
				out, err = second, nil
			}
		}
	}
	if err == nil && out.cut && out.all() == 0 {
		err = out.cause(name)
	}
	if err != nil {
		return out, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return out, nil
}

// readPart reads what an answer lists, and of one that breaks off what is complete.
func readPart[T any](ans answer, name string) (reading[T], error) {
	got, err := readList[T](ans, name)
	if err == nil && got.cut && len(got.items) == 0 {
		err = fmt.Errorf("the list %q breaks off", name)
	}
	if err != nil {
		return got, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return got, nil
}

// readList reads {"<name>": [...]} from a model's answer. The last object that has the
// member counts, wherever it stands, because models write drafts; of objects with nothing
// between them all count, as those of several files. A list of elements
// without the object, and an element without its list, count too. A list in which no
// element fits is an answer that cannot be read: it is not an empty one.
func readList[T any](ans answer, name string) (reading[T], error) {
	out, err := listIn[T](ans, name)
	if err == nil {
		return out, nil
	}
	if i := strings.LastIndex(ans.text, `"`+name+`"`); i > 0 { // what stands before it may have swallowed it
		if from := strings.LastIndexByte(ans.text[:i], '{'); from > 0 && strings.TrimSpace(ans.text[from+1:i]) == "" {
			if out, err := listIn[T](answer{text: ans.text[from:], truncated: ans.truncated}, name); err == nil {
				return out, nil
			}
		}
	}
	if strings.Contains(ans.text, "&quot;") {
		if out, err := listIn[T](answer{text: html.UnescapeString(ans.text), truncated: ans.truncated}, name); err == nil {
			return out, nil
		}
	}
	if strings.Contains(ans.text, `\"`) { // JSON within a string
		if out, err := listIn[T](answer{text: jsonrepair.Unescape(ans.text), truncated: ans.truncated}, name); err == nil {
			return out, nil
		}
	}
	return reading[T]{}, err
}

func listIn[T any](ans answer, name string) (out reading[T], err error) {
	values := jsonrepair.Parse(ans.text)
	if len(values) == 0 {
		return out, errors.New("the answer holds no JSON object")
	}
	err = fmt.Errorf("the answer has no member %q", name)
	last := -1 // the outermost value in which the list was found
	for i, v := range values {
		found := members(v, name, nil)
		if len(found) == 0 {
			continue
		}
		if last < 0 || !closing(ans.text[values[last].End:v.Start]) {
			out = reading[T]{} // what stands before it is a draft
		}
		err, last = nil, i
		for _, m := range found {
			got, ok := elementsOf[T](m, 0)
			if !ok {
				err = fmt.Errorf("member %q is not a list", name)
			}
			out.items, out.bad, out.cut = append(out.items, got.items...), out.bad+got.bad, out.cut || got.cut
		}
		if got, ok := listWithin[T](v); ok && len(out.items) == 0 { // under another name beside it
			out = got
		}
		if err == nil && len(out.items) == 0 && out.bad > 0 {
			err = fmt.Errorf("no element of member %q is an object as the schema asks", name)
		}
	}
	switch {
	case last < 0:
		return bareElements[T](ans, values, err)
	case err != nil:
		return reading[T]{}, err
	}
	if out.cut || len(out.items) == 0 { // elements behind the place where it goes wrong
		for _, v := range values[last+1:] {
			if e, ok := elementIn[T](v); ok {
				out.items = append(out.items, e)
			}
		}
	}
	out.cut = out.cut || ans.truncated && !closing(ans.text[values[last].End:])
	return out, nil
}

// members returns the members of a name in an object and in what is in it. What is in
// such a member is not looked at.
func members(v *jsonrepair.Value, name string, found []*jsonrepair.Value) []*jsonrepair.Value {
	if m := v.Get(name); m != nil {
		return append(found, m)
	}
	for _, it := range v.Items {
		found = members(it, name, found)
	}
	return found
}

// elementsOf reads the elements of a list, of one as a string, of an object of elements, or the
// one element in place of a list; false for anything else.
func elementsOf[T any](v *jsonrepair.Value, depth int) (out reading[T], ok bool) {
	switch v.Kind {
	case jsonrepair.List:
		for i, e := range v.Items {
			if !e.Whole && i == len(v.Items)-1 {
				break // it breaks off
			}
			var item T
			if e.Kind != jsonrepair.Object || e.Into(&item) != nil {
				out.bad++
				continue
			}
			out.items = append(out.items, item)
		}
		out.cut = !v.Whole
		return out, true
	case jsonrepair.String:
		if values := jsonrepair.Parse(v.Text); depth == 0 && len(values) == 1 {
			return elementsOf[T](values[0], depth+1)
		}
	case jsonrepair.Object:
		if e, ok := elementIn[T](v); ok {
			return reading[T]{items: []T{e}}, true
		}
		for _, it := range v.Items {
			e, ok := elementIn[T](it)
			if !ok {
				return out, false
			}
			out.items = append(out.items, e)
		}
		out.cut = !v.Whole
		return out, len(out.items) > 0
	}
	return out, false
}

// elementIn reads an object that is an element by its members; false for anything else.
func elementIn[T any](v *jsonrepair.Value) (e T, ok bool) {
	known := v.Names(&e)
	ok = v.Kind == jsonrepair.Object && v.Whole && known > 0 && known >= min(2, len(v.Items)) && v.Into(&e) == nil
	return e, ok
}

// bareElements reads elements that stand in an answer without the object around them; err where
// there are none.
func bareElements[T any](ans answer, values []*jsonrepair.Value, err error) (out reading[T], _ error) {
	last := 0
	for i, v := range values {
		if e, ok := elementIn[T](v); ok {
			out.items, last = append(out.items, e), i
			continue
		}
		if got, ok := listWithin[T](v); ok {
			out, last = got, i
		}
	}
	first := strings.TrimLeft(ans.text[:values[0].End], "\ufeff`json \r\n\t")
	empty := len(values) == 1 && first == "[]" && closing(ans.text[values[0].End:])
	if len(out.items) == 0 && !empty {
		return reading[T]{}, err
	}
	out.cut = out.cut || ans.truncated && !closing(ans.text[values[last].End:])
	return out, nil
}

// listWithin is the last list of elements in a value, whatever its name is.
func listWithin[T any](v *jsonrepair.Value) (out reading[T], ok bool) {
	if v.Kind == jsonrepair.List {
		isElement := func(e *jsonrepair.Value) bool { _, ok := elementIn[T](e); return ok }
		if got, _ := elementsOf[T](v, 0); len(got.items) > 0 && slices.ContainsFunc(v.Items, isElement) {
			return got, true
		}
	}
	for _, it := range v.Items {
		if got, found := listWithin[T](it); found {
			out, ok = got, true
		}
	}
	return out, ok
}

// closing reports whether a text only ends what stands before it: marks, white space
// and the end of a code fence.
func closing(rest string) bool { return strings.Trim(rest, "}]\"`, \r\n\t") == "" }

// readObject reads the last object of an answer that has a member and fits.
func readObject[T any](ans answer, name string) (out T, err error) {
	err = fmt.Errorf("the answer has no object with the member %q", name)
	for _, v := range jsonrepair.Parse(ans.text) {
		if found, ok := objectIn[T](v, name); ok && (v.Whole || !ans.truncated) {
			out, err = found, nil
		}
	}
	return out, err
}

// objectIn is the outermost object in a value that has a member and fits, the last of several.
func objectIn[T any](v *jsonrepair.Value, name string) (out T, ok bool) {
	if m := v.Get(name); m != nil && m.Whole {
		var e T
		if v.Into(&e) == nil {
			return e, true
		}
	}
	for _, it := range v.Items {
		if found, is := objectIn[T](it, name); is {
			out, ok = found, true
		}
	}
	return out, ok
}
