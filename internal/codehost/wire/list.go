package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/outbound"
)

// List is [outbound.List] for calls that request pages with a number of entries. A caller that must not
// take a part for the whole list returns [TooMany] if whole is false.
func List[S, T any](ctx context.Context, op string, most int, page outbound.Page[S],
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	list, whole, err = outbound.List(ctx, most, page, keep)
	if beyond, is := errors.AsType[*outbound.BoundError](err); is {
		err = &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: beyond.Error()}
	}
	return list, whole, err
}

// KeepNone keeps nothing, for a list that is searched page by page.
func KeepNone[S any](S) (struct{}, bool) { return struct{}{}, false }

// KeepNonNil keeps an entry unchanged, and drops null.
func KeepNonNil[S any](e *S) (*S, bool) { return e, e != nil }

// TooMany returns the error for a list that was read only in part. things is a plural, such as "open pull
// requests".
func TooMany(op string, most int, things string) error {
	return &codehost.Error{Class: codehost.ClassTooLarge, Op: op,
		Message: fmt.Sprintf("there are more %s than are read: %d, of %d MiB in all", things, most, outbound.MaxList>>20)}
}
