package gitea

import (
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

// bounds returns the largest and the usual page size; Server.Mu is held.
func (s *Server) bounds() (longest, usual int) {
	longest, usual = maxItems, defaultPaging
	if s.settings.MaxResponseItems > 0 {
		longest = s.settings.MaxResponseItems
	}
	if s.settings.DefaultPaging > 0 {
		usual = s.settings.DefaultPaging
	}
	return longest, min(usual, longest)
}

// paging reads page and limit of the query.
func (c *call) paging() host.Span {
	c.s.Mu.Lock()
	longest, usual := c.s.bounds()
	c.s.Mu.Unlock()
	return host.NewSpan(c.Query.Get("page"), c.Query.Get("limit"), usual, longest)
}

// links sets the headers of a page: Link and X-Total-Count.
func (c *call) links(r *reply, p host.Span, length int) *reply {
	last := p.Last(length)
	var parts []string
	add := func(rel string, n int) {
		parts = append(parts, host.Link(c.s.BaseURL()+c.R.URL.EscapedPath(), c.Query, rel, map[string]string{"page": strconv.Itoa(n)}))
	}
	if p.Number < last {
		add("next", p.Number+1)
		add("last", last)
	}
	if p.Number > 1 {
		add("first", 1)
		add("prev", min(p.Number-1, last))
	}
	if len(parts) > 0 {
		r.Set("Link", strings.Join(parts, ","))
	}
	return r.Set("Access-Control-Expose-Headers", "X-Total-Count, Link").Set("X-Total-Count", strconv.Itoa(length))
}

// pageOf answers one page of a list, whose items it renders on demand, with both headers. The caller must not
// hold a lock.
func pageOf[T any](c *call, list []T, render func(T) any) *reply {
	p := c.paging()
	return c.links(host.JSON(http.StatusOK, host.RenderAll(host.Page(p, list), render)), p, len(list))
}

// countedPage answers a page with X-Total-Count only, because some lists of the host lack Link.
func countedPage[T any](c *call, list []T, render func(T) any) *reply {
	rep := pageOf(c, list, render)
	rep.Header.Del("Link")
	return rep
}
