package outbound

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"
)

// MaxList bounds the memory of one stored list, and maxListRead the size of all its answers, both in bytes.
const (
	MaxList     = 16 << 20
	maxListRead = 128 << 20
)

// Further bounds of a list, for servers that never end one.
const (
	maxPages = 1000
	maxEmpty = 20 // consecutive pages without entries
)

// leftKey is the context key of the bytes that may still be read for a page's list.
type leftKey struct{}

// Page requests page n of a list, counted from 1, with requests that use ctx. more reports whether further
// pages follow.
type Page[S any] func(ctx context.Context, n int) (entries []S, more bool, err error)

// List reads a list page by page, each within its own [Bound]. It stops at the end of the list, after most
// entries, or when the results of keep exceed [MaxList]. keep converts an entry, or returns false to omit
// it. whole is false if the server has more entries, which the caller must report. An endless list, or one
// with more than 128 MiB of answers, is a [BoundError].
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
	return nil, false, newBoundError("it is a list that does not end")
}

// sizeOf estimates the memory of a value in bytes.
func sizeOf(v any) int {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return 0
	}
	return int(r.Type().Size()) + referencedSize(r)
}

var timeType = reflect.TypeFor[time.Time]()

// referencedSize estimates the memory that a value refers to.
func referencedSize(v reflect.Value) (size int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return int(v.Elem().Type().Size()) + referencedSize(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			size = v.Len() * int(v.Type().Elem().Size())
		}
		if refers(v.Type().Elem()) {
			for i := range v.Len() {
				size += referencedSize(v.Index(i))
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := v.MapIndex(k)
			size += 2*int(k.Type().Size()+e.Type().Size()) + referencedSize(k) + referencedSize(e)
		}
	case reflect.Struct:
		if v.Type() == timeType { // time zones are shared
			return 0
		}
		for i := range v.NumField() {
			size += referencedSize(v.Field(i))
		}
	}
	return size
}

// refers reports whether values of a type may refer to other memory.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return true
	}
	return false
}
