package gitlab

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

// Bounds of lists (docs.gitlab.com/api/rest, "Pagination"): 20 entries unless asked, at most 100, and no counts beyond 10,000 entries.
const (
	usualPage  = 20
	mostOfPage = 100
	mostTotal  = 10_000
)

// span is one page of a list.
type span struct {
	number, size int
	keyset       bool
}

// paging reads page, per_page, pagination and cursor; wrong values become the defaults.
func (c *call) paging() span {
	p := span{number: 1, size: usualPage, keyset: c.query.Get("pagination") == "keyset"}
	page := c.query.Get("page")
	if p.keyset {
		page = strings.TrimPrefix(c.query.Get("cursor"), "c")
	}
	if n, err := strconv.Atoi(page); err == nil && n > 0 {
		p.number = n
	}
	if n, err := strconv.Atoi(c.query.Get("per_page")); err == nil && n > 0 {
		p.size = min(n, mostOfPage)
	}
	return p
}

// slice returns the bounds of the page in a list of the given length.
func (p span) slice(length int) (from, to int) {
	from = min((p.number-1)*p.size, length)
	return from, min(from+p.size, length)
}

// links sets the headers of a page. With a keyset there is a link to the next page and nothing else.
func (c *call) links(r *reply, p span, length int) *reply {
	last := max(1, (length+p.size-1)/p.size)
	var parts []string
	add := func(rel string, n int) {
		q := c.r.URL.Query()
		if p.keyset {
			q.Set("cursor", "c"+strconv.Itoa(n))
		} else {
			q.Set("page", strconv.Itoa(n))
		}
		q.Set("per_page", strconv.Itoa(p.size))
		parts = append(parts, fmt.Sprintf(`<%s%s%s?%s>; rel="%s"`, c.s.BaseURL(), apiPrefix, c.rec.Path, q.Encode(), rel))
	}
	next := ""
	if p.number < last {
		add("next", p.number+1)
		next = strconv.Itoa(p.number + 1)
	}
	if !p.keyset {
		prev := ""
		if p.number > 1 {
			prev = strconv.Itoa(p.number - 1)
			add("prev", p.number-1)
		}
		add("first", 1)
		r.Set("X-Page", strconv.Itoa(p.number)).Set("X-Per-Page", strconv.Itoa(p.size)).Set("X-Next-Page", next).Set("X-Prev-Page", prev)
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

// pageOf answers one page of a list whose items are made on demand. The caller may hold no lock.
func pageOf[T any](c *call, list []T, render func(T) any) *reply {
	p := c.paging()
	from, to := p.slice(len(list))
	return c.links(host.JSON(http.StatusOK, renderAll(list[from:to], render)), p, len(list))
}

func renderAll[T any](list []T, render func(T) any) []any {
	out := make([]any, 0, len(list))
	for _, item := range list {
		out = append(out, render(item))
	}
	return out
}

func itself(x any) any { return x }

// stamp is a time as the interface writes it, to the millisecond; nil for none.
func stamp(m micros) any {
	if m == 0 {
		return nil
	}
	return m.Time().Format("2006-01-02T15:04:05.000Z07:00")
}

// hookStamp is a time as payloads of webhooks have it.
func hookStamp(m micros) any {
	if m == 0 {
		return nil
	}
	return m.Time().Format("2006-01-02 15:04:05 UTC")
}

func dated(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000+00:00") }
