package httpapi

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// All records of a repository are read in the same way: [lists] returns a list, newest first, and a
// function for the record's type converts each row.

// RepositoryPage is the input of a list of a repository.
type RepositoryPage struct {
	InRepository
	Page
}

// placed is a row that knows its place in a list.
type placed interface{ Place() store.Cursor }

// paged is [listed] for [placed] rows.
func paged[S placed, A any](rows []S, limit int, show func(S) A) *Listed[A] {
	return listed(rows, limit, S.Place, show)
}

// lists returns the handler of a list of a repository.
func lists[S placed, A any](rows func(*store.Store, context.Context, domain.Tenant, string, store.Cursor, int) ([]S, error),
	show func(S) A) func(*server, context.Context, *RepositoryPage) (*Listed[A], error) {
	return func(s *server, ctx context.Context, in *RepositoryPage) (*Listed[A], error) {
		before, limit, err := in.window()
		if err != nil {
			return nil, err
		}
		c := callerFrom(ctx)
		found, err := rows(s.Store, ctx, c.tenant, c.repository.ID, before, limit)
		if err != nil {
			return nil, err
		}
		return paged(found, in.Limit, show), nil
	}
}

// find reads one row of the caller's repository and converts it.
func find[S, A any](ctx context.Context, id string, row func(context.Context, domain.Tenant, string, string) (S, error),
	show func(S) A) (*Read[A], error) {
	c := callerFrom(ctx)
	v, err := row(ctx, c.tenant, c.repository.ID, id)
	if err != nil {
		return nil, err
	}
	return &Read[A]{show(v)}, nil
}

// stored decodes a JSON column. It returns the zero value if the text cannot be decoded, because a row
// edited by hand must not break a page.
func stored[T any](body string) (v T) {
	_ = json.Unmarshal([]byte(body), &v)
	return v
}

// storedList is [stored] for a list. It never returns nil, so that answers contain no null.
func storedList[T any](body string) []T { return notNil(stored[[]T](body)) }

// micros converts millionths to a share.
func micros(ppm int64) float64 { return float64(ppm) / 1e6 }
