package github

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// paging reads page and per_page with GitHub's bounds.
func (c *call) paging() host.Span {
	return host.NewSpan(c.Query.Get("page"), c.Query.Get("per_page"), 30, 100)
}

// link sets the Link header with those of first, prev, next and last that apply.
func (c *call) link(r *reply, p host.Span, length int) *reply {
	last := p.Last(length)
	var parts []string
	add := func(rel string, n int) {
		parts = append(parts, host.Link(c.s.BaseURL()+c.R.URL.EscapedPath(), c.Query, rel, map[string]string{"page": strconv.Itoa(n)}))
	}
	if p.Number > 1 {
		add("prev", min(p.Number-1, last))
	}
	if p.Number < last {
		add("next", p.Number+1)
		add("last", last)
	}
	if p.Number > 1 {
		add("first", 1)
	}
	if len(parts) > 0 {
		r.Set("Link", strings.Join(parts, ", "))
	}
	return r
}

// pageOf answers one page of a list, whose items it renders on demand. The caller must not hold a lock.
func pageOf[T any](c *call, list []T, render func(T) any) *reply {
	p := c.paging()
	return c.link(host.JSON(http.StatusOK, host.RenderAll(host.Page(p, list), render)), p, len(list))
}
