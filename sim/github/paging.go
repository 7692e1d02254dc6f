package github

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// span is one page of a list.
type span struct{ number, size int }

// paging reads page and per_page with GitHub's defaults (30, at most 100); wrong values become the defaults.
func (c *call) paging() span {
	p := span{number: 1, size: 30}
	if n, err := strconv.Atoi(c.query.Get("page")); err == nil && n > 0 {
		p.number = n
	}
	if n, err := strconv.Atoi(c.query.Get("per_page")); err == nil && n > 0 {
		p.size = min(n, 100)
	}
	return p
}

// slice returns the bounds of the page in a list of the given length.
func (p span) slice(length int) (from, to int) {
	from = min((p.number-1)*p.size, length)
	return from, min(from+p.size, length)
}

// link sets the Link header: first, prev, next, last, as far as they apply.
func (c *call) link(r *reply, p span, length int) *reply {
	last := max(1, (length+p.size-1)/p.size)
	var parts []string
	add := func(rel string, n int) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		parts = append(parts, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, c.s.BaseURL(), c.r.URL.EscapedPath(), q.Encode(), rel))
	}
	if p.number > 1 {
		add("prev", min(p.number-1, last))
	}
	if p.number < last {
		add("next", p.number+1)
		add("last", last)
	}
	if p.number > 1 {
		add("first", 1)
	}
	if len(parts) > 0 {
		r.Set("Link", strings.Join(parts, ", "))
	}
	return r
}

// pageOf answers one page of a list whose items are made on demand. The caller may hold no lock.
func pageOf[T any](c *call, list []T, render func(T) any) *reply {
	p := c.paging()
	from, to := p.slice(len(list))
	out := make([]any, 0, to-from)
	for _, item := range list[from:to] {
		out = append(out, render(item))
	}
	return c.link(host.JSON(http.StatusOK, out), p, len(list))
}
