package httpapi

import (
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// when writes a time of the database for people.
func when(v any) string { return timeAs(v, "2006-01-02 15:04:05 UTC", "–") }

// stamp writes the same time for programs (WHATWG HTML, "The time element").
func stamp(v any) string { return timeAs(v, time.RFC3339, "") }

func timeAs(v any, layout, never string) string {
	switch t := v.(type) {
	case time.Time:
		return t.Format(layout)
	case *time.Time:
		if t != nil {
			return t.Format(layout)
		}
	}
	return never
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
