package outbound

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"
)

// MaxList bounds what is kept of one list, in bytes of memory, and maxListRead what is read
// for it, in bytes of all its answers.
const (
	MaxList     = 16 << 20
	maxListRead = 128 << 20
)

// Bounds of a list beside its entries, for servers that never end one.
const (
	maxPages = 1000
	maxEmpty = 20 // pages in a row that hold no entry
)

// leftKey is where the context of a page has the bytes that may still be read for its list.
type leftKey struct{}

// Page asks for the page of a list with a number, counted from 1 in the order in which
// the pages are asked for, by requests with the context that it is given. more reports
// whether others follow.
type Page[S any] func(ctx context.Context, n int) (entries []S, more bool, err error)

// List reads a list page by page, each within its own [Bound], until it ends, or most
// entries have come, or what keep made of them takes [MaxList]. keep makes of an entry what
// is needed of it, and returns false for one that is left out. whole is false where the
// server has more than was read, which the caller has to tell. Pages that do not end, or
// have more than 128 MiB in all, are a [BoundError].
func List[S, T any](ctx context.Context, most int, page Page[S], keep func(S) (T, bool)) (list []T, whole bool, err error) {
	left := &atomic.Int64{}
	left.Store(maxListRead)
	ctx = context.WithValue(ctx, leftKey{}, left)
	read, size, empty := 0, 0, 0
	for n := 1; n <= maxPages && empty < maxEmpty; n++ {
		entries, more, err := page(ctx, n)
		if err != nil {
			return nil, false, err
		}
		for _, e := range entries {
			if read == most {
				return list, false, nil
			}
			read++
			kept, wanted := keep(e)
			if !wanted {
				continue
			}
			if size += sizeOf(kept); size > MaxList {
				return list, false, nil
			}
			list = append(list, kept)
		}
		switch {
		case !more:
			return list, true, nil
		case read == most:
			return list, false, nil
		case len(entries) > 0:
			empty = 0
		default:
			empty++
		}
	}
	return nil, false, beyond("it is a list that does not end")
}

// sizeOf estimates the memory that a value takes.
func sizeOf(v any) int {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return 0
	}
	return int(r.Type().Size()) + behind(r)
}

var timeType = reflect.TypeFor[time.Time]()

// behind is the memory that a value refers to.
func behind(v reflect.Value) (size int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return int(v.Elem().Type().Size()) + behind(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			size = v.Len() * int(v.Type().Elem().Size())
		}
		if refers(v.Type().Elem()) {
			for i := range v.Len() {
				size += behind(v.Index(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := v.MapIndex(k)
			size += 2*int(k.Type().Size()+e.Type().Size()) + behind(k) + behind(e)
		}
	case reflect.Struct:
		if v.Type() == timeType { // its zone is shared
			return 0
		}
		for i := range v.NumField() {
			size += behind(v.Field(i))
		}
	}
	return size
}

// refers reports whether values of a type may refer to memory beside them.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return true
	}
	return false
}
