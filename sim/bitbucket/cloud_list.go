package bitbucket

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/host"
)

// Sizes of pages (developer.atlassian.com/cloud/bitbucket/rest/intro, "Pagination"); pull requests have at most 50.
const (
	usualPage   = 10
	longestPage = 100
)

// list answers one page of a list, after the query parameters q and sort. The caller must not hold a lock.
func (c *call) list(items []any) *reply { return c.listUpTo(items, usualPage, longestPage) }

func (c *call) listUpTo(items []any, usual, longest int) *reply {
	if q := c.Query.Get("q"); q != "" {
		keep, err := parseFilter(q)
		if err != nil {
			return invalid(err.Error())
		}
		items = host.Without(items, func(x any) bool { return !keep(x) })
	}
	if key, down := strings.CutPrefix(c.Query.Get("sort"), "-"); key != "" {
		slices.SortStableFunc(items, func(a, b any) int {
			if down {
				a, b = b, a
			}
			return compare(field(a, key), field(b, key))
		})
	}
	c.s.Mu.Lock()
	if n := c.s.settings.MaxPage; n > 0 {
		longest = n
	}
	address := c.s.Base + c.R.URL.EscapedPath()
	c.s.Mu.Unlock()
	p := host.NewSpan(c.Query.Get("page"), c.Query.Get("pagelen"), min(usual, longest), longest)
	if p.Number > p.Last(len(items)) {
		return fail(http.StatusNotFound, "Invalid page")
	}
	out := obj{"values": append([]any{}, host.Page(p, items)...), "pagelen": p.Size, "size": len(items), "page": p.Number}
	link := func(n int) string {
		q := url.Values{}
		for k, v := range c.Query {
			q[k] = v
		}
		q.Set("page", strconv.Itoa(n))
		return address + "?" + q.Encode()
	}
	if p.Number < p.Last(len(items)) {
		out["next"] = link(p.Number + 1)
	}
	if p.Number > 1 {
		out["previous"] = link(p.Number - 1)
	}
	return ok(out)
}

// field returns the value at a dotted path of an object; nil if the object lacks it.
func field(x any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		o, isObj := x.(obj)
		if !isObj {
			return nil
		}
		x = o[part]
	}
	return x
}

// compare orders values: numbers by their size, others by their text.
func compare(a, b any) int {
	if x, err := strconv.ParseFloat(fmt.Sprint(a), 64); err == nil {
		if y, err := strconv.ParseFloat(fmt.Sprint(b), 64); err == nil {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// comparison is one condition of the query language, such as: state = "OPEN".
var comparison = regexp.MustCompile(`^\s*([a-z_.]+)\s*(!=|!~|>=|<=|=|~|>|<)\s*("(?:[^"\\]|\\.)*"|[^\s()]+)\s*$`)

// parseFilter reads a query: conditions joined by AND and OR, without parentheses
// (developer.atlassian.com/cloud/bitbucket/rest/intro, "Filtering").
func parseFilter(q string) (keep func(any) bool, err error) {
	var any1 [][]func(any) bool
	for _, group := range splitWord(q, "OR") {
		var all []func(any) bool
		for _, text := range splitWord(group, "AND") {
			m := comparison.FindStringSubmatch(text)
			if m == nil {
				return nil, fmt.Errorf("Invalid query: %s", text) //nolint:staticcheck // the host's own words
			}
			want := m[3]
			if s, err := strconv.Unquote(want); err == nil {
				want = s
			}
			all = append(all, func(x any) bool { return holds(field(x, m[1]), m[2], want) })
		}
		any1 = append(any1, all)
	}
	return func(x any) bool {
		return slices.ContainsFunc(any1, func(all []func(any) bool) bool {
			return !slices.ContainsFunc(all, func(f func(any) bool) bool { return !f(x) })
		})
	}, nil
}

// splitWord splits a query at a word outside of quotes.
func splitWord(q, word string) (out []string) {
	quoted, start := false, 0
	for i := 0; i < len(q); i++ {
		if q[i] == '"' && (i == 0 || q[i-1] != '\\') {
			quoted = !quoted
		}
		if n := len(word) + 2; !quoted && i+n <= len(q) && strings.EqualFold(q[i:i+n], " "+word+" ") {
			out, start = append(out, q[start:i]), i+n
		}
	}
	return append(out, q[start:])
}

func holds(have any, op, want string) bool {
	text := fmt.Sprint(have)
	if have == nil {
		text = "null"
	}
	switch op {
	case "=":
		return compare(text, want) == 0
	case "!=":
		return compare(text, want) != 0
	case "~":
		return strings.Contains(strings.ToLower(text), strings.ToLower(want))
	case "!~":
		return !strings.Contains(strings.ToLower(text), strings.ToLower(want))
	case ">":
		return compare(text, want) > 0
	case ">=":
		return compare(text, want) >= 0
	case "<":
		return compare(text, want) < 0
	}
	return compare(text, want) <= 0
}
