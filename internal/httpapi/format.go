package httpapi

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
)

// when writes a time of the database for people, in the time zone of the tenant.
func when(zone *time.Location, v any) string {
	return timeAs(v, zone, "2006-01-02 15:04:05 MST", "–")
}

// stamp writes the same time for programs (WHATWG HTML, "The time element").
func stamp(v any) string { return timeAs(v, time.UTC, time.RFC3339, "") }

func timeAs(v any, zone *time.Location, layout, never string) string {
	switch t := v.(type) {
	case time.Time:
		return t.In(zone).Format(layout)
	case *time.Time:
		if t != nil {
			return t.In(zone).Format(layout)
		}
	}
	return never
}

// zone is the time zone in which pages show the times of a tenant.
func (s *server) zone(ctx context.Context, t domain.Tenant) (*time.Location, error) {
	settings, err := policy.Settings(ctx, s.Store, t)
	return settings.Location(), err
}

// count writes a number with thin groups of three.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// money writes millionths of the currency, or that the price is unknown.
func money(micros *int64) string {
	if micros == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.4f", float64(*micros)/1e6)
}

func short(sha string) string { return sha[:min(len(sha), 10)] }

// webLink returns a URL of the web, "" for anything else: what a host sent is
// no script.
func webLink(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return u.String()
}
