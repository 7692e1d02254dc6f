package glob

import (
	"strings"
	"testing"
)

func TestAlternatives(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]int{
		"":                                   1,
		"**/*.go":                            1,
		"{a,b}":                              2,
		"{a,b}/{c,d,e}":                      6,
		"{a,{b,c}}":                          3,
		"{a{b,c}d{e,f},g}":                   5,
		`\{a,b\}`:                            1,
		"a,b}":                               1,
		"{a,b":                               1, // not valid
		strings.Repeat("{a,a}", 6):           64,
		strings.Repeat("{a,a}", 7):           maxAlternatives + 1,
		strings.Repeat("{a,a}", 1000):        maxAlternatives + 1,
		"{" + strings.Repeat("a,", 63) + "}": 64,
		"{" + strings.Repeat("a,", 64) + "}": maxAlternatives + 1,
		strings.Repeat("{", 100_000):         maxAlternatives + 1,
	} {
		if got := alternatives(pattern); got != want {
			t.Errorf("%.40q: %d, want %d", pattern, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		valid, match  bool
	}{
		{"**/*.go", "a/b/c.go", true, true},
		{"release/*", "release/1", true, true},
		{"release/*", "release/1/2", true, false},
		{"{a,b}/**", "b/c/d", true, true},
		{"[", "a", false, false},
		{strings.Repeat("{a,a}", 20), strings.Repeat("a", 20), false, false},
		{strings.Repeat("{a,a}", 20) + "x", strings.Repeat("a", 20), false, false},
		{strings.Repeat("*a", 200), strings.Repeat("a", 400), true, true},
		{strings.Repeat("**/", 100) + "x", strings.Repeat("a/", 300) + "y", true, false},
	} {
		if v, m := Valid(c.pattern), Match(c.pattern, c.name); v != c.valid || m != c.match {
			t.Errorf("%.40q, %.40q: valid %v, match %v", c.pattern, c.name, v, m)
		}
	}
}
