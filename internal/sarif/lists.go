package sarif

import (
	"bytes"
	"encoding/json"
)

// bound is a number of entries that is part of a type.
type bound interface{ most() int }

// The bounds of lists inside a value.
type (
	single  struct{}
	several struct{}
	many    struct{}
	lots    struct{}
)

func (single) most() int  { return 1 }
func (several) most() int { return 20 }
func (many) most() int    { return 2000 }
func (lots) most() int    { return 25_000 }

// list is a JSON array of which the first entries are kept. An entry of another type is kept as the zero value, so that
// the places of the others stay.
type list[T any, N bound] struct {
	items []T
	left  int // further entries
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *list[T, N]) UnmarshalJSON(raw []byte) error {
	var most N
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return err // null, or another type, which counts as an empty list
	}
	for d.More() {
		if len(l.items) == most.most() {
			l.left++
			if err := d.Decode(&struct{}{}); isFatal(err) {
				return err
			}
			continue
		}
		var item T
		if err := d.Decode(&item); isFatal(err) {
			return err
		}
		l.items = append(l.items, item)
	}
	return nil
}

// dictionary is a JSON object of which the first entries are kept.
type dictionary[T any, N bound] struct{ items map[string]T }

// UnmarshalJSON implements [json.Unmarshaler].
func (o *dictionary[T, N]) UnmarshalJSON(raw []byte) error {
	var most N
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return err
	}
	o.items = map[string]T{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var item T
		if err := d.Decode(&item); isFatal(err) {
			return err
		}
		if name, ok := key.(string); ok && len(o.items) < most.most() {
			o.items[name] = item
		}
	}
	return nil
}

// isFatal reports whether a decoder cannot go on after an error. It goes on after a value of another type than expected.
func isFatal(err error) bool {
	switch err.(type) {
	case nil, *json.UnmarshalTypeError:
		return false
	}
	return true
}

// loose is a number or a text, as tools write security-severity and versions.
type loose string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *loose) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*l = loose(text)
		return nil
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		*l = loose(number.String())
	}
	return nil
}
