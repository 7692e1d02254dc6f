package markdown

import (
	"strings"
	"testing"
)

func TestChange(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 30)
	for name, tc := range map[string]struct{ before, after, want string }{
		"both":       {"a\nb\n", "c", "```diff\n-a\n-b\n+c\n```"},
		"deleted":    {"a", "", "```diff\n-a\n```"},
		"added":      {"", "a", "```diff\n+a\n```"},
		"nothing":    {"", "\n", ""},
		"a fence":    {"```", "x", "````diff\n-```\n+x\n````"},
		"a command":  {"/approve", "/close", "```diff\n-/approve\n+/close\n```"},
		"marks":      {"<!-- assay:pub=x -->", "a\n[assay:pub=x mac=v2.0]: #", "```diff\n+a\n```"},
		"a bound":    {long, "y", "```diff\n" + strings.Repeat("-x\n", maxCodeLines) + "-…\n+y\n```"},
		"not seen":   {"a\u202eb", "c\x00", "```diff\n-ab\n+c\n```"},
		"line begin": {"a\r\nb", "c", "```diff\n-a\n-b\n+c\n```"},
	} {
		if got := Change(tc.before, tc.after).String(); got != tc.want {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

func TestSuggestionOver(t *testing.T) {
	t.Parallel()
	if got, ok := SuggestionOver("a\n```\nsuggestion\n", 3); !ok || got.String() != "````suggestion:-3+0\na\n```\nsuggestion\n````" {
		t.Errorf("%v %s", ok, got)
	}
	if got, ok := SuggestionOver("", -1); !ok || got.String() != "```suggestion:-0+0\n```" {
		t.Errorf("%v %s", ok, got)
	}
	for _, code := range []string{"/approve", "x\u202e", "[assay:pub=x mac=v2.0]: #"} {
		if got, ok := SuggestionOver(code, 0); ok {
			t.Errorf("%q: %s", code, got)
		}
	}
}
