package github

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/github/gql"
)

// connection pages through a list with first and after, or from its end with last and before. A cursor is the
// number of entries before it.
func connection[T any](a map[string]any, typ string, list []T, render func(T) gql.Object) (any, error) {
	from, to, err := pageRange(a, len(list))
	if err != nil {
		return nil, err
	}
	nodes := []gql.Object{}
	for _, x := range list[from:to] {
		nodes = append(nodes, render(x))
	}
	return gql.Object{Type: typ + "Connection", Fields: map[string]gql.Resolver{
		"nodes": gql.Value(nodes), "totalCount": gql.Value(len(list)),
		"pageInfo": gql.Value(gql.Object{Type: "PageInfo", Fields: map[string]gql.Resolver{
			"hasNextPage": gql.Value(to < len(list)), "hasPreviousPage": gql.Value(from > 0), "endCursor": gql.Value("cursor:" + strconv.Itoa(to)),
			"startCursor": gql.Value("cursor:" + strconv.Itoa(from))}}),
	}}, nil
}

// pageRange returns the requested part of a list of n entries.
func pageRange(a map[string]any, n int) (from, to int, err error) {
	size, forward := a["first"].(float64)
	cursor, word := text(a, "after"), "after"
	if !forward {
		size, _ = a["last"].(float64)
		cursor, word = text(a, "before"), "before"
	}
	if size < 1 || size > 100 {
		return 0, 0, &gql.Error{Message: "You must provide a `first` or `last` value between 1 and 100 to properly paginate the connection."}
	}
	at := 0
	if !forward {
		at = n
	}
	if cursor != "" {
		at, err = strconv.Atoi(strings.TrimPrefix(cursor, "cursor:"))
		if err != nil || at < 0 {
			return 0, 0, &gql.Error{Message: "`" + word + "` does not appear to be a valid cursor."}
		}
		at = min(at, n)
	}
	if forward {
		return at, min(at+int(size), n), nil
	}
	return max(at-int(size), 0), at, nil
}
