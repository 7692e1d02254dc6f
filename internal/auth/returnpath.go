package auth

import (
	"net/url"
	"strings"
)

// maxReturn bounds a return path; it travels through the database only.
const maxReturn = 500

// ReturnPath checks where a browser goes after a sign-in: a path on our own
// origin, with or without a query, never another address. The empty one is "/".
// What a browser or a proxy could read as another host is refused in every
// spelling, and so are our own routes that are no pages.
func ReturnPath(raw string) (string, bool) {
	if raw == "" {
		return "/", true
	}
	if len(raw) > maxReturn || raw[0] != '/' {
		return "", false
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c >= 0x7f || c == '\\' || c == '#' {
			return "", false
		}
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return "", false
	}
	path := u.Path // decoded once, as a proxy might
	if strings.ContainsAny(path, "\\%") || strings.Contains(path, "//") || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return "", false
		}
	}
	for _, own := range []string{"/api", "/auth", "/mcp", "/webhooks"} {
		if path == own || strings.HasPrefix(path, own+"/") {
			return "", false
		}
	}
	return raw, true
}
