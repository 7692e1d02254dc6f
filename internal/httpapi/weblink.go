package httpapi

import "net/url"

// webLink returns a URL of the web, "" for anything else: what a host sent is
// no script.
func webLink(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return u.String()
}
