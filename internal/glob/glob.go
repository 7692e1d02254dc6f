// Package glob matches names and paths against tenants' patterns, in doublestar's syntax, with bounded
// work.
//
// It does not implement the patterns of .gitattributes, which follow other rules.
package glob

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAlternatives bounds the patterns without braces that a pattern expands to: {a,b}/{c,d} expands to
// four. Matching tries them one by one, so that a pattern of 500 bytes could otherwise take practically
// forever.
const maxAlternatives = 64

// Valid reports whether a pattern has valid syntax and at most maxAlternatives alternatives.
func Valid(pattern string) bool {
	return doublestar.ValidatePattern(pattern) && alternatives(pattern) <= maxAlternatives
}

// Match reports whether a pattern matches a whole name, whose parts are separated by slashes. An invalid
// pattern matches nothing.
func Match(pattern, name string) bool {
	if alternatives(pattern) > maxAlternatives {
		return false
	}
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// Any reports whether a path matches one of the patterns. A pattern without a slash matches the name in any
// folder; with a slash before it, it matches at the root alone. A pattern with a slash at the end matches
// everything below that folder. An invalid pattern matches nothing.
func Any(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p, rooted := strings.CutPrefix(p, "/")
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if !rooted && !strings.Contains(p, "/") {
			p = "**/" + p
		}
		return Match(p, path)
	})
}

// alternatives counts the alternatives of a pattern. It stops counting above maxAlternatives.
func alternatives(pattern string) int {
	type level struct{ done, now int } // sums of the alternatives before and after the last comma
	open := []level{{0, 1}}
	for i := 0; i < len(pattern); i++ {
		top := &open[len(open)-1]
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			if len(open) > maxAlternatives {
				return maxAlternatives + 1
			}
			open = append(open, level{0, 1})
		case ',':
			if len(open) > 1 {
				top.done, top.now = top.done+top.now, 1
			}
		case '}':
			if len(open) > 1 {
				n := top.done + top.now
				open = open[:len(open)-1]
				open[len(open)-1].now *= n
			}
		}
		if l := open[len(open)-1]; l.done+l.now > maxAlternatives {
			return maxAlternatives + 1
		}
	}
	return open[0].now
}

// Literal returns a pattern that matches a name and nothing else. Characters with a meaning in patterns are
// escaped.
func Literal(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\*?[]{},`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
