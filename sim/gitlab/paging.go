package gitlab

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

// Bounds of lists (docs.gitlab.com/api/rest, "Pagination"): 20 entries by default, at most 100, and no counts
// beyond 10,000 entries.
const (
	usualPage  = 20
	mostOfPage = 100
	mostTotal  = 10_000
)

// span is one page of a list, by number or by cursor.
type span struct {
	host.Span
	keyset bool
}

// paging reads page, per_page, pagination and cursor; wrong values become the defaults.
func (c *call) paging() span {
	p := span{keyset: c.Query.Get("pagination") == "keyset"}
	page := c.Query.Get("page")
	if p.keyset {
		page = strings.TrimPrefix(c.Query.Get("cursor"), "c")
	}
	p.Span = host.NewSpan(page, c.Query.Get("per_page"), usualPage, mostOfPage)
	return p
}

// links sets the headers of a page. With a keyset it only sets the link to the next page.
func (c *call) links(r *reply, p span, length int) *reply {
	last := p.Last(length)
	var parts []string
	add := func(rel string, n int) {
		values := map[string]string{"page": strconv.Itoa(n), "per_page": strconv.Itoa(p.Size)}
		if p.keyset {
			values = map[string]string{"cursor": "c" + strconv.Itoa(n), "per_page": strconv.Itoa(p.Size)}
		}
		parts = append(parts, host.Link(c.s.BaseURL()+apiPrefix+c.Rec.Path, c.Query, rel, values))
	}
	next := ""
	if p.Number < last {
		add("next", p.Number+1)
		next = strconv.Itoa(p.Number + 1)
	}
	if !p.keyset {
		prev := ""
		if p.Number > 1 {
			prev = strconv.Itoa(p.Number - 1)
			add("prev", p.Number-1)
		}
		add("first", 1)
		r.Set("X-Page", strconv.Itoa(p.Number)).Set("X-Per-Page", strconv.Itoa(p.Size)).Set("X-Next-Page", next).Set("X-Prev-Page", prev)
		if length <= mostTotal {
			add("last", last)
			r.Set("X-Total", strconv.Itoa(length)).Set("X-Total-Pages", strconv.Itoa(last))
		}
	}
	if len(parts) > 0 {
		r.Set("Link", strings.Join(parts, ", "))
	}
	return r
}

// pageOf answers one page of a list, whose items it renders on demand. The caller must not hold a lock.
func pageOf[T any](c *call, list []T, render func(T) any) *reply {
	p := c.paging()
	return c.links(host.JSON(http.StatusOK, host.RenderAll(host.Page(p.Span, list), render)), p, len(list))
}

// stamp returns a time in the format of the interface, to the millisecond; nil for 0.
func stamp(m micros) any {
	if m == 0 {
		return nil
	}
	return m.Time().Format("2006-01-02T15:04:05.000Z07:00")
}

// hookStamp returns a time in the format of webhook payloads.
func hookStamp(m micros) any {
	if m == 0 {
		return nil
	}
	return m.Time().Format("2006-01-02 15:04:05 UTC")
}

func dated(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000+00:00") }
