package codehost

import "reflect"

// Shown reports whether a change of a field changes a cell of the table.
func Shown(field string) bool {
	for _, base := range []Capabilities{{}, {PrivateDrafts: true, WholeReview: true}} {
		changed := base
		switch f := reflect.ValueOf(&changed).Elem().FieldByName(field); f.Kind() {
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Int:
			f.SetInt(7)
		default:
			f.SetString("x")
		}
		switch field {
		case "Suggestions":
			changed.Suggestions = SuggestFence
		case "Marks":
			changed.Marks = MarkReference
		}
		for _, r := range rows() {
			if r.cell(base) != r.cell(changed) {
				return true
			}
		}
	}
	return false
}
