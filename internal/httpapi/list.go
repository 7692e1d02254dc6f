package httpapi

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// List is a page of a list.
type List[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty" doc:"For the parameter cursor of the next page; absent on the last one"`
}

// Page holds the parameters of a list.
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Items per page"`
	Cursor string `query:"cursor" maxLength:"500" doc:"nextCursor of the page before"`
}

// A cursor is opaque to clients: its parts in base 64. It is not secret, and its place is looked up within
// the caller's scope.

func writeCursor(parts ...string) string {
	for i, p := range parts {
		parts[i] = base64.RawURLEncoding.EncodeToString([]byte(p))
	}
	return strings.Join(parts, ".")
}

// readCursor splits and decodes a cursor of n parts.
func readCursor(cursor string, n int) ([]string, error) {
	parts := strings.Split(cursor, ".")
	if len(parts) != n {
		return nil, badCursor()
	}
	for i, p := range parts {
		raw, err := base64.RawURLEncoding.DecodeString(p)
		if err != nil {
			return nil, badCursor()
		}
		parts[i] = string(raw)
	}
	return parts, nil
}

func badCursor() error {
	return &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.",
		Fields: []errs.Field{{Pointer: "query/cursor", Message: "must be the nextCursor of an answer of this list"}}}
}

// timeCursor decodes a place in a list that is ordered newest first.
func timeCursor(cursor string) (store.Cursor, error) {
	if cursor == "" {
		return store.Cursor{}, nil
	}
	parts, err := readCursor(cursor, 2)
	if err != nil {
		return store.Cursor{}, err
	}
	us, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || us < 0 || !plausibleID(parts[1]) {
		return store.Cursor{}, badCursor()
	}
	return store.Cursor{US: us, ID: parts[1]}, nil
}
