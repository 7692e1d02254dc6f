package httpapi

import "net/url"

// webLink returns an http or https URL, and "" for anything else, because a URL from a host could otherwise
// be a script.
func webLink(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return u.String()
}
