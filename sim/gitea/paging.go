package gitea

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// Bounds of lists: the host's defaults for MAX_RESPONSE_ITEMS and DEFAULT_PAGING_NUM (custom/conf/app.example.ini).
const (
	maxItems      = 50
	defaultPaging = 30
)

// span is one page of a list.
type span struct{ number, size int }

// bounds are the longest and the usual page; Server.mu is held.
func (s *Server) bounds() (most, usual int) {
	most, usual = maxItems, defaultPaging
	if s.settings.MaxResponseItems > 0 {
		most = s.settings.MaxResponseItems
	}
	if s.settings.DefaultPaging > 0 {
		usual = s.settings.DefaultPaging
	}
	return most, min(usual, most)
}

// paging reads page and limit; wrong values become the defaults.
func (c *call) paging() span {
	c.s.mu.Lock()
	most, usual := c.s.bounds()
	c.s.mu.Unlock()
	p := span{number: 1, size: usual}
	if n, err := strconv.Atoi(c.query.Get("page")); err == nil && n > 0 {
		p.number = n
	}
	if n, err := strconv.Atoi(c.query.Get("limit")); err == nil && n > 0 {
		p.size = min(n, most)
	}
	return p
}

// slice returns the bounds of the page in a list of the given length.
func (p span) slice(length int) (from, to int) {
	from = min((p.number-1)*p.size, length)
	return from, min(from+p.size, length)
}

// links sets the headers of a page: Link and X-Total-Count.
func (c *call) links(r *reply, p span, length int) *reply {
	last := max(1, (length+p.size-1)/p.size)
	var parts []string
	add := func(rel string, n int) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		parts = append(parts, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, c.s.BaseURL(), c.r.URL.EscapedPath(), q.Encode(), rel))
	}
	if p.number < last {
		add("next", p.number+1)
		add("last", last)
	}
	if p.number > 1 {
		add("first", 1)
		add("prev", min(p.number-1, last))
	}
	if len(parts) > 0 {
		r.Set("Link", strings.Join(parts, ","))
	}
	return r.Set("Access-Control-Expose-Headers", "X-Total-Count, Link").Set("X-Total-Count", strconv.Itoa(length))
}

// pageOf answers one page of a list whose items are made on demand, with both headers. The caller may hold no lock.
func pageOf[T any](c *call, list []T, render func(T) any) *reply {
	p := c.paging()
	from, to := p.slice(len(list))
	return c.links(host.JSON(http.StatusOK, renderAll(list[from:to], render)), p, len(list))
}

// countedPage is a page with X-Total-Count only: some lists of the host lack Link.
func countedPage[T any](c *call, list []T, render func(T) any) *reply {
	rep := pageOf(c, list, render)
	rep.Header.Del("Link")
	return rep
}

func renderAll[T any](list []T, render func(T) any) []any {
	out := make([]any, 0, len(list))
	for _, item := range list {
		out = append(out, render(item))
	}
	return out
}

func itself(x any) any { return x }
