package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Shown wraps a resource that can be changed, with its ETag.
type Shown[T any] struct {
	ETag string `header:"ETag" doc:"Version, for If-Match"`
	Body T
}

// Made wraps a new resource.
type Made[T any] struct {
	Location string `header:"Location" doc:"Path of the new resource, or of the list that has it"`
	ETag     string `header:"ETag" doc:"Version, for If-Match"`
	Body     T
}

// Listed wraps a list.
type Listed[T any] struct{ Body List[T] }

// Gone is an answer without a body (204).
type Gone struct{}

// Guard holds the condition of a change.
type Guard struct {
	IfMatch string `header:"If-Match" maxLength:"100" doc:"ETag of the version that the change replaces; 412 if there is a newer one. Absent: any version"`
}

// version returns the required version, 0 for any. The ETag "v0" of a document that was never stored gives
// [store.NeverStored]. A weak tag counts as a strong one, because compressing proxies weaken tags and a
// version has only one form.
func (g Guard) version() (int64, error) {
	if g.IfMatch == "" || g.IfMatch == "*" {
		return 0, nil
	}
	tag := strings.TrimPrefix(g.IfMatch, "W/")
	if tag == etag(0) {
		return store.NeverStored, nil
	}
	n, ok := strings.CutPrefix(strings.TrimSuffix(tag, `"`), `"v`)
	v, err := strconv.ParseInt(n, 10, 64)
	if !ok || err != nil || v < 1 {
		return 0, errs.New(errs.Stale, "stale", "If-Match must be the ETag of an answer; this object never had that ETag.")
	}
	return v, nil
}

func etag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }

// creates is [typed] for a route that creates a resource: 201.
func creates[I, O any](summary string, h func(*server, context.Context, *I) (*O, error)) handler {
	return typedHandler[I, O]{summary: summary, status: http.StatusCreated, h: h}
}

// listed builds a page of a list that is ordered newest first. rows has at most one row more than limit.
// place returns a row's position, and show converts it for the answer.
func listed[S, A any](rows []S, limit int, place func(S) store.Cursor, show func(S) A) *Listed[A] {
	out := &Listed[A]{List[A]{Items: []A{}}}
	if len(rows) > limit {
		rows = rows[:limit]
		last := place(rows[limit-1])
		out.Body.NextCursor = writeCursor(strconv.FormatInt(last.US, 10), last.ID)
	}
	for _, row := range rows {
		out.Body.Items = append(out.Body.Items, show(row))
	}
	return out
}

// newest is [listed] for rows that a feature has already converted. key returns the time and id of a row.
func newest[T any](rows []T, limit int, key func(T) (time.Time, string)) *Listed[T] {
	place := func(row T) store.Cursor {
		created, id := key(row)
		return store.Cursor{US: created.UnixMicro(), ID: id}
	}
	return listed(rows, limit, place, func(row T) T { return row })
}

// window decodes the parameters of a list that is ordered newest first. The returned limit is one more than
// requested, to detect the last page.
func (p Page) window() (before store.Cursor, limit int, err error) {
	before, err = timeCursor(p.Cursor)
	return before, p.Limit + 1, err
}
