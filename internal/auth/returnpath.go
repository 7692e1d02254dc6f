package auth

import (
	"net/url"
	"strings"
)

// maxReturn bounds a return path, which is only stored in the database.
const maxReturn = 500

// ReturnPath checks the path for a browser after a sign-in: a path on our own origin, with or without a
// query, never another address. "" becomes "/". It refuses every spelling that a browser or a proxy could
// read as another host, and our own routes that are not pages.
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
	if strings.ContainsAny(path, "\\%") || strings.Contains(path, "//") ||
		strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
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
