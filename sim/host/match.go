package host

import (
	"net/http"
	"net/url"
	"strings"
)

// Segments divides an escaped path, or a pattern of one.
func Segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// Match compares the segments of an escaped path with those of a pattern, in which "{name}" is one segment and
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

// Routes is a table of routes. The order matters: literal segments stand before variables.
type Routes[R any] struct {
	list  []R
	parts [][]string
	key   func(*R) (method, pattern string)
}

// NewRoutes makes a table of routes with the method and pattern that key returns.
func NewRoutes[R any](list []R, key func(*R) (method, pattern string)) Routes[R] {
	t := Routes[R]{list: list, key: key}
	for i := range list {
		_, pattern := key(&list[i])
		t.parts = append(t.parts, Segments(pattern))
	}
	return t
}

// Find returns the route of a request and the values of its variables; nil if there is none. HEAD is GET.
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
