package anchor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

func TestSuggestion(t *testing.T) {
	t.Parallel()
	const goText = "package p\n\nfunc F() int {\n\tx := 1\n\treturn x\n}\n"
	const otherEnds = "the file has other ends of lines than line feeds"
	const js = "function f() {\n  return g(1);\n}\n"
	for _, tt := range []struct {
		name, path, content   string
		in                    domain.Suggestion
		start, end            int // of the anchor
		why, parses, old, new string
	}{
		{"good", "a.go", goText, domain.Suggestion{Start: 4, End: 4, Old: "x := 1", New: "x := 2"}, 4, 5, "", Parses, "\tx := 1", "\tx := 2"},
		{"range of the anchor", "a.go", goText, domain.Suggestion{New: "\treturn 1\n"}, 4, 5, "", Parses, "\tx := 1\n\treturn x", "\treturn 1"},
		{"deletion", "a.go", goText, domain.Suggestion{Start: 4, End: 4, New: ""}, 4, 4, "", Parses, "\tx := 1", ""},
		{"broken", "a.go", goText, domain.Suggestion{Start: 4, End: 4, New: "\tx := {"}, 4, 4, "the result does not parse", DoesNotParse, "", ""},
		{"broken before too", "a.go", "package p\nfunc (\nvar x = 1\n", domain.Suggestion{Start: 3, End: 3, New: "var x = 2"}, 3, 3, "", ParsesUnknown, "var x = 1", "var x = 2"},
		{"nothing", "a.go", goText, domain.Suggestion{Start: 4, End: 4, New: "\tx := 1\n"}, 4, 4, "it changes nothing", "", "", ""},
		{"outside the anchor", "a.go", goText, domain.Suggestion{Start: 3, End: 4, New: "q"}, 4, 4, "the range is not inside the anchor's", "", "", ""},
		{"upside down", "a.go", goText, domain.Suggestion{Start: 5, End: 4, New: "q"}, 4, 5, "the range is not inside the anchor's", "", "", ""},
		{"false old text", "a.go", goText, domain.Suggestion{Start: 4, End: 4, Old: "y := 1", New: "y := 2"}, 4, 4, "the old text is not what stands there", "", "", ""},
		{"too long", "a.go", goText, domain.Suggestion{Start: 4, End: 4, New: strings.Repeat("\tx := 1\n", 7)}, 4, 4, "it is too long to be applied by a click", "", "", ""},
		{"past the end", "a.go", goText, domain.Suggestion{Start: 4, End: 40, New: "q"}, 4, 40, "the range is outside the file", "", "", ""},
		{"CRLF", "a.go", strings.ReplaceAll(goText, "\n", "\r\n"), domain.Suggestion{Start: 4, End: 4, Old: "\tx := 1\r\n", New: "\tx := 2\r\n"}, 4, 4, otherEnds, Parses, "\tx := 1", "\tx := 2"},
		{"CRLF on another line", "a.go", strings.Replace(goText, "\n", "\r\n", 1), domain.Suggestion{Start: 4, End: 4, New: "\tx := 2"}, 4, 4, otherEnds, Parses, "\tx := 1", "\tx := 2"},
		{"CR inside", "a.js", "a()\nb()\n", domain.Suggestion{Start: 2, End: 2, New: "b(\r)"}, 2, 2, otherEnds, Parses, "b()", "b(\r)"},
		{"CRLF that does not parse", "a.go", strings.ReplaceAll(goText, "\n", "\r\n"), domain.Suggestion{Start: 4, End: 4, New: "\tx := {"}, 4, 4, "the result does not parse", DoesNotParse, "", ""},
		{"not UTF-8", "a.js", "a()\nb('\xe9')\n", domain.Suggestion{Start: 1, End: 1, New: "c()"}, 1, 1, "the file is not in UTF-8", Parses, "a()", "c()"},
		{"byte order mark", "a.js", "\ufeffa()\nb()\n", domain.Suggestion{Start: 1, End: 1, New: "c()"}, 1, 1, "the first line begins with a byte order mark", Parses, "\ufeffa()", "c()"},
		{"below a byte order mark", "a.js", "\ufeffa()\nb()\n", domain.Suggestion{Start: 2, End: 2, New: "c()"}, 2, 2, "", Parses, "b()", "c()"},
		{"deletion of a last line without newline", "a.js", "a()\nb()", domain.Suggestion{Start: 2, End: 2, New: ""}, 2, 2,
			"the last line that goes has no line feed, and the one before it may lose its own", Parses, "b()", ""},
		{"only space", "a.js", "a()\nb()\n", domain.Suggestion{Start: 2, End: 2, New: "  "}, 2, 2, "the new text is only space, which a host may take for a deletion", Parses, "b()", "  "},
		{"JSON good", "a.json", "{\n \"a\": 1\n}\n", domain.Suggestion{Start: 2, End: 2, New: " \"a\": 2"}, 2, 2, "", Parses, " \"a\": 1", " \"a\": 2"},
		{"JSON broken", "a.json", "{\n \"a\": 1\n}\n", domain.Suggestion{Start: 2, End: 2, New: " \"a\": 2,"}, 2, 2, "the result does not parse", DoesNotParse, "", ""},
		{"brackets lost", "a.js", js, domain.Suggestion{Start: 2, End: 2, New: "  return g(1;"}, 2, 2, "the result does not parse", DoesNotParse, "", ""},
		{"bracket in a string", "a.js", js, domain.Suggestion{Start: 2, End: 2, New: "  return g(')');"}, 2, 2, "", Parses, "  return g(1);", "  return g(')');"},
		{"unknown language", "a.zzz", js, domain.Suggestion{Start: 2, End: 2, New: "  ((("}, 2, 2, "", ParsesUnknown, "  return g(1);", "  ((("},
		{"no newline at the end", "a.js", "a()\nb()", domain.Suggestion{Start: 2, End: 2, New: "c()"}, 2, 2, "", Parses, "b()", "c()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, lang := diff.Classify(tt.path, nil)
			s := tt.in
			a := domain.Anchor{Path: tt.path, Side: domain.Right, StartLine: tt.start, EndLine: tt.end, Level: domain.AnchorLine}
			why, err := Suggestion(t.Context(), &s, a, &diff.File{Path: tt.path, Language: lang}, files{"RIGHT:" + tt.path: tt.content})
			if err != nil || why != tt.why || tt.parses != "" && s.Parses != tt.parses {
				t.Fatalf("%q %v %+v", why, err, s)
			}
			if s.Applies != (why == "") {
				t.Errorf("%q, applies: %v", why, s.Applies)
			}
			if why == "" && (!s.Applies || s.Old != tt.old || s.New != tt.new || s.Path != tt.path) {
				t.Errorf("%+v", s)
			}
		})
	}
	link := domain.Suggestion{New: "../other"}
	at := domain.Anchor{Path: "link", Side: domain.Right, StartLine: 1, EndLine: 1, Level: domain.AnchorLine}
	why, err := Suggestion(t.Context(), &link, at, &diff.File{Path: "link", Mode: diff.ModeSymlink}, files{"RIGHT:link": "target"})
	if err != nil || why != "the path is a link, not a file" || link.Applies {
		t.Errorf("a link: %q %v %+v", why, err, link)
	}
	a := domain.Anchor{Path: "a.go", Side: domain.Left, StartLine: 1, EndLine: 1, Level: domain.AnchorLine}
	if why, _ := Suggestion(t.Context(), &domain.Suggestion{New: "x"}, a, nil, files{"RIGHT:a.go": goText}); why == "" {
		t.Error("a suggestion on removed lines was accepted")
	}
}
