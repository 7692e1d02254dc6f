package ask

import (
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/jsonrepair"
)

// Reading is the list in an answer.
type Reading[T any] struct {
	Items []T
	Bad   int  // elements that are not objects as the schema asks
	Cut   bool // the list breaks off or goes wrong, so that elements may be missing

	Unclear bool // there are several lists, and the answer does not say which counts
}

// Fitted is a reading whose elements were checked.
type Fitted[T any] struct {
	Reading[T]          // elements that fit
	Unfit      []T      // elements that do not fit
	Answer     Answer   // holds them: the first or the repaired one of the model
	why        []string // why they do not fit
}

// Lost reports whether a part of the model's answer is lost because of its form.
func (f Fitted[T]) Lost() bool { return f.Bad > 0 || f.Cut || f.Unclear || len(f.Unfit) > 0 }

// follows reports whether a repaired reading replaces a former one: it has as many elements that fit, or it
// decides which of several lists counts.
func (f Fitted[T]) follows(former Fitted[T]) bool {
	if only := former; former.Unclear && !f.Lost() {
		if only.Unclear = false; !only.Lost() {
			return true
		}
	}
	return len(f.Items) >= len(former.Items) && (former.Unclear || !f.Unclear)
}

// all returns how many elements the model wrote.
func (f Fitted[T]) all() int { return len(f.Items) + len(f.Unfit) + f.Bad }

// cause describes the faults of an answer, for the model.
func (f Fitted[T]) cause(name string) error {
	why := f.why
	if f.Bad > 0 {
		why = append(why, fmt.Sprintf("%d elements of member %q are not objects as the schema asks", f.Bad, name))
	}
	if f.Cut {
		why = append(why, fmt.Sprintf("the list %q breaks off or is not valid JSON further on", name))
	}
	if f.Unclear {
		why = append(why, fmt.Sprintf("it has several lists or elements beside member %q; "+
			"answer with one object whose list %q has all that count", name, name))
	}
	return errors.New(strings.Join(why[:min(len(why), maxCauses)], "; "))
}

// maxCauses is the most reasons that a model gets about its answer.
const maxCauses = 10

// fitList reads a list and checks its elements: fit brings an element into the form of the schema, or returns why it
// does not fit.
func fitList[T any](ans Answer, name string, fit func(i int, e *T) string) (out Fitted[T], err error) {
	got, err := ReadList[T](ans, name)
	if err != nil {
		return out, err
	}
	out.Bad, out.Cut, out.Unclear = got.Bad, got.Cut, got.Unclear
	for i, e := range got.Items {
		if why := fit(i, &e); why != "" {
			out.Unfit, out.why = append(out.Unfit, e), append(out.why, why)
			continue
		}
		out.Items = append(out.Items, e)
	}
	return out, nil
}

// ReadOrRepair reads a list of an answer. fit brings the element with an index into the form of the schema,
// or returns why it does not fit. If a part is lost because of its form, the model is asked once more in
// the same conversation, with the reason. Elements that are then missing count as lost. Errors: a fatal
// error of the second call, and [ErrAnswer] if nothing can be read.
//
// An element type may have the methods Same(T) bool, by which a later list replaces an earlier one, and
// StandsIn(member string) bool, by which an element within another one is found.
func ReadOrRepair[T any](ctx context.Context, s *Session, p Question, ans Answer, name string,
	fit func(i int, e *T) string,
) (Fitted[T], error) {
	ans.Paths = p.Paths
	out, err := fitList(ans, name, fit)
	out.Answer = ans
	if err == nil && !out.Lost() {
		return out, nil
	}
	if !ans.Truncated {
		cause := err
		if cause == nil {
			cause = out.cause(name)
		}
		repaired, again := s.repair(ctx, p, ans, cause)
		if IsFatal(again) {
			return out, again
		}
		if repaired.Paths = p.Paths; again == nil {
			if second, e := fitList(repaired, name, fit); e == nil && (err != nil || second.follows(out)) {
				if !out.Unclear || second.Unclear {
					second.Bad += max(out.all()-second.all(), 0)
				}
				second.Answer = repaired
				out, err = second, nil
			}
		}
	}
	if err == nil && out.Cut && out.all() == 0 {
		err = out.cause(name)
	}
	if err != nil {
		return out, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return out, nil
}

// ReadPart reads the list in an answer. If the answer breaks off, it returns the complete elements.
func ReadPart[T any](ans Answer, name string) (Reading[T], error) {
	got, err := ReadList[T](ans, name)
	switch {
	case err != nil || len(got.Items) > 0:
	case got.Cut:
		err = fmt.Errorf("the list %q breaks off", name)
	case got.Unclear:
		err = fmt.Errorf("the list %q is empty, and there are elements beside it", name)
	}
	if err != nil {
		return got, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return got, nil
}

// ReadList reads {"name": [...]} wherever it stands in an answer. A list in which no element fits is an error, not an
// empty list.
func ReadList[T any](ans Answer, name string) (Reading[T], error) {
	out, err := listIn[T](ans, name)
	if err == nil {
		return out, nil
	}
	if i := strings.LastIndex(ans.Text, `"`+name+`"`); i > 0 { // text before the list may have swallowed it
		if from := strings.LastIndexByte(ans.Text[:i], '{'); from > 0 && strings.TrimSpace(ans.Text[from+1:i]) == "" {
			if out, err := listIn[T](ans.with(ans.Text[from:]), name); err == nil {
				out.Unclear = out.Unclear || len(out.Items) == 0 && namesBeside[T](ans.Text[:from], nil)
				return out, nil
			}
		}
	}
	if strings.Contains(ans.Text, "&quot;") {
		if out, err := listIn[T](ans.with(html.UnescapeString(ans.Text)), name); err == nil {
			return out, nil
		}
	}
	if strings.Contains(ans.Text, `\"`) { // JSON within a string
		if out, err := listIn[T](ans.with(jsonrepair.Unescape(ans.Text)), name); err == nil {
			return out, nil
		}
	}
	return Reading[T]{}, err
}

// members returns the members of a name in a value and in the values within it, but not within such a member.
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

// elementsOf reads the elements of a list, of a list in a string, of an object of elements, or of one element in place
// of a list. It returns false for anything else.
func elementsOf[T any](v *jsonrepair.Value, depth int) (out Reading[T], ok bool) {
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
				out.Bad++
				continue
			}
			out.Items = append(append(out.Items, item), inside...)
		}
		out.Cut = !v.Whole
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
			return Reading[T]{Items: append([]T{e}, inside...)}, true
		}
		for _, it := range v.Items {
			e, ok := elementIn[T](it)
			if !ok {
				return out, false
			}
			out.Items = append(out.Items, e)
		}
		out.Cut = !v.Whole
		return out, len(out.Items) > 0
	}
	return out, false
}

// closing reports whether a text only closes the text before it: marks, white space and the end of a code
// fence.
func closing(rest string) bool { return strings.Trim(rest, "}]\"`, \r\n\t") == "" }

// ReadObject returns the last object of an answer that has a member and fits.
func ReadObject[T any](ans Answer, name string) (out T, err error) {
	err = fmt.Errorf("the answer has no object with the member %q", name)
	for _, v := range jsonrepair.Parse(ans.Text) {
		if found, ok := objectIn[T](v, name); ok && (v.Whole || !ans.Truncated) {
			out, err = found, nil
		}
	}
	return out, err
}

// objectIn returns the outermost object in a value that has a member and fits, the last of several.
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

// repair asks once for the same answer as valid JSON. If the provider broke the answer off, it repeats the
// question instead. Servers break off when a model repeats itself, and the model would continue the text
// that it reads.
func (s *Session) repair(ctx context.Context, q Question, bad Answer, cause error) (Answer, error) {
	s.deps.Logger.InfoContext(ctx, "asking for a repair of an answer", slog.String("stage", q.Stage), slog.Any("error", cause))
	if bad.Broken {
		return s.Ask(ctx, q.Stage, q.Route, q.System, q.Messages, q.Schema)
	}
	because := PromptText("repair", "{cause}", change.OneLine(strings.ToValidUTF8(cause.Error(), "")))
	q = followedUp(q, bad, strings.TrimSpace(because))
	return s.Ask(ctx, q.Stage, q.Route, q.System, q.Messages, q.Schema)
}

// Again asks once more in the same conversation, after the answer in a reply. Errors are those of [Session.Ask].
func (s *Session) Again(ctx context.Context, r Reply, text string) (Reply, error) {
	r.Question = followedUp(r.Question, r.Answer, text)
	ans, err := s.answer(ctx, r.Question)
	r.Answer = ans
	return r, err
}

// followedUp returns a question with an answer to it and a further text.
func followedUp(q Question, given Answer, text string) Question {
	q.Messages = append(q.Messages[:len(q.Messages):len(q.Messages)],
		llm.Message{Role: llm.Assistant, Text: change.Cut(given.Text, 4*change.ChunkTokens)},
		llm.Message{Role: llm.User, Text: text})
	return q
}
