package host

import (
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
