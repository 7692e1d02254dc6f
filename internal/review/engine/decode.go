package engine

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// reading is what an answer lists.
type reading[T any] struct {
	items []T
	bad   int  // elements that are not as the schema asks
	cut   bool // the list breaks off or goes wrong, so that elements may be missing

	unclear bool // the answer has several lists, and it does not tell which of them counts
}

// fitted is a reading of which each element was held against the schema.
type fitted[T any] struct {
	reading[T]     // elements that fit
	unfit      []T // those that do not
	why        []string
}

// lost reports whether something that the model wrote is lost by its form.
func (f fitted[T]) lost() bool { return f.bad > 0 || f.cut || f.unclear || len(f.unfit) > 0 }

// follows reports whether the answer to the question about a former one counts in its place: it
// has as many elements that fit, or it says which of several lists counts.
func (f fitted[T]) follows(former fitted[T]) bool {
	if only := former; former.unclear && !f.lost() {
		if only.unclear = false; !only.lost() {
			return true
		}
	}
	return len(f.items) >= len(former.items) && (former.unclear || !f.unclear)
}

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
	if f.unclear {
		why = append(why, fmt.Sprintf("it has several lists or elements beside member %q; answer with one object whose list %q has all that count", name, name))
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
	out.bad, out.cut, out.unclear = got.bad, got.cut, got.unclear
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
	ans.paths = p.paths
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
		if repaired.paths = p.paths; again == nil {
			if second, e := fitList(repaired, name, fit); e == nil && (err != nil || second.follows(out)) {
				if !out.unclear || second.unclear {
					second.bad += max(out.all()-second.all(), 0)
				}
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
	switch {
	case err != nil || len(got.items) > 0:
	case got.cut:
		err = fmt.Errorf("the list %q breaks off", name)
	case got.unclear:
		err = fmt.Errorf("the list %q is empty, and there are elements beside it", name)
	}
	if err != nil {
		return got, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return got, nil
}

// readList reads {"<name>": [...]} from a model's answer, wherever it stands: see [listIn].
// A list in which no element fits is an answer that cannot be read: it is not an empty one.
func readList[T any](ans answer, name string) (reading[T], error) {
	out, err := listIn[T](ans, name)
	if err == nil {
		return out, nil
	}
	if i := strings.LastIndex(ans.text, `"`+name+`"`); i > 0 { // what stands before it may have swallowed it
		if from := strings.LastIndexByte(ans.text[:i], '{'); from > 0 && strings.TrimSpace(ans.text[from+1:i]) == "" {
			if out, err := listIn[T](ans.with(ans.text[from:]), name); err == nil {
				out.unclear = out.unclear || len(out.items) == 0 && namesBeside[T](ans.text[:from], nil)
				return out, nil
			}
		}
	}
	if strings.Contains(ans.text, "&quot;") {
		if out, err := listIn[T](ans.with(html.UnescapeString(ans.text)), name); err == nil {
			return out, nil
		}
	}
	if strings.Contains(ans.text, `\"`) { // JSON within a string
		if out, err := listIn[T](ans.with(jsonrepair.Unescape(ans.text)), name); err == nil {
			return out, nil
		}
	}
	return reading[T]{}, err
}

// members returns the members of a name in an object and in what is in it. What is in
// such a member is not looked at.
func members(v *jsonrepair.Value, name string, found []*jsonrepair.Value) []*jsonrepair.Value {
	before := len(found)
	for i, k := range v.Keys {
		if isNamed(k, name) {
			found = append(found, v.Items[i])
		}
	}
	if len(found) > before {
		return found
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
		items := apartAll(v.Items)
		for i, e := range items {
			if !e.Whole && i == len(items)-1 {
				break // it breaks off
			}
			var item T
			inside := nestedIn[T](e)
			if e.Kind != jsonrepair.Object || e.Into(&item) != nil {
				out.bad++
				continue
			}
			out.items = append(append(out.items, item), inside...)
		}
		out.cut = !v.Whole
		return out, true
	case jsonrepair.String:
		if values := jsonrepair.Parse(v.Text); depth == 0 && len(values) == 1 {
			return elementsOf[T](values[0], depth+1)
		}
	case jsonrepair.Object:
		if isElement[T](v) {
			if several := apartAll([]*jsonrepair.Value{v}); len(several) > 1 {
				return elementsOf[T](&jsonrepair.Value{Kind: jsonrepair.List, Items: several, Whole: v.Whole}, depth)
			}
		}
		inside := nestedIn[T](v)
		if e, ok := elementIn[T](v); ok {
			return reading[T]{items: append([]T{e}, inside...)}, true
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
