package github

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// defaultPrimaryLimit is the primary limit per hour (docs.github.com, "Rate limits for the REST API").
const defaultPrimaryLimit = 5000

// limiter counts requests per actor and hour, and content writes per minute.
type limiter struct {
	mu      sync.Mutex
	windows map[string]*window
}

type window struct {
	start       time.Time
	used        int
	minuteStart time.Time
	writes      int
}

func newLimiter() *limiter { return &limiter{windows: map[string]*window{}} }

func limitKey(rec *simapi.Request) string {
	if rec.InstallationID != 0 {
		return "installation:" + strconv.FormatInt(rec.InstallationID, 10)
	}
	return rec.Actor
}

func (l *limiter) window(key string, now time.Time) *window {
	w := l.windows[key]
	if w == nil {
		w = &window{start: now, minuteStart: now}
		l.windows[key] = w
	}
	if now.Sub(w.start) >= time.Hour {
		w.start, w.used = now, 0
	}
	if now.Sub(w.minuteStart) >= time.Minute {
		w.minuteStart, w.writes = now, 0
	}
	return w
}

func (s *Server) limitSettings() (limit int, enforced bool, writes int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.settings.PrimaryLimit > 0 {
		return s.settings.PrimaryLimit, true, s.settings.WritesPerMinute
	}
	return defaultPrimaryLimit, false, s.settings.WritesPerMinute
}

// take counts a request and refuses it if an enforced limit is used up. /rate_limit is free.
func (l *limiter) take(s *Server, c *call) *reply {
	if c.route.pattern == "/rate_limit" || (c.actor != nil && c.actor.isApp) {
		return nil
	}
	limit, enforced, writes := s.limitSettings()
	now := s.HostTime()
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.window(limitKey(c.Rec), now)
	if enforced && w.used >= limit {
		return primaryLimit(http.StatusForbidden, limit, w.start.Add(time.Hour))
	}
	if w.used++; !enforced && w.used >= limit {
		w.used = limit - 1
	}
	if c.Rec.Write && writes > 0 {
		if w.writes >= writes {
			rep := secondaryLimit(http.StatusForbidden)
			return rep.Set("Retry-After", strconv.Itoa(int(time.Minute/time.Second)))
		}
		w.writes++
	}
	return nil
}

// headers sets the X-RateLimit headers of an answer.
func (l *limiter) headers(s *Server, h http.Header, rec *simapi.Request) {
	limit, _, _ := s.limitSettings()
	now := s.HostTime()
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.window(limitKey(rec), now)
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, limit-w.used)))
	h.Set("X-RateLimit-Used", strconv.Itoa(w.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(w.start.Add(time.Hour).Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
}

// rateLimit is GET /rate_limit.
func rateLimit(c *call) *reply {
	limit, _, _ := c.s.limitSettings()
	now := c.s.HostTime()
	l := c.s.limits
	l.mu.Lock()
	w := l.window(limitKey(c.Rec), now)
	one := obj{"limit": limit, "used": w.used, "remaining": max(0, limit-w.used), "reset": w.start.Add(time.Hour).Unix()}
	l.mu.Unlock()
	other := func(n int) obj {
		return obj{"limit": n, "used": 0, "remaining": n, "reset": now.Add(time.Hour).Unix()}
	}
	return ok(obj{"resources": obj{"core": one, "search": other(30), "graphql": other(5000)}, "rate": one})
}

// primaryLimit returns the answer for a used-up hourly budget.
func primaryLimit(status, limit int, reset time.Time) *reply {
	rep := fail(status, "API rate limit exceeded for installation. If you reach out to GitHub Support for help, please include the "+
		"request ID.")
	rep.Set("X-RateLimit-Limit", strconv.Itoa(limit)).Set("X-RateLimit-Remaining", "0").Set("X-RateLimit-Used", strconv.Itoa(limit))
	return rep.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10)).Set("X-RateLimit-Resource", "core")
}

// secondaryLimit returns the answer of the secondary limits, without a header about the wait.
func secondaryLimit(status int) *reply {
	return host.JSON(status, obj{
		"message":           "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
		"documentation_url": "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits",
		"status":            strconv.Itoa(status),
	})
}
