package jsonrepair

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Tidier is a type that changes the members of an object before they are read into it.
type Tidier interface{ Tidy(*Value) }

// TextReader is a structure that a model may write as one string.
type TextReader interface{ ReadText(string) }

var errKind = errors.New("a value of another kind is needed")

// Into reads a value into the target of dst, by the names in its json tags and in any letter case; a map
// takes members as JSON. Numbers may be strings and strings numbers. A single value stands for a list of
// one, and the other way round. A member that is absent or null stays as it is.
func (v *Value) Into(dst any) error { return v.into(reflect.ValueOf(dst).Elem()) }

// Names returns how many members of the target of dst an object has; for a map, all.
func (v *Value) Names(dst any) (n int) {
	if reflect.TypeOf(dst).Elem().Kind() != reflect.Struct {
		return len(v.Keys)
	}
	for _, name := range NamesOf(dst) {
		if v.Get(name) != nil {
			n++
		}
	}
	return n
}

// NamesOf returns the names of the members of the target of dst; nil if it is not a structure.
func NamesOf(dst any) (out []string) {
	t := reflect.TypeOf(dst).Elem()
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if name := nameOf(t.Field(i)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" {
		return ""
	}
	return cmp.Or(name, f.Name)
}

// JSON returns the value as JSON.
func (v *Value) JSON() json.RawMessage {
	var made any
	switch v.Kind {
	case String:
		made = v.Text
	case Number:
		if json.Valid([]byte(v.Text)) {
			return json.RawMessage(v.Text)
		}
		made = v.Text
	case Bool:
		made = v.Text == "true"
	case List:
		list := make([]json.RawMessage, len(v.Items))
		for i, it := range v.Items {
			list[i] = it.JSON()
		}
		made = list
	case Object:
		made = v.members()
	}
	raw, err := json.Marshal(made)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

func (v *Value) members() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for i, k := range v.Keys {
		out[k] = v.Items[i].JSON()
	}
	return out
}

func (v *Value) into(dst reflect.Value) error {
	if v.Kind == Null {
		return nil
	}
	switch dst.Kind() {
	case reflect.Pointer:
		if v.Kind == String && isMissing(v.Text) {
			return nil
		}
		made := reflect.New(dst.Type().Elem())
		if err := v.into(made.Elem()); err != nil {
			return err
		}
		dst.Set(made)
		return nil
	case reflect.Struct:
		return v.structure(dst)
	case reflect.Slice:
		return v.list(dst)
	case reflect.Map:
		if v.Kind != Object || dst.Type() != reflect.TypeFor[map[string]json.RawMessage]() {
			return errKind
		}
		dst.Set(reflect.ValueOf(v.members()))
		return nil
	}
	switch {
	case v.Kind == Object:
		return errKind
	case v.Kind == List && dst.Kind() == reflect.String:
		lines := make([]string, len(v.Items))
		for i, it := range v.Items {
			if it.Kind == List || it.Kind == Object {
				return errKind
			}
			lines[i] = it.Text
		}
		dst.SetString(strings.Join(lines, "\n"))
		return nil
	case v.Kind == List && len(v.Items) > 0:
		return v.Items[0].into(dst)
	case v.Kind == List:
		return nil
	}
	return v.scalar(dst)
}

var digits = regexp.MustCompile(`-?\d+(\.\d+)?`)

// scalar reads a string, a number or a boolean.
func (v *Value) scalar(dst reflect.Value) error {
	text := strings.TrimSpace(v.Text)
	switch dst.Kind() {
	case reflect.String:
		dst.SetString(v.Text)
	case reflect.Int, reflect.Float64:
		found := digits.FindString(text)
		if isMissing(text) {
			return nil
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			n, err = strconv.ParseFloat(found, 64)
		}
		if err != nil || v.Kind == Bool {
			return errKind
		}
		if dst.Kind() == reflect.Int {
			dst.SetInt(int64(min(max(n, -1e9), 1e9)))
			return nil
		}
		if strings.HasSuffix(text, "%") {
			n /= 100
		}
		dst.SetFloat(n)
	case reflect.Bool:
		switch strings.ToLower(text) {
		case "true", "yes", "y", "1":
			dst.SetBool(true)
		case "false", "no", "n", "0", "", "none":
			dst.SetBool(false)
		default:
			return errKind
		}
	default:
		return errKind
	}
	return nil
}

// isMissing reports whether a string stands for a missing value.
func isMissing(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "null", "none", "nil", "n/a", "na", "-":
		return true
	}
	return false
}

func (v *Value) structure(dst reflect.Value) error {
	switch v.Kind {
	case List:
		if len(v.Items) == 1 {
			return v.Items[0].into(dst)
		}
		return errKind
	case Object:
	default:
		if r, ok := dst.Addr().Interface().(TextReader); ok {
			r.ReadText(v.Text)
			return nil
		}
		return errKind
	}
	if t, ok := dst.Addr().Interface().(Tidier); ok {
		t.Tidy(v)
	}
	for i := range dst.NumField() {
		name := nameOf(dst.Type().Field(i))
		if name == "" {
			continue
		}
		if m := v.Get(name); m != nil {
			if err := m.into(dst.Field(i)); err != nil {
				return fmt.Errorf("member %q: %w", name, err)
			}
		}
	}
	return nil
}

func (v *Value) list(dst reflect.Value) error {
	items := v.Items
	if v.Kind != List {
		if items = []*Value{v}; v.Kind == String && isMissing(v.Text) {
			return nil
		}
	}
	out := reflect.MakeSlice(dst.Type(), 0, len(items))
	for _, it := range items {
		if it.Kind == Null {
			continue
		}
		e := reflect.New(dst.Type().Elem()).Elem()
		if err := it.into(e); err != nil {
			return err
		}
		out = reflect.Append(out, e)
	}
	dst.Set(out)
	return nil
}
