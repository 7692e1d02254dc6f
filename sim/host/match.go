package host

import (
	"net/http"
	"net/url"
	"strings"
)

// Segments splits an escaped path, or a pattern of one.
func Segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// Match compares the segments of an escaped path with those of a pattern. "{name}" matches one segment,
// "{name...}" the rest. Values are unescaped.
func Match(pattern, segments []string) (vars map[string]string, ok bool) {
	vars = map[string]string{}
	for i, p := range pattern {
		name, isVar := strings.CutPrefix(p, "{")
		name = strings.TrimSuffix(name, "}")
		if rest, ok := strings.CutSuffix(name, "..."); isVar && ok {
			v, err := url.PathUnescape(strings.Join(segments[min(i, len(segments)):], "/"))
			vars[rest] = v
			return vars, err == nil
		}
		if i >= len(segments) {
			return nil, false
		}
		v, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, false
		}
		switch {
		case isVar && v != "":
			vars[name] = v
		case v != p:
			return nil, false
		}
	}
	return vars, len(pattern) == len(segments)
}

// Routes is a table of routes. The first match wins, so literal segments must come before variables.
type Routes[R any] struct {
	list  []R
	parts [][]string
	key   func(*R) (method, pattern string)
}

// NewRoutes returns a table of routes; key returns a route's method and pattern.
func NewRoutes[R any](list []R, key func(*R) (method, pattern string)) Routes[R] {
	t := Routes[R]{list: list, key: key}
	for i := range list {
		_, pattern := key(&list[i])
		t.parts = append(t.parts, Segments(pattern))
	}
	return t
}

// Enter finds the route of a call, nil if no route matches. It sets the variables of the path and enters the route in the record. See
// [Call.Note] for secret. The host enters the caller.
func (t Routes[R]) Enter(c *Call, secret []string) *R {
	r, vars := t.Find(c.R.Method, c.Path)
	c.Vars = vars
	pattern := ""
	if r != nil {
		_, pattern = t.key(r)
	}
	c.Note("", pattern, secret)
	return r
}

// Find returns the route of a request and the values of its variables; nil if no route matches. HEAD counts as
// GET.
func (t Routes[R]) Find(method, path string) (*R, map[string]string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments := Segments(path)
	for i := range t.list {
		if m, _ := t.key(&t.list[i]); m != method {
			continue
		}
		if vars, ok := Match(t.parts[i], segments); ok {
			return &t.list[i], vars
		}
	}
	return nil, nil
}
