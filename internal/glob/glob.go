// Package glob matches names and paths with the patterns of tenants: doublestar's,
// within a bound of work.
//
// Patterns of .gitattributes have rules of their own and do not live here.
package glob

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAlternatives is how many patterns without braces a pattern may stand for:
// {a,b}/{c,d} stands for four. Matching tries them one by one, so that a pattern of
// 500 bytes could otherwise stand for more than anybody can wait for.
const maxAlternatives = 64

// Valid reports whether a pattern can be used.
func Valid(pattern string) bool {
	return doublestar.ValidatePattern(pattern) && alternatives(pattern) <= maxAlternatives
}

// Match reports whether a pattern matches all of a name, whose parts are separated
// by slashes. One that is not valid matches nothing.
func Match(pattern, name string) bool {
	if alternatives(pattern) > maxAlternatives {
		return false
	}
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// Any reports whether a path matches one of the patterns. A pattern without a
// slash matches a name in any folder; one that ends with a slash everything below;
// one that is not valid nothing.
func Any(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimPrefix(p, "/")
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if !strings.Contains(p, "/") {
			p = "**/" + p
		}
		return Match(p, path)
	})
}

// alternatives counts what a pattern stands for; more than maxAlternatives is not
// counted on.
func alternatives(pattern string) int {
	type level struct{ done, now int } // of the alternatives before a comma, and of the one after it
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
