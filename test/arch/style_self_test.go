package arch

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) source {
	t.Helper()
	s := source{path: "internal/x/x.go", dir: "internal/x", text: text, fset: token.NewFileSet()}
	var err error
	if s.file, err = parser.ParseFile(s.fset, s.path, text, parser.ParseComments); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAvoided shows that each pattern is found at its line, and that plain
// English is not.
func TestAvoided(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]string{
		"// Nobody reads it.":                                  "3",
		"// It is read by\n// whoever comes first.":            "4",
		"// a list of\n// which the first counts":              "4",
		"// The host tells of them.":                           "3",
		"// asked of the host":                                 "3",
		"// It has none, and is none.":                         "3 3",
		"// It is done anew, as ever,\n// all the same.":       "3 3 4",
		"// What is due is announced.":                         "3",
		"// It waits.\n// Whether it ends is known.":           "4",
		"// It waits.\n//\n// Of two, one wins.":               "5",
		"/* Somebody\nsomebody */":                             "3 4",
		"// The relay announces due jobs.":                     "",
		"// The host says whether it has them.":                "",
		"// Offers go out first. Whatever is left goes later.": "",
		"// known offices; a list, of course; none is left":    "",
		"// Whole files; Thatcher; Officers; newness":          "",
		"//go:generate nobody":                                 "",
	} {
		got, _ := avoided(parse(t, "package x\n\n"+comment+"\nvar a = `nobody, of which`\n"))
		var lines []string
		for _, p := range got {
			lines = append(lines, strings.TrimPrefix(p.at, "internal/x/x.go:"))
		}
		if have := strings.Join(lines, " "); have != want {
			t.Errorf("%q: lines %q, want %q", comment, have, want)
		}
	}
	_, lines := avoided(parse(t, "package x\n\n// One.\n//\n// Three.\n\n//go:generate x\n\n/* Four\nfive */\nvar a int // six\n"))
	if lines != 6 {
		t.Errorf("%d lines of comments, want 6", lines)
	}
}

func TestWide(t *testing.T) {
	t.Parallel()
	got := wide(source{path: "a.go", text: strings.Repeat("ü", maxColumns) + "\n" + strings.Repeat("x", maxColumns+1) + "\n\t" + strings.Repeat("x", maxColumns)})
	if len(got) != 2 || got[0].at != "a.go:2" || got[1].at != "a.go:3" || got[0].text != "141 columns" {
		t.Errorf("got %v", got)
	}
	for file, want := range map[string]bool{"sim/gitea/routes.go": true, "internal/httpapi/routes_run.go": true, "internal/httpapi/run.go": false, "internal/routes/run.go": false} {
		if isRoutes(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}

// TestRatchet shows that a total above the figures fails with the new places,
// and a total far below them with the advice to lower them.
func TestRatchet(t *testing.T) {
	t.Parallel()
	many := func(dir string, n int) (out []place) {
		for range n {
			out = append(out, place{dir, dir + "/x.go:1", "new"})
		}
		return out
	}
	committed := figures{"a": 10, "b": 100}
	for name, c := range map[string]struct {
		places   []place
		has, not string
	}{
		"more":            {append(many("a", 12), many("b", 99)...), "a: 12, before 10\n\ta/x.go:1 new", "b/x.go"},
		"a new package":   {append(many("a", 10), append(many("b", 100), many("c", 1)...)...), "c: 1, before 0\n\tc/x.go:1", "a/x.go"},
		"much less":       {many("b", 89), "only 89 are left of 110", "x.go"},
		"nothing at all":  {nil, "only 0 are left", "x.go"},
		"moved":           {many("c", 110), "", ""},
		"the same":        {append(many("a", 10), many("b", 100)...), "", ""},
		"a little better": {many("b", 90), "", ""},
	} {
		got := ratchet("places", c.places, committed)
		if (got == "") != (c.has == "") || !strings.Contains(got, c.has) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
